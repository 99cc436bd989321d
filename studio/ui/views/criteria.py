"""The criteria of a project: its metrics, edited and tried; nothing is lost before it is saved."""

from collections.abc import Mapping
from pathlib import Path

import msgspec
from PySide6.QtWidgets import QFrame, QHBoxLayout, QVBoxLayout, QWidget

from studio.engine.errors import StoreError
from studio.engine.records import Project
from studio.engine.store.rows import RunRow
from studio.ui.commands import Actions
from studio.ui.drafts import Drafts
from studio.ui.edits import Edits
from studio.ui.models.criteria import (
    Choice,
    Chosen,
    chosen,
    criteria,
    mistakes,
    passing_told,
    wrong,
)
from studio.ui.models.metric_offers import Offer, is_same, offers
from studio.ui.session import Session
from studio.ui.text import counted
from studio.ui.theme import Theme
from studio.ui.views.edit_foot import EditFoot
from studio.ui.views.metric_detail import MetricDetail
from studio.ui.views.metric_list import MetricList
from studio.ui.views.metric_offers import MetricOffers
from studio.ui.views.score_again import ScoreAgainDialog
from studio.ui.views.score_bar import ScoreBar
from studio.ui.widgets.split import above, beside

_DRAFT = "criteria"
_MOST = 500
_NOTHING = "The project measures nothing.  Choose a metric of the catalogue to see what it says."


class CriteriaView(QWidget):
    """Hands on between the list, the catalogue, the one metric that is shown, and the session."""

    def __init__(
        self, session: Session, theme: Theme, actions: Actions, drafts: Path, examples: Path,
        parent: QWidget | None = None,
    ) -> None:  # fmt: skip
        super().__init__(parent)
        self._session = session
        self._drafts = drafts
        self._folder = ""
        self._edits: Edits | None = None
        self._saved: Mapping[str, str] = {}
        self._choice: Choice = ()
        self._looked_at: Chosen | None = None
        self.list = MetricList(theme)
        self.offers = MetricOffers()
        self.detail = MetricDetail(session, theme, examples)
        self.foot = EditFoot(actions, {})
        self.score_bar = ScoreBar(session.lab)
        self._place()
        self.list.selected.connect(self._select)
        self.list.changed.connect(self._change)
        self.offers.selected.connect(self._look_at)
        self.offers.added.connect(self.add)
        self.detail.edited.connect(self._edit)
        self.foot.reverted.connect(self.give_up)
        self.score_bar.asked.connect(actions["score.again"].trigger)
        session.project_changed.connect(self.read)
        session.state_changed.connect(self._show_standing)
        self.read(session.state.project)

    @property
    def choice(self) -> Choice:
        """The metrics as they stand here, saved or not."""
        return self._choice

    @property
    def is_dirty(self) -> bool:
        return self._edits is not None and _DRAFT in self._edits

    def read(self, project: Project | None) -> None:
        """Show what the project's file holds, and the edits over that."""
        if project is None:
            return
        if project.folder != self._folder:
            self.keep_drafts()
            self._folder, self._looked_at = project.folder, None
            self._edits = Edits(Drafts(self._drafts, project.folder, "metrics", self))
            self.list.show_choice((), -1)
        assert self._edits is not None
        self._saved = {_DRAFT: _written(chosen(project.criteria))}
        self._choice = _read(self._edits.fields(_DRAFT, self._saved)[_DRAFT], project)
        self._keep()
        self.offers.offer(offers(project.own_metrics))
        self.detail.own = project.own_metrics
        is_read_only = bool(self._session.state.read_only)
        for each in (self.list, self.offers, self.detail):
            each.set_read_only(read_only=is_read_only)
        first = 0 if self._choice else -1
        self._show(min(max(self.list.place, first), len(self._choice) - 1))

    def save(self) -> None:
        """Write the list to the project's file; where something is wrong, show that instead."""
        wanted = criteria(self._choice)
        if wanted is not None and self.is_dirty:
            self._session.files.save_criteria(wanted)
        elif wanted is None:
            self._looked_at = None
            self._show(list(map(bool, mistakes(self._choice))).index(True))

    def give_up(self) -> None:
        """Show what the file holds."""
        project = self._session.state.project
        if self._edits is not None and project is not None:
            self._edits.drop(_DRAFT)
            self._looked_at = None
            self.read(project)

    def keep_drafts(self) -> None:
        if self._edits is not None:
            self._edits.write_now()

    def add(self, offer: Offer) -> None:
        """Put a metric at the end of the list, with the settings it has here."""
        looked_at = self._looked_at
        is_shown = looked_at is not None and is_same(looked_at, offer.chosen)
        made = looked_at if is_shown and looked_at is not None else offer.chosen
        self.offers.leave()
        self._change((*self._choice, made), len(self._choice))

    def ask_to_score(self) -> None:
        """Ask which stored runs are to be judged by these criteria."""
        wanted, reader, state = criteria(self._choice), self._session.reader, self._session.state
        if wanted is None:
            self.save()
            return
        try:
            runs = reader.runs(limit=_MOST) if reader is not None else []
        except StoreError:
            return  # told by the session, which reads the same file
        dialog = ScoreAgainDialog(
            sorted((run for run in runs if run.id != state.live), key=_id, reverse=True),
            state.run.id if state.run is not None else None,
            wanted, is_saved=not self.is_dirty, parent=self,
        )  # fmt: skip
        dialog.agreed.connect(self._score)
        dialog.open()

    def _place(self) -> None:
        left = above("metricLists", (self.list, self.offers), (240, 380))
        columns = beside("metricColumns", (left, self.detail), (270, 830), grows=1)
        self.foot.note.hide()  # told at the head of the list
        below = QFrame()
        below.setProperty("role", "panel")
        row = QHBoxLayout(below)
        row.setContentsMargins(0, 0, 0, 0)
        row.setSpacing(0)
        row.addWidget(self.score_bar, 1)
        row.addWidget(self.foot)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(10)
        column.addWidget(columns, 1)
        column.addWidget(below)

    def _select(self, place: int) -> None:
        self.offers.leave()
        self._looked_at = None
        self._show(place)

    def _look_at(self, offer: Offer) -> None:
        self._looked_at = offer.chosen
        self._show(-1)

    def _edit(self, of: Chosen) -> None:
        if self._looked_at is not None:
            self._looked_at = of
            self._show(-1)
        elif (place := self.list.place) >= 0:
            self._change((*self._choice[:place], of, *self._choice[place + 1 :]), place)

    def _change(self, choice: Choice, place: int) -> None:
        self._choice, self._looked_at = choice, None
        self._keep()
        self._show(place)

    def _keep(self) -> None:
        """Keep the draft; the same criteria written otherwise are no change."""
        project = self._session.state.project
        if self._edits is None or project is None:
            return
        if criteria(self._choice) == project.criteria:
            self._edits.drop(_DRAFT)
        else:
            self._edits.keep(_DRAFT, {_DRAFT: _written(self._choice)}, self._saved)

    def _show(self, place: int) -> None:
        self.list.show_choice(self._choice, place)
        self.offers.mark(self._choice)
        passing = passing_told(self._choice)
        of = self._looked_at
        if of is not None:
            self.detail.show_metric(of, wrong(of), is_of_project=False, passing="")
        elif 0 <= place < len(self._choice):
            found = mistakes(self._choice)[place]
            of = self._choice[place]
            self.detail.show_metric(of, found, is_of_project=True, passing=passing)
        else:
            self.detail.show_metric(None, {}, is_of_project=False, passing=_NOTHING)
        self._show_standing()

    def _show_standing(self) -> None:
        state = self._session.state
        standing = self._edits.standing(_DRAFT, self._saved) if self._edits is not None else ""
        self.list.note.setText(state.read_only or standing or counted(len(self._choice), "metric"))
        can_save = self.is_dirty and not state.read_only
        self.foot.show_standing(can_save=can_save, can_revert=self.is_dirty, can_change=True)
        self.score_bar.show_standing(state.run, criteria(self._choice), state.versions)
        can_score = state.engine == "ready" and state.run is not None and not state.read_only
        self.score_bar.again.setEnabled(can_score)

    def _score(self, runs: tuple[int, ...]) -> None:
        wanted = criteria(self._choice)
        if wanted is not None:
            if self.is_dirty:
                self._session.files.save_criteria(wanted)
            self._session.lab.score_again(runs, wanted)


def _written(choice: Choice) -> str:
    return msgspec.json.encode(choice).decode()


def _read(text: str, project: Project) -> Choice:
    """The list of a draft; one that cannot be read is none."""
    try:
        return msgspec.json.decode(text, type=Choice)
    except msgspec.DecodeError:
        return chosen(project.criteria)


def _id(run: RunRow) -> int:
    return run.id
