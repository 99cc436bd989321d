"""How reliable the agent is: pass@k and pass^k, how often each query passed, what changed sides."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

from PySide6.QtCore import Signal
from PySide6.QtGui import QShowEvent
from PySide6.QtWidgets import QVBoxLayout, QWidget
from typing_extensions import override

from studio.engine.analysis.passing import Rule
from studio.engine.analysis.reliability import KOfN, Reliability
from studio.engine.store.rows import RunRow, TrialRow
from studio.ui.models.repeats import WIDTHS, QueryTable, Repeats, query_of, worst_place
from studio.ui.session import Session
from studio.ui.text import counted
from studio.ui.theme import Theme
from studio.ui.views.estimate_table import EstimateTable, curves, estimators
from studio.ui.views.flip_matrix import FlipMatrix
from studio.ui.widgets.chart_place import ChartPlace
from studio.ui.widgets.legend import Legend
from studio.ui.widgets.lines import Lines
from studio.ui.widgets.panel import Panel, button
from studio.ui.widgets.rows import Rows
from studio.ui.widgets.split import above, beside

if TYPE_CHECKING:
    from studio.ui.charts.curves import CurveChart


class ReliabilityView(QWidget):
    """Figures over repeated trials, for the run that is shown."""

    trial_wanted = Signal(object)
    """The place of a trial that somebody wants to see: of a query that was opened."""

    def __init__(self, session: Session, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._theme = theme
        self._repeats = Repeats()
        self.chart: CurveChart | None = None
        self.queries = QueryTable()
        self.list = Rows(self.queries, "Queries by how often they passed", query_of, WIDTHS)
        self.queries.setParent(self)
        self.figures = EstimateTable()
        self.matrix = FlipMatrix(session)
        self.legend = Legend(theme)
        self.method = Lines()
        self._place()
        self.pooled.toggled.connect(self.draw)
        self.list.opened.connect(self._open)
        self.list.chosen.connect(self._enable)
        self.see.clicked.connect(self._open_current)
        self.matrix.chosen.connect(self._show_only)
        self._chart_place.ready.connect(self._make_chart)

    def show_run(self, run: RunRow, rules: Sequence[Rule]) -> None:
        """Begin with the trials of another run, or of the same one by other rules."""
        self._repeats = Repeats(rules, len(run.plan.query_ids))
        self.queries.clear()
        self.list.forget()
        self.see.setEnabled(False)
        self.matrix.show_run(run, rules, self._repeats)

    def take(self, rows: Sequence[TrialRow]) -> None:
        """Trials that are new or changed; `draw` shows the figures."""
        self.queries.merge(self._repeats.update(rows))
        self.matrix.take(rows)

    def draw(self) -> None:
        """Show the figures as they are now."""
        found = self._repeats.reliability()
        shown = curves(found, with_pooled=self.pooled.isChecked())
        self.figures.show_figures(found, with_pooled=self.pooled.isChecked())
        self.method.show_lines(estimators(found, with_pooled=self.pooled.isChecked()))
        self.legend.show_entries([(curve.name, curve.token) for curve in shown])
        if self.chart is not None:
            self.chart.draw(shown)
        self.list_panel.note.setText(_note(found))
        self.matrix.draw()

    @override
    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        self.matrix.offer()

    def _place(self) -> None:
        self.chart_panel = Panel("Over k trials")
        self.pooled = button("AgentArch's pooled power", "quiet")
        self.pooled.setCheckable(True)
        self.pooled.setToolTip(
            "The share of all trials that passed, to the power of k: easy and hard queries in\n"
            "one pot. Smaller than pass^k where queries differ, and no estimate of it."
        )
        self.chart_panel.head.addWidget(self.legend)
        self.chart_panel.head.addWidget(self.pooled)
        self._chart_place = ChartPlace()
        self.chart_panel.body.addWidget(self._chart_place, 1)
        self.figures_panel = Panel("In figures")
        self.figures_panel.body.addWidget(self.figures, 1)
        below = QVBoxLayout()
        below.setContentsMargins(12, 4, 12, 10)
        below.addWidget(self.method)
        self.figures_panel.body.addLayout(below)
        self.list_panel = Panel("Queries")
        self.list_panel.body.addWidget(self.list)
        self.see = button("Show trial", "quiet")
        self.see.setToolTip(
            "Show a trial of the query on the Evaluate page, one that failed if any did."
        )
        self.see.setEnabled(False)
        self.list_panel.head.addWidget(self.see)
        figures = (self.chart_panel, self.figures_panel)
        queries = (self.list_panel, self.matrix)
        rows = above(
            "reliabilityRows",
            (
                beside("reliabilityFigures", figures, (600, 510)),
                beside("reliabilityQueries", queries, (660, 450)),
            ),
            (320, 340),
            grows=1,
        )
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.addWidget(rows)

    def _make_chart(self) -> None:
        # Only here: the library is not to be loaded before a chart is seen.
        from studio.ui.charts.curves import CurveChart

        self.chart = CurveChart("pass@k and pass^k", self._theme)
        self._chart_place.put(self.chart)
        self.draw()

    def _show_only(self, ids: frozenset[str] | None) -> None:
        self.queries.show_only(ids)
        title = "Queries" if ids is None else "Queries in the cell"
        self.list_panel.title.setText(title)

    def _enable(self) -> None:
        self.see.setEnabled(True)

    def _open_current(self) -> None:
        if self.list.current is not None:
            self._open(self.list.current)

    def _open(self, query: KOfN) -> None:
        self.trial_wanted.emit(worst_place(self._repeats.trials_of(query.position), query))


def _note(found: Reliability) -> str:
    passed, decided = found.trials
    excused, undecided = found.left_out
    parts = [f"{passed:,} of {counted(decided, 'trial')} passed"] if decided else []
    if excused:
        parts.append(f"{excused:,} excused")
    if undecided:
        parts.append(f"{undecided:,} cannot be told")
    return " · ".join(parts)
