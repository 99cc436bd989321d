"""One item that paints all rectangles, lines, dots and words of a chart.

pyqtgraph's own bars and lines work out their bounds from the pixels under them, each on its own and
with every paint: a dozen of them cost more than all the rest of the window.
"""

from collections.abc import Sequence
from typing import NamedTuple

import pyqtgraph as pg
from PySide6.QtCore import QLineF, QPointF, QRectF, Qt
from PySide6.QtGui import QBrush, QColor, QFont, QPainter, QPen, QPolygonF
from PySide6.QtWidgets import QStyleOptionGraphicsItem, QWidget
from typing_extensions import override

_DOT, _ABOVE = 3.0, 5.0
"""Pixels: the radius of a dot, and how far above its point a word stands."""


class Layer(NamedTuple):
    """Shapes painted alike, in the units of the chart.

    `words` stand above their points, in the colour of `line`; `font` is theirs.  `areas` are
    filled outlines.  `is_smooth` is for what does not run along the axes.
    """

    rects: Sequence[QRectF] = ()
    lines: Sequence[QLineF] = ()
    dots: Sequence[QPointF] = ()
    words: Sequence[tuple[QPointF, str]] = ()
    areas: Sequence[QPolygonF] = ()
    fill: QColor | None = None
    line: QColor | None = None
    pattern: Qt.BrushStyle = Qt.BrushStyle.SolidPattern
    dash: Qt.PenStyle = Qt.PenStyle.SolidLine
    font: QFont | None = None
    width: float = 1.0
    is_smooth: bool = False

    def pen(self) -> QPen:
        if self.line is None:
            return QPen(Qt.PenStyle.NoPen)
        pen = QPen(self.line, self.width, self.dash)
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
        for layer in self._layers:
            painter.setRenderHint(QPainter.RenderHint.Antialiasing, layer.is_smooth)
            painter.setPen(layer.pen())
            painter.setBrush(_unscaled(layer.brush(), painter))
            if layer.rects:
                painter.drawRects(list(layer.rects))
            if layer.lines:
                painter.drawLines(list(layer.lines))
            for area in layer.areas:
                painter.drawPolygon(area)
            if layer.dots or layer.words:
                _in_pixels(painter, layer)


def _in_pixels(painter: QPainter, layer: Layer) -> None:
    """Dots and words keep their size, whatever the units of the chart."""
    to_pixels = painter.worldTransform()
    painter.save()
    painter.resetTransform()
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    for dot in layer.dots:
        painter.drawEllipse(to_pixels.map(dot), _DOT, _DOT)
    if layer.font is not None:
        painter.setFont(layer.font)
    metrics = painter.fontMetrics()
    for point, word in layer.words:
        at = to_pixels.map(point)
        left = at.x() - metrics.horizontalAdvance(word) / 2
        painter.drawText(QPointF(left, at.y() - _ABOVE), word)
    painter.restore()


def _unscaled(brush: QBrush, painter: QPainter) -> QBrush:
    """The brush with its pattern in pixels, not in the units of the chart."""
    if brush.style() not in {Qt.BrushStyle.SolidPattern, Qt.BrushStyle.NoBrush}:
        inverted, is_possible = painter.worldTransform().inverted()
        if is_possible:
            brush.setTransform(inverted)
    return brush
