"""The tool sets of the project as a tree, each with its tools."""

from collections.abc import Callable, Sequence
from typing import NamedTuple

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QTreeWidget, QTreeWidgetItem, QWidget

from studio.engine.records import ToolSet
from studio.ui.text import one_line

_PLACE = Qt.ItemDataRole.UserRole


class Place(NamedTuple):
    """A tool set, or a tool of it."""

    tool_set: str
    tool: str = ""


class ToolTree(QTreeWidget):
    """Shows one place as the current one, and marks those with unsaved edits."""

    chosen = Signal()
    """Another place is the current one."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setHeaderHidden(True)
        self.setAccessibleName("Tool sets and tools")
        self.setUniformRowHeights(True)
        self.currentItemChanged.connect(self._choose)

    @property
    def place(self) -> Place | None:
        """The current place."""
        item = self.currentItem()
        return None if item is None else _place(item)

    def fill(self, sets: Sequence[ToolSet], shown: Place | None) -> None:
        """Show these sets, and the place `shown` as the current one if it is there.

        Else another place of the same tool or, where there is none, the first set.
        """
        self.blockSignals(True)
        self.clear()
        for tool_set in sets:
            heading = _item(Place(tool_set.name))
            self.addTopLevelItem(heading)
            for tool in tool_set.tools:
                heading.addChild(_item(Place(tool_set.name, tool.name)))
        self.expandAll()
        self.blockSignals(False)
        if shown is None or not (self.show_place(shown) or self.show_tool(shown.tool)):
            self._show(lambda _place: True)

    def show_place(self, place: Place) -> bool:
        """Make this the current place; whether it is there."""
        return self._show(lambda each: each == place)

    def show_tool(self, name: str) -> bool:
        """Make this tool, in the first set that holds it, the current one."""
        return bool(name) and self._show(lambda each: each.tool == name)

    def mark(self, is_edited: Callable[[Place], bool]) -> None:
        """Mark the places with unsaved edits."""
        for item in self._items():
            place = _place(item)
            name = place.tool or f"{place.tool_set}  ({item.childCount()})"
            item.setText(0, one_line(f"{name}  •" if is_edited(place) else name))

    def _show(self, is_it: Callable[[Place], bool]) -> bool:
        item = next((each for each in self._items() if is_it(_place(each))), None)
        if item is not None:
            self.setCurrentItem(item)
        return item is not None

    def _items(self) -> list[QTreeWidgetItem]:
        found: list[QTreeWidgetItem] = []
        for row in range(self.topLevelItemCount()):
            if (heading := self.topLevelItem(row)) is not None:
                children = [heading.child(n) for n in range(heading.childCount())]
                found += [heading, *(child for child in children if child is not None)]
        return found

    def _choose(self) -> None:
        self.chosen.emit()


def _item(place: Place) -> QTreeWidgetItem:
    item = QTreeWidgetItem([one_line(place.tool or place.tool_set)])
    item.setData(0, _PLACE, tuple(place))
    return item


def _place(item: QTreeWidgetItem) -> Place:
    return Place(*item.data(0, _PLACE))
