"""The analysis page: why trials did not pass, how reliable the agent is, how sure of itself."""

from collections.abc import Callable

from PySide6.QtCore import Qt, QTimer
from PySide6.QtGui import QShowEvent
from PySide6.QtWidgets import QHBoxLayout, QStackedWidget, QTabBar, QVBoxLayout, QWidget
from typing_extensions import override

from studio.engine.records import Criteria
from studio.engine.store.rows import RunRow, TrialRow
from studio.ui.commands import Actions
from studio.ui.models.failure_modes import FailureModes
from studio.ui.models.measures import measures, metrics_of, rules_of
from studio.ui.models.verdicts import rules_text
from studio.ui.session import Session
from studio.ui.theme import Theme
from studio.ui.views.benchmarks import BenchmarksView
from studio.ui.views.calibration import CalibrationView
from studio.ui.views.failures import FailuresView
from studio.ui.views.judged_bar import JudgedBar
from studio.ui.views.page import Page
from studio.ui.views.reliability import ReliabilityView
from studio.ui.widgets.label import ElidedLabel, PlainLabel
from studio.ui.widgets.panel import button

_BENCHMARKS = "Benchmarks"
_SOON_MS, _DRAW_MS = 40, 500
"""The figures are drawn once the first trials came, or none did, and then at most this often."""


class AnalysisPage(Page):
    """Hands the trials of the run that is shown to its parts; only the open one is drawn."""

    def __init__(
        self, session: Session, theme: Theme, actions: Actions, parent: QWidget | None = None
    ) -> None:
        super().__init__(parent)
        self._session = session
        self._run: RunRow | None = None
        self._criteria: Criteria | None = None
        self._modes = FailureModes()
        self._stale: set[str] = set()
        self.failures = FailuresView(session, theme)
        self.reliability = ReliabilityView(session, theme)
        self.calibration = CalibrationView(theme)
        self.benchmarks = BenchmarksView(theme)
        self._parts: dict[str, Callable[[], None]] = {
            "Failures": self.failures.draw,
            "Reliability": self.reliability.draw,
            "Calibration": self.calibration.draw,
            _BENCHMARKS: self.benchmarks.draw,
        }
        self._again = QTimer(self, singleShot=True)
        self._again.timeout.connect(self._draw)
        self.score_bar = JudgedBar(session, actions)
        self._place()
        self.tabs.currentChanged.connect(self._open_part)
        self.help.clicked.connect(actions["help.figures"].trigger)
        self.reliability.trial_wanted.connect(session.look_at)
        session.run_changed.connect(self._show_run)
        session.trials_changed.connect(self._take_trials)
        self._show_run(session.state.run)

    @override
    def start_here(self) -> QWidget:
        return self.tabs

    @override
    def next_step(self) -> None:
        self.failures.trace.next_step()

    @override
    def previous_step(self) -> None:
        self.failures.trace.previous_step()

    @override
    def next_trial(self) -> None:
        self.failures.list.go(1)

    @override
    def previous_trial(self) -> None:
        self.failures.list.go(-1)

    @override
    def show_prompt(self) -> None:
        self.failures.trace.detail.ask_prompt()

    def _place(self) -> None:
        self.tabs = QTabBar(drawBase=False, expanding=False)
        self.tabs.setAccessibleName("Parts of the analysis")
        self.tabs.setElideMode(Qt.TextElideMode.ElideNone)
        self.tabs.setUsesScrollButtons(False)
        self.rule = ElidedLabel("", "muted")
        self.rule.setAlignment(Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter)
        self.help = button("What these mean", "quiet")
        self.help.setToolTip("Each figure: its meaning, its estimator, its interval.")
        head = QHBoxLayout()
        head.addWidget(self.tabs)
        head.addWidget(self.rule, 1)
        head.addWidget(self.help)
        self.empty = PlainLabel(
            "Nothing was run yet. Evaluate, or open a run on the Runs page.", "muted"
        )
        self.empty.setAlignment(Qt.AlignmentFlag.AlignCenter)
        self._stack = QStackedWidget()
        for name in self._parts:
            self.tabs.addTab(name)
        for part in (self.failures, self.reliability, self.calibration, self.benchmarks):
            self._stack.addWidget(part)
        self._shown = QStackedWidget()
        filled = QWidget()
        column = QVBoxLayout(filled)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(8)
        column.addLayout(head)
        column.addWidget(self.score_bar)
        column.addWidget(self._stack, 1)
        self._shown.addWidget(self.empty)
        self._shown.addWidget(filled)
        page = QVBoxLayout(self)
        page.setContentsMargins(12, 6, 12, 10)
        page.addWidget(self._shown)

    def _open_part(self, place: int) -> None:
        self._stack.setCurrentIndex(place)
        self._draw()

    def _show_run(self, run: RunRow | None) -> None:
        before, self._run = self._run, run
        self._shown.setCurrentIndex(0 if self._session.state.run is None else 1)
        if run is None:
            self._criteria = None
        elif before is None or before.id != run.id or run.criteria != self._criteria:
            self._begin(run)
            # A page that was made late, or judges anew, has to see all trials; told in parts.
            self._session.tell_trials_again()

    def _begin(self, run: RunRow) -> None:
        """Judge by the rules of this run."""
        self._criteria = run.criteria
        shown, rules = measures(run.criteria.metrics), rules_of(run.criteria)
        self.rule.setText(rules_text(rules, shown))
        self._modes = FailureModes(rules)
        self.failures.show_modes(run, self._modes, shown)
        self.reliability.show_run(run, rules)
        self.calibration.show_run(run, rules, shown)
        self.benchmarks.show_run(metrics_of(run.criteria))
        place = list(self._parts).index(_BENCHMARKS)
        self.tabs.setTabVisible(place, self.benchmarks.has_figures)
        self._stale = set(self._parts)
        self._again.start(_SOON_MS)

    def _take_trials(self, rows: tuple[TrialRow, ...]) -> None:
        if self._run is None:
            return
        self.failures.take(self._modes.update(rows))
        self.reliability.take(rows)
        self.calibration.take(rows)
        self.benchmarks.take(rows)
        self._stale = set(self._parts)
        if not self._again.isActive():
            self._again.start(_SOON_MS)

    def _draw(self) -> None:
        name = self.tabs.tabText(self.tabs.currentIndex())
        if name in self._stale and self.isVisible():
            self._stale.discard(name)
            if len(self._modes):  # the first trials are shown soon
                self._again.start(_DRAW_MS)
            self._parts[name]()

    @override
    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        self._draw()
