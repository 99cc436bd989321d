"""Asks which stored runs are to be scored again."""

from collections.abc import Sequence

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QHBoxLayout, QListWidget, QListWidgetItem, QWidget

from studio.engine.records import Criteria
from studio.engine.store.rows import RunRow
from studio.ui.models.judged import judged_otherwise
from studio.ui.text import counted, moment, one_line, tip
from studio.ui.widgets.dialog import Dialog
from studio.ui.widgets.label import PlainLabel
from studio.ui.widgets.panel import button

_RUN = Qt.ItemDataRole.UserRole


class ScoreAgainDialog(Dialog):
    """Asks which runs are to be judged by some criteria from now on."""

    agreed = Signal(object)
    """The ids of the runs, the newest first: a tuple."""

    def __init__(
        self, runs: Sequence[RunRow], shown: int | None, criteria: Criteria, *,
        is_saved: bool, parent: QWidget,
    ) -> None:  # fmt: skip
        super().__init__("Score stored runs again", parent)
        metrics = counted(len(criteria.metrics), "metric")
        saved = "the project" if is_saved else "this page, which are saved first"
        told = (
            f"Nothing is run: the stored traces are judged by the {metrics} of {saved}.  "
            "The scores that the runs have now are replaced."
        )
        self.runs = QListWidget()
        self.runs.setAccessibleName("Runs to score again")
        self.runs.setTextElideMode(Qt.TextElideMode.ElideRight)
        self.runs.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self._judged_otherwise = {run.id for run in runs if judged_otherwise(run, criteria)}
        for run in runs:
            self._add(run, criteria, is_checked=run.id == shown)
        self.runs.itemChanged.connect(self._enable)
        self.all = button("Choose all", "link")
        self.all.clicked.connect(self._choose_all)
        self.others = button("Choose those judged by other criteria", "link")
        self.others.clicked.connect(self._choose_others)
        self.others.setEnabled(bool(self._judged_otherwise))
        self.body.addWidget(PlainLabel(told, "muted", wraps=True))
        self.body.addWidget(self.runs, 1)
        links = QHBoxLayout()
        links.addWidget(self.all)
        links.addWidget(self.others)
        links.addStretch(1)
        self.body.addLayout(links)
        self.add_cancel()
        self.go_on = button("Score Again" if is_saved else "Save and Score Again", "primary")
        self.go_on.clicked.connect(self._agree)
        self.buttons.addWidget(self.go_on)
        character = self.fontMetrics().averageCharWidth()
        self.resize(character * 96, self.fontMetrics().height() * 24)
        self._enable()

    def chosen(self) -> tuple[int, ...]:
        items = (self.runs.item(row) for row in range(self.runs.count()))
        checked = Qt.CheckState.Checked
        return tuple(item.data(_RUN) for item in items if item.checkState() == checked)

    def _add(self, run: RunRow, criteria: Criteria, *, is_checked: bool) -> None:
        item = QListWidgetItem(one_line(_told(run, criteria)))
        item.setData(_RUN, run.id)
        item.setToolTip(tip(_told(run, criteria)))
        item.setFlags(item.flags() | Qt.ItemFlag.ItemIsUserCheckable)
        item.setCheckState(Qt.CheckState.Checked if is_checked else Qt.CheckState.Unchecked)
        self.runs.addItem(item)
        if is_checked:
            self.runs.setCurrentItem(item)

    def _choose_all(self) -> None:
        self._choose({self.runs.item(row).data(_RUN) for row in range(self.runs.count())})

    def _choose_others(self) -> None:
        self._choose(self._judged_otherwise)

    def _choose(self, runs: set[int]) -> None:
        for row in range(self.runs.count()):
            item = self.runs.item(row)
            is_chosen = item.data(_RUN) in runs
            item.setCheckState(Qt.CheckState.Checked if is_chosen else Qt.CheckState.Unchecked)

    def _enable(self) -> None:
        self.go_on.setEnabled(bool(self.chosen()))

    def _agree(self) -> None:
        self.agreed.emit(self.chosen())
        self.accept()


def _told(run: RunRow, criteria: Criteria) -> str:
    ended = counted(run.tally.planned - run.tally.left, "trial")
    parts = [f"Run {run.id}", ended, moment(run.created), run.plan.variant.name]
    if judged_otherwise(run, criteria):
        parts.insert(2, "judged by other criteria")
    return " · ".join(parts)
