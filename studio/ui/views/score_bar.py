"""How far scoring a stored run again is, or whether there is a reason to do it."""

from collections.abc import Sequence

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QFrame, QHBoxLayout, QProgressBar, QWidget

from studio.engine.analysis.judged import ScoredBy
from studio.engine.records import Criteria
from studio.engine.store.rows import RunRow
from studio.ui.lab import Lab
from studio.ui.models.judged import ended_told, going_told, standing
from studio.ui.widgets.label import ElidedLabel
from studio.ui.widgets.panel import button


class ScoreBar(QFrame):
    """How far scoring again is; else whether the shown run is judged by these criteria."""

    asked = Signal()
    """Runs are to be scored again."""

    def __init__(self, lab: Lab, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._lab = lab
        self._standing = ""
        self._run: int | None = None
        self.told = ElidedLabel("", "muted")
        self.progress = QProgressBar(textVisible=False)
        self.progress.setAccessibleName("Progress of scoring again")
        self.progress.setFixedWidth(110)
        self.stop, self.again = button("Stop"), button("Score Again…")
        self.stop.setAccessibleName("Stop scoring again")
        row = QHBoxLayout(self)
        row.setContentsMargins(12, 5, 8, 5)
        row.setSpacing(8)
        row.addWidget(self.told, 1)
        for each in (self.progress, self.stop, self.again):
            row.addWidget(each)
        self.stop.clicked.connect(lab.stop_scoring)
        self.again.clicked.connect(self.asked)
        lab.changed.connect(self._show)
        self._show()

    def show_standing(
        self, run: RunRow | None, criteria: Criteria | None, versions: Sequence[ScoredBy]
    ) -> None:
        """Say whether the shown run is judged by the criteria of the page as its metrics are now.

        `versions` scored it.
        """
        self._run = None if run is None else run.id
        self._standing = standing(run, criteria, versions)
        self._show()

    @property
    def has_a_word(self) -> bool:
        """Whether there is something to say of the shown run that calls for a deed, or goes on."""
        failed = {each.run for each in self._lab.scored if each.ending == "failed"}
        return self._lab.scoring is not None or bool(self._standing) or self._run in failed

    def _show(self) -> None:
        moved = self._lab.scoring
        self.progress.setVisible(moved is not None)
        self.stop.setVisible(moved is not None)
        self.again.setVisible(moved is None)
        if moved is None:
            self.told.setText(self._say_standing())
        else:
            # Qt would paint all of the window that is stale at once, in the middle of other work.
            self.progress.setUpdatesEnabled(False)
            self.progress.setMaximum(max(1, moved.planned))
            self.progress.setValue(moved.done)
            self.progress.setUpdatesEnabled(True)
            self.told.setText(going_told(moved, self._lab.runs_left - 1))
            self.told.set_role("muted")

    def _say_standing(self) -> str:
        is_failed = any(each.ending == "failed" for each in self._lab.scored)
        ended = ended_told(self._lab.scored)
        self.told.set_role("bad" if is_failed else "mark" if self._standing else "muted")
        return ended if is_failed else self._standing or ended
