"""The ground of every chart: a plot that cannot be dragged, in the colours of the theme."""

from collections.abc import Sequence

import pyqtgraph as pg
from PySide6.QtCore import QEvent, QPointF, Qt
from PySide6.QtGui import QColor, QFont, QHelpEvent
from PySide6.QtWidgets import QApplication, QFrame, QToolTip, QWidget
from typing_extensions import override

from studio.ui.text import tip
from studio.ui.theme import Theme, Tokens, text_height

Tick = tuple[float, str]


class Chart(pg.PlotWidget):  # type: ignore[misc]  # pyqtgraph ships no types
    """A plot with fixed ranges.  Subclasses paint in `_dress` and say in `_told` what is where."""

    def __init__(self, name: str, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._theme = theme
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setAccessibleName(name)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setMinimumHeight(70)
        self.setMinimumWidth(90)
        self.setAntialiasing(False)
        plot = self.getPlotItem()
        plot.hideButtons()
        plot.setMenuEnabled(False)
        plot.setContentsMargins(4, 6, 8, 2)
        plot.vb.setMouseEnabled(False, False)
        plot.vb.setDefaultPadding(0)
        for side in ("left", "bottom"):
            axis = plot.getAxis(side)
            axis.setStyle(tickLength=0, tickFont=_small_font(), autoExpandTextSpace=True)
        theme.changed.connect(self.dress)

    def dress(self) -> None:
        """Take the theme's colours; called once by a subclass when its items are made."""
        tokens = self._theme.tokens
        self.setBackground(tokens.panel)
        for side in ("left", "bottom"):
            axis = self.getPlotItem().getAxis(side)
            axis.setTextPen(QColor(tokens.muted))
            axis.setPen(pg.mkPen(tokens.line, width=1))
        self._dress(tokens)

    def set_ticks(self, side: str, ticks: Sequence[Tick]) -> None:
        self.getPlotItem().getAxis(side).setTicks([list(ticks)])

    def at(self, event_position: QPointF) -> QPointF:
        """A place on the widget as a place in the chart."""
        scene = self.mapToScene(event_position.toPoint())
        return QPointF(self.getPlotItem().vb.mapSceneToView(scene))

    def _dress(self, tokens: Tokens) -> None:
        raise NotImplementedError

    def _told(self, place: QPointF) -> str:
        """What the tooltip says about a place in the chart; plain text."""
        raise NotImplementedError

    @override
    def viewportEvent(self, event: QEvent) -> bool:
        if isinstance(event, QHelpEvent):
            told = self._told(self.at(QPointF(event.pos())))
            QToolTip.showText(event.globalPos(), tip(told) if told else "", self)
            return True
        return bool(super().viewportEvent(event))

    @override
    def wheelEvent(self, event: object) -> None:
        """The page scrolls, the chart does not zoom."""
        event.ignore()  # type: ignore[attr-defined]


def grid(chart: Chart, levels: Sequence[float]) -> list[pg.InfiniteLine]:
    """Faint lines across the chart at these heights, behind everything else."""
    lines = [pg.InfiniteLine(level, angle=0) for level in levels]
    for line in lines:
        line.setZValue(-10)
        chart.addItem(line, ignoreBounds=True)
    return lines


def _small_font() -> QFont:
    font = QApplication.font()
    font.setPixelSize(max(9, text_height(font) - 3))
    return font
