"""The ground of every chart: a plot that cannot be dragged, in the colours of the theme."""

from collections.abc import Sequence

import pyqtgraph as pg
from PySide6.QtCore import QEvent, QPointF, Qt
from PySide6.QtGui import QColor, QFont, QHelpEvent, QResizeEvent, QWheelEvent
from PySide6.QtWidgets import QApplication, QFrame, QToolTip, QWidget
from typing_extensions import override

from studio.ui.charts.canvas import Canvas, Layer
from studio.ui.text import tip
from studio.ui.theme import Theme, Tokens, text_height

Tick = tuple[float, str]
Range = tuple[float, float]
_PLACES = {"left": (0, 0), "right": (0, 2), "bottom": (1, 1)}


class Chart(pg.GraphicsView):  # type: ignore[misc]  # pyqtgraph ships no types
    """A plot with fixed ranges: axes and a canvas, without the menus and forms of PlotWidget.

    Subclasses give their layers in the theme's colours, and say what a place in the chart means.
    Ranges, ticks and layers are handed on only where they changed: pyqtgraph would lay them out
    again each time.
    """

    def __init__(
        self,
        name: str,
        theme: Theme,
        parent: QWidget | None = None,
        *,
        sides: Sequence[str] = ("left", "bottom"),
    ) -> None:
        self._asked: dict[str, list[Tick]] = {}  # pyqtgraph resizes the view while it makes it
        super().__init__(parent)
        self._theme = theme
        self._ticks: dict[str, list[Tick]] = {}
        self._ranges: tuple[Range, Range] | None = None
        self.canvas = Canvas()
        self.view = pg.ViewBox(enableMenu=False, enableMouse=False, defaultPadding=0)
        self.view.addItem(self.canvas, ignoreBounds=True)
        self.axes = {side: pg.AxisItem(side, linkView=self.view) for side in sides}
        self._lay_out()
        self.setFrameShape(QFrame.Shape.NoFrame)
        for each in (self, self.viewport()):
            each.setAccessibleName(name)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setMinimumSize(90, 70)
        self.setAntialiasing(False)
        self._colour_axes()
        theme.changed.connect(self._dress)

    def _lay_out(self) -> None:
        plot = pg.GraphicsLayout()
        plot.setContentsMargins(4, 6, 8, 2)
        plot.setSpacing(0)
        plot.addItem(self.view, 0, 1)
        for side, axis in self.axes.items():
            plot.addItem(axis, *_PLACES[side])
        for axis in self.axes.values():
            axis.setStyle(tickLength=0, tickFont=small_font(), autoExpandTextSpace=True)
        self.setCentralItem(plot)

    def layers(self, tokens: Tokens) -> list[Layer]:
        """What the chart shows, lowest first."""
        raise NotImplementedError

    def told(self, place: QPointF) -> str:
        """What the tooltip says about a place in the chart; plain text, "" for nothing."""
        raise NotImplementedError

    def paint_again(self) -> None:
        """Show the layers as they are now."""
        self.canvas.show_layers(self.layers(self._theme.tokens))

    def show_range(self, across: Range, up: Range) -> None:
        if (across, up) != self._ranges:
            self._ranges = (across, up)
            self.view.setRange(xRange=across, yRange=up, padding=0, disableAutoRange=True)

    def show_ticks(self, side: str, ticks: Sequence[Tick]) -> None:
        """The marks of an axis; at the left only as many as stand clear of one another."""
        self._asked[side] = list(ticks)
        wanted = list(ticks)
        if side == "left":
            lines = self.height() / (1.25 * text_height(small_font())) - 1.5
            wanted = wanted[:: spacing(len(wanted), lines)]
        if wanted != self._ticks.get(side):
            self._ticks[side] = wanted
            self.axes[side].setTicks([wanted])

    def describe(self, words: str) -> None:
        """What the chart shows, in words, for who does not see it."""
        for each in (self, self.viewport()):
            if each.accessibleDescription() != words:
                each.setAccessibleDescription(words)

    def at(self, place: QPointF) -> QPointF:
        """A place on the widget as a place in the chart."""
        scene = self.mapToScene(place.toPoint())
        return QPointF(self.view.mapSceneToView(scene))

    def _dress(self) -> None:
        self._colour_axes()
        self.paint_again()

    def _colour_axes(self) -> None:
        tokens = self._theme.tokens
        self.setBackground(tokens.panel)
        for axis in self.axes.values():
            axis.setTextPen(QColor(tokens.muted))
            axis.setPen(pg.mkPen(tokens.line, width=1))

    @override
    def viewportEvent(self, event: QEvent) -> bool:
        if isinstance(event, QHelpEvent):
            told = self.told(self.at(QPointF(event.pos())))
            QToolTip.showText(event.globalPos(), tip(told) if told else "", self)
            return True
        return bool(super().viewportEvent(event))

    @override
    def resizeEvent(self, event: QResizeEvent | None) -> None:
        super().resizeEvent(event)
        if "left" in self._asked:
            self.show_ticks("left", self._asked["left"])

    @override
    def wheelEvent(self, event: QWheelEvent) -> None:
        """The page scrolls, the chart does not zoom."""
        event.ignore()


def spacing(ticks: int, fitting: float) -> int:
    """Every how many-th of evenly spaced ticks to show so that no more than fit are shown.

    The first and the last are always among them.
    """
    gaps = max(1, ticks - 1)
    steps = (step for step in range(1, gaps + 1) if gaps % step == 0)
    return next((step for step in steps if gaps // step + 1 <= fitting), gaps)


def small_font() -> QFont:
    """The font of the numbers at the axes."""
    font = QApplication.font()
    font.setPixelSize(max(9, text_height(font) - 3))
    return font
