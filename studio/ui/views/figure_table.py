"""Figures as a table: one line each, with interval, counts and meaning."""

from collections.abc import Sequence

from PySide6.QtWidgets import QWidget

from studio.ui.models.figure_lines import FigureLine, described
from studio.ui.models.records import Column, RecordTable
from studio.ui.theme import Theme, Tokens
from studio.ui.widgets.table import Table

INTERVAL = 2
"""The column of the intervals."""


class FigureTable(Table):
    """Shows lines of figures; `about` names what stands behind each of them."""

    def __init__(self, name: str, about: str, theme: Theme, parent: QWidget | None = None) -> None:
        self.model_ = RecordTable[FigureLine](
            (
                Column("Figure", _name, width=29),
                Column("Value", _value, is_number=True, width=7),
                Column("95 % interval", _interval, is_number=True, width=14),
                Column("Counted", _counts, is_number=True, width=20),
                Column(about, _about, tone=_muted),
            ),
            _name,
        )
        super().__init__(self.model_, name, parent=parent)
        self.model_.setParent(self)
        self._lines: tuple[FigureLine, ...] = ()
        self._colour(theme.tokens)
        theme.changed.connect(self._colour)

    @property
    def lines(self) -> tuple[FigureLine, ...]:
        return self._lines

    def show_lines(self, lines: Sequence[FigureLine]) -> None:
        wanted = tuple(lines)
        if wanted != self._lines:
            self._lines = wanted
            row = self.currentIndex().row()
            self.model_.set_rows(wanted)
            self.setAccessibleDescription(described(wanted))
            if 0 <= row < len(wanted):
                self.setCurrentIndex(self.model_.index(row, 0))

    def _colour(self, tokens: Tokens) -> None:
        self.model_.set_colours(tokens._asdict())


def _name(line: FigureLine) -> str:
    return line.name


def _value(line: FigureLine) -> str:
    return line.value


def _interval(line: FigureLine) -> str:
    return line.interval


def _counts(line: FigureLine) -> str:
    return line.counts


def _about(line: FigureLine) -> str:
    return line.about


def _muted(_line: FigureLine) -> str:
    return "muted"
