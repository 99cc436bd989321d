"""Paints the results: the sign of a trial's standing, the question and its marks, the figures."""

from collections.abc import Sequence

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
from studio.ui.text import one_line
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
        self._pictures.clear()

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
        column = index.column()

        def paint(fresh: QPainter, area: QRect) -> None:
            line = QColor(self._theme.tokens.line)
            fresh.fillRect(0, area.bottom(), area.width(), 1, line)
            if column == 0:
                self._paint_query(fresh, area.adjusted(10, 0, -6, 0), trial)
            elif model.columns[column].is_number:
                self._paint_figure(fresh, area, model.columns[column].text(trial))
            else:
                text, room = model.columns[column].text(trial), area.adjusted(_PAD, 0, -_PAD, 0)
                tone = model.columns[column].tone
                token = tone(trial) if tone is not None else Tone.TEXT
                elided(fresh, room, text, getattr(self._theme.tokens, token))

        self._pictures.show(painter, option, (trial.id, trial.changed, column), paint)

    def _paint_figure(self, painter: QPainter, area: QRect, text: str) -> None:
        tokens = self._theme.tokens
        painter.setPen(QColor(tokens.muted if text == NOT_SCORED else tokens.text))
        painter.drawText(area.adjusted(0, 0, -_PAD, 0), _RIGHT, text)

    def _paint_query(self, painter: QPainter, area: QRect, trial: TrialRow) -> None:
        tokens = self._theme.tokens
        shape, token = SIGNS[standing(trial, self._rules)]
        centre = QPointF(area.left() + 5, area.center().y() + 0.5)
        sign(painter, centre, shape, getattr(tokens, token))
        asked = one_line(trial.query)
        room = area.adjusted(16, 0, 0, 0)
        remarks = marks(trial)
        if not remarks:
            elided(painter, room, asked, tokens.text)
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
        room.setLeft(room.left() + elided(painter, question, asked, tokens.text) + GAP)
        painter.setFont(small)
        for mark in remarks:
            width = badge(painter, room, mark.word, getattr(tokens, mark.tone), tokens)
            room.setLeft(room.left() + width + GAP)


def _fitting(marks: Sequence[Badge], font: QFont, width: int) -> tuple[Badge, ...]:
    """Those badges that fit into a width, the first ones first."""
    fitting = []
    for mark in marks:
        needed = badge_width(font, mark.word) + GAP
        if needed <= width:
            width -= needed
            fitting.append(mark)
    return tuple(fitting)
