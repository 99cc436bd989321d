"""The reliability diagram: how often trials were right, by how sure they were."""

from collections.abc import Sequence

from PySide6.QtCore import QLineF, QPointF, QRectF, Qt
from PySide6.QtGui import QColor
from PySide6.QtWidgets import QWidget
from typing_extensions import override

from studio.engine.analysis.calibration import Bin
from studio.ui.charts.canvas import Layer
from studio.ui.charts.frame import Chart, small_font
from studio.ui.text import count, counted
from studio.ui.theme import Theme, Tokens

_LEVELS = (0.0, 0.25, 0.5, 0.75, 1.0)
_SHEER = 120
"""Of 255: the line and the intervals are seen through the bars."""
_STUB = 0.012
"""As high as the bar of a bin in which nothing was right."""


class ReliabilityDiagram(Chart):
    """A bar a bin, as high as its accuracy; on the dashed line confidence and accuracy agree."""

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        self._bins: tuple[Bin, ...] = ()
        super().__init__("Accuracy by stated confidence", theme, parent)

    def draw(self, bins: Sequence[Bin]) -> None:
        self._bins = tuple(bins)
        self.show_range((-0.03, 1.03), (0.0, 1.12))
        self.show_ticks("left", [(level, f"{level:.2f}") for level in _LEVELS])
        edges = sorted({each.low for each in bins} | {1.0})
        self.show_ticks("bottom", [(edge, f"{edge:.1f}") for edge in edges])
        words = (bin_text(each) for each in bins if each.accuracy.scored)
        self.describe("; ".join(words) or "no trial states a confidence")
        self.paint_again()

    @override
    def layers(self, tokens: Tokens) -> list[Layer]:
        bar, text = QColor(tokens.accent), QColor(tokens.text)
        bar.setAlpha(_SHEER)
        mark = QColor(tokens.mark)
        held = [(each, each.accuracy.mean) for each in self._bins]
        bars = [(each, value) for each, value in held if value is not None]
        rects = [_rect(each, value) for each, value in bars]
        whiskers = [
            QLineF(_middle(each), each.accuracy.low, _middle(each), each.accuracy.high)
            for each, _ in bars
            if each.accuracy.low is not None and each.accuracy.high is not None
        ]
        words = [
            (QPointF(_middle(each), each.accuracy.high or value), count(each.accuracy.scored))
            for each, value in bars
        ]
        grid = [QLineF(-1, level, 2, level) for level in _LEVELS]
        return [
            Layer(lines=grid, line=QColor(tokens.line)),
            Layer(rects, fill=bar),
            Layer(lines=[QLineF(0, 0, 1, 1)], line=mark, dash=Qt.PenStyle.DashLine, is_smooth=True),
            Layer(lines=whiskers, line=text, width=2.0),
            Layer(words=words, line=text, font=small_font()),
        ]

    @override
    def told(self, place: QPointF) -> str:
        at = next((each for each in self._bins if each.low <= place.x() < each.high), None)
        return bin_text(at) if at is not None else ""


def bin_text(held: Bin) -> str:
    """A bin in words."""
    accuracy = held.accuracy
    within = f"confidence {held.low:.1f} to {held.high:.1f}"
    if accuracy.mean is None:
        return f"{within}: no trial"
    interval = "" if accuracy.low is None else f", {accuracy.low:.2f} to {accuracy.high:.2f}"
    return f"{within}: {accuracy.mean:.2f} right{interval}, {counted(accuracy.scored, 'trial')}"


def _middle(held: Bin) -> float:
    return (held.low + held.high) / 2


def _rect(held: Bin, value: float) -> QRectF:
    width = held.high - held.low
    return QRectF(held.low + 0.06 * width, 0, 0.88 * width, max(value, _STUB))
