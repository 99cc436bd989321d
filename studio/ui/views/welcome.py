"""What is seen before a project is open.  Light: it is part of the first paint."""

from collections.abc import Sequence
from pathlib import Path

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QHBoxLayout, QPushButton, QVBoxLayout, QWidget

from studio.ui.commands import Actions
from studio.ui.text import menu_text, plain, tip
from studio.ui.views.page import Page
from studio.ui.widgets.label import ElidedLabel, PlainLabel
from studio.ui.widgets.panel import button

_LONGEST = 40
"""Characters of the way to a recent project; its tooltip has all of it."""


class WelcomePage(Page):
    """Open a project, open the sample, or one of the last few."""

    open_asked = Signal(str)
    """The user wants to open this folder, one of the recent ones."""

    def __init__(
        self, actions: Actions, recent: Sequence[str], parent: QWidget | None = None
    ) -> None:
        super().__init__(parent)
        self._opening = ElidedLabel("", "muted")
        column = QVBoxLayout()
        column.setSpacing(10)
        column.addStretch(2)
        heading = PlainLabel(
            "Evaluate tool-using agents on your own machine", "heading", wraps=True
        )
        column.addWidget(heading)
        column.addWidget(
            PlainLabel(
                "A project is a folder with prompts, tools and queries. Open one, press Evaluate, "
                "and step through what the agent did.",
                "muted",
                wraps=True,
            )
        )
        column.addSpacing(6)
        column.addLayout(_first_steps(actions))
        column.addWidget(self._opening)
        column.addSpacing(14)
        if recent:
            column.addWidget(PlainLabel("Recent projects", "title"))
        for folder in recent:
            line = QHBoxLayout()
            line.addWidget(self._recent(folder))
            line.addStretch(1)
            column.addLayout(line)
        column.addStretch(3)
        row = QHBoxLayout(self)
        row.setContentsMargins(24, 12, 24, 12)
        row.addStretch(1)
        row.addLayout(column, 3)
        row.addStretch(1)

    def show_opening(self, folder: str) -> None:
        """Say that this folder is being opened; "" when none is."""
        self._opening.setText(f"Opening {plain(folder)} …" if folder else "")

    def _recent(self, folder: str) -> QPushButton:
        path = Path(folder)
        each = button(menu_text(f"{path.name}    {_short(path.parent)}"), "link")
        each.setToolTip(tip(folder))
        each.setProperty("folder", folder)
        each.clicked.connect(self._open)
        return each

    def _open(self) -> None:
        sender = self.sender()
        if sender is not None:
            self.open_asked.emit(str(sender.property("folder")))


def _first_steps(actions: Actions) -> QHBoxLayout:
    row = QHBoxLayout()
    for text, role, command in (
        ("Open Sample Project", "primary", "project.sample"),
        ("Open Project…", "", "project.open"),
    ):
        each = button(text, role)
        each.clicked.connect(actions[command].trigger)
        row.addWidget(each)
    row.addStretch(1)
    return row


def _short(folder: Path) -> str:
    """Where a folder is; of a long way its end."""
    try:
        way = f"~/{folder.relative_to(Path.home())}"
    except ValueError:
        way = str(folder)
    return way if len(way) <= _LONGEST else f"…{way[-_LONGEST:]}"
