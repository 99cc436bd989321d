"""What the colours of a chart stand for."""

from collections.abc import Sequence

from PySide6.QtCore import QRect, QSize
from PySide6.QtGui import QColor, QPainter, QPaintEvent
from PySide6.QtWidgets import QSizePolicy, QWidget
from typing_extensions import override

from studio.ui.theme import Theme
from studio.ui.widgets.paint import elided

_SQUARE, _GAP = 8, 6


class Legend(QWidget):
    """Names of series beside squares in their colours; shortens them where there is no room."""

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._theme = theme
        self._entries: tuple[tuple[str, str], ...] = ()
        self.setSizePolicy(QSizePolicy.Policy.Preferred, QSizePolicy.Policy.Fixed)
        theme.changed.connect(self.update)

    def show_entries(self, entries: Sequence[tuple[str, str]]) -> None:
        """Names, each with the token of its colour."""
        self._entries = tuple(entries)
        self.setAccessibleName("Drawn: " + ", ".join(name for name, _ in entries))
        self.updateGeometry()
        self.update()

    @override
    def sizeHint(self) -> QSize:
        metrics = self.fontMetrics()
        names = sum(metrics.horizontalAdvance(name) for name, _ in self._entries)
        return QSize(names + len(self._entries) * (_SQUARE + 3 * _GAP), metrics.height() + 2)

    @override
    def minimumSizeHint(self) -> QSize:
        return QSize(len(self._entries) * (_SQUARE + 2 * _GAP), self.fontMetrics().height() + 2)

    @override
    def paintEvent(self, event: QPaintEvent) -> None:
        painter = QPainter(self)
        each = self.width() // max(1, len(self._entries))
        is_cut = self.sizeHint().width() > self.width()
        left = 0
        for name, token in self._entries:
            width = (
                each
                if is_cut
                else (self.fontMetrics().horizontalAdvance(name) + _SQUARE + 3 * _GAP)
            )
            top = (self.height() - _SQUARE) // 2
            painter.fillRect(
                left, top, _SQUARE, _SQUARE, QColor(getattr(self._theme.tokens, token))
            )
            room = QRect(left + _SQUARE + _GAP, 0, width - _SQUARE - 2 * _GAP, self.height())
            elided(painter, room, name, self._theme.tokens.muted)
            left += width
