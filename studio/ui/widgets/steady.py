"""A table in which only the user makes another row the current one."""

from PySide6.QtCore import QModelIndex, QPersistentModelIndex, Signal
from PySide6.QtWidgets import QTableView
from typing_extensions import override

_Index = QModelIndex | QPersistentModelIndex


class SteadyTable(QTableView):
    """Has no current row any more once that one is removed, as it is also when it moves.

    Qt would make the next row the current one: while a run is judged again one trial after the
    other would be opened that nobody chose.
    """

    missed = Signal()
    """Rows came in while none is the current one: the one that was may be among them."""

    @override
    def rowsAboutToBeRemoved(self, parent: _Index, start: int, end: int) -> None:
        if start <= self.currentIndex().row() <= end:
            self.selectionModel().clear()
        super().rowsAboutToBeRemoved(parent, start, end)

    @override
    def rowsInserted(self, parent: _Index, start: int, end: int) -> None:
        super().rowsInserted(parent, start, end)
        if not self.currentIndex().isValid():
            self.missed.emit()
