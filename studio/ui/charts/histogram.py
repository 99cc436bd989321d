"""How many trials took how long: bins of equal width, and the median as a line."""

import pyqtgraph as pg
from PySide6.QtCore import QPointF, Qt
from PySide6.QtGui import QColor
from PySide6.QtWidgets import QWidget
from typing_extensions import override

from studio.ui.charts.frame import Chart
from studio.ui.models.figures import Bins
from studio.ui.text import counted, seconds
from studio.ui.theme import Theme, Tokens


class SecondsHistogram(Chart):
    """The seconds of the trials that ended."""

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__("Seconds per trial", theme, parent)
        self._bins = Bins(0.0, 1.0, ())
        self._bars = pg.BarGraphItem(x=[], height=[], width=1)
        self._median = pg.InfiniteLine(0, angle=90)
        self._median.hide()
        self.addItem(self._bars, ignoreBounds=True)
        self.addItem(self._median, ignoreBounds=True)
        self.getPlotItem().hideAxis("left")
        self.dress()

    def draw(self, bins: Bins, median: float | None) -> None:
        self._bins = bins
        centres = [bins.low + (place + 0.5) * bins.width for place in range(len(bins.counts))]
        self._bars.setOpts(x=centres, height=list(bins.counts), width=bins.width * 0.92)
        self._median.setVisible(median is not None)
        self._median.setValue(median or 0.0)
        high = bins.low + max(1, len(bins.counts)) * bins.width
        margin = 0.06 * (high - bins.low)
        self.setXRange(bins.low - margin, high + margin, padding=0)
        self.setYRange(0, 1.1 * max(bins.counts, default=1), padding=0)
        step = max(1, len(bins.counts) // 3)
        edges = [bins.low + place * bins.width for place in range(0, len(bins.counts) + 1, step)]
        self.set_ticks("bottom", [(edge, seconds(edge)) for edge in edges] if bins.counts else [])

    def drawn(self) -> tuple[list[int], float | None]:
        """The counts of the bins, and where the median stands if it is shown."""
        median = float(self._median.value()) if self._median.isVisible() else None
        return list(self._bars.opts["height"]), median

    @override
    def _dress(self, tokens: Tokens) -> None:
        self._bars.setOpts(brush=QColor(tokens.accent), pen=pg.mkPen(None))
        self._median.setPen(pg.mkPen(tokens.text, style=Qt.PenStyle.DashLine, width=1))

    @override
    def _told(self, place: QPointF) -> str:
        at = int((place.x() - self._bins.low) // self._bins.width)
        if not 0 <= at < len(self._bins.counts):
            return ""
        low = self._bins.low + at * self._bins.width
        amount = counted(self._bins.counts[at], "trial")
        return f"{amount} took {seconds(low)} to {seconds(low + self._bins.width)}"
