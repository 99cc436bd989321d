"""How many trials took how long: bins of equal width, and the median as a line."""

from PySide6.QtCore import QLineF, QPointF, QRectF, Qt
from PySide6.QtGui import QColor
from PySide6.QtWidgets import QWidget
from typing_extensions import override

from studio.ui.charts.canvas import Layer
from studio.ui.charts.frame import Chart
from studio.ui.models.figures import Bins
from studio.ui.text import counted, seconds
from studio.ui.theme import Theme, Tokens


class SecondsHistogram(Chart):
    """The seconds of the trials that ended, but for those that were not the agent's doing."""

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        self._bins = Bins(0.0, 1.0, ())
        self._median: float | None = None
        super().__init__("Seconds per trial", theme, parent)
        self.axes["left"].hide()

    def draw(self, bins: Bins, median: float | None) -> None:
        self._bins, self._median = bins, median
        high = bins.low + max(1, len(bins.counts)) * bins.width
        margin = 0.06 * (high - bins.low)
        self.show_range((bins.low - margin, high + margin), (0.0, 1.1 * self._most()))
        step = max(1, len(bins.counts) // 3)
        edges = [bins.low + place * bins.width for place in range(0, len(bins.counts) + 1, step)]
        ticks = [(edge, edge_text(edge, bins)) for edge in edges]
        self.show_ticks("bottom", ticks if bins.counts else [])
        self.paint_again()

    @override
    def layers(self, tokens: Tokens) -> list[Layer]:
        bins = self._bins
        rects = [
            QRectF(bins.low + (place + 0.04) * bins.width, 0, 0.92 * bins.width, count)
            for place, count in enumerate(bins.counts)
        ]
        found = [Layer(rects, fill=QColor(tokens.accent))]
        if self._median is not None:
            line = QLineF(self._median, 0, self._median, 1.1 * self._most())
            found.append(Layer(lines=[line], line=QColor(tokens.text), dash=Qt.PenStyle.DashLine))
        return found

    @override
    def told(self, place: QPointF) -> str:
        at = int((place.x() - self._bins.low) // self._bins.width)
        if not 0 <= at < len(self._bins.counts):
            return ""
        low = self._bins.low + at * self._bins.width
        amount = counted(self._bins.counts[at], "trial")
        high = low + self._bins.width
        return f"{amount} took {edge_text(low, self._bins)} to {edge_text(high, self._bins)}"

    def _most(self) -> int:
        return max(self._bins.counts, default=1)


def edge_text(edge: float, bins: Bins) -> str:
    """The edge of a bin in seconds, with as many digits as tell it from the next one."""
    if bins.width >= 1:
        return seconds(edge)
    digits = next((digits for digits in (1, 2, 3) if bins.width >= 10**-digits), 4)
    return f"{edge:.{digits}f} s"
