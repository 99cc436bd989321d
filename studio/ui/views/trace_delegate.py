"""Paints a row of a trace on one line: what it is, what it said, its marks, its time."""

from collections.abc import Sequence

from PySide6.QtCore import QModelIndex, QObject, QPersistentModelIndex, QRect, QSize, Qt
from PySide6.QtGui import QFont, QPainter
from PySide6.QtWidgets import QStyledItemDelegate, QStyleOptionViewItem
from typing_extensions import override

from studio.ui.models.outline import Kind, Row
from studio.ui.models.tone import Badge, Tone
from studio.ui.models.tree import TraceTree, stretch_title
from studio.ui.text import count, seconds
from studio.ui.theme import Theme, mono_font, text_height
from studio.ui.widgets.paint import GAP, badge, badge_width, elided
from studio.ui.widgets.pictures import Pictures

_RIGHT = 10


class TraceDelegate(QStyledItemDelegate):
    """For the tree of a trace."""

    def __init__(self, theme: Theme, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._theme = theme
        self._mono = mono_font()
        self._pictures = Pictures(theme)

    @override
    def sizeHint(
        self, option: QStyleOptionViewItem, index: QModelIndex | QPersistentModelIndex
    ) -> QSize:
        return QSize(120, option.fontMetrics.height() + 9)

    @override
    def paint(
        self,
        painter: QPainter,
        option: QStyleOptionViewItem,
        index: QModelIndex | QPersistentModelIndex,
    ) -> None:
        model = index.model()
        assert isinstance(model, TraceTree)
        row = model.row(index)
        marks = row.badges
        if row.kind is Kind.STEP and not model.holds_steps(row):
            marks = (Badge(f"step {row.number}"), *marks)

        def paint(fresh: QPainter, area: QRect) -> None:
            area = area.adjusted(4, 0, -_RIGHT, 0)
            if row.kind is Kind.STRETCH:
                elided(fresh, area, stretch_title(row), self._theme.tokens.muted)
            else:
                self._paint(fresh, area, row, sorted(marks, key=_urgency))

        key = (row.kind, row.first, row.title, row.preview, marks, row.seconds, row.tokens)
        self._pictures.show(painter, option, key, paint)

    def _paint(self, painter: QPainter, area: QRect, row: Row, marks: Sequence[Badge]) -> None:
        tokens = self._theme.tokens
        text = painter.font()
        small = QFont(text)
        small.setPixelSize(text_height(text) - 2)
        after = trailing(row)
        painter.setFont(small)
        width = painter.fontMetrics().horizontalAdvance(after)
        painter.setPen(tokens.muted)
        flags = Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter
        painter.drawText(area, flags | Qt.TextFlag.TextSingleLine, after)
        room = area.adjusted(0, 0, -(width + GAP if after else 0), 0)
        painter.setFont(text)
        colour = tokens.muted if row.kind in {Kind.RESULT, Kind.MODEL} else tokens.text
        room.setLeft(room.left() + elided(painter, room, row.title, colour) + GAP)
        wanted = sum(badge_width(small, mark.word) + GAP for mark in marks)
        if row.preview:
            painter.setFont(self._mono)
            said = QRect(room)
            said.setWidth(max(room.width() - wanted, room.width() // 3))
            tone = tokens.text if row.kind in {Kind.ANSWER} else tokens.muted
            room.setLeft(room.left() + elided(painter, said, row.preview, tone) + GAP)
        painter.setFont(small)
        for mark in marks:
            took = badge(painter, room, mark.word, getattr(tokens, mark.tone), tokens)
            if not took:
                break
            room.setLeft(room.left() + took + GAP)


def _urgency(mark: Badge) -> int:
    """What is wrong is shown first: the last badges may find no room."""
    return {Tone.MUTED: 0, Tone.BAD: 1}.get(mark.tone, 2)


def trailing(row: Row) -> str:
    """What stands at the right end: time, and tokens of a model call."""
    parts = []
    if row.seconds is not None:
        parts.append(seconds(row.seconds))
    elif row.kind in {Kind.STEP, Kind.MODEL, Kind.TOOL}:
        parts.append("…")
    if row.tokens is not None:
        prompt, reply = ("?" if each is None else count(each) for each in row.tokens)
        parts.append(f"{prompt} → {reply} tokens")
    return " · ".join(parts)
