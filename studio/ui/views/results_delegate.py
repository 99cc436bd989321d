"""Paints the query of a result: the sign of its standing, the question, the marks."""

from collections.abc import Sequence

from PySide6.QtCore import QModelIndex, QObject, QPersistentModelIndex, QPointF, QRect
from PySide6.QtGui import QFont, QPainter
from PySide6.QtWidgets import QApplication, QStyle, QStyledItemDelegate, QStyleOptionViewItem
from typing_extensions import override

from studio.engine.store.rows import TrialRow
from studio.ui.models.measures import Measure
from studio.ui.models.results import Standing, badges, standing
from studio.ui.models.table import Table
from studio.ui.models.tone import Badge
from studio.ui.text import one_line
from studio.ui.theme import Theme, text_height
from studio.ui.widgets.paint import GAP, badge, badge_width, elided, sign

SIGNS = {
    Standing.FULL: ("disc", "good"),
    Standing.BELOW: ("diamond", "bad"),
    Standing.NO_ANSWER: ("bar", "bad"),
    Standing.UNSCORED: ("ring", "off"),
    Standing.RUNNING: ("half", "accent"),
}


class QueryDelegate(QStyledItemDelegate):
    """For the first column of the results.  `measures` are those that decide the standing."""

    def __init__(self, theme: Theme, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._theme = theme
        self.measures: Sequence[Measure] = ()

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
        style = option.widget.style() if option.widget else QApplication.style()
        style.drawPrimitive(
            QStyle.PrimitiveElement.PE_PanelItemViewItem, option, painter, option.widget
        )
        painter.save()
        self._paint(painter, option.rect.adjusted(10, 0, -6, 0), trial)
        painter.restore()

    def _paint(self, painter: QPainter, area: QRect, trial: TrialRow) -> None:
        tokens = self._theme.tokens
        shape, token = SIGNS[standing(trial, self.measures)]
        sign(
            painter,
            QPointF(area.left() + 5, area.center().y() + 0.5),
            shape,
            getattr(tokens, token),
        )
        text = painter.font()
        small = QFont(text)
        small.setPixelSize(text_height(text) - 2)
        asked = one_line(trial.query)
        room = QRect(area)
        room.setLeft(area.left() + 16)
        # Badges get what the question leaves, and up to half the place if it leaves less.
        needed = min(painter.fontMetrics().horizontalAdvance(asked) + GAP, room.width())
        marks = _fitting(badges(trial), small, max(room.width() - needed, room.width() // 2))
        question = QRect(room)
        question.setWidth(room.width() - sum(badge_width(small, mark.word) + GAP for mark in marks))
        room.setLeft(room.left() + elided(painter, question, asked, tokens.text) + GAP)
        painter.setFont(small)
        for mark in marks:
            width = badge(painter, room, mark.word, getattr(tokens, mark.tone), tokens)
            room.setLeft(room.left() + width + GAP)


def _fitting(marks: Sequence[Badge], font: QFont, width: int) -> list[Badge]:
    """The first badges that fit into a width."""
    fitting = []
    for mark in marks:
        width -= badge_width(font, mark.word) + GAP
        if width < 0:
            break
        fitting.append(mark)
    return fitting
