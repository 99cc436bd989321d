"""What went wrong how often: bars in falling order, and the share of all up to each of them."""

from collections.abc import Sequence
from itertools import pairwise

from PySide6.QtCore import QLineF, QPointF, QRectF, Qt, Signal
from PySide6.QtGui import QColor, QFontMetrics, QKeyEvent, QMouseEvent, QResizeEvent
from PySide6.QtWidgets import QWidget
from typing_extensions import override

from studio.ui.charts.canvas import Layer
from studio.ui.charts.frame import Chart, small_font
from studio.ui.models.failure_modes import UNEXPLAINED, ModeBar
from studio.ui.text import count, counted
from studio.ui.theme import Theme, Tokens

_WIDTH = 0.72
_FEWEST = 4
"""Bars that the chart has room for at least: few bars are not drawn as walls."""
_LINES = 3
_ROOM_ABOVE = 1.12
_BELOW = 8


class ParetoChart(Chart):
    """Bars count trials, on the left; the line tells the share of all, on the right.

    `chosen` tells the name of a bar that was clicked or reached by an arrow key, `opened` of one
    on which Enter was pressed.
    """

    chosen = Signal(str)
    opened = Signal(str)

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        self._bars: tuple[ModeBar, ...] = ()
        self._selected = ""
        super().__init__("What went wrong", theme, parent, sides=("left", "bottom", "right"))

    @property
    def total(self) -> int:
        return sum(bar.trials for bar in self._bars)

    def draw(self, bars: Sequence[ModeBar], selected: str) -> None:
        self._bars, self._selected = tuple(bars), selected
        self.describe(in_words(bars))
        self._fit()

    def _fit(self) -> None:
        total = max(1, self.total)
        self.show_range((-0.6, max(_FEWEST, len(self._bars)) - 0.4), (0.0, _ROOM_ABOVE * total))
        step = _step(total)
        levels = range(0, total + 1, step)
        self.show_ticks("left", [(float(level), count(level)) for level in levels])
        shares = range(0, 101, 25) if self._bars else ()
        self.show_ticks("right", [(share * total / 100, f"{share} %") for share in shares])
        names = self._names()
        lines = 1 + max((name.count("\n") for name in names), default=0)
        self.axes["bottom"].setHeight(lines * QFontMetrics(small_font()).height() + _BELOW)
        self.show_ticks("bottom", [(float(at), name) for at, name in enumerate(names)])
        self.paint_again()

    def _names(self) -> list[str]:
        """The modes below their bars, broken into lines; numbers where there is no room."""
        room = self.view.width() / max(_FEWEST, len(self._bars)) - 6
        metrics = QFontMetrics(small_font())
        names = [_broken(bar.name, metrics, room) for bar in self._bars]
        fit = all(
            metrics.horizontalAdvance(line) <= room for name in names for line in name.split("\n")
        ) and all(name.count("\n") < _LINES for name in names)
        return names if fit else [str(place) for place in range(1, len(names) + 1)]

    @override
    def layers(self, tokens: Tokens) -> list[Layer]:
        grid = QColor(tokens.line)
        right = max(_FEWEST, len(self._bars))
        levels = [share * self.total / 4 for share in range(5)] if self._bars else [0.0]
        found = []
        chosen = self._place_of(self._selected)
        if chosen is not None:
            column = QRectF(chosen - 0.5, 0, 1.0, _ROOM_ABOVE * self.total)
            found.append(Layer([column], fill=QColor(tokens.selected)))
        found.append(Layer(lines=[QLineF(-1, at, right, at) for at in levels], line=grid))
        rects = [_rect(place, bar) for place, bar in enumerate(self._bars)]
        known = [
            each for each, bar in zip(rects, self._bars, strict=True) if bar.name != UNEXPLAINED
        ]
        rest = [each for each in rects if each not in known]
        off = QColor(tokens.off)
        found.append(Layer(known, fill=QColor(tokens.bad)))
        found.append(Layer(rest, fill=off, line=off, pattern=Qt.BrushStyle.BDiagPattern))
        # At the right edges: there the line stands for all bars up to it, and clear of the counts.
        points = [
            QPointF(place + _WIDTH / 2, bar.cumulative * self.total)
            for place, bar in enumerate(self._bars)
        ]
        ground, line = QColor(tokens.panel), QColor(tokens.text)
        found.append(
            Layer(
                lines=[QLineF(one, other) for one, other in pairwise(points)],
                line=line, width=1.5, is_smooth=True,
            )
        )  # fmt: skip
        found.append(Layer(dots=points, line=line, fill=ground, is_smooth=True))
        words = [
            (QPointF(place, bar.trials), count(bar.trials)) for place, bar in enumerate(self._bars)
        ]
        found.append(Layer(words=words, line=QColor(tokens.text), font=small_font()))
        return found

    @override
    def told(self, place: QPointF) -> str:
        at = round(place.x())
        if not 0 <= at < len(self._bars):
            return ""
        bar = self._bars[at]
        return (
            f"{bar.name}: {counted(bar.trials, 'trial')}, {bar.share:.0%} of all\n"
            f"{bar.cumulative:.0%} with those before it"
        )

    def _place_of(self, name: str) -> int | None:
        names = [bar.name for bar in self._bars]
        return names.index(name) if name in names else None

    @override
    def mousePressEvent(self, event: QMouseEvent) -> None:
        self.setFocus(Qt.FocusReason.MouseFocusReason)
        at = round(self.at(event.position()).x())
        if event.button() == Qt.MouseButton.LeftButton and 0 <= at < len(self._bars):
            self.chosen.emit(self._bars[at].name)

    @override
    def keyPressEvent(self, event: QKeyEvent) -> None:
        at = self._place_of(self._selected)
        if event.key() in {Qt.Key.Key_Return, Qt.Key.Key_Enter} and at is not None:
            self.opened.emit(self._selected)
            return
        here = -1 if at is None else at
        wanted = {
            Qt.Key.Key_Right: here + 1,
            Qt.Key.Key_Left: here - 1,
            Qt.Key.Key_Home: 0,
            Qt.Key.Key_End: len(self._bars) - 1,
        }.get(Qt.Key(event.key()))
        if wanted is None:
            super().keyPressEvent(event)
        elif 0 <= wanted < len(self._bars):
            self.chosen.emit(self._bars[wanted].name)

    @override
    def resizeEvent(self, event: QResizeEvent | None) -> None:
        super().resizeEvent(event)
        if self._bars:
            self._fit()


def in_words(bars: Sequence[ModeBar]) -> str:
    """The chart for who does not see it."""
    return "; ".join(f"{bar.name} {count(bar.trials)}" for bar in bars) or "no trial failed"


def _rect(place: int, bar: ModeBar) -> QRectF:
    return QRectF(place - _WIDTH / 2, 0, _WIDTH, bar.trials)


def _step(total: int) -> int:
    """The distance between the numbers at the left: 1, 2 or 5 times a power of ten."""
    steps = (factor * 10**power for power in range(12) for factor in (1, 2, 5))
    found: int = next(step for step in steps if 5 * step >= total)
    return found


def _broken(name: str, metrics: QFontMetrics, room: float) -> str:
    """The words of a name on as few lines as the room allows."""
    lines = [""]
    for word in name.split():
        longer = f"{lines[-1]} {word}".strip()
        if metrics.horizontalAdvance(longer) <= room or not lines[-1]:
            lines[-1] = longer
        else:
            lines.append(word)
    return "\n".join(lines)
