"""How the trials of this run and of another one differ: passed or not in each of them."""

from collections.abc import Sequence

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QGridLayout, QPushButton, QVBoxLayout, QWidget

from studio.engine.analysis.judged import Judged, Versions, apart, scored_by
from studio.engine.analysis.passing import Rule
from studio.engine.errors import StoreError
from studio.engine.store.rows import RunRow, TrialRow
from studio.ui.follow import RunFollower
from studio.ui.models.flips import MATRIX, Against
from studio.ui.models.measures import metrics_of
from studio.ui.models.repeats import Repeats
from studio.ui.session import Session
from studio.ui.text import count, moment
from studio.ui.widgets.label import ElidedLabel, PlainLabel
from studio.ui.widgets.lines import Lines
from studio.ui.widgets.panel import Panel
from studio.ui.widgets.picker import Picker

_OFFERED = 50
_NONE = "choose a run"
_CHOOSE = ("Choose a run to see which queries", "changed sides.")
_ALONE = ("There is no other run yet.", "Run again exactly to see what is noise.")
_TONES = {"pass_fail": "bad", "fail_pass": "good"}


class FlipMatrix(Panel):
    """Four cells with how many pairs of trials they hold; `chosen` tells of which to see more."""

    chosen = Signal(object)
    """The ids of the queries in the cell that was pressed; None when it was let go."""

    def __init__(self, session: Session, parent: QWidget | None = None) -> None:
        super().__init__("Against another run", parent)
        self._session = session
        self._rules: Sequence[Rule] = ()
        self._run: RunRow | None = None
        self._trials = Repeats()
        self._versions = Versions()
        self._their_versions = Versions()
        self._against = Against()
        self._rows: dict[int, RunRow] = {}
        self._names: dict[str, int] = {}
        self._other: int | None = None
        self._cell = ""
        self._follower = RunFollower(self)
        self._follower.trials_changed.connect(self._take_theirs)
        self._follower.failed.connect(self._failed)
        self.picker = Picker("Run")
        self.picker.chosen.connect(self._pick)
        self.cells: dict[str, QPushButton] = {}
        self.told = Lines("muted")
        self._place()
        self.offer()

    def show_run(self, run: RunRow | None, rules: Sequence[Rule], trials: Repeats) -> None:
        """Compare another run from now on, whose trials are kept elsewhere; with none at first."""
        self._run, self._rules, self._trials = run, tuple(rules), trials
        self._versions = Versions()
        self._choose_other(None)
        if self.isVisible():
            self.offer()

    def take(self, rows: Sequence[TrialRow]) -> None:
        """Trials of the run that is shown are new or changed."""
        self._versions.take(rows)
        self._against.follow_ours(rows)

    def offer(self) -> None:
        """Offer the runs there are, but for the one that is shown."""
        reader = self._session.reader
        try:
            runs = reader.runs(limit=_OFFERED) if reader is not None else []
        except StoreError:
            runs = []  # told by the session, which reads the same file
        shown = self._run.id if self._run is not None else None
        self._rows = {run.id: run for run in runs if run.id != shown}
        self._names = {_name(run): run.id for run in self._rows.values()}
        current = next((name for name, run in self._names.items() if run == self._other), _NONE)
        self.picker.offer([_NONE, *self._names], current)
        self.picker.setEnabled(bool(self._names))

    def draw(self) -> None:
        """Show the counts as they are now."""
        is_empty = self._against.is_empty
        for cell in MATRIX:
            number = self._against.count(cell.name)
            button = self.cells[cell.name]
            button.setText("–" if is_empty else count(number))
            button.setEnabled(number > 0 and not is_empty)
            button.setAccessibleName(f"{cell.word}: {number} pairs of trials")
        if self._other is None:
            self.told.show_lines(_CHOOSE if self._names else _ALONE)
        else:
            self.told.show_lines([*self._against.told(), *self._apart()])

    def _apart(self) -> list[str]:
        """Whether the two runs were judged otherwise: what changed may be that."""
        ours, theirs = self._run, self._rows.get(self._other or 0)
        if ours is None or theirs is None:
            return []
        return apart(
            _judged(ours, self._versions),
            _judged(theirs, self._their_versions),
            [rule.metric for rule in self._rules],
        )

    def _place(self) -> None:
        self.head.addWidget(self.picker)
        grid = QGridLayout()
        grid.setSpacing(6)
        for column, word in ((1, "passed now"), (2, "did not pass now")):
            label = ElidedLabel(word, "small")
            label.setAlignment(Qt.AlignmentFlag.AlignCenter)
            grid.addWidget(label, 0, column)
        for row, word in ((1, "passed then"), (2, "did not pass then")):
            beside = PlainLabel(word, "small")
            beside.setAlignment(Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter)
            grid.addWidget(beside, row, 0)
        for cell in MATRIX:
            button = QPushButton("–")
            button.setProperty("role", "cell")
            button.setProperty("tone", _TONES.get(cell.name, ""))
            button.setObjectName(cell.name)
            button.setCheckable(True)
            button.setAccessibleName(cell.word)
            button.clicked.connect(self._pressed)
            self.cells[cell.name] = button
            grid.addWidget(button, 1 if cell.was else 2, 1 if cell.is_now else 2)
        grid.setColumnStretch(1, 1)
        grid.setColumnStretch(2, 1)
        inside = QVBoxLayout()
        inside.setContentsMargins(12, 2, 12, 10)
        inside.setSpacing(8)
        inside.addLayout(grid)
        inside.addWidget(self.told)
        inside.addStretch(1)
        self.body.addLayout(inside, 1)

    def _pick(self, name: str) -> None:
        self._choose_other(self._names.get(name))

    def _choose_other(self, run: int | None) -> None:
        """Compare with this run, whose trials are read from the store; with none for None."""
        self._other, self._against = run, Against(self._rules, self._trials)
        self._their_versions = Versions()
        self._follower.close()
        if run is not None and self._follower.open(self._session.state.store):
            self._follower.follow(run)
        self._let_go()
        self.draw()

    def _take_theirs(self, rows: tuple[TrialRow, ...]) -> None:
        self._their_versions.take(rows)
        self._against.take_theirs(rows)
        self.draw()

    def _failed(self, error: StoreError) -> None:
        self.told.show_lines([str(error)])

    def _pressed(self) -> None:
        button = self.sender()
        assert isinstance(button, QPushButton)
        is_on = button.isChecked()
        self._let_go()
        if is_on:
            button.setChecked(True)
            self._cell = button.objectName()
            self.chosen.emit(self._against.queries_in(self._cell))

    def _let_go(self) -> None:
        for button in self.cells.values():
            button.setChecked(False)
        if self._cell:
            self._cell = ""
            self.chosen.emit(None)


def _judged(run: RunRow, versions: Versions) -> Judged:
    return Judged(run.criteria, scored_by(metrics_of(run.criteria), versions.counts))


def _name(run: RunRow) -> str:
    return f"{run.id} · {run.plan.variant.prompt.name} · {moment(run.created)}"
