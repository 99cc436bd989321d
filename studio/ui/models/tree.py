"""The item model of a trace: rows appear as they are read, a slice of a few milliseconds at a time.

Indexes carry the number of the row and nothing else.  What the outline knows and what Qt was told
differ while a slice is folded; `_shown` holds how many children of each row were announced.
"""

import time
from collections.abc import Callable
from typing import Protocol, overload

from PySide6.QtCore import (
    QAbstractItemModel,
    QModelIndex,
    QObject,
    QPersistentModelIndex,
    Qt,
    QTimer,
    Signal,
)
from typing_extensions import override

from studio.engine.errors import StoreError
from studio.engine.events import Event
from studio.ui.models.outline import ROOT, STRETCH, Kind, Outline, Row
from studio.ui.text import tip

Index = QModelIndex | QPersistentModelIndex
_NOWHERE = QModelIndex()
_SLICE_SECONDS = 0.004
_SMALLEST_PAGE, _LARGEST_PAGE = 4, 128


class Source(Protocol):
    """Where a trace is read from: the events of one trial, by their position from 0."""

    def count(self) -> int: ...

    def events(self, first: int, limit: int) -> list[Event]: ...


class TraceTree(QAbstractItemModel):
    """The rows of one trace.  A stretch beyond the first is read when it is opened."""

    rested = Signal()
    """All that is on disk of the opened stretches has been read."""

    failed = Signal(str)
    """The trace cannot be read: why."""

    def __init__(
        self, parent: QObject | None = None, *, clock: Callable[[], float] = time.perf_counter
    ) -> None:
        super().__init__(parent)
        self._clock = clock
        self._source: Source | None = None
        self._page = 32
        self._timer = QTimer(self, interval=0, singleShot=True)
        self._timer.timeout.connect(self._read_slice)
        self._forget()

    def _forget(self) -> None:
        self.outline = Outline()
        self._shown = [0]
        self._next: dict[int, int] = {ROOT: 0}
        self._waiting: list[int] = []
        self._end = STRETCH  # the position behind the last stretch that has a row

    def show(self, source: Source | None) -> None:
        """Show another trace (or none); the first rows are there on return."""
        self._timer.stop()
        self.beginResetModel()
        self._source = source
        self._forget()
        self.endResetModel()
        self.follow()

    def follow(self) -> None:
        """More of the trace may be on disk: read on."""
        if self._source is None:
            return
        self._waiting = list(self._next)
        self._read_slice()

    def row(self, index: Index) -> Row:
        return self.outline.rows[self.number(index)]

    def number(self, index: Index) -> int:
        """The number of the row at the index; the root's for none."""
        return int(index.internalId()) if index.isValid() else ROOT

    def at(self, number: int) -> QModelIndex:
        """The index of a row by its number."""
        if number == ROOT or number >= len(self._shown):
            return QModelIndex()
        return self.createIndex(self.outline.rows[number].place, 0, number)

    def holds_steps(self, row: Row) -> bool:
        """Whether the row is a step that holds other steps, and so does nothing itself."""
        return bool(row.children) and self.outline.rows[row.children[0]].kind is Kind.STEP

    def is_unread(self, number: int) -> bool:
        """Whether the row is a stretch that nobody opened yet."""
        return self.outline.rows[number].kind is Kind.STRETCH and number not in self._next

    def _read_slice(self) -> None:
        source = self._source
        if source is None:
            return
        until = self._clock() + _SLICE_SECONDS
        changed: set[int] = set()
        try:
            while self._waiting:
                changed |= self._read_page(source, self._waiting[0])
                if self._clock() >= until:
                    break
            if not self._waiting:
                changed |= self._add_stretches(source.count())
        except StoreError as error:
            self._waiting.clear()
            self.failed.emit(str(error))
        self._publish(changed)
        if self._waiting:
            self._timer.start()
        else:
            self.rested.emit()

    def _read_page(self, source: Source, stretch: int) -> set[int]:
        position = self._next[stretch]
        limit = min(self._page, self.outline.rows[stretch].first + STRETCH - position)
        began = self._clock()
        events = source.events(position, limit) if limit else []
        # Payloads may be large: pages shrink until one is read within a slice.
        is_slow = self._clock() - began > _SLICE_SECONDS / 2
        self._page = self._page // 2 if is_slow else self._page * 2
        self._page = min(max(self._page, _SMALLEST_PAGE), _LARGEST_PAGE)
        self._next[stretch] = position + len(events)
        if len(events) < limit or not limit:
            self._waiting.remove(stretch)
        return self.outline.feed(stretch, position, events)

    def _add_stretches(self, count: int) -> set[int]:
        added = {self.outline.add_stretch(first) for first in range(self._end, count, STRETCH)}
        self._end += len(added) * STRETCH
        return {ROOT, *added} if added else added

    def _publish(self, changed: set[int]) -> None:
        rows, known = self.outline.rows, len(self._shown)
        self._shown += [len(row.children) for row in rows[known:]]
        for number in sorted(number for number in changed if number < known):
            children = len(rows[number].children)
            if children > self._shown[number]:
                self.beginInsertRows(self.at(number), self._shown[number], children - 1)
                self._shown[number] = children
                self.endInsertRows()
            if number != ROOT:
                index = self.at(number)
                self.dataChanged.emit(index, index)

    @override
    def index(self, row: int, column: int, parent: Index = _NOWHERE) -> QModelIndex:
        if not self.hasIndex(row, column, parent):
            return QModelIndex()
        return self.createIndex(row, column, self.row(parent).children[row])

    @overload
    def parent(self, /) -> QObject | None: ...

    @overload
    def parent(self, child: Index, /) -> QModelIndex: ...

    @override
    def parent(self, child: Index | None = None, /) -> QModelIndex | QObject | None:
        if child is None:
            return super().parent()
        return self.at(self.row(child).parent) if child.isValid() else QModelIndex()

    @override
    def rowCount(self, parent: Index = _NOWHERE) -> int:
        return 0 if parent.column() > 0 else self._shown[self.number(parent)]

    @override
    def columnCount(self, parent: Index = _NOWHERE) -> int:
        return 1

    @override
    def hasChildren(self, parent: Index = _NOWHERE) -> bool:
        return self.rowCount(parent) > 0 or self.canFetchMore(parent)

    @override
    def canFetchMore(self, parent: Index) -> bool:
        return parent.isValid() and self.is_unread(self.number(parent))

    @override
    def fetchMore(self, parent: Index) -> None:
        if not self.canFetchMore(parent):
            return
        stretch = self.number(parent)
        self._next[stretch] = self.outline.rows[stretch].first
        self._waiting.append(stretch)
        self._timer.start()

    @override
    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> object:
        if not index.isValid():
            return None
        row = self.row(index)
        if role in (Qt.ItemDataRole.DisplayRole, Qt.ItemDataRole.AccessibleTextRole):
            return _line(row)
        if role == Qt.ItemDataRole.ToolTipRole:
            return tip(_line(row))
        return None


def _line(row: Row) -> str:
    """The row as one line of text: what a screen reader says, and what is copied."""
    if row.kind is Kind.STRETCH:
        return stretch_title(row)
    badges = " ".join(f"[{badge.word}]" for badge in row.badges)
    return " ".join(part for part in (row.title, row.preview, badges) if part)


def stretch_title(row: Row) -> str:
    return f"events from {row.first + 1:,} on"
