"""How far a run is: one thin bar in segments, and the words for them."""

from PySide6.QtCore import QRectF, QSize
from PySide6.QtGui import QColor, QPainter, QPainterPath, QPaintEvent
from PySide6.QtWidgets import QSizePolicy, QWidget
from typing_extensions import override

from studio.engine.records import Tally
from studio.ui.text import count
from studio.ui.theme import Theme
from studio.ui.widgets.hint import Hinting

_HEIGHT = 6.0
SEGMENTS = (
    ("done", "good"), ("failed", "bad"), ("invalid", "mark"), ("skipped", "mark"),
    ("cancelled", "off"),
)  # fmt: skip


class SegmentedProgress(Hinting):
    """Done, failed, invalid, skipped and cancelled of planned."""

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._theme = theme
        self._tally = Tally(0)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        self.setAccessibleName("Progress of the run")
        theme.changed.connect(self.update)

    def show_tally(self, tally: Tally) -> None:
        if tally != self._tally:
            self._tally = tally
            self.setAccessibleDescription(in_words(tally))
            self.update()

    @override
    def hint(self) -> str:
        return in_words(self._tally)

    @override
    def sizeHint(self) -> QSize:
        return QSize(130, 18)

    @override
    def minimumSizeHint(self) -> QSize:
        return QSize(48, 18)

    @override
    def paintEvent(self, event: QPaintEvent) -> None:
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        track = QRectF(0, (self.height() - _HEIGHT) / 2, self.width(), _HEIGHT)
        around = QPainterPath()
        around.addRoundedRect(track, _HEIGHT / 2, _HEIGHT / 2)
        painter.setClipPath(around)
        painter.fillRect(track, QColor(self._theme.tokens.line))
        left = track.left()
        for name, token in SEGMENTS:
            width = share(self._tally, name) * track.width()
            colour = QColor(getattr(self._theme.tokens, token))
            painter.fillRect(QRectF(left, track.top(), width, _HEIGHT), colour)
            left += width


def share(tally: Tally, name: str) -> float:
    """The part of the bar that a segment takes, from 0 to 1."""
    amount: int = getattr(tally, name)
    return amount / tally.planned if tally.planned else 0.0


def in_words(tally: Tally) -> str:
    """`28 done, 2 failed, 9 to go`, what there is none of left out."""
    parts = [f"{count(getattr(tally, name))} {name}" for name, _ in SEGMENTS]
    said = [part for part in parts if not part.startswith("0 ")]
    if tally.left:
        said.append(f"{count(tally.left)} to go")
    return ", ".join(said) or "nothing to do"
