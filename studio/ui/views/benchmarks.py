"""The figures of a run as its metrics' own benchmarks report them."""

from collections.abc import Sequence

from PySide6.QtWidgets import QVBoxLayout, QWidget

from studio.engine.metrics import Metric
from studio.engine.store.rows import TrialRow
from studio.ui.models.benchmarks import Benchmarks
from studio.ui.theme import Theme
from studio.ui.views.figure_table import INTERVAL, FigureTable
from studio.ui.widgets.panel import Panel


class BenchmarksView(QWidget):
    """One line a figure; which metric it is of stands beside it."""

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._benchmarks = Benchmarks()
        self.figures = FigureTable("As the benchmarks report it", "Metric", theme)
        self.figures.setColumnHidden(INTERVAL, True)
        panel = Panel("As the benchmarks report it")
        panel.note.setText("to be set beside published figures")
        panel.body.addWidget(self.figures)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.addWidget(panel)

    @property
    def has_figures(self) -> bool:
        """Whether the run has a metric whose benchmark states more than a mean."""
        return bool(self._benchmarks)

    def show_run(self, metrics: Sequence[Metric]) -> None:
        """Begin with the trials of another run, or of the same one by other metrics."""
        self._benchmarks = Benchmarks(metrics)

    def take(self, rows: Sequence[TrialRow]) -> None:
        """Trials that are new or changed; `draw` shows the figures."""
        self._benchmarks.update(rows)

    def draw(self) -> None:
        """Show the figures as they are now."""
        self.figures.show_lines(self._benchmarks.lines())
