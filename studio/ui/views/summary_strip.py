"""The figures of a run: one tile a metric, never a mean without its interval and counts."""

import math
from collections.abc import Sequence

from PySide6.QtCore import Qt
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QFrame, QGridLayout, QHBoxLayout, QScrollArea, QVBoxLayout, QWidget
from typing_extensions import override

from studio.engine.analysis import reasons
from studio.engine.analysis.summary import Summary
from studio.ui.models.measures import Measure
from studio.ui.models.totals import Total
from studio.ui.text import count, counted, score, seconds
from studio.ui.widgets.hint import Hinting
from studio.ui.widgets.label import ElidedLabel, PlainLabel

_BESIDE = 7
"""Pixels between a value and what stands beside it."""
_MARGIN = 1
_ROWS = 2
"""How many rows are seen at most without scrolling, and half a row of the rest."""


class Tile(Hinting):
    """One metric: its name, the mean or median, the interval, the counts.

    Where nothing is scored, the most frequent reason stands in the place of the interval.
    """

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._shown: tuple[Total, bool] | None = None
        self.name = ElidedLabel("", "small")
        self.value = PlainLabel("", "heading")
        self.interval = ElidedLabel("", "small")
        self.reason = ElidedLabel("", "small")
        self.counts = ElidedLabel("", "small")
        beside = QVBoxLayout()
        beside.setSpacing(0)
        beside.addWidget(self.interval)
        beside.addWidget(self.reason)
        beside.addWidget(self.counts)
        row = QHBoxLayout()
        row.setSpacing(_BESIDE)
        row.addWidget(self.value, 0, Qt.AlignmentFlag.AlignVCenter)
        row.addLayout(beside, 1)
        column = self._column = QVBoxLayout()
        column.setContentsMargins(12, 6, 6, 7)
        column.setSpacing(1)
        column.addWidget(self.name)
        column.addLayout(row)
        self._line = QFrame()
        self._line.setProperty("role", "divider")
        self._line.setFixedWidth(1)
        outer = QHBoxLayout(self)
        outer.setContentsMargins(0, 0, 0, 0)
        outer.setSpacing(0)
        outer.addWidget(self._line)
        outer.addLayout(column, 1)

    def set_line(self, *, is_first: bool) -> None:
        """A tile that is not the first of its row is parted from the one before it."""
        self._line.setVisible(not is_first)

    def show_total(self, total: Total, *, counts_excused: bool) -> None:
        """`counts_excused`: with the lowest value for what was not the agent's doing."""
        measure, summary = total.measure, total.summary
        is_counted = counts_excused and summary.counted is not None
        if self._shown == (total, is_counted):
            return
        value = summary.counted if is_counted else summary.value
        self.name.setText(f"↓ {measure.label}" if measure.falls else measure.label)
        self.value.setText(figure(value, measure))
        self.value.setEnabled(value is not None)
        as_zero = f"{count(summary.excused)} as 0"
        self.interval.setText(as_zero if is_counted else interval(summary, measure))
        self.reason.setText("" if value is not None else _most_frequent(total))
        self.reason.setVisible(bool(self.reason.text()))
        self.interval.setVisible(self.reason.isHidden())
        self.counts.setText(summary.counts)
        self._shown = (total, is_counted)
        self.setAccessibleName(self.hint())

    @property
    def needed_width(self) -> int:
        """How wide the tile must be for nothing but its name to be cut."""
        metrics = self.interval.fontMetrics()
        beside = (metrics.horizontalAdvance(each.text()) for each in (self.interval, self.counts))
        margins = self._column.contentsMargins()
        around = margins.left() + margins.right() + self._line.width() + _BESIDE
        return self.value.sizeHint().width() + max(beside) + around

    @override
    def hint(self) -> str:
        return in_words(self._shown[0]) if self._shown is not None else ""


class SummaryStrip(QFrame):
    """Tiles in the order of the run's metrics, as many side by side as can be read whole.

    Of many rows the first are seen, and the half of the next that says that there are more.
    """

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setProperty("role", "panel")
        self.tiles: list[Tile] = []
        self._shown = 0
        self._columns = 0
        self._inside = QWidget()
        self._grid = QGridLayout(self._inside)
        self._grid.setContentsMargins(0, 0, 0, 0)
        self._grid.setSpacing(0)
        self._scroll = QScrollArea()
        self._scroll.setFrameShape(QFrame.Shape.NoFrame)
        self._scroll.setWidgetResizable(True)
        self._scroll.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self._scroll.setWidget(self._inside)
        self._scroll.setAccessibleName("Figures")
        outer = QVBoxLayout(self)
        outer.setContentsMargins(_MARGIN, _MARGIN, _MARGIN, _MARGIN)
        outer.addWidget(self._scroll)

    def show_totals(self, totals: Sequence[Total], *, counts_excused: bool = False) -> None:
        while len(self.tiles) < len(totals):
            self.tiles.append(Tile(self._inside))
        for place, tile in enumerate(self.tiles):
            tile.setVisible(place < len(totals))
            if place < len(totals):
                tile.show_total(totals[place], counts_excused=counts_excused)
        if len(totals) != self._shown:
            self._shown, self._columns = len(totals), 0
        self._arrange()

    @override
    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._arrange()

    def _arrange(self) -> None:
        """Put the tiles into rows of about equal length."""
        widest = max((tile.needed_width for tile in self.tiles[: self._shown]), default=1)
        bar = self._scroll.verticalScrollBar().sizeHint().width()
        # The style's border and the layout's margin are no room for tiles.
        room = self.contentsRect().width() - 2 * _MARGIN
        rows = math.ceil(self._shown / max(1, room // widest))
        scrolls = rows > _ROWS
        if scrolls:
            rows = math.ceil(self._shown / max(1, (room - bar) // widest))
        columns = max(1, math.ceil(self._shown / max(1, rows)))
        height = self.tiles[0].sizeHint().height() if self.tiles else 0
        self._scroll.setFixedHeight(round((_ROWS + 0.5 if scrolls else rows) * height))
        self._scroll.setFocusPolicy(
            Qt.FocusPolicy.StrongFocus if scrolls else Qt.FocusPolicy.NoFocus
        )
        if columns == self._columns:
            return
        self._columns = columns
        for place, tile in enumerate(self.tiles):
            self._grid.removeWidget(tile)
            if place < self._shown:
                row, column = divmod(place, columns)
                self._grid.addWidget(tile, row, column)
                tile.set_line(is_first=column == 0)
        for column in range(self._grid.columnCount()):
            self._grid.setColumnStretch(column, 1 if column < columns else 0)


def figure(value: float | None, measure: Measure) -> str:
    """A value with as many digits as mean something, in the metric's unit."""
    if value is None or measure.scale.highest == 1.0:
        return score(value)
    if measure.unit == "s":
        return seconds(value)
    return count(round(value)) if value >= 100 else f"{value:.1f}"


def interval(summary: Summary, measure: Measure) -> str:
    if summary.low is None or summary.high is None:
        return "not scored" if summary.value is None else "no interval"
    low, high = figure(summary.low, measure), figure(summary.high, measure)
    unit_low, _, unit = low.partition(" ")
    if unit and high.endswith(f" {unit}"):
        low = unit_low
    return f"{low}–{high}"


def _most_frequent(total: Total) -> str:
    """Why most of the trials that tell of the agent got no value: "12 × no answer"."""
    return "".join(f"{count(each.trials)} × {each.reason}" for each in total.unscored[:1])


def in_words(total: Total) -> str:
    """Everything there is to say about a figure, for a tooltip and for a screen reader."""
    measure, summary = total.measure, total.summary
    lines = [f"{measure.label}: {figure(summary.value, measure)} ({summary.average})"]
    if summary.low is not None:
        lines.append(f"interval {interval(summary, measure)}")
    if measure.falls:
        lines.append("less is better")
    lines.append(summary.method)
    lines.append(f"{summary.counts} planned trials scored")
    lines += reasons.in_words(total.unscored)
    if summary.counted is not None:
        others = counted(summary.excused, "trial")
        low = figure(summary.counted, measure)
        lines.append(f"{low} if {others} that were not the agent's doing counted as 0")
    if summary.least is not None and summary.most is not None and summary.scored < summary.planned:
        low, high = figure(summary.least, measure), figure(summary.most, measure)
        lines.append(f"between {low} and {high} if the rest were scored")
    return "\n".join(lines)
