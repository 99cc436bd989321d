"""Bars per query: one group a query, one bar a series, only those in view.

However long the run, the chart draws the groups of one window of it; a scroll bar moves the window.
"""

import math
from collections.abc import Callable, Sequence
from typing import NamedTuple

from PySide6.QtCore import QLineF, QPointF, QRectF, Qt, Signal
from PySide6.QtGui import QColor, QFontMetrics, QKeyEvent, QMouseEvent, QResizeEvent
from PySide6.QtWidgets import QScrollBar, QVBoxLayout, QWidget
from typing_extensions import override

from studio.ui.charts.canvas import Layer
from studio.ui.charts.frame import Chart, Tick, small_font
from studio.ui.models.figures import Bar
from studio.ui.theme import Theme, Tokens

_GROUP_PIXELS, _BAR_PIXELS = 10, 7
_FILLED = 0.78
_STUB, _PENDING = 0.015, 0.03
_BETWEEN_NUMBERS = 8
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
        self._label: Callable[[int], str] = str
        self._series: tuple[Series, ...] = ()

    def show_series(
        self, series: Sequence[Series], count: int, label: Callable[[int], str]
    ) -> None:
        """What to draw: `count` queries, named by `label` in tooltips.  `draw` draws it."""
        self._series = tuple(series)[: len(SERIES)]
        self._count, self._label = count, label
        self.scroller.setValue(0)

    def select(self, position: int | None) -> None:
        """Outline a query's group, and bring it into view."""
        first, room = self.scroller.value(), self._room()
        if position is not None and not first <= position < first + room:
            self.scroller.setValue(position - room // 2)
        self.plot.select(position)

    def draw(self) -> None:
        """Draw the groups in view as they are now."""
        room = self._room()
        self.scroller.setPageStep(room)
        self.scroller.setRange(0, max(0, self._count - room))
        self.scroller.setVisible(self._count > room)
        first = self.scroller.value()
        shown = range(first, min(first + room, self._count))
        self.plot.name_queries(self._count, self._label, [each.name for each in self._series])
        self.plot.draw(shown, [[each.bar(at) for at in shown] for each in self._series], room)

    def _room(self) -> int:
        """How many groups fit."""
        each = max(_GROUP_PIXELS, _BAR_PIXELS * len(self._series))
        return max(8, min(int(self.plot.width()) // each, max(self._count, 8)))


class _BarPlot(Chart):
    chosen = Signal(int)
    resized = Signal()

    def __init__(self, name: str, theme: Theme) -> None:
        self._shown = range(0)
        self._bars: list[list[Bar]] = []
        self._names: list[str] = []
        self._label: Callable[[int], str] = str
        self._count = 0
        self._top, self._step = 1.0, 0.25
        self._selected: int | None = None
        super().__init__(name, theme)

    @property
    def in_view(self) -> range:
        """The positions whose groups are drawn."""
        return self._shown

    @property
    def selected(self) -> int | None:
        return self._selected

    def select(self, position: int | None) -> None:
        if position != self._selected:
            self._selected = position
            self.paint_again()

    def name_queries(self, count: int, label: Callable[[int], str], names: list[str]) -> None:
        self._count, self._label, self._names = count, label, names

    def draw(self, shown: range, bars: list[list[Bar]], room: int) -> None:
        self._shown, self._bars = shown, bars
        highest = max((bar.value or 0.0 for series in bars for bar in series), default=0.0)
        self._step = 0.25 if highest <= 1 else _round_up(highest / 4)
        self._top = self._step * max(1, math.ceil(highest / self._step)) if highest > 1 else 1.0
        across = (shown.start - 0.6, shown.start + max(room, len(shown)) - 0.4)
        self.show_range(across, (0.0, 1.06 * self._top))
        digits = "{:.2f}" if self._top <= 1 else "{:g}"
        self.show_ticks("left", [(level, digits.format(level)) for level in self._levels()])
        self.show_ticks("bottom", self._numbers(shown))
        self.paint_again()

    @override
    def layers(self, tokens: Tokens) -> list[Layer]:
        off, accent = QColor(tokens.off), QColor(tokens.accent)
        ends = (self._shown.start - 0.6, self._shown.stop + 1_000.0)
        grid = [QLineF(ends[0], level, ends[1], level) for level in self._levels()]
        found = [Layer(lines=grid, line=QColor(tokens.line))]
        for place, token in zip(range(len(self._bars)), SERIES, strict=False):
            rects = self._rects(place, _is_valued)
            found.append(Layer(rects, fill=QColor(getattr(tokens, token))))
        places = range(len(self._bars))
        missing = [rect for place in places for rect in self._rects(place, _is_unscored)]
        pending = [rect for place in places for rect in self._rects(place, _is_pending)]
        found.append(Layer(missing, fill=off, line=off, pattern=Qt.BrushStyle.BDiagPattern))
        found.append(Layer(pending, line=off, dash=Qt.PenStyle.DotLine))
        if self._selected is not None and self._selected in self._shown:
            box = QRectF(self._selected - 0.49, 0, 0.98, 1.04 * self._top)
            found.append(Layer([box], line=accent))
        return found

    @override
    def told(self, place: QPointF) -> str:
        position = round(place.x())
        if position not in self._shown:
            return ""
        lines = [f"{position + 1}. {self._label(position)}"]
        for name, series in zip(self._names, self._bars, strict=True):
            lines.append(f"{name}: {bar_text(series[position - self._shown.start])}")
        return "\n".join(lines)

    def _rects(self, place: int, is_wanted: Callable[[Bar], bool]) -> list[QRectF]:
        """The bars of a series that are wanted: as high as their value, or as what they lack."""
        width = _FILLED / max(1, len(self._bars))
        left = place * width - _FILLED / 2
        return [
            QRectF(at + left, 0, 0.94 * width, self._height(bar))
            for at, bar in zip(self._shown, self._bars[place], strict=True)
            if is_wanted(bar)
        ]

    def _height(self, bar: Bar) -> float:
        if bar.value is None:
            return (_PENDING if bar.is_pending else 1.0) * self._top
        return max(bar.value, _STUB * self._top)

    def _levels(self) -> list[float]:
        return [self._step * part for part in range(round(self._top / self._step) + 1)]

    def _numbers(self, shown: range) -> list[Tick]:
        each = max(1.0, self.width() / max(1, len(shown)))
        widest = QFontMetrics(small_font()).horizontalAdvance(str(shown.stop)) + _BETWEEN_NUMBERS
        step = next(step for step in (1, 2, 5, 10, 20, 50, 100, 1000) if step * each >= widest)
        return [(float(at), str(at + 1)) for at in shown if step == 1 or (at + 1) % step == 0]

    @override
    def mousePressEvent(self, event: QMouseEvent) -> None:
        self.setFocus(Qt.FocusReason.MouseFocusReason)
        position = round(self.at(event.position()).x())
        if event.button() == Qt.MouseButton.LeftButton and position in self._shown:
            self.chosen.emit(position)

    @override
    def keyPressEvent(self, event: QKeyEvent) -> None:
        at = -1 if self._selected is None else self._selected
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


def _is_valued(bar: Bar) -> bool:
    return bar.value is not None


def _is_unscored(bar: Bar) -> bool:
    return bar.value is None and not bar.is_pending


def _is_pending(bar: Bar) -> bool:
    return bar.is_pending


def bar_text(bar: Bar) -> str:
    """A bar in words, with its counts."""
    if bar.is_pending:
        return "not run yet" if bar.ended == 0 else "not scored yet"
    if bar.value is None:
        return f"not scored: {bar.reason}"
    of = f" ({bar.scored} of {bar.planned} trials)" if bar.planned > 1 else ""
    return f"{bar.value:.4g}{of}"


def _round_up(value: float) -> float:
    """The next 1, 2 or 5 times a power of ten."""
    steps = (factor * 10.0**power for power in range(-1, 300) for factor in (1, 2, 5))
    return next((step for step in steps if step >= value), value)
