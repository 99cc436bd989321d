"""The map of failures: which modes, which trials, and the step that shows it."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

from PySide6.QtCore import Qt, QTimer, Signal
from PySide6.QtWidgets import QStackedWidget, QVBoxLayout, QWidget

from studio.engine.store.rows import RunRow
from studio.ui.models.failed_trials import WIDTHS, FailedTrials, place_of
from studio.ui.models.failure_modes import FailureModes, Judged
from studio.ui.models.measures import Measure
from studio.ui.models.verdicts import Verdict, not_passed
from studio.ui.session import Session
from studio.ui.text import counted
from studio.ui.theme import Theme
from studio.ui.views.failure_table import FailureTable
from studio.ui.views.run_trace import RunTrace
from studio.ui.widgets.chart_place import ChartPlace
from studio.ui.widgets.label import PlainLabel
from studio.ui.widgets.panel import Panel, button
from studio.ui.widgets.rows import Rows
from studio.ui.widgets.split import above, beside

if TYPE_CHECKING:
    from studio.ui.charts.pareto import ParetoChart

_APART = (Verdict.EXCUSED, Verdict.UNDECIDED)


class FailuresView(QWidget):
    """Draws `FailureModes`: `show_modes` when they are those of another run, `changed` after."""

    drawn = Signal()
    """Something that was there to be shown is shown."""

    def __init__(self, session: Session, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._theme = theme
        self._modes = FailureModes()
        self._measures: tuple[Measure, ...] = ()
        self._selected = ""
        self.chart: ParetoChart | None = None
        self.table = FailureTable(theme)
        self.trials = FailedTrials()
        self.list = Rows(self.trials, "Trials that did not pass", place_of, WIDTHS)
        self.trials.setParent(self)
        self.trace = RunTrace(session, theme)
        self._place()
        self.table.mode_chosen.connect(self._choose)
        self.table.opened.connect(self._go_to_list)
        # In a turn of its own: to open a trace takes as long as to draw the figures.
        self._opening = QTimer(self, interval=0, singleShot=True)
        self._opening.timeout.connect(self._open)
        self.list.chosen.connect(self._open_soon)
        self.every.toggled.connect(self._show_all)
        self._chart_place.ready.connect(self._make_chart)

    @property
    def is_ready(self) -> bool:
        """Whether the chart is there (its library loads when it is first shown)."""
        return self._chart_place.is_filled

    def show_modes(
        self, run: RunRow | None, modes: FailureModes, measures: Sequence[Measure]
    ) -> None:
        """Begin with the failures of another run, or of the same one by other rules."""
        self._modes, self._measures, self._selected = modes, tuple(measures), ""
        self.trials.judge_by(modes.rules, measures)
        self.list.forget()
        self.list.setColumnHidden(1, run is None or run.plan.trials < 2)
        self.trace.show_trial(None, None)
        self.trials.show("", counts_every=self.every.isChecked())

    def take(self, judged: Sequence[Judged]) -> None:
        """Trials that are new or changed; `draw` shows the figures."""
        self.trials.merge(
            each for each in judged if each.names or self.trials.known(each.place) is not None
        )
        current = self.list.current
        for each in judged:
            if current is not None and each.place == current.place:
                self.trace.follow_trial(each.trial, self._measures)

    def draw(self) -> None:
        """Show the figures as they are now."""
        modes = self._modes
        bars = modes.bars(counts_every=self.every.isChecked())
        headline = not_passed(
            modes.count(Verdict.NOT_PASSED), modes.decided, modes.count(Verdict.UNDECIDED)
        )  # fmt: skip
        self.chart_panel.title.setText(headline)
        self.nothing.setText(f"{headline}.")
        self.table.show_modes(bars, [(each.value, modes.count(each)) for each in _APART])
        names = [line.name for line in self.table.lines]
        self._stack.setCurrentWidget(self._map if names else self.nothing)
        if names and self._selected not in names:
            self._choose(names[0])
        else:
            self._show_selected()
        self.drawn.emit()

    def _place(self) -> None:
        self.chart_panel = Panel()
        self.every = button("Count every finding", "quiet")
        self.every.setCheckable(True)
        self.every.setToolTip(
            "Off: a trial counts once, under what was found in it first.\n"
            "On: it counts under everything that was found in it."
        )
        self.chart_panel.head.addWidget(self.every)
        self._chart_place = ChartPlace()
        self.chart_panel.body.addWidget(self._chart_place, 1)
        self.table_panel = Panel("What went wrong")
        self.table_panel.body.addWidget(self.table)
        self.list_panel = Panel("Trials")
        self.list_panel.body.addWidget(self.list)
        figures = (self.chart_panel, self.table_panel)
        trials = (self.list_panel, self.trace)
        rows = above(
            "failureRows",
            (
                beside("failureFigures", figures, (680, 430)),
                beside("failureTrials", trials, (520, 590)),
            ),
            (262, 400),
            grows=1,
        )
        self.nothing = PlainLabel("", "muted")
        self.nothing.setAlignment(Qt.AlignmentFlag.AlignCenter)
        self._map = rows
        self._stack = QStackedWidget()
        self._stack.addWidget(self.nothing)
        self._stack.addWidget(rows)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.addWidget(self._stack)

    def _make_chart(self) -> None:
        # Only here: the library is not to be loaded before a chart is seen.
        from studio.ui.charts.pareto import ParetoChart

        self.chart = ParetoChart(self._theme)
        self.chart.chosen.connect(self._choose)
        self.chart.opened.connect(self._go_to_list)
        self._chart_place.put(self.chart)
        self.draw()

    def _choose(self, name: str) -> None:
        """Show the trials of a mode, and the trace of the first of them."""
        self._selected = name
        self.table.select(name)
        self.list.forget()
        self.trials.show(name, counts_every=self.every.isChecked())
        self.list.choose_first()
        self._show_selected()

    def _show_all(self) -> None:
        self.trials.show(self._selected, counts_every=self.every.isChecked())
        self.draw()

    def _go_to_list(self) -> None:
        self.list.setFocus(Qt.FocusReason.OtherFocusReason)

    def _open_soon(self, _judged: Judged) -> None:
        self._opening.start()

    def _open(self) -> None:
        judged: Judged | None = self.list.current
        if judged is not None:
            self.trace.open_trial(judged.trial, self._measures, self.trials.evidence(judged))

    def _show_selected(self) -> None:
        if self.chart is not None:
            bars = self._modes.bars(counts_every=self.every.isChecked())
            self.chart.draw(bars, self._selected)
        self.list_panel.title.setText(f"Trials: {self._selected}" if self._selected else "Trials")
        shown = self.trials.rowCount()
        self.list_panel.note.setText(counted(shown, "trial") if shown else "")
