"""A table whose rows come in and change while it is read; the current one stays current."""

from collections.abc import Callable, Hashable, Sequence
from typing import Any

from PySide6.QtCore import QModelIndex, Qt, Signal
from PySide6.QtWidgets import QAbstractItemView, QHeaderView, QWidget

from studio.ui.models.table import Table
from studio.ui.widgets.steady import SteadyTable


class Rows(SteadyTable):
    """Shows a Table.  `widths` are those of its columns in characters; 0 takes what is left.

    `chosen` carries the record that became the current one, `opened` the one on which Enter was
    pressed or that was double-clicked.
    """

    chosen = Signal(object)
    opened = Signal(object)

    def __init__(
        self,
        model: Table[Any],
        name: str,
        identify: Callable[[Any], Hashable],
        widths: Sequence[int],
        parent: QWidget | None = None,
    ) -> None:
        super().__init__(parent)
        self._records = model
        self._identify = identify
        self._current: Hashable | None = None
        self.setModel(model)
        self.setAccessibleName(name)
        self.setSelectionBehavior(QAbstractItemView.SelectionBehavior.SelectRows)
        self.setSelectionMode(QAbstractItemView.SelectionMode.SingleSelection)
        self.setVerticalScrollMode(QAbstractItemView.ScrollMode.ScrollPerPixel)
        self.setHorizontalScrollMode(QAbstractItemView.ScrollMode.ScrollPerPixel)
        self.setShowGrid(False)
        self.setWordWrap(False)
        self.setTabKeyNavigation(False)
        self._size(widths)
        self.setSortingEnabled(True)
        self.horizontalHeader().setSortIndicator(-1, Qt.SortOrder.AscendingOrder)
        self.selectionModel().currentRowChanged.connect(self._row_changed)
        self.activated.connect(self._open)
        model.arranged.connect(self._restore)
        self.missed.connect(self._restore)

    @property
    def current(self) -> Any:
        """The record of the current row; None without one."""
        return None if self._current is None else self._records.known(self._current)

    def choose(self, identity: Hashable) -> None:
        """Make a record the current one, if it is shown."""
        index = self._records.find(identity)
        if index.isValid():
            self.setCurrentIndex(index)

    def choose_first(self) -> None:
        if self._records.rowCount():
            self.setCurrentIndex(self._records.index(0, 0))

    def go(self, by: int) -> None:
        """Go `by` rows down or up."""
        row = self.currentIndex().row() + by
        if 0 <= row < self._records.rowCount():
            self.setCurrentIndex(self._records.index(row, 0))

    def forget(self) -> None:
        """There is no current record any more."""
        self._current = None

    def _size(self, widths: Sequence[int]) -> None:
        rows, header = self.verticalHeader(), self.horizontalHeader()
        rows.hide()
        rows.setSectionResizeMode(QHeaderView.ResizeMode.Fixed)
        rows.setDefaultSectionSize(self.fontMetrics().height() + 9)
        header.setHighlightSections(False)
        header.setSortIndicatorClearable(True)
        character = self.fontMetrics().averageCharWidth()
        for section, width in enumerate(widths):
            if width:
                header.resizeSection(section, character * width + 16)
            else:
                header.setSectionResizeMode(section, QHeaderView.ResizeMode.Stretch)

    def _row_changed(self, current: QModelIndex) -> None:
        if not current.isValid():
            return
        record = self._records.record(current.row())
        identity = self._identify(record)
        if identity != self._current:
            self._current = identity
            self.chosen.emit(record)

    def _restore(self) -> None:
        if self._current is not None:
            self.choose(self._current)

    def _open(self, index: QModelIndex) -> None:
        self.opened.emit(self._records.record(index.row()))
