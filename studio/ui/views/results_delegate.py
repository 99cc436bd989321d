"""Paints the results: the sign of a trial's standing, the question and its marks, the figures.

Cells are kept as pictures: Qt paints the whole table whenever a row is added anywhere, many times a
second while a run goes on, and painting text takes ten times as long as showing a picture of it.
"""

from collections.abc import Sequence

from PySide6.QtCore import QModelIndex, QObject, QPersistentModelIndex, QPointF, QRect, QSize, Qt
from PySide6.QtGui import QColor, QFont, QPainter, QPixmap
from PySide6.QtWidgets import QStyle, QStyledItemDelegate, QStyleOptionViewItem
from typing_extensions import override

from studio.engine.store.rows import TrialRow
from studio.ui.models.measures import Measure
from studio.ui.models.results import NOT_SCORED, Standing, badges, standing
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
_RIGHT = int(Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter)
_PAD = 8
_KEPT = 1_500
_Key = tuple[int, int, int, int, int, bool]


class ResultsDelegate(QStyledItemDelegate):
    """For all columns of the results."""

    def __init__(self, theme: Theme, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._theme = theme
        self._pictures: dict[_Key, QPixmap] = {}
        self._measures: Sequence[Measure] = ()
        theme.changed.connect(self._pictures.clear)

    def decide_by(self, measures: Sequence[Measure]) -> None:
        """The metrics that decide the standing of a trial."""
        self._measures = tuple(measures)
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
        area, column = option.rect, index.column()
        is_selected = bool(option.state & QStyle.StateFlag.State_Selected)
        key = (trial.id, trial.changed, column, area.width(), area.height(), is_selected)
        picture = self._pictures.get(key)
        scale = painter.device().devicePixelRatioF()
        if picture is None or picture.devicePixelRatio() != scale:
            while len(self._pictures) >= _KEPT:
                del self._pictures[next(iter(self._pictures))]
            picture = self._pictures[key] = self._blank(area.size(), scale, is_selected=is_selected)
            text = model.columns[column].text(trial)
            self._paint_cell(picture, option.font, trial, text if column else None)
        painter.drawPixmap(area.topLeft(), picture)

    def _blank(self, size: QSize, scale: float, *, is_selected: bool) -> QPixmap:
        tokens = self._theme.tokens
        picture = QPixmap(size * scale)
        picture.setDevicePixelRatio(scale)
        picture.fill(QColor(tokens.selected if is_selected else tokens.panel))
        return picture

    def _paint_cell(self, picture: QPixmap, font: QFont, trial: TrialRow, text: str | None) -> None:
        """Paint a figure, or the question if there is no text."""
        tokens = self._theme.tokens
        size = picture.deviceIndependentSize().toSize()
        width, height = size.width(), size.height()
        painter = QPainter(picture)
        painter.setFont(font)
        painter.fillRect(0, height - 1, width, 1, QColor(tokens.line))
        if text is None:
            self._paint_query(painter, QRect(10, 0, width - 16, height), trial)
        else:
            painter.setPen(QColor(tokens.muted if text == NOT_SCORED else tokens.text))
            painter.drawText(QRect(0, 0, width - _PAD, height), _RIGHT, text)
        painter.end()

    def _paint_query(self, painter: QPainter, area: QRect, trial: TrialRow) -> None:
        tokens = self._theme.tokens
        shape, token = SIGNS[standing(trial, self._measures)]
        centre = QPointF(area.left() + 5, area.center().y() + 0.5)
        sign(painter, centre, shape, getattr(tokens, token))
        asked = one_line(trial.query)
        room = area.adjusted(16, 0, 0, 0)
        marks = badges(trial)
        if not marks:
            elided(painter, room, asked, tokens.text)
            return
        small = QFont(painter.font())
        small.setPixelSize(text_height(small) - 2)
        # Badges get what the question leaves, and up to half the place if it leaves less.
        needed = min(painter.fontMetrics().horizontalAdvance(asked) + GAP, room.width())
        marks = _fitting(marks, small, max(room.width() - needed, room.width() // 2))
        question = QRect(room)
        question.setWidth(room.width() - sum(badge_width(small, mark.word) + GAP for mark in marks))
        room.setLeft(room.left() + elided(painter, question, asked, tokens.text) + GAP)
        painter.setFont(small)
        for mark in marks:
            width = badge(painter, room, mark.word, getattr(tokens, mark.tone), tokens)
            room.setLeft(room.left() + width + GAP)


def _fitting(marks: Sequence[Badge], font: QFont, width: int) -> tuple[Badge, ...]:
    """The first badges that fit into a width."""
    fitting = []
    for mark in marks:
        width -= badge_width(font, mark.word) + GAP
        if width < 0:
            break
        fitting.append(mark)
    return tuple(fitting)
