"""Paints the results: the sign of a trial's standing, the question and its marks, the figures."""

from collections.abc import Sequence
from functools import partial
from typing import NamedTuple

from PySide6.QtCore import QModelIndex, QObject, QPersistentModelIndex, QPointF, QRect, Qt
from PySide6.QtGui import QColor, QFont, QPainter
from PySide6.QtWidgets import QStyledItemDelegate, QStyleOptionViewItem
from typing_extensions import override

from studio.engine.analysis.passing import Rule
from studio.engine.store.rows import TrialRow
from studio.ui.models.results import NOT_SCORED
from studio.ui.models.standing import Standing, marks, standing
from studio.ui.models.table import Table
from studio.ui.models.tone import Badge, Tone
from studio.ui.theme import Theme, text_height
from studio.ui.widgets.paint import GAP, badge, badge_width, elided, sign
from studio.ui.widgets.pictures import Pictures

SIGNS = {
    Standing.PASSED: ("disc", "good"),
    Standing.NOT_PASSED: ("diamond", "bad"),
    Standing.NO_ANSWER: ("bar", "bad"),
    Standing.EXCUSED: ("bar", "off"),
    Standing.UNDECIDED: ("ring", "off"),
    Standing.RUNNING: ("half", "accent"),
}
_RIGHT = int(Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter)
_PAD = 8


class ResultsDelegate(QStyledItemDelegate):
    """For all columns of the results."""

    def __init__(self, theme: Theme, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._theme = theme
        self._pictures = Pictures(theme)
        self._rules: tuple[Rule, ...] = ()

    def decide_by(self, rules: Sequence[Rule]) -> None:
        """The rules by which a trial passes."""
        self._rules = tuple(rules)

    @override
    def paint(
        self,
        painter: QPainter,
        option: QStyleOptionViewItem,
        index: QModelIndex | QPersistentModelIndex,
    ) -> None:
        model = index.model()
        assert isinstance(model, Table)
        trial: TrialRow = model.record(index.row())
        column = model.columns[index.column()]
        text = column.text(trial)
        # By what is seen, not by whose it is: most figures look alike, and judged again as before.
        if index.column() == 0:
            asked = _Asked(text, standing(trial, self._rules), marks(trial))
            self._pictures.show(painter, option, asked, partial(self._paint_query, asked))
        else:
            tone = Tone.MUTED if text == NOT_SCORED else Tone.TEXT
            cell = _Cell(text, column.tone(trial) if column.tone else tone, column.is_number)
            self._pictures.show(painter, option, cell, partial(self._paint_cell, cell))

    def _paint_cell(self, cell: "_Cell", painter: QPainter, area: QRect) -> None:
        self._paint_line(painter, area)
        colour = getattr(self._theme.tokens, cell.tone)
        if cell.is_number:
            painter.setPen(QColor(colour))
            painter.drawText(area.adjusted(0, 0, -_PAD, 0), _RIGHT, cell.text)
        else:
            elided(painter, area.adjusted(_PAD, 0, -_PAD, 0), cell.text, colour)

    def _paint_line(self, painter: QPainter, area: QRect) -> None:
        painter.fillRect(0, area.bottom(), area.width(), 1, QColor(self._theme.tokens.line))

    def _paint_query(self, query: "_Asked", painter: QPainter, area: QRect) -> None:
        self._paint_line(painter, area)
        tokens, asked, remarks = self._theme.tokens, query.text, query.marks
        area = area.adjusted(10, 0, -6, 0)
        shape, token = SIGNS[query.standing]
        centre = QPointF(area.left() + 5, area.center().y() + 0.5)
        sign(painter, centre, shape, getattr(tokens, token))
        room = area.adjusted(16, 0, 0, 0)
        if not remarks:
            elided(painter, room, asked, tokens.text, keeps_end=True)
            return
        small = QFont(painter.font())
        small.setPixelSize(text_height(small) - 2)
        # Badges get what the question leaves, and up to half the place if it leaves less.
        needed = min(painter.fontMetrics().horizontalAdvance(asked) + GAP, room.width())
        remarks = _fitting(remarks, small, max(room.width() - needed, room.width() // 2))
        question = QRect(room)
        question.setWidth(
            room.width() - sum(badge_width(small, mark.word) + GAP for mark in remarks)
        )
        taken = elided(painter, question, asked, tokens.text, keeps_end=True)
        room.setLeft(room.left() + taken + GAP)
        painter.setFont(small)
        for mark in remarks:
            width = badge(painter, room, mark.word, getattr(tokens, mark.tone), tokens)
            room.setLeft(room.left() + width + GAP)


class _Asked(NamedTuple):
    """All that is seen of a trial in the first column."""

    text: str
    standing: Standing
    marks: tuple[Badge, ...]


class _Cell(NamedTuple):
    """All that is seen of it in another column."""

    text: str
    tone: str
    is_number: bool


def _fitting(marks: Sequence[Badge], font: QFont, width: int) -> tuple[Badge, ...]:
    """Those badges that fit into a width, the first ones first."""
    fitting = []
    for mark in marks:
        needed = badge_width(font, mark.word) + GAP
        if needed <= width:
            width -= needed
            fitting.append(mark)
    return tuple(fitting)
