"""Figures over a few places, one line a series, each point with its interval."""

from collections.abc import Sequence
from itertools import pairwise

from PySide6.QtCore import QLineF, QPointF
from PySide6.QtGui import QColor
from PySide6.QtWidgets import QWidget
from typing_extensions import override

from studio.ui.charts.canvas import Layer
from studio.ui.charts.frame import Chart
from studio.ui.models.curves import Curve, Point
from studio.ui.theme import Theme, Tokens

_LEVELS = (0.0, 0.25, 0.5, 0.75, 1.0)
_APART = 0.07
"""How far the series stand beside each other, so that their intervals can be told apart."""
_FEWEST = 3


class CurveChart(Chart):
    """Shares from 0 to 1 over places that are named below."""

    def __init__(self, name: str, theme: Theme, parent: QWidget | None = None) -> None:
        self._curves: tuple[Curve, ...] = ()
        super().__init__(name, theme, parent)

    def draw(self, curves: Sequence[Curve]) -> None:
        self._curves = tuple(curves)
        points = curves[0].points if curves else ()
        self.show_range((-0.5, max(_FEWEST, len(points)) - 0.5), (-0.03, 1.05))
        self.show_ticks("left", [(level, f"{level:.2f}") for level in _LEVELS])
        self.show_ticks("bottom", [(float(at), each.label) for at, each in enumerate(points)])
        self.describe("; ".join(self._words(at) for at in range(len(points))) or "nothing yet")
        self.paint_again()

    @override
    def layers(self, tokens: Tokens) -> list[Layer]:
        right = 1_000.0
        grid = [QLineF(-1, level, right, level) for level in _LEVELS]
        found = [Layer(lines=grid, line=QColor(tokens.line))]
        for place, curve in enumerate(self._curves):
            by = (place - (len(self._curves) - 1) / 2) * _APART
            found += _layers(curve, by, QColor(getattr(tokens, curve.token)))
        return found

    @override
    def told(self, place: QPointF) -> str:
        at = round(place.x())
        shown = self._curves and 0 <= at < len(self._curves[0].points)
        return self._words(at).replace(", ", "\n") if shown else ""

    def _words(self, at: int) -> str:
        return ", ".join(
            f"{curve.name} {point_text(curve.points[at])}"
            for curve in self._curves
            if at < len(curve.points)
        )


def point_text(point: Point) -> str:
    if point.value is None:
        return f"at k = {point.label}: not known"
    interval = "" if point.low is None else f" ({point.low:.2f} to {point.high:.2f})"
    return f"at k = {point.label}: {point.value:.2f}{interval}"


def _layers(curve: Curve, by: float, colour: QColor) -> list[Layer]:
    places = [
        (QPointF(at + by, point.value), point)
        for at, point in enumerate(curve.points)
        if point.value is not None
    ]
    whiskers = [
        QLineF(place.x(), point.low, place.x(), point.high)
        for place, point in places
        if point.low is not None and point.high is not None
    ]
    dots = [place for place, _ in places]
    lines = [QLineF(one, other) for one, other in pairwise(dots)]
    return [
        Layer(lines=whiskers, line=colour),
        Layer(lines=lines, line=colour, width=2.0, is_smooth=True),
        Layer(dots=dots, line=colour, fill=colour, is_smooth=True),
    ]
