"""The results: one row a trial, found by words, sorted by any column; the current one is shown."""

from collections.abc import Sequence

from PySide6.QtCore import QModelIndex, Qt, QTimer, Signal
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QAbstractItemView, QHeaderView, QLineEdit, QWidget
from typing_extensions import override

from studio.engine.analysis.passing import Rule
from studio.engine.store.rows import TrialRow
from studio.ui.models.measures import Measure
from studio.ui.models.results import Wanted, columns, results
from studio.ui.text import count, counted
from studio.ui.theme import Theme
from studio.ui.views.results_delegate import ResultsDelegate
from studio.ui.widgets.panel import Panel
from studio.ui.widgets.picker import Choice
from studio.ui.widgets.steady import SteadyTable

_TYPING_MS = 150
_NARROWEST, _WIDEST = 6, 14
"""Characters that a column of figures has room for."""
_PADDING = 24
_QUESTION = 24
"""Characters that the question gets at least."""
_EFFORT = 3
"""How many columns may be hidden: tokens, then seconds, then steps."""
Place = tuple[int, int]


class ResultsView(Panel):
    """The table of a run's trials.  `chosen` tells the place (position, number) of the current."""

    chosen = Signal(object)

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__("Results", parent)
        self._rules: tuple[Rule, ...] = ()
        self._current: Place | None = None
        self.model = results((), 1)
        self.model.setParent(self)
        self._delegate = ResultsDelegate(theme, self)
        self._make_filter()
        self._make_table()
        self.body.addWidget(self.table)

    def show_run(
        self,
        measures: Sequence[Measure],
        trials: int,
        servers: int = 1,
        rules: Sequence[Rule] = (),
    ) -> None:
        """Empty the table and give it the columns of another run, whose trials pass by `rules`."""
        self._rules = tuple(rules)
        self._current = None
        self._delegate.decide_by(rules)
        self.model.clear(columns(measures, trials, servers, rules))
        self.table.horizontalHeader().setSortIndicator(-1, Qt.SortOrder.AscendingOrder)
        self._apply_filter()
        self._size_columns()

    def merge(self, rows: Sequence[TrialRow]) -> None:
        self.model.merge(rows)
        self._count()

    @property
    def has_current(self) -> bool:
        """Whether a trial was made the current one since the run is shown."""
        return self._current is not None

    def select(self, place: Place) -> bool:
        """Make a trial the current one; False if it is not in the table."""
        index = self.model.find(place)
        if index.isValid():
            self.table.setCurrentIndex(index)
        return index.isValid()

    def show_excused(self) -> None:
        """Show only the trials that gave no answer by no doing of the agent."""
        self.kind.setCurrentText(Wanted.EXCUSED)

    def go(self, by: int) -> None:
        """Go `by` rows down or up."""
        row = self.table.currentIndex().row() + by
        if 0 <= row < self.model.rowCount():
            self.table.setCurrentIndex(self.model.index(row, 0))

    def _make_filter(self) -> None:
        self.words = QLineEdit(placeholderText="Filter…", clearButtonEnabled=True)
        self.words.setAccessibleName("Filter the results by words")
        self.words.setMaximumWidth(150)
        self.kind = Choice()
        self.kind.addItems(Wanted.KINDS)
        self.kind.setAccessibleName("Which results to show")
        self.head.setSpacing(8)
        self.head.addWidget(self.kind)
        self.head.addWidget(self.words)
        self._typing = QTimer(self, interval=_TYPING_MS, singleShot=True)
        self._typing.timeout.connect(self._apply_filter)
        self.words.textEdited.connect(self._typing.start)
        self.words.textChanged.connect(self._typed)
        self.kind.currentIndexChanged.connect(self._apply_filter)

    def _typed(self, text: str) -> None:
        if not text:
            self._apply_filter()

    def _make_table(self) -> None:
        self.table = SteadyTable()
        self.table.setAccessibleName("Results")
        self.table.setModel(self.model)
        self.table.setItemDelegate(self._delegate)
        self.table.setSelectionBehavior(QAbstractItemView.SelectionBehavior.SelectRows)
        self.table.setSelectionMode(QAbstractItemView.SelectionMode.SingleSelection)
        self.table.setShowGrid(False)
        self.table.setWordWrap(False)
        self.table.setTabKeyNavigation(False)
        self.table.setHorizontalScrollMode(QAbstractItemView.ScrollMode.ScrollPerPixel)
        rows = self.table.verticalHeader()
        rows.hide()
        rows.setSectionResizeMode(QHeaderView.ResizeMode.Fixed)
        rows.setDefaultSectionSize(self.fontMetrics().height() + 9)
        header = self.table.horizontalHeader()
        header.setHighlightSections(False)
        header.setTextElideMode(Qt.TextElideMode.ElideRight)
        header.setSortIndicatorClearable(True)
        header.setSortIndicator(-1, Qt.SortOrder.AscendingOrder)
        self.table.setSortingEnabled(True)
        self.table.selectionModel().currentRowChanged.connect(self._row_changed)
        self.model.arranged.connect(self._restore)
        self.table.missed.connect(self._restore)

    def _size_columns(self) -> None:
        header = self.table.horizontalHeader()
        for section in range(self.model.columnCount()):
            is_query = section == 0
            mode = (
                QHeaderView.ResizeMode.Stretch if is_query else QHeaderView.ResizeMode.Interactive
            )
            header.setSectionResizeMode(section, mode)
            if not is_query:
                header.resizeSection(section, self._column_width(section))
        self._fit_columns()

    def _column_width(self, section: int) -> int:
        column = self.model.columns[section]
        metrics = self.table.horizontalHeader().fontMetrics()
        character = metrics.averageCharWidth()
        if column.width:
            return column.width * character
        width = metrics.horizontalAdvance(column.title) + _PADDING
        return min(_WIDEST * character, max(_NARROWEST * character, width))

    def _fit_columns(self) -> None:
        """Leave the question room: where there is little, the last columns of effort are hidden."""
        last = self.model.columnCount() - 1
        header = self.table.horizontalHeader()
        question = _QUESTION * self.table.fontMetrics().averageCharWidth()
        room = self.table.viewport().width() - question
        widths = [
            header.sectionSize(section) or self._column_width(section)
            for section in range(1, last + 1)
        ]
        # Every column is told: one that was hidden for another run may hold a metric in this one.
        for section in range(last + 1):
            is_effort = section > max(0, last - _EFFORT)
            self.table.setColumnHidden(section, is_effort and sum(widths[:section]) > room)

    @override
    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._fit_columns()

    def _apply_filter(self) -> None:
        self._typing.stop()
        wanted = Wanted(self.words.text(), self.kind.currentText(), self._rules)
        self.model.arrange(wanted if wanted else None)
        self._count()

    def _count(self) -> None:
        shown, total = self.model.rowCount(), self.model.total
        self.note.setText(
            counted(total, "trial") if shown == total else f"{count(shown)} of {count(total)}"
        )

    def _row_changed(self, current: QModelIndex) -> None:
        if current.isValid():
            trial = self.model.record(current.row())
            place = (trial.position, trial.number)
            if place != self._current:
                self._current = place
                self.chosen.emit(place)

    def _restore(self) -> None:
        """Make the current trial current again where rows were filtered or sorted, or it moved."""
        if self._current is not None:
            self.select(self._current)
