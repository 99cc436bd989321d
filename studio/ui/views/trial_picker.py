"""Picks a trial of the shown run; the one looked at on the Evaluate page is chosen at first."""

from PySide6.QtCore import QModelIndex, Signal
from PySide6.QtGui import QShowEvent
from PySide6.QtWidgets import QAbstractItemView, QHeaderView, QTableView, QWidget
from typing_extensions import override

from studio.engine.store.rows import RunRow, TrialRow
from studio.ui.models.measures import score_of, value_of
from studio.ui.models.metric_verdicts import figure
from studio.ui.models.results import identify, natural
from studio.ui.models.table import Column, Table
from studio.ui.session import Session
from studio.ui.text import one_line

Place = tuple[int, int]


class TrialPicker(QTableView):
    """The trials that ended, with what the run says of each by one metric."""

    chosen = Signal()
    """Another trial is the current one, or more is known of it."""

    def __init__(self, session: Session, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._session = session
        self._key = ""
        self._looked_at = session.state.trial
        self._is_following = True
        self._is_told = False
        self.trials: Table[TrialRow] = Table(
            (
                Column("Query", _query, _query, hint=_query, is_number=False),
                Column("Trial", _number, _number_text),
                Column("Run's score", self._value, self._text),
            ),
            identify=identify,
            natural=natural,
            parent=self,
        )
        self.trials.arrange(_is_over)
        self.setModel(self.trials)
        self.setAccessibleName("Trials of the run")
        self.setSelectionBehavior(QAbstractItemView.SelectionBehavior.SelectRows)
        self.setSelectionMode(QAbstractItemView.SelectionMode.SingleSelection)
        self.setShowGrid(False)
        self.setWordWrap(False)
        self.setTabKeyNavigation(False)
        self._size()
        self.selectionModel().currentRowChanged.connect(self._moved)
        session.run_changed.connect(self._run_changed)
        if session.state.run is not None:
            self._run_changed(session.state.run)
        session.trials_changed.connect(self._take)
        session.state_changed.connect(self._follow)

    @property
    def current(self) -> TrialRow | None:
        index = self.currentIndex()
        return self.trials.record(index.row()) if index.isValid() else None

    def show_scores(self, key: str) -> None:
        """Show what the run says by the metric with this key."""
        self._key = key
        self.viewport().update()

    @override
    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        if not self._is_told:
            self._is_told = True
            self._session.tell_trials_again()

    def _size(self) -> None:
        rows, header = self.verticalHeader(), self.horizontalHeader()
        rows.hide()
        rows.setSectionResizeMode(QHeaderView.ResizeMode.Fixed)
        rows.setDefaultSectionSize(self.fontMetrics().height() + 9)
        header.setHighlightSections(False)
        header.setSectionResizeMode(0, QHeaderView.ResizeMode.Stretch)
        for section, width in ((1, 5), (2, 12)):
            header.resizeSection(section, self.fontMetrics().averageCharWidth() * width + 16)

    def _run_changed(self, run: RunRow | None) -> None:
        self.setColumnHidden(1, run is not None and run.plan.trials == 1)
        if run is None:
            self.trials.clear()
            self._is_following = True
            self.chosen.emit()

    def _take(self, rows: tuple[TrialRow, ...]) -> None:
        self.trials.merge(rows)
        self._select()
        self.chosen.emit()

    def _follow(self) -> None:
        if self._session.state.trial != self._looked_at:
            self._looked_at = self._session.state.trial
            self._is_following = True
            self._select()

    def _select(self) -> None:
        """Go to the trial that is looked at elsewhere, unless another one was picked here."""
        if not self._is_following:
            return
        index = self.trials.find(self._looked_at)
        if index.isValid():
            self._go(index.row())
        elif self.current is None and self.trials.rowCount():
            self._go(0)

    def _go(self, row: int) -> None:
        if row != self.currentIndex().row():
            self.setCurrentIndex(self.trials.index(row, 0))
        self._is_following = True

    def _moved(self, current: QModelIndex) -> None:
        if current.isValid():
            self._is_following = False
            self.chosen.emit()

    def _value(self, trial: TrialRow) -> float | None:
        return value_of(trial, self._key)

    def _text(self, trial: TrialRow) -> str:
        own = score_of(trial, self._key)
        return "–" if own is None else figure(own.value)


def _is_over(trial: TrialRow) -> bool:
    return trial.outcome is not None


def _query(trial: TrialRow) -> str:
    return one_line(trial.query)


def _number(trial: TrialRow) -> float:
    return trial.number


def _number_text(trial: TrialRow) -> str:
    return str(trial.number)
