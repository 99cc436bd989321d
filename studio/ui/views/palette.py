"""The command palette: type a few letters of any command, press Enter."""

from PySide6.QtCore import QCoreApplication, QEvent, QObject, Qt, Signal
from PySide6.QtGui import QKeyEvent, QKeySequence
from PySide6.QtWidgets import QDialog, QLineEdit, QTreeWidget, QTreeWidgetItem, QVBoxLayout, QWidget
from typing_extensions import override

from studio.ui.commands import COMMANDS, Command
from studio.ui.state import State
from studio.ui.widgets.label import PlainLabel

_MOVES = (Qt.Key.Key_Up, Qt.Key.Key_Down, Qt.Key.Key_PageUp, Qt.Key.Key_PageDown)


def found(typed: str, state: State) -> tuple[Command, ...]:
    """The commands that hold what was typed, those that can be done now first, the best first."""
    ranked = []
    for place, command in enumerate(COMMANDS):
        rank = _rank(typed.casefold().strip(), command)
        if rank is not None and command.id != "palette.open":
            ranked.append((not command.enabled(state), rank, place, command))
    return tuple(command for *_, command in sorted(ranked, key=_order))


def _order(entry: tuple[bool, int, int, Command]) -> tuple[bool, int, int]:
    return entry[:3]


def _rank(typed: str, command: Command) -> int | None:
    title = command.title.casefold()
    if title.startswith(typed):
        return 0
    if typed in title:
        return 1
    letters = iter(f"{command.menu} {title}".casefold())
    if all(letter in letters for letter in typed.replace(" ", "")):
        return 2
    return 3 if typed in command.help.casefold() else None


class Palette(QDialog):
    """A list of commands under a line to type into.  `chosen` names the one to do."""

    chosen = Signal(str)

    def __init__(self, state: State, parent: QWidget) -> None:
        super().__init__(parent, Qt.WindowType.Popup)
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self.setAccessibleName("Find a command")
        self.setObjectName("palette")
        self._state = state
        self.line = QLineEdit(placeholderText="Find a command…")
        self.line.setAccessibleName("Find a command")
        self.line.textChanged.connect(self._fill)
        self.line.returnPressed.connect(self._choose)
        self.line.installEventFilter(self)
        self.list = QTreeWidget()
        self.list.setColumnCount(2)
        self.list.setHeaderHidden(True)
        self.list.setRootIsDecorated(False)
        self.list.setUniformRowHeights(True)
        self.list.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self.list.setAccessibleName("Commands")
        self.list.itemClicked.connect(self._choose)
        column = QVBoxLayout(self)
        column.setContentsMargins(8, 8, 8, 8)
        column.addWidget(self.line)
        column.addWidget(self.list)
        self._help = PlainLabel("", "small", wraps=True)
        column.addWidget(self._help)
        self.list.currentItemChanged.connect(self._explain)
        character, height = self.fontMetrics().averageCharWidth(), self.fontMetrics().height()
        self.resize(min(character * 80, parent.width()), min(height * 26, parent.height()))
        self._fill("")
        corner = parent.mapToGlobal(parent.rect().topLeft())
        self.move(corner.x() + (parent.width() - self.width()) // 2, corner.y() + 40)

    @override
    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        pressed = event.key() if isinstance(event, QKeyEvent) else None
        if pressed in _MOVES and event.type() == QEvent.Type.KeyPress:
            QCoreApplication.sendEvent(self.list, event)
            return True
        return super().eventFilter(watched, event)

    def _fill(self, typed: str) -> None:
        self.list.clear()
        for command in found(typed, self._state):
            keys = QKeySequence(command.shortcuts[0]) if command.shortcuts else QKeySequence()
            shown = keys.toString(QKeySequence.SequenceFormat.NativeText)
            item = QTreeWidgetItem([f"{command.menu}: {command.title}", shown])
            item.setData(0, Qt.ItemDataRole.UserRole, command.id)
            item.setTextAlignment(1, Qt.AlignmentFlag.AlignRight)
            item.setDisabled(not command.enabled(self._state))
            self.list.addTopLevelItem(item)
        if (first := self.list.topLevelItem(0)) is not None:
            self.list.setCurrentItem(first)
        self.list.header().setStretchLastSection(False)
        self.list.header().setSectionResizeMode(0, self.list.header().ResizeMode.Stretch)

    def _explain(self, item: QTreeWidgetItem | None) -> None:
        chosen = None if item is None else item.data(0, Qt.ItemDataRole.UserRole)
        self._help.setText(next((each.help for each in COMMANDS if each.id == chosen), ""))

    def _choose(self) -> None:
        item = self.list.currentItem()
        if item is not None and not item.isDisabled():
            self.close()
            self.chosen.emit(str(item.data(0, Qt.ItemDataRole.UserRole)))
