"""The foot of every page that edits: what can be done to the item that is shown."""

from collections.abc import Mapping

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QHBoxLayout, QPushButton, QWidget

from studio.ui.commands import Actions
from studio.ui.widgets.label import ElidedLabel
from studio.ui.widgets.panel import button, foot

_SAVE = "item.save"


class EditFoot(QWidget):
    """A note, a button for each of some commands, then Revert and Save."""

    reverted = Signal()

    def __init__(
        self, actions: Actions, commands: Mapping[str, str], parent: QWidget | None = None
    ) -> None:
        """`commands` are ids of the commands' table with the texts of their buttons."""
        super().__init__(parent)
        self.note = ElidedLabel("", "small")
        self.revert = button("Revert")
        self.revert.clicked.connect(self.reverted)
        self.save = self._made(actions, _SAVE, "Save", "primary")
        self._others = [self._made(actions, *command) for command in commands.items()]
        self._row = foot()
        self._row.addWidget(self.note, 1)
        for each in (*self._others, self.revert, self.save):
            self._row.addWidget(each)
        outer = QHBoxLayout(self)
        outer.setContentsMargins(0, 0, 0, 0)
        outer.addLayout(self._row)

    def add(self, widget: QWidget) -> None:
        """Put a widget before the buttons."""
        self._row.insertWidget(1, widget)

    def show_standing(self, *, can_save: bool, can_revert: bool, can_change: bool) -> None:
        """Enable what makes sense; `can_change` is about the other commands."""
        self.save.setEnabled(can_save)
        self.revert.setEnabled(can_revert)
        for each in self._others:
            each.setEnabled(can_change)

    def _made(self, actions: Actions, command: str, text: str, role: str = "") -> QPushButton:
        made = button(text, role)
        made.clicked.connect(actions[command].trigger)
        return made
