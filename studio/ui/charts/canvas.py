"""One item that paints all rectangles and lines of a chart.

pyqtgraph's own bars and lines work out their bounds from the pixels under them, each on its own and
with every paint: a dozen of them cost more than all the rest of the window.
"""

from collections.abc import Sequence
from typing import NamedTuple

import pyqtgraph as pg
from PySide6.QtCore import QLineF, QRectF, Qt
from PySide6.QtGui import QBrush, QColor, QPainter, QPen
from PySide6.QtWidgets import QStyleOptionGraphicsItem, QWidget
from typing_extensions import override


class Layer(NamedTuple):
    """Rectangles, or lines, painted alike, in the units of the chart."""

    rects: Sequence[QRectF] = ()
    lines: Sequence[QLineF] = ()
    fill: QColor | None = None
    line: QColor | None = None
    pattern: Qt.BrushStyle = Qt.BrushStyle.SolidPattern
    dash: Qt.PenStyle = Qt.PenStyle.SolidLine

    def pen(self) -> QPen:
        if self.line is None:
            return QPen(Qt.PenStyle.NoPen)
        pen = QPen(self.line, 1.0, self.dash)
        pen.setCosmetic(True)
        return pen

    def brush(self) -> QBrush:
        if self.fill is None:
            return QBrush(Qt.BrushStyle.NoBrush)
        return QBrush(self.fill, self.pattern)


class Canvas(pg.GraphicsObject):  # type: ignore[misc]  # pyqtgraph ships no types
    """Paints layers over the whole view, the first one lowest."""

    def __init__(self) -> None:
        super().__init__()
        self._layers: tuple[Layer, ...] = ()

    def show_layers(self, layers: Sequence[Layer]) -> None:
        """Paint these; the same ones again cost nothing."""
        wanted = tuple(layers)
        if wanted != self._layers:
            self._layers = wanted
            self.update()

    @override
    def boundingRect(self) -> QRectF:
        view = self.getViewBox()
        return QRectF(view.viewRect()) if view is not None else QRectF()

    @override
    def viewRangeChanged(self) -> None:
        self.prepareGeometryChange()

    @override
    def paint(
        self, painter: QPainter, option: QStyleOptionGraphicsItem, widget: QWidget | None = None
    ) -> None:
        painter.setRenderHint(QPainter.RenderHint.Antialiasing, False)
        for layer in self._layers:
            painter.setPen(layer.pen())
            painter.setBrush(_unscaled(layer.brush(), painter))
            if layer.rects:
                painter.drawRects(list(layer.rects))
            if layer.lines:
                painter.drawLines(list(layer.lines))


def _unscaled(brush: QBrush, painter: QPainter) -> QBrush:
    """The brush with its pattern in pixels, not in the units of the chart."""
    if brush.style() not in {Qt.BrushStyle.SolidPattern, Qt.BrushStyle.NoBrush}:
        inverted, is_possible = painter.worldTransform().inverted()
        if is_possible:
            brush.setTransform(inverted)
    return brush
