"""The one look of tables: whole rows, no grid, numbers at the right, keys that work."""

from typing import Any

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import (
    QAbstractItemView,
    QHeaderView,
    QStyledItemDelegate,
    QStyleOptionViewItem,
    QTableView,
    QWidget,
)
from typing_extensions import override

from studio.ui.models.records import Column, Index, RecordTable

_LEAST = 24
"""Characters that a column without a width of its own has, if the others can spare them."""
_SMALLEST = 0.7
"""To what share of its width a column shrinks at most."""
PADDING = 24
"""Pixels beside the text of a cell or a title, as the style sheet has them."""
_SHORT = 9
"""Characters; texts that are no longer do not give way."""


class _NameDelegate(QStyledItemDelegate):
    @override
    def initStyleOption(self, option: QStyleOptionViewItem, index: Index) -> None:
        super().initStyleOption(option, index)
        option.textElideMode = Qt.TextElideMode.ElideMiddle


class Table(QTableView):
    """Shows a RecordTable.  `chosen` carries the record of the current row, or None."""

    chosen = Signal(object)
    opened = Signal(object)
    """A row was double-clicked, or Enter pressed on it: its record."""

    def __init__(
        self, model: RecordTable[Any], name: str, *, sorts: bool = False,
        parent: QWidget | None = None,
    ) -> None:  # fmt: skip
        super().__init__(parent)
        self._records = model
        self._share = 0.0
        self.setModel(model)
        self.setAccessibleName(name)
        self.setSelectionBehavior(QAbstractItemView.SelectionBehavior.SelectRows)
        self.setSelectionMode(QAbstractItemView.SelectionMode.SingleSelection)
        self.setEditTriggers(QAbstractItemView.EditTrigger.NoEditTriggers)
        self.setVerticalScrollMode(QAbstractItemView.ScrollMode.ScrollPerPixel)
        self.setHorizontalScrollMode(QAbstractItemView.ScrollMode.ScrollPerPixel)
        self.setShowGrid(False)
        self.setWordWrap(False)
        self.setTabKeyNavigation(False)
        self._size_rows_and_columns()
        self.setSortingEnabled(sorts)
        self.activated.connect(self._open)

    def choose(self, index: Index) -> None:
        """Make this row the current one and bring it into sight."""
        self.setCurrentIndex(self._records.index(index.row(), index.column()))
        self.scrollTo(self.currentIndex())

    @override
    def currentChanged(self, current: Index, previous: Index) -> None:
        super().currentChanged(current, previous)
        self.chosen.emit(self._records.record(current))

    def _size_rows_and_columns(self) -> None:
        rows = self.verticalHeader()
        rows.hide()
        # Fixed heights: Qt then asks no row how high it wants to be.
        rows.setSectionResizeMode(QHeaderView.ResizeMode.Fixed)
        rows.setDefaultSectionSize(self.fontMetrics().height() + 10)
        header = self.horizontalHeader()
        header.setHighlightSections(False)
        header.setStretchLastSection(False)
        for place, column in enumerate(self._records.columns):
            if not self._wanted(column):
                header.setSectionResizeMode(place, QHeaderView.ResizeMode.Stretch)
            if column.is_name:
                self.setItemDelegateForColumn(place, _NameDelegate(self))
        self._share_width()

    @override
    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._share_width()

    def _share_width(self) -> None:
        """Where room is scarce, the wide texts give way together; numbers stay whole.

        Widths that the user set stay until the table's own width makes others necessary.
        """
        character = self.fontMetrics().averageCharWidth()
        columns = self._records.columns
        widths = [self._wanted(each) for each in columns]
        gives = [each.width > _SHORT and not (each.is_number or each.holds) for each in columns]
        giving = sum(width for width, does in zip(widths, gives, strict=True) if does)
        leasts = [
            character * (each.least or _LEAST)
            for each, width in zip(columns, widths, strict=True)
            if not width
        ]
        keeping = sum(widths) - giving + sum(leasts)
        share = (self.viewport().width() - keeping) / max(1, giving)
        share = round(min(1.0, max(_SMALLEST, share)), 2)
        if share != self._share:
            self._share = share
            for place, width in enumerate(widths):
                if width:
                    shown = int(width * share) if gives[place] else width
                    self.horizontalHeader().resizeSection(place, max(shown, self._titled(place)))
        self._give_the_rest(character)

    def _wanted(self, column: Column[Any]) -> int:
        """The width of a column with a width of its own; 0 of one that takes what is left."""
        if column.holds:
            return self.fontMetrics().horizontalAdvance(column.holds) + PADDING
        return column.width and self.fontMetrics().averageCharWidth() * column.width + 16

    def _titled(self, place: int) -> int:
        """The width in which what a column is called is read in whole."""
        title = self._records.columns[place].title
        return self.horizontalHeader().fontMetrics().horizontalAdvance(title) + PADDING

    def _give_the_rest(self, character: int) -> None:
        """Columns that take what is left scroll out of sight rather than fall below their least."""
        header = self.horizontalHeader()
        columns = self._records.columns
        kept = sum(header.sectionSize(n) for n, each in enumerate(columns) if self._wanted(each))
        left = self.viewport().width() - kept
        for place, column in enumerate(columns):
            if column.least:
                is_tight = left < character * column.least
                mode = QHeaderView.ResizeMode
                header.setSectionResizeMode(place, mode.Interactive if is_tight else mode.Stretch)
                if is_tight:
                    header.resizeSection(place, character * column.least)

    def _open(self, index: Index) -> None:
        self.opened.emit(self._records.record(index))
