"""Keeps what delegates painted as pictures.

Qt paints a whole view whenever a row is added anywhere, many times a second while a run goes on; to
paint text takes ten times as long as to show a picture of it.
"""

from collections.abc import Callable, Hashable

from PySide6.QtCore import QRect
from PySide6.QtGui import QColor, QPainter, QPixmap
from PySide6.QtWidgets import QStyle, QStyleOptionViewItem

from studio.ui.theme import Theme

_KEPT_BYTES = 12_000_000


class Pictures:
    """Pictures by what they show.  `key` names all that decides how a cell looks, but its size."""

    def __init__(self, theme: Theme) -> None:
        self._theme = theme
        self._kept: dict[Hashable, QPixmap] = {}
        self._bytes = 0
        theme.changed.connect(self.clear)

    def clear(self) -> None:
        self._kept.clear()
        self._bytes = 0

    def show(
        self,
        painter: QPainter,
        option: QStyleOptionViewItem,
        key: Hashable,
        paint: Callable[[QPainter, QRect], None],
    ) -> None:
        """Show the picture of a cell on its ground; `paint` paints what is on it if it is new."""
        area = option.rect
        is_selected = bool(option.state & QStyle.StateFlag.State_Selected)
        scale = painter.device().devicePixelRatioF()
        whole = (key, area.width(), area.height(), is_selected, scale)
        picture = self._kept.get(whole)
        if picture is None:
            picture = QPixmap(area.size() * scale)
            picture.setDevicePixelRatio(scale)
            tokens = self._theme.tokens
            picture.fill(QColor(tokens.selected if is_selected else tokens.panel))
            fresh = QPainter(picture)
            fresh.setFont(option.font)
            paint(fresh, QRect(0, 0, area.width(), area.height()))
            fresh.end()
            self._keep(whole, picture)
        painter.drawPixmap(area.topLeft(), picture)

    def _keep(self, key: Hashable, picture: QPixmap) -> None:
        while self._bytes > _KEPT_BYTES:
            self._bytes -= _size(self._kept.pop(next(iter(self._kept))))
        self._kept[key] = picture
        self._bytes += _size(picture)


def _size(picture: QPixmap) -> int:
    return picture.width() * picture.height() * 4
