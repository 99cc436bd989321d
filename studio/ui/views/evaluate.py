"""The home page: what will run, how far it is, the figures, the results, the trace of one."""

from PySide6.QtCore import Qt, QTimer
from PySide6.QtWidgets import QStackedWidget, QVBoxLayout, QWidget
from typing_extensions import override

from studio.engine.again import fitting_window
from studio.engine.errors import StoreError
from studio.engine.messages import Told
from studio.engine.store.rows import RunRow, TrialRow
from studio.ui.commands import Actions
from studio.ui.models.figures import Figures
from studio.ui.models.measures import Measure, measures, rules_of
from studio.ui.models.no_answers import NoAnswers
from studio.ui.models.servers import asked, asked_again
from studio.ui.models.totals import Totals
from studio.ui.session import Session
from studio.ui.slices import Slice
from studio.ui.text import tip
from studio.ui.theme import Theme
from studio.ui.views.figures import FiguresView
from studio.ui.views.judged_bar import JudgedBar
from studio.ui.views.no_answers import NoAnswersLine
from studio.ui.views.outlook import Outlook
from studio.ui.views.page import Page
from studio.ui.views.results import Place, ResultsView
from studio.ui.views.run_bar import RunBar
from studio.ui.views.run_trace import RunTrace
from studio.ui.views.summary_strip import SummaryStrip
from studio.ui.widgets.chart_place import TURN_MS
from studio.ui.widgets.scroll import Scroll
from studio.ui.widgets.split import above, beside

_MERGE_MS = 100
_AT_FIRST, _MOST = 30, 200
"""Rows that are merged at once; the others wait for the next turn."""
_SUMMARY_MS = 230


class EvaluatePage(Page):
    """Hands what the session says to the parts of the page, and back what was asked for."""

    def __init__(
        self, session: Session, theme: Theme, actions: Actions, parent: QWidget | None = None
    ) -> None:
        super().__init__(parent)
        self._session = session
        self._actions = actions
        self._run: RunRow | None = None
        self._measures: tuple[Measure, ...] = ()
        self._figures = Figures()
        self._totals = Totals((), 0)
        self._failed = NoAnswers()
        self._shown: Place | None = None
        self._wanted: Place | None = None
        self._left = 0
        self.bar = RunBar(theme)
        self.outlook = Outlook()
        self.summary = SummaryStrip()
        self.no_answers = NoAnswersLine(actions)
        self.score_bar = JudgedBar(session, actions)
        self.figures = FiguresView(theme)
        self.results = ResultsView(theme)
        self.trace = RunTrace(session, theme)
        self._waiting: list[TrialRow] = []
        self._slice = Slice(_AT_FIRST, _MOST)
        self._merging = QTimer(self, singleShot=True)
        self._later = QTimer(self, singleShot=True)
        # Once the rows were painted: to open a trace takes as long as to show them.
        self._choosing = QTimer(self, interval=TURN_MS, singleShot=True)
        self._place()
        self._connect()
        self._show_state()
        self._show_probes()
        self._show_run(session.state.run)
        session.tell_trials_again()  # the page may be made when all of them were told already

    @override
    def focus_filter(self) -> None:
        self.results.words.setFocus(Qt.FocusReason.ShortcutFocusReason)

    @override
    def next_step(self) -> None:
        self.trace.next_step()

    @override
    def previous_step(self) -> None:
        self.trace.previous_step()

    @override
    def next_trial(self) -> None:
        self.results.go(1)

    @override
    def previous_trial(self) -> None:
        self.results.go(-1)

    @override
    def show_prompt(self) -> None:
        self.trace.detail.ask_prompt()

    def _place(self) -> None:
        below = beside("evaluateColumns", (self.results, self.trace), (620, 488))
        rows = above("evaluateRows", (self.figures, below), (180, 410), grows=1)
        inside = QWidget()
        column = QVBoxLayout(inside)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(10)
        column.addWidget(self.summary)
        column.addWidget(self.no_answers)
        column.addWidget(self.score_bar)
        column.addWidget(rows, 1)
        self._run_view = Scroll(inside, keeps_width=True)
        self._stack = QStackedWidget()
        self._stack.addWidget(self.outlook)
        self._stack.addWidget(self._run_view)
        page = QVBoxLayout(self)
        page.setContentsMargins(12, 10, 12, 10)
        page.setSpacing(10)
        page.addWidget(self.bar)
        page.addWidget(self._stack, 1)

    def _connect(self) -> None:
        session = self._session
        session.state_changed.connect(self._show_state)
        session.run_changed.connect(self._show_run)
        session.trials_changed.connect(self._take_trials)
        session.trial_wanted.connect(self._look_at)
        session.queries_changed.connect(self._show_state)
        session.project_changed.connect(self._show_probes)
        session.desk.changed.connect(self._show_probes)
        self.bar.picked.connect(self._picked)
        self.bar.start_asked.connect(self._actions["run.start"].trigger)
        self.bar.stop_asked.connect(self._actions["run.stop"].trigger)
        self.bar.continue_asked.connect(self._actions["run.continue"].trigger)
        self.no_answers.counting_changed.connect(self._show_summaries)
        self.no_answers.show_asked.connect(self.results.show_excused)
        self.figures.chosen.connect(self._query_chosen)
        self.results.chosen.connect(self._trial_chosen)
        self._merging.timeout.connect(self._merge)
        self._later.timeout.connect(self._show_summaries)
        self._choosing.timeout.connect(self._choose)

    def _show_state(self) -> None:
        state = self._session.state
        self.bar.show_state(state)
        self._show_rest()
        self._show_outlook()

    def _show_rest(self) -> None:
        state = self._session.state
        if state.run is not None:
            rest = asked_again(state.run, state.project, self._session.desk)
            self.bar.resume.setToolTip(
                tip(f"Run what is missing, and again what a server failed. {rest}.")
            )

    def _show_outlook(self) -> None:
        state, desk = self._session.state, self._session.desk
        if state.run is not None:
            return
        models = state.project.models if state.project is not None else ()
        picked = state.picks.model if state.picks is not None else ""
        spec = next((each for each in models if each.name == picked), None)
        if spec is None:
            self.outlook.show_state(state)
        else:
            is_spread = len(desk.meant(spec)) > 1
            self.outlook.show_state(state, asked(spec, desk), is_spread=is_spread)

    def _show_probes(self) -> None:
        project, desk = self._session.state.project, self._session.desk
        found = {each.name: desk.probe_of(each) for each in project.models} if project else {}
        self.bar.show_probes({name: probe for name, probe in found.items() if probe is not None})
        self._show_rest()
        self._show_outlook()

    def _picked(self, field: str, value: object) -> None:
        self._session.pick(**{field: value})

    def _show_run(self, run: RunRow | None) -> None:
        before, self._run = self._run, run
        self._left = before.id if before is not None else self._left
        self._show_outlook()
        # While one run takes another's place the view stays: to lay it out again takes long.
        is_outlook = self._session.state.run is None
        self._stack.setCurrentWidget(self.outlook if is_outlook else self._run_view)
        if run is not None and (before is None or before.id != run.id):
            self._begin_run(run)

    def _begin_run(self, run: RunRow) -> None:
        plan = run.plan
        self._measures = measures(run.criteria.metrics)
        self._figures = Figures(len(plan.query_ids), plan.trials)
        self._totals = Totals(self._measures, plan.planned)
        self._failed = NoAnswers()
        # One that is judged anew is shown where it was left.
        if run.id != self._left:
            self._shown = None
            self.trace.show_trial(None, None)
        self._wanted = None
        self._waiting = []
        self._merging.stop()
        self.results.show_run(
            self._measures, plan.trials, len(run.shared), rules_of(run.criteria)
        )  # fmt: skip
        self.figures.show_figures(self._figures, self._measures, self._name_of)
        self._later.start(0)

    def _take_trials(self, rows: tuple[TrialRow, ...]) -> None:
        """Show the first rows soon, what follows at most ten times a second."""
        self._waiting += rows
        if not self._merging.isActive():
            self._merging.start(0)

    def _merge(self) -> None:
        size = self._slice.size
        rows, self._waiting = self._waiting[:size], self._waiting[size:]
        if self._run is None or not rows:
            return
        self._merging.start(0 if self._waiting else _MERGE_MS)
        self._slice.begin()
        self._figures.update(rows)
        self._totals.update(rows)
        self._failed.update(rows)
        self.results.merge(rows)
        self._slice.end(len(rows))
        self.figures.changed()
        if not self._later.isActive():
            self._later.start(_SUMMARY_MS)
        if self._wanted is not None:
            self._look_at(self._wanted)
        if self.results.has_current:
            for row in rows:
                if (row.position, row.number) == self._shown:
                    self.trace.follow_trial(row, self._measures)
        elif not self._choosing.isActive():
            self._choosing.start()

    def _choose(self) -> None:
        """Show the first trial, or the one that was shown when all were judged anew."""
        if self._shown is None:
            self.results.go(1)
        elif not self.results.has_current:
            self.results.select(self._shown)

    def _show_summaries(self) -> None:
        self.no_answers.show_no_answers(self._failed)
        self.no_answers.offer_again(self._fitting_window())
        counts_excused = self.no_answers.counts_them
        self.summary.show_totals(self._totals.summaries(), counts_excused=counts_excused)

    def _fitting_window(self) -> int | None:
        """A num_ctx with which the invalid trials would fit; None if none is, or none fits."""
        invalid, reader = self._failed.invalid, self._session.reader
        if not invalid or reader is None or self._run is None:
            return None
        try:
            return fitting_window(reader, self._run, invalid)
        except StoreError as error:
            self._tell(str(error))
            return None

    def _query_chosen(self, position: int) -> None:
        """A bar was clicked: its first trial becomes the current one, also if it was filtered."""
        trials = self._figures.trials_of(position)
        if trials:
            self._look_at((position, trials[0].number))

    def _look_at(self, place: Place) -> None:
        """Show this trial, filtered or not; one that is not told yet once it is."""
        is_known = self.results.model.known(place) is not None
        self._wanted = None if is_known else place
        if is_known and not self.results.select(place):
            self._trial_chosen(place)

    def _trial_chosen(self, place: Place) -> None:
        self._shown = place
        trial = self.results.model.known(place)
        if trial is not None and self._run is not None:
            self.figures.select(trial.position)
            self.trace.open_trial(trial, self._measures)

    def _name_of(self, position: int) -> str:
        trials = self._figures.trials_of(position)
        if trials:
            return trials[0].query
        return self._run.plan.query_ids[position] if self._run is not None else ""

    def _tell(self, problem: str) -> None:
        self._session.told.emit(Told(problem))
