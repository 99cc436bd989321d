"""The one look of tables: whole rows, no grid, numbers at the right, keys that work."""

from typing import Any

from PySide6.QtCore import Signal
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QAbstractItemView, QHeaderView, QTableView, QWidget
from typing_extensions import override

from studio.ui.models.records import Index, RecordTable

_LEAST = 24
"""Characters that a column without a width of its own has, if the others can spare them."""
_SMALLEST = 0.7
"""To what share of its width a column shrinks at most."""
_SHORT = 9
"""Characters; texts that are no longer do not give way."""


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
            if not column.width:
                header.setSectionResizeMode(place, QHeaderView.ResizeMode.Stretch)
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
        widths = [each.width and character * each.width + 16 for each in columns]
        gives = [each.width > _SHORT and not each.is_number for each in columns]
        giving = sum(width for width, does in zip(widths, gives, strict=True) if does)
        keeping = sum(widths) - giving + character * _LEAST * widths.count(0)
        share = (self.viewport().width() - keeping) / max(1, giving)
        share = round(min(1.0, max(_SMALLEST, share)), 2)
        if share == self._share:
            return
        self._share = share
        for place, width in enumerate(widths):
            if width:
                shown = int(width * share) if gives[place] else width
                self.horizontalHeader().resizeSection(place, shown)

    def _open(self, index: Index) -> None:
        self.opened.emit(self._records.record(index))
