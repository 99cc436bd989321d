"""Labels that show any text as it is, never as markup.

Part of the first paint: `Qt` itself is not imported up here, its 150 enumerations take a tenth of
the start.
"""

from PySide6.QtCore import QSize
from PySide6.QtGui import QPainter, QPaintEvent
from PySide6.QtWidgets import QLabel, QSizePolicy, QWidget

from studio.ui.overriding import override
from studio.ui.text import tip, unturned

_PLAIN_TEXT = 0
"""Qt.TextFormat.PlainText, as a property takes it."""


class PlainLabel(QLabel):
    """A label for any text.  `role` names its look in the style sheet: muted, small, title, ..."""

    def __init__(
        self, text: str = "", role: str = "", *, wraps: bool = False, parent: QWidget | None = None
    ) -> None:
        super().__init__(parent)
        self.setProperty("textFormat", _PLAIN_TEXT)
        self.setProperty("role", role)
        self.setWordWrap(wraps)
        self.setText(text)

    @override
    def setText(self, text: str) -> None:
        super().setText(unturned(text))

    def set_role(self, role: str) -> None:
        if self.property("role") != role:
            self.setProperty("role", role)
            self.style().polish(self)


class ElidedLabel(PlainLabel):
    """A label of one line that ends in … where it has no room; its tooltip holds the whole."""

    def __init__(self, text: str = "", role: str = "", *, parent: QWidget | None = None) -> None:
        super().__init__(text, role, parent=parent)
        self.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Preferred)

    @override
    def minimumSizeHint(self) -> QSize:
        return QSize(self.fontMetrics().averageCharWidth() * 4, super().minimumSizeHint().height())

    @override
    def paintEvent(self, _event: QPaintEvent) -> None:
        from PySide6.QtCore import Qt

        text = " ".join(self.text().split())
        shown = self.fontMetrics().elidedText(
            text, Qt.TextElideMode.ElideRight, self.contentsRect().width()
        )
        if self.toolTip() != (wanted := tip(text) if shown != text else ""):
            self.setToolTip(wanted)
        painter = QPainter(self)
        painter.setPen(self.palette().color(self.foregroundRole()))
        painter.drawText(self.contentsRect(), self.alignment(), shown)
