"""The figures of a run: one tile a metric, never a mean without its interval and counts."""

from collections.abc import Sequence

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QFrame, QGridLayout, QHBoxLayout, QVBoxLayout, QWidget
from typing_extensions import override

from studio.engine.analysis.summary import Summary
from studio.ui.models.measures import Measure
from studio.ui.text import count, counted, score, seconds
from studio.ui.widgets.hint import Hinting
from studio.ui.widgets.label import ElidedLabel, PlainLabel

_IN_A_ROW = 7


class Tile(Hinting):
    """One metric: its name, the mean or median, the interval, the counts."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._shown: tuple[Measure, Summary, bool] | None = None
        self.name = ElidedLabel("", "small")
        self.value = PlainLabel("", "heading")
        self.interval = ElidedLabel("", "small")
        self.counts = ElidedLabel("", "small")
        beside = QVBoxLayout()
        beside.setSpacing(0)
        beside.addWidget(self.interval)
        beside.addWidget(self.counts)
        row = QHBoxLayout()
        row.setSpacing(7)
        row.addWidget(self.value, 0, Qt.AlignmentFlag.AlignVCenter)
        row.addLayout(beside, 1)
        column = QVBoxLayout(self)
        column.setContentsMargins(12, 6, 6, 7)
        column.setSpacing(1)
        column.addWidget(self.name)
        column.addLayout(row)

    def show_summary(self, measure: Measure, summary: Summary, *, counts_excused: bool) -> None:
        """`counts_excused`: with the lowest value for what was not the agent's doing."""
        is_counted = counts_excused and summary.counted is not None
        if self._shown == (measure, summary, is_counted):
            return
        value = summary.counted if is_counted else summary.value
        self.name.setText(measure.label)
        self.value.setText(figure(value, measure))
        self.value.setEnabled(value is not None)
        told = f"{count(summary.excused)} as 0" if is_counted else interval(summary, measure)
        self.interval.setText(told)
        self.counts.setText(summary.counts)
        self._shown = (measure, summary, is_counted)
        self.setAccessibleName(self.hint())

    @override
    def hint(self) -> str:
        return in_words(*self._shown[:2]) if self._shown is not None else ""


class SummaryStrip(QFrame):
    """Tiles side by side, in the order of the run's metrics."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setProperty("role", "panel")
        self.tiles: list[Tile] = []
        self._lines: list[QFrame] = []
        self._grid = QGridLayout(self)
        self._grid.setContentsMargins(0, 0, 0, 0)
        self._grid.setSpacing(0)

    def show_summaries(
        self, summaries: Sequence[tuple[Measure, Summary]], *, counts_excused: bool = False
    ) -> None:
        while len(self.tiles) < len(summaries):
            self._add_tile()
        for place, tile in enumerate(self.tiles):
            tile.setVisible(place < len(summaries))
            if place < len(summaries):
                tile.show_summary(*summaries[place], counts_excused=counts_excused)
        for place, line in enumerate(self._lines, 1):
            line.setVisible(place < len(summaries) and place % _IN_A_ROW != 0)

    def _add_tile(self) -> None:
        place = len(self.tiles)
        row, column = divmod(place, _IN_A_ROW)
        if place:
            line = QFrame()
            line.setProperty("role", "divider")
            line.setFixedWidth(1)
            self._lines.append(line)
            self._grid.addWidget(line, row, max(0, 2 * column - 1))
        tile = Tile(self)
        self.tiles.append(tile)
        self._grid.addWidget(tile, row, 2 * column)
        self._grid.setColumnStretch(2 * column, 1)


def figure(value: float | None, measure: Measure) -> str:
    """A value with as many digits as mean something, in the metric's unit."""
    if value is None or measure.is_share:
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


def in_words(measure: Measure, summary: Summary) -> str:
    """Everything there is to say about a figure, for a tooltip and for a screen reader."""
    lines = [f"{measure.label}: {figure(summary.value, measure)} ({summary.average})"]
    if summary.low is not None:
        lines.append(f"interval {interval(summary, measure)}")
    lines.append(summary.method)
    lines.append(f"{summary.counts} planned trials scored")
    if summary.counted is not None:
        others = counted(summary.excused, "trial")
        low = figure(summary.counted, measure)
        lines.append(f"{low} if {others} that were not the agent's doing counted as 0")
    if summary.least is not None and summary.most is not None and summary.scored < summary.planned:
        low, high = figure(summary.least, measure), figure(summary.most, measure)
        lines.append(f"between {low} and {high} if the rest were scored")
    return "\n".join(lines)
