"""Bars per query: one group a query, one bar a series, only those in view.

However long the run, the chart draws the groups of one window of it; a scroll bar moves the window.
"""

from collections.abc import Callable, Sequence
from typing import NamedTuple

import pyqtgraph as pg
from PySide6.QtCore import QPointF, Qt, Signal
from PySide6.QtGui import QBrush, QColor, QKeyEvent, QMouseEvent, QResizeEvent
from PySide6.QtWidgets import QScrollBar, QVBoxLayout, QWidget
from typing_extensions import override

from studio.ui.charts.frame import Chart, grid
from studio.ui.models.figures import Bar
from studio.ui.theme import Theme, Tokens

_GROUP_PIXELS, _BAR_PIXELS = 10, 7
_FILLED = 0.78
_STUB = 0.015
SERIES = ("accent", "mark", "good", "muted")
"""Tokens that tell the series apart, in order; so at most four are drawn."""


class Series(NamedTuple):
    """One bar in each group: its name, and the bar of the query at a position."""

    name: str
    bar: Callable[[int], Bar]


class QueryBars(QWidget):
    """Figures of each query in plan order.  `chosen` tells the position of a query clicked."""

    chosen = Signal(int)

    def __init__(self, name: str, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.plot = _BarPlot(name, theme)
        self.plot.chosen.connect(self.chosen)
        self.plot.resized.connect(self.draw)
        self.scroller = QScrollBar(Qt.Orientation.Horizontal)
        self.scroller.setAccessibleName(f"{name}: queries in view")
        self.scroller.valueChanged.connect(self.draw)
        self.scroller.hide()
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(0)
        layout.addWidget(self.plot, 1)
        layout.addWidget(self.scroller)
        self.setFocusProxy(self.plot)
        self._count = 0
        self._series: tuple[Series, ...] = ()

    def show_series(
        self, series: Sequence[Series], count: int, label: Callable[[int], str]
    ) -> None:
        """What to draw: `count` queries, named by `label` in tooltips.  `draw` draws it."""
        self._series = tuple(series)[: len(SERIES)]
        self.plot.name_queries(count, label, [each.name for each in self._series])
        self._count = count
        self.scroller.setValue(0)
        self.draw()

    def select(self, position: int | None) -> None:
        """Outline a query's group, and bring it into view."""
        self.plot.selected = position
        if position is not None:
            first, room = self.scroller.value(), self._room()
            if not first <= position < first + room:
                self.scroller.setValue(position - room // 2)
        self.draw()

    def draw(self) -> None:
        """Draw the groups in view as they are now."""
        room = self._room()
        self.scroller.setPageStep(room)
        self.scroller.setRange(0, max(0, self._count - room))
        self.scroller.setVisible(self._count > room)
        first = self.scroller.value()
        shown = range(first, min(first + room, self._count))
        self.plot.draw(shown, [[each.bar(at) for at in shown] for each in self._series], room)

    def _room(self) -> int:
        """How many groups fit."""
        each = max(_GROUP_PIXELS, _BAR_PIXELS * len(self._series))
        return max(8, min(int(self.plot.width()) // each, max(self._count, 8)))


class _BarPlot(Chart):
    chosen = Signal(int)
    resized = Signal()

    def __init__(self, name: str, theme: Theme) -> None:
        super().__init__(name, theme)
        self.selected: int | None = None
        self._shown = range(0)
        self._bars: list[list[Bar]] = []
        self._names: list[str] = []
        self._label: Callable[[int], str] = str
        self._count = 0
        self._top = 0.0
        self._items = [pg.BarGraphItem(x=[], height=[], width=1) for _ in SERIES]
        self._unscored = pg.BarGraphItem(x=[], height=[], width=1)
        self._pending = pg.BarGraphItem(x=[], height=[], width=1)
        self._outline = pg.BarGraphItem(x=[], height=[], width=1)
        for item in (*self._items, self._unscored, self._pending, self._outline):
            self.addItem(item, ignoreBounds=True)
        self._lines = grid(self, (0.0, 0.25, 0.5, 0.75, 1.0))
        self.dress()

    def name_queries(self, count: int, label: Callable[[int], str], names: list[str]) -> None:
        self._count, self._label, self._names = count, label, names

    def draw(self, shown: range, bars: list[list[Bar]], room: int) -> None:
        self._shown, self._bars = shown, bars
        values = [bar.value for series in bars for bar in series if bar.value is not None]
        self._scale(max(values, default=0.0))
        width = _FILLED / max(1, len(bars))
        for place, item in enumerate(self._items):
            series = bars[place] if place < len(bars) else []
            x = [self._x(at, place) for at, bar in zip(shown, series, strict=False)
                 if bar.value is not None]  # fmt: skip
            heights = [max(bar.value, _STUB * self._top) for bar in series if bar.value is not None]
            item.setOpts(x=x, height=heights, width=width * 0.94)
        self._mark(self._unscored, 1.0, width)
        self._mark(self._pending, 0.03, width)
        chosen = [self.selected] if self.selected in shown else []
        self._outline.setOpts(x=chosen, height=[1.04 * self._top] * len(chosen), width=0.98)
        self.setXRange(shown.start - 0.6, shown.start + max(room, len(shown)) - 0.4, padding=0)
        self._number(shown)

    def _mark(self, item: pg.BarGraphItem, height: float, width: float) -> None:
        """Draw what has no value: pending bars low and dotted, unscored ones high and hatched."""
        is_pending = item is self._pending
        x = [
            self._x(at, place)
            for place, series in enumerate(self._bars)
            for at, bar in zip(self._shown, series, strict=True)
            if bar.value is None and bar.is_pending == is_pending
        ]
        item.setOpts(x=x, height=[height * self._top] * len(x), width=width * 0.94)

    def _x(self, position: int, place: int) -> float:
        width = _FILLED / max(1, len(self._bars))
        return position - _FILLED / 2 + (place + 0.5) * width

    def _scale(self, highest: float) -> None:
        top = 1.0 if highest <= 1 else _round_up(highest)
        if top != self._top:
            self._top = top
            self.setYRange(0, 1.06 * top, padding=0)
            levels = [top * part / 4 for part in range(5)]
            digits = "{:.2f}" if top == 1 else "{:g}"
            self.set_ticks("left", [(level, digits.format(level)) for level in levels])
            for line, level in zip(self._lines, levels, strict=True):
                line.setValue(level)

    def _number(self, shown: range) -> None:
        each = max(1.0, self.width() / max(1, len(shown)))
        step = next(step for step in (1, 2, 5, 10, 20, 50, 100) if step * each >= 22)
        ticks = [(float(at), str(at + 1)) for at in shown if step == 1 or (at + 1) % step == 0]
        self.set_ticks("bottom", ticks)

    @property
    def in_view(self) -> range:
        """The positions whose groups are drawn."""
        return self._shown

    def drawn(self) -> tuple[list[list[float]], list[float], list[float]]:
        """What is drawn: heights a series, then where bars are marked unscored and pending."""
        heights = [list(item.opts["height"]) for item in self._items]
        return heights, list(self._unscored.opts["x"]), list(self._pending.opts["x"])

    @override
    def _dress(self, tokens: Tokens) -> None:
        for item, token in zip(self._items, SERIES, strict=True):
            item.setOpts(brush=QColor(getattr(tokens, token)), pen=pg.mkPen(None))
        hatch = QBrush(QColor(tokens.off), Qt.BrushStyle.BDiagPattern)
        self._unscored.setOpts(brush=hatch, pen=pg.mkPen(tokens.off))
        dotted = pg.mkPen(tokens.off, style=Qt.PenStyle.DotLine)
        self._pending.setOpts(brush=QBrush(Qt.BrushStyle.NoBrush), pen=dotted)
        self._outline.setOpts(
            brush=QBrush(Qt.BrushStyle.NoBrush), pen=pg.mkPen(tokens.accent, width=1)
        )
        for line in self._lines:
            line.setPen(pg.mkPen(tokens.line, width=1))

    @override
    def _told(self, place: QPointF) -> str:
        position = round(place.x())
        if position not in self._shown:
            return ""
        lines = [f"{position + 1}. {self._label(position)}"]
        for name, series in zip(self._names, self._bars, strict=True):
            lines.append(f"{name}: {bar_text(series[position - self._shown.start])}")
        return "\n".join(lines)

    @override
    def mousePressEvent(self, event: QMouseEvent) -> None:
        self.setFocus(Qt.FocusReason.MouseFocusReason)
        position = round(self.at(event.position()).x())
        if event.button() == Qt.MouseButton.LeftButton and position in self._shown:
            self.chosen.emit(position)

    @override
    def keyPressEvent(self, event: QKeyEvent) -> None:
        at = -1 if self.selected is None else self.selected
        wanted = {
            Qt.Key.Key_Right: at + 1,
            Qt.Key.Key_Left: at - 1,
            Qt.Key.Key_Home: 0,
            Qt.Key.Key_End: self._count - 1,
        }.get(Qt.Key(event.key()))
        if wanted is None:
            super().keyPressEvent(event)
        elif 0 <= wanted < self._count:
            self.chosen.emit(wanted)

    @override
    def resizeEvent(self, event: QResizeEvent | None) -> None:
        super().resizeEvent(event)
        self.resized.emit()


def bar_text(bar: Bar) -> str:
    """A bar in words, with its counts."""
    if bar.is_pending:
        return "not run yet" if bar.ended == 0 else "not scored yet"
    if bar.value is None:
        return f"not scored: {bar.reason}"
    of = f" ({bar.scored} of {bar.planned} trials)" if bar.planned > 1 else ""
    return f"{bar.value:.4g}{of}"


def _round_up(value: float) -> float:
    return next(top for top in _tops() if top >= value)


def _tops() -> Sequence[float]:
    return [factor * 10**power for power in range(13) for factor in (1, 2, 4, 8)]
