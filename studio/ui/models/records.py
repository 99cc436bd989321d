"""A table of whole lists: frozen records as rows, read at once, filtered in slices."""

from collections.abc import Callable, Sequence
from typing import Any, Generic, TypeVar

import msgspec
from PySide6.QtCore import (
    QAbstractTableModel,
    QModelIndex,
    QObject,
    QPersistentModelIndex,
    Qt,
    QTimer,
)
from PySide6.QtGui import QColor
from typing_extensions import override

from studio.ui.text import one_line, tip

R = TypeVar("R")
Index = QModelIndex | QPersistentModelIndex
_NOWHERE = QModelIndex()
_SLICE = 4_000


class Column(msgspec.Struct, Generic[R], frozen=True):
    """One column: `text` is what is shown, `key` what is sorted by (the text unless given).

    `tone` names the colour token of a cell ("" for the usual one), `width` is in characters (0:
    the column takes what is left, but never less than `least`).  What `holds` says, which takes the
    place of a width, is never cut.  `is_name`: of what is too long the middle is left out, for
    names differ at their ends.
    """

    title: str
    text: Callable[[R], str]
    key: Callable[[R], Any] | None = None
    tone: Callable[[R], str] | None = None
    is_number: bool = False
    width: int = 0
    least: int = 0
    holds: str = ""
    is_name: bool = False


class RecordTable(QAbstractTableModel, Generic[R]):
    """Rows of one kind.  Filtering goes on in slices: a long list never stops the window."""

    def __init__(
        self,
        columns: Sequence[Column[R]],
        searched: Callable[[R], str],
        parent: QObject | None = None,
    ) -> None:
        super().__init__(parent)
        self.columns = tuple(columns)
        self._searched = searched
        self._rows: list[R] = []
        self._order: Sequence[int] = ()
        self._words: tuple[str, ...] = ()
        self._scanned = 0
        self._sorting: tuple[int, Qt.SortOrder] | None = None
        self._colours: dict[str, QColor] = {}
        self._scan = QTimer(self, interval=0, singleShot=True)
        self._scan.timeout.connect(self._scan_on)

    @property
    def total(self) -> int:
        """How many rows there are, whatever the filter."""
        return len(self._rows)

    def set_colours(self, colours: dict[str, str]) -> None:
        """The colour tokens by name, for `tone`."""
        self._colours = {name: QColor(value) for name, value in colours.items()}
        if self._order:
            last = self.index(self.rowCount() - 1, len(self.columns) - 1)
            self.dataChanged.emit(self.index(0, 0), last, [Qt.ItemDataRole.ForegroundRole])

    def set_rows(self, rows: Sequence[R]) -> None:
        """Show these rows instead; the filter stays."""
        self._rows = list(rows)
        self._start()

    def replace(self, place: int, row: R) -> None:
        """Put this row in place of the one at `place` of what was set."""
        self._rows[place] = row
        if place in self._order:
            shown = self._order.index(place)
            last = self.index(shown, len(self.columns) - 1)
            self.dataChanged.emit(self.index(shown, 0), last)

    def set_filter(self, text: str) -> None:
        """Show the rows that hold every word of the text, whatever its case."""
        words = tuple(text.casefold().split())
        if words != self._words:
            self._words = words
            self._start()

    def record(self, index: Index) -> R | None:
        """The row that an index stands for."""
        return self._rows[self._order[index.row()]] if index.isValid() else None

    def find(self, holds: Callable[[R], bool]) -> QModelIndex:
        """The index of the first shown row for which this holds, an invalid one without any."""
        for row, place in enumerate(self._order):
            if holds(self._rows[place]):
                return self.index(row, 0)
        return QModelIndex()

    @override
    def rowCount(self, parent: Index = _NOWHERE) -> int:
        return 0 if parent.isValid() else len(self._order)

    @override
    def columnCount(self, parent: Index = _NOWHERE) -> int:
        return 0 if parent.isValid() else len(self.columns)

    @override
    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        record = self.record(index)
        if record is None:
            return None
        column = self.columns[index.column()]
        if role == Qt.ItemDataRole.DisplayRole:
            return one_line(column.text(record))
        if role == Qt.ItemDataRole.TextAlignmentRole:
            return _alignment(column)
        if role == Qt.ItemDataRole.ToolTipRole and not column.is_number:
            return tip(column.text(record))
        if role == Qt.ItemDataRole.ForegroundRole and column.tone is not None:
            return self._colours.get(column.tone(record))
        return None

    @override
    def headerData(
        self, section: int, orientation: Qt.Orientation, role: int = Qt.ItemDataRole.DisplayRole
    ) -> Any:
        if orientation == Qt.Orientation.Vertical or not 0 <= section < len(self.columns):
            return None
        if role == Qt.ItemDataRole.DisplayRole:
            return self.columns[section].title
        if role == Qt.ItemDataRole.TextAlignmentRole:
            return _alignment(self.columns[section])
        return None

    @override
    def sort(self, column: int, order: Qt.SortOrder = Qt.SortOrder.AscendingOrder) -> None:
        self._sorting = (column, order)
        self._sort_now()

    def _sort_now(self) -> None:
        if self._sorting is None:
            return
        column, order = self._sorting
        key = self.columns[column].key or self.columns[column].text
        self.layoutAboutToBeChanged.emit()
        kept = self.persistentIndexList()
        places = [self._order[index.row()] for index in kept]
        reverse = order == Qt.SortOrder.DescendingOrder
        keys = [key(row) for row in self._rows]
        self._order = sorted(self._order, key=keys.__getitem__, reverse=reverse)
        now = {place: row for row, place in enumerate(self._order)}
        moved = [
            self.index(now[place], index.column())
            for place, index in zip(places, kept, strict=True)
        ]
        self.changePersistentIndexList(kept, moved)
        self.layoutChanged.emit()

    def _start(self) -> None:
        self._scan.stop()
        self.beginResetModel()
        self._order = [] if self._words else range(len(self._rows))
        self._scanned = 0 if self._words else len(self._rows)
        self.endResetModel()
        if self._words:
            self._scan_on()
        else:
            self._sort_now()

    def _scan_on(self) -> None:
        end = min(self._scanned + _SLICE, len(self._rows))
        held = [place for place in range(self._scanned, end) if self._holds(place)]
        self._scanned = end
        if held and isinstance(self._order, list):
            first = len(self._order)
            self.beginInsertRows(QModelIndex(), first, first + len(held) - 1)
            self._order.extend(held)
            self.endInsertRows()
        if end < len(self._rows):
            self._scan.start()
        else:
            self._sort_now()

    def _holds(self, place: int) -> bool:
        text = self._searched(self._rows[place]).casefold()
        return all(word in text for word in self._words)


def _alignment(column: Column[Any]) -> int:
    side = Qt.AlignmentFlag.AlignRight if column.is_number else Qt.AlignmentFlag.AlignLeft
    return int(side | Qt.AlignmentFlag.AlignVCenter)
