"""Names to be ticked, in an order of the user's: drag them, or move the current one with keys."""

from collections.abc import Mapping, Sequence

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QAbstractItemView, QListWidget, QListWidgetItem, QWidget

from studio.ui.text import one_line

_NAME = Qt.ItemDataRole.UserRole


class Ticks(QListWidget):
    """Its text holds the ticked names, one a line."""

    edited = Signal()
    """The user ticked a name, took a tick away, or moved a name."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._offered: dict[str, str] = {}
        self._is_read_only = False
        self.setTextElideMode(Qt.TextElideMode.ElideRight)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setDragDropMode(QAbstractItemView.DragDropMode.InternalMove)
        self.setDefaultDropAction(Qt.DropAction.MoveAction)
        self.itemChanged.connect(self.edited)
        self.model().rowsMoved.connect(self.edited)

    def offer(self, names: Mapping[str, str]) -> None:
        """What can be ticked, with a word on each.  A ticked name stays, offered or not."""
        self._offered = dict(names)
        self.set_text(self.text())

    def text(self) -> str:
        ticked = [item for item in self._items() if item.checkState() is Qt.CheckState.Checked]
        return "\n".join(str(item.data(_NAME)) for item in ticked)

    def set_text(self, text: str) -> None:
        """Tick these names, without `edited`; they stand first, in their order."""
        ticked = text.split("\n") if text else []
        rest = [name for name in self._offered if name not in ticked]
        current = self.currentItem()
        shown = None if current is None else current.data(_NAME)
        self.blockSignals(True)
        self.clear()
        self._add(ticked, Qt.CheckState.Checked, shown)
        self._add(rest, Qt.CheckState.Unchecked, shown)
        self.blockSignals(False)

    def set_read_only(self, *, read_only: bool) -> None:
        self._is_read_only = read_only
        self.setDragEnabled(not read_only)
        self.set_text(self.text())

    def move_current(self, by: int) -> None:
        """Move the current name so many places down."""
        place, to = self.currentRow(), self.currentRow() + by
        if self._is_read_only or place < 0 or not 0 <= to < self.count():
            return
        self.blockSignals(True)
        self.insertItem(to, self.takeItem(place))
        self.setCurrentRow(to)
        self.blockSignals(False)
        self.edited.emit()

    def _items(self) -> list[QListWidgetItem]:
        return [self.item(row) for row in range(self.count())]

    def _add(self, names: Sequence[str], state: Qt.CheckState, current: str | None) -> None:
        for name in names:
            word = self._offered.get(name, "")
            item = QListWidgetItem(one_line(f"{name} – {word}" if word else name))
            item.setData(_NAME, name)
            item.setCheckState(state)
            if self._is_read_only:
                item.setFlags(item.flags() & ~Qt.ItemFlag.ItemIsUserCheckable)
            self.addItem(item)
            if name == current:
                self.setCurrentItem(item)
