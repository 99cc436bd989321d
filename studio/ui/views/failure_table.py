"""The Pareto chart's figures as a table, with the trials that stand apart below them."""

from collections.abc import Sequence
from typing import NamedTuple

from PySide6.QtCore import Signal
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QWidget
from typing_extensions import override

from studio.ui.models.failure_modes import ModeBar
from studio.ui.models.records import Column, RecordTable
from studio.ui.text import count
from studio.ui.theme import Theme, Tokens
from studio.ui.widgets.table import Table

_TRIALS, _SHARE, _SUM = 2, 3, 4
_MODE = 20
"""Characters that a mode has room for."""


class Line(NamedTuple):
    """One line; those that stand apart have no place and no share."""

    name: str
    trials: int
    place: int | None = None
    share: float | None = None
    cumulative: float | None = None


class FailureTable(Table):
    """`mode_chosen` tells the name of the line that became the current one."""

    mode_chosen = Signal(str)

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        self.model_ = RecordTable[Line](
            (
                Column("", _place, is_number=True, width=2),
                Column("Mode", _name, tone=_tone),
                Column("Trials", _trials, is_number=True, width=8),
                Column("Share", _share, is_number=True, width=7),
                Column("Sum", _cumulative, is_number=True, width=7),
            ),
            _name,
        )
        super().__init__(self.model_, "What went wrong, by how many trials", parent=parent)
        self.model_.setParent(self)
        self._lines: tuple[Line, ...] = ()
        self._selected = ""
        self.chosen.connect(self._chosen)
        self._colour(theme.tokens)
        theme.changed.connect(self._colour)

    @override
    def resizeEvent(self, event: QResizeEvent) -> None:
        """Where room is scarce the modes keep it: the chart tells the shares as well."""
        super().resizeEvent(event)
        header, character = self.horizontalHeader(), self.fontMetrics().averageCharWidth()
        left = self.viewport().width() - header.sectionSize(0) - character * _MODE
        for column in (_TRIALS, _SUM, _SHARE):
            left -= character * self.model_.columns[column].width + 16
            self.setColumnHidden(column, left < 0)

    @property
    def lines(self) -> tuple[Line, ...]:
        return self._lines

    def show_modes(self, bars: Sequence[ModeBar], apart: Sequence[tuple[str, int]]) -> None:
        """The bars of the chart, then what stands apart: names and how many trials."""
        lines = [
            Line(bar.name, bar.trials, place, bar.share, bar.cumulative)
            for place, bar in enumerate(bars, 1)
        ]
        wanted = (*lines, *(Line(name, trials) for name, trials in apart if trials))
        if wanted != self._lines:
            self._lines = wanted
            self.model_.set_rows(wanted)
            self.select(self._selected)

    def select(self, name: str) -> None:
        """Make this the current line, without telling anybody."""
        self._selected = name
        names = [line.name for line in self._lines]
        if name in names and self.currentIndex().row() != names.index(name):
            self.setCurrentIndex(self.model_.index(names.index(name), 1))

    def _chosen(self, line: Line | None) -> None:
        if line is not None and line.name != self._selected:
            self._selected = line.name
            self.mode_chosen.emit(line.name)

    def _colour(self, tokens: Tokens) -> None:
        self.model_.set_colours(tokens._asdict())


def _place(line: Line) -> str:
    return "" if line.place is None else str(line.place)


def _name(line: Line) -> str:
    return line.name


def _tone(line: Line) -> str:
    return "muted" if line.place is None else "text"


def _trials(line: Line) -> str:
    return count(line.trials)


def _share(line: Line) -> str:
    return "–" if line.share is None else f"{line.share:.0%}"


def _cumulative(line: Line) -> str:
    return "–" if line.cumulative is None else f"{line.cumulative:.0%}"
