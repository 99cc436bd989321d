"""The item model for rows that keep changing: sorted, filtered and updated in place.

For whole lists that are read at once, see `records`.
"""

from collections.abc import Callable, Hashable, Iterable, Sequence
from typing import Generic, TypeVar

from PySide6.QtCore import (
    QAbstractTableModel,
    QModelIndex,
    QObject,
    QPersistentModelIndex,
    Qt,
    Signal,
)
from typing_extensions import override

from studio.ui.models.order import Down, Key, Order
from studio.ui.text import tip

R = TypeVar("R")
Index = QModelIndex | QPersistentModelIndex
Value = float | str | None
_NOWHERE = QModelIndex()
_DISPLAY = int(Qt.ItemDataRole.DisplayRole)
_ALIGNMENT = int(Qt.ItemDataRole.TextAlignmentRole)
_ANSWERED = frozenset((_DISPLAY, _ALIGNMENT, int(Qt.ItemDataRole.ToolTipRole)))
_RIGHT = Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter
_LEFT = Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter


class Column(Generic[R]):
    """A column: `value` is what sorting compares (None comes last), `text` what is shown.

    `hint` says more in a tooltip, in plain text.  `width` is in characters; 0: as the title needs.
    `tone` names the colour token of a cell, for delegates that paint it.
    """

    def __init__(
        self,
        title: str,
        value: Callable[[R], Value],
        text: Callable[[R], str] = str,
        *,
        hint: Callable[[R], str] | None = None,
        about: str = "",
        is_number: bool = True,
        width: int = 0,
        tone: Callable[[R], str] | None = None,
    ) -> None:
        self.tone = tone
        self.width = width
        self.title = title
        self.value = value
        self.text = text
        self.hint = hint
        self.about = about
        self.is_number = is_number


class Table(QAbstractTableModel, Generic[R]):
    """Records as rows.  `natural` is the order when no column is sorted by, and settles ties."""

    arranged = Signal()
    """The rows were sorted or filtered anew: places mean nothing any more."""

    def __init__(
        self,
        columns: Sequence[Column[R]],
        *,
        identify: Callable[[R], Hashable],
        natural: Callable[[R], Key],
        parent: QObject | None = None,
    ) -> None:
        super().__init__(parent)
        self.columns = tuple(columns)
        self._natural = natural
        self._order = Order(identify, natural)
        self._sorted_by: int | None = None
        self._is_falling = False

    @property
    def total(self) -> int:
        """How many records there are, filtered away or not."""
        return len(self._order.records)

    def clear(self, columns: Sequence[Column[R]] | None = None) -> None:
        """Drop all rows, and take on other columns if they are given."""
        self.beginResetModel()
        if columns is not None:
            self.columns = tuple(columns)
            self._sorted_by = None
        self._order.records.clear()
        self._order.arrange(self._key(), None)
        self.endResetModel()

    def record(self, row: int) -> R:
        return self._order[row]

    def known(self, identity: Hashable) -> R | None:
        return self._order.records.get(identity)

    def find(self, identity: Hashable) -> QModelIndex:
        """The index of a record in the first column; an invalid one if it is not shown."""
        place = self._order.find(identity)
        return QModelIndex() if place is None else self.index(place, 0)

    def merge(self, records: Iterable[R]) -> None:
        """Take in new records and newer versions of known ones, each at its place."""
        fresh: list[R] = []
        low, high = len(self._order), -1
        # Of several versions in one batch only the last counts.
        latest = {self._order.identify(record): record for record in records}
        for identity, record in latest.items():
            if identity not in self._order.records:
                fresh.append(record)
                continue
            place = self._replace(record)
            if place is not None:
                low, high = min(low, place), max(high, place)
        if high >= 0:
            self.dataChanged.emit(self.index(low, 0), self.index(high, len(self.columns) - 1))
        self._add(fresh)

    def arrange(self, accepts: Callable[[R], bool] | None) -> None:
        """Show only the records that `accepts` takes."""
        self.beginResetModel()
        self._order.arrange(self._key(), accepts)
        self.endResetModel()
        self.arranged.emit()

    def _replace(self, record: R) -> int | None:
        """Put a newer version in place of the known one; its place if that did not change."""
        order = self._order
        identity = order.identify(record)
        old = order.records[identity]
        was = order.place_of(old) if order.accepts(old) else None
        key = self._key()
        if was is not None and order.accepts(record) and key(old) == key(record):
            order.records[identity] = record
            return was
        if was is not None:
            self.beginRemoveRows(QModelIndex(), was, was)
            del order.shown[was]
            self.endRemoveRows()
        order.records[identity] = record
        if order.accepts(record):
            self._insert(record)
        return None

    def _insert(self, record: R) -> None:
        place = self._order.place_of(record)
        self.beginInsertRows(QModelIndex(), place, place)
        self._order.shown.insert(place, self._order.identify(record))
        self.endInsertRows()

    def _add(self, records: list[R]) -> None:
        order = self._order
        order.records.update((order.identify(record), record) for record in records)
        wanted = order.in_order(filter(order.accepts, records))
        behind: list[R] = []
        for record in wanted:
            if behind or order.follows(record):
                behind.append(record)
            else:
                self._insert(record)
        if behind:
            first = len(order)
            self.beginInsertRows(QModelIndex(), first, first + len(behind) - 1)
            order.shown += map(order.identify, behind)
            self.endInsertRows()

    def _key(self) -> Callable[[R], Key]:
        if self._sorted_by is None:
            return self._natural
        value, natural = self.columns[self._sorted_by].value, self._natural
        return _falling(value, natural) if self._is_falling else _rising(value, natural)

    @override
    def sort(self, column: int, order: Qt.SortOrder = Qt.SortOrder.AscendingOrder) -> None:
        """Sort by a column, -1 for the natural order.  Selection and current row stay."""
        self._sorted_by = column if 0 <= column < len(self.columns) else None
        self._is_falling = order == Qt.SortOrder.DescendingOrder
        self.layoutAboutToBeChanged.emit()
        old = self.persistentIndexList()
        kept = [self._order.shown[index.row()] for index in old]
        self._order.arrange(self._key(), self._order._accepts)
        moved = [
            self.createIndex(self._order.find(identity) or 0, index.column())
            for identity, index in zip(kept, old, strict=True)
        ]
        self.changePersistentIndexList(old, moved)
        self.layoutChanged.emit()
        self.arranged.emit()

    @override
    def rowCount(self, parent: Index = _NOWHERE) -> int:
        return 0 if parent.isValid() else len(self._order)

    @override
    def columnCount(self, parent: Index = _NOWHERE) -> int:
        return 0 if parent.isValid() else len(self.columns)

    @override
    def headerData(
        self, section: int, orientation: Qt.Orientation, role: int = Qt.ItemDataRole.DisplayRole
    ) -> object:
        if orientation != Qt.Orientation.Horizontal or not 0 <= section < len(self.columns):
            return None
        column = self.columns[section]
        if role == Qt.ItemDataRole.DisplayRole:
            return column.title
        if role == Qt.ItemDataRole.ToolTipRole:
            return tip(column.about or column.title)
        if role == Qt.ItemDataRole.TextAlignmentRole:
            return _RIGHT if column.is_number else _LEFT
        return None

    @override
    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> object:
        # Views ask for many more roles than we have an answer to.
        if role not in _ANSWERED or not index.isValid():
            return None
        column = self.columns[index.column()]
        if role == _DISPLAY:
            return column.text(self._order[index.row()])
        if role == _ALIGNMENT:
            return _RIGHT if column.is_number else _LEFT
        if column.hint is not None:
            hint = column.hint(self._order[index.row()])
            return tip(hint) if hint else None
        return None


def _rising(value: Callable[[R], Value], natural: Callable[[R], Key]) -> Callable[[R], Key]:
    def key(record: R) -> Key:
        at = value(record)
        return (at is None, 0 if at is None else at, *natural(record))

    return key


def _falling(value: Callable[[R], Value], natural: Callable[[R], Key]) -> Callable[[R], Key]:
    def key(record: R) -> Key:
        at = value(record)
        down = Down(at) if isinstance(at, str) else -(at or 0)
        return (at is None, down if at is not None else 0, *natural(record))

    return key
