"""The trace of one trial: a tree of steps, and what each of them said and did."""

from collections.abc import Sequence

from PySide6.QtCore import QModelIndex, Qt, Signal
from PySide6.QtWidgets import (
    QAbstractItemView,
    QHBoxLayout,
    QSplitter,
    QToolButton,
    QTreeView,
    QWidget,
)

from studio.engine.records import Query
from studio.engine.store.rows import TrialRow
from studio.ui.models.measures import Measure
from studio.ui.models.outline import ROOT, Kind
from studio.ui.models.server_names import server_name
from studio.ui.models.stepping import holder, neighbour, next_problem, outermost
from studio.ui.models.stored import StoredTrace
from studio.ui.models.tree import TraceTree
from studio.ui.text import one_line, seconds
from studio.ui.theme import Theme
from studio.ui.views.detail import DetailView
from studio.ui.views.findings import FindingsList
from studio.ui.views.trace_delegate import TraceDelegate
from studio.ui.widgets.panel import Panel, button

_OPEN_AT_MOST = 2_000
"""Rows that are opened by themselves; beyond, the user opens what he wants to see."""


class TraceView(Panel):
    """Shows a trial, follows it while it runs, and steps through it."""

    failed = Signal(str)
    """The trace cannot be read: why."""

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__("No trial chosen", parent)
        self._trial: TrialRow | None = None
        self._trace: StoredTrace | None = None
        self._trials = 1
        self._is_shared = False
        self._has_choice = False
        self._wanted: int | None = None
        self.model = TraceTree(self)
        self.findings = FindingsList(theme)
        self.findings.opened.connect(self.show_event)
        self.detail = DetailView(theme)
        self._make_steps()
        self._make_tree(theme)
        self.splitter = QSplitter(Qt.Orientation.Vertical)
        self.splitter.setObjectName("traceRows")
        self.splitter.setChildrenCollapsible(False)
        self.splitter.addWidget(self.tree)
        self.splitter.addWidget(self.detail)
        self.splitter.setSizes([210, 190])
        self.body.addWidget(self.findings)
        self.body.addWidget(self.splitter, 1)
        self.model.rowsInserted.connect(self._open_new)
        self.model.rested.connect(self._rested)
        self.model.failed.connect(self.failed)

    @property
    def trial_id(self) -> int | None:
        return None if self._trial is None else self._trial.id

    def show_trial(
        self,
        trial: TrialRow | None,
        trace: StoredTrace | None,
        *,
        query: Query | None = None,
        measures: Sequence[Measure] = (),
        trials: int = 1,
        is_shared: bool = False,
        event: int | None = None,
    ) -> None:
        """Show a trial (or none); the first rows are there on return.

        `trials` of each query were run; `is_shared` says that several servers took part.  `event`
        is the place of the event to begin at, instead of the first problem.
        """
        self._trial, self._trace, self._trials = trial, trace, trials
        self._is_shared = is_shared
        self._has_choice, self._wanted = False, event
        self.findings.show_findings(trial.findings if trial is not None else ())
        # Now, not in the next turn: the step that is scrolled to would be out of sight again.
        self.outer.activate()
        self.title.setText("No trial chosen" if trial is None else one_line(trial.query))
        self.detail.show_trial(trial, query, measures)
        self.detail.show_row(None, self.model.outline, ROOT)
        self._note()
        self.model.show(trace)
        self._enable()

    def update_trial(
        self, trial: TrialRow, query: Query | None, measures: Sequence[Measure]
    ) -> None:
        """More of the shown trial is known: read on."""
        self._trial = trial
        self._note()
        self.findings.show_findings(trial.findings)
        self.detail.show_trial(trial, query, measures)
        self.model.follow()

    def show_event(self, event: int) -> None:
        """Go to the step that holds the event at this place of the trace."""
        self._wanted = event
        self.model.follow()

    def next_step(self) -> None:
        self._go(neighbour(self.model, self._current()))

    def previous_step(self) -> None:
        self._go(neighbour(self.model, self._current(), back=True))

    def first_step(self) -> None:
        self._go(outermost(self.model, last=False))

    def last_step(self) -> None:
        self._go(outermost(self.model, last=True))

    def next_problem(self) -> None:
        self._go(next_problem(self.model, self._current()))

    def _make_steps(self) -> None:
        self.head.setSpacing(8)
        corner = QWidget()
        arrows = QHBoxLayout(corner)
        arrows.setContentsMargins(0, 0, 6, 0)
        arrows.setSpacing(0)
        self.problem = button("Next problem", "quiet")
        self.problem.clicked.connect(self.next_problem)
        self.head.addWidget(self.problem)
        self.steps: list[QToolButton] = []
        for sign, name, slot in (
            ("⇤", "First step", self.first_step),
            ("←", "Previous step", self.previous_step),
            ("→", "Next step", self.next_step),
            ("⇥", "Last step", self.last_step),
        ):
            step = QToolButton()
            step.setText(sign)
            step.setProperty("role", "quiet")
            step.setAccessibleName(name)
            step.setToolTip(name)
            step.setMaximumWidth(2 * step.fontMetrics().height())
            step.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
            step.clicked.connect(slot)
            arrows.addWidget(step)
            self.steps.append(step)
        self.detail.tabs.setCornerWidget(corner, Qt.Corner.TopRightCorner)

    def _make_tree(self, theme: Theme) -> None:
        self.tree = QTreeView(headerHidden=True, uniformRowHeights=True, indentation=16)
        self.tree.setAccessibleName("Steps of the trial")
        self.tree.setModel(self.model)
        self.tree.setItemDelegate(TraceDelegate(theme, self.tree))
        self.tree.setVerticalScrollMode(QAbstractItemView.ScrollMode.ScrollPerItem)
        self.tree.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.tree.setAnimated(False)
        self.tree.selectionModel().currentRowChanged.connect(self._chosen)
        theme.changed.connect(self._repaint)

    def _repaint(self) -> None:
        self.tree.viewport().update()

    def _note(self) -> None:
        trial = self._trial
        if trial is None:
            self.note.setText("")
            return
        parts = [f"trial {trial.number} of {self._trials}"] if self._trials > 1 else []
        parts.append("running" if trial.outcome is None else seconds(trial.seconds))
        if self._is_shared and trial.server:
            parts.append(f"on {server_name(trial.server)}")
        self.note.setText(" · ".join(parts))

    def _enable(self) -> None:
        has_steps = self.model.rowCount() > 0
        for each in (*self.steps, self.problem):
            each.setEnabled(has_steps)

    def _current(self) -> int:
        return self.model.number(self.tree.currentIndex())

    def _go(self, number: int | None, *, from_afar: bool = False) -> None:
        """Make a row the current one; one that is come to `from_afar` with what is around it."""
        if number is None:
            return
        index = self.model.at(number)
        self.tree.setCurrentIndex(index)
        if from_afar:
            self.tree.scrollTo(index, QAbstractItemView.ScrollHint.PositionAtCenter)
        if self.model.is_unread(number):
            self.tree.expand(index)

    def _go_to_wanted(self) -> None:
        if self._wanted is None:
            return
        number = holder(self.model, self._wanted)
        if number is None or not self.model.is_unread(number):
            self._wanted = None  # else it is looked for again when its stretch was read
        self._go(number, from_afar=True)

    def _chosen(self, current: QModelIndex) -> None:
        if current.isValid():
            self._has_choice = True
            self.detail.show_row(self._trace, self.model.outline, self.model.number(current))

    def _open_new(self, parent: QModelIndex, first: int, last: int) -> None:
        rows = self.model.outline.rows
        if len(rows) > _OPEN_AT_MOST:
            return
        if parent.isValid() and self.model.row(parent).kind is Kind.STEP:
            self.tree.expand(parent)
        for place in range(first, last + 1):
            index = self.model.index(place, 0, parent)
            if self.model.row(index).kind is Kind.STEP and self.model.rowCount(index):
                self.tree.expand(index)
                self._open_new(index, 0, self.model.rowCount(index) - 1)

    def _rested(self) -> None:
        self._enable()
        self._go_to_wanted()
        if not self._has_choice or self._current() == ROOT:
            self._go_by_itself()
        # Even where it stayed the same: what the row led to may have come in since.
        if (current := self._current()) != ROOT:
            self.detail.show_row(self._trace, self.model.outline, current)

    def _go_by_itself(self) -> None:
        """To the first problem, or the first step; anew while the trial runs and nobody chose."""
        wanted = next_problem(self.model, ROOT)
        if wanted is None or self.model.is_unread(wanted):
            wanted = outermost(self.model, last=False)
        self._go(wanted, from_afar=True)
        self._has_choice = self._trial is not None and self._trial.outcome is not None
