"""A bar in segments against a limit: what fills it, what is left, and by how much it overflows."""

from collections.abc import Sequence
from typing import NamedTuple

from PySide6.QtCore import QRectF, QSize
from PySide6.QtGui import QColor, QPainter, QPainterPath, QPaintEvent
from PySide6.QtWidgets import QSizePolicy, QWidget
from typing_extensions import override

from studio.ui.theme import Theme
from studio.ui.widgets.hint import Hinting

_HEIGHT = 8.0
_GAP = 1.0


class Segment(NamedTuple):
    """A part of the bar: its amount, and the token of the theme that colours it."""

    amount: int
    token: str


class Meter(Hinting):
    """Segments one after another; where they go beyond the limit, a line marks it."""

    def __init__(self, name: str, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._theme = theme
        self._segments: tuple[Segment, ...] = ()
        self._limit = 1
        self._hint = ""
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        self.setAccessibleName(name)
        theme.changed.connect(self.update)

    def show_segments(self, segments: Sequence[Segment], limit: int, hint: str) -> None:
        """`hint` says in words what the bar shows."""
        self._segments, self._limit, self._hint = tuple(segments), max(1, limit), hint
        self.setAccessibleDescription(hint)
        self.update()

    @override
    def hint(self) -> str:
        return self._hint

    @override
    def sizeHint(self) -> QSize:
        return QSize(200, 16)

    @override
    def minimumSizeHint(self) -> QSize:
        return QSize(80, 16)

    @override
    def paintEvent(self, event: QPaintEvent) -> None:
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        tokens = self._theme.tokens
        track = QRectF(0, (self.height() - _HEIGHT) / 2, self.width(), _HEIGHT)
        around = QPainterPath()
        around.addRoundedRect(track, _HEIGHT / 2, _HEIGHT / 2)
        painter.setClipPath(around)
        painter.fillRect(track, QColor(tokens.line))
        total = sum(segment.amount for segment in self._segments)
        scale = track.width() / max(self._limit, total)
        left = track.left()
        for segment in self._segments:
            width = segment.amount * scale
            area = QRectF(left, track.top(), max(0.0, width - _GAP), _HEIGHT)
            painter.fillRect(area, QColor(getattr(tokens, segment.token)))
            left += width
        if total > self._limit:
            painter.setClipping(False)
            limit = QRectF(self._limit * scale - 1, track.top() - 3, 2, _HEIGHT + 6)
            painter.fillRect(limit, QColor(tokens.text))
