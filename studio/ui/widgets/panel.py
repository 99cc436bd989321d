"""The one surface of the window: a panel with a line around it and a title row."""

from PySide6.QtWidgets import QFrame, QHBoxLayout, QPushButton, QVBoxLayout, QWidget

from studio.ui.widgets.label import ElidedLabel, PlainLabel


class Panel(QFrame):
    """A titled panel.  Add what it shows to `body`, small things beside the title to `head`."""

    def __init__(self, title: str = "", parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setProperty("role", "panel")
        self.title = ElidedLabel(title, "title")
        self.note = PlainLabel("", "muted")
        self.head = QHBoxLayout()
        self.head.setContentsMargins(12, 8, 8, 6)
        self.head.setSpacing(8)
        self.head.addWidget(self.title, 1)
        self.head.addWidget(self.note)
        self.body = QVBoxLayout()
        self.body.setContentsMargins(1, 0, 1, 1)
        self.body.setSpacing(0)
        self.outer = QVBoxLayout(self)
        self.outer.setContentsMargins(0, 0, 0, 0)
        self.outer.setSpacing(0)
        self.outer.addLayout(self.head)
        self.outer.addLayout(self.body, 1)


def foot() -> QHBoxLayout:
    """A row for the buttons at the foot of a panel."""
    row = QHBoxLayout()
    row.setContentsMargins(12, 8, 11, 8)
    row.setSpacing(8)
    return row


def rule() -> QFrame:
    """A thin line between two parts of a panel."""
    line = QFrame()
    line.setProperty("role", "rule")
    return line


def divider() -> QFrame:
    """A thin line between two parts that stand side by side."""
    line = QFrame()
    line.setProperty("role", "divider")
    return line


def button(text: str, role: str = "") -> QPushButton:
    """A push button; `role` is "primary" (one a page), "link", "quiet" or "" in the style sheet."""
    made = QPushButton(text)
    made.setProperty("role", role)
    return made
