"""The session: what is open and what runs.  The only owner of changing state in the window.

Commands go through its methods down to the engine; what the engine says becomes a new frozen
`State` and signals that carry frozen values.
"""

import time
from typing import TYPE_CHECKING, Any

from msgspec.structs import asdict, replace
from PySide6.QtCore import QObject, Signal

from studio.engine.errors import StoreError
from studio.engine.messages import (
    Command,
    ContinueRun,
    DeletePrompt,
    DeleteQuery,
    Notice,
    OpenProject,
    Preparing,
    ProjectOpened,
    QueriesRead,
    RenamePrompt,
    RunAgain,
    RunCommand,
    RunEnded,
    RunInvalidAgain,
    RunProgressed,
    RunStarted,
    SavePrompt,
    SaveQuery,
    SaveTool,
    StartRun,
    StopRun,
    Told,
    TrustNeeded,
    TrustProject,
)
from studio.engine.records import Criteria, Query, RunPlan, Tally, ToolSpec
from studio.engine.scoring_messages import SaveCriteria, ScoringMoved
from studio.engine.store.rows import RunRow
from studio.ui.desk import Desk
from studio.ui.fold import engine_ended, fold
from studio.ui.follow import RunFollower
from studio.ui.lab import Lab
from studio.ui.link import EngineLink
from studio.ui.remembered import Remembered
from studio.ui.state import State, first_picks, plan

if TYPE_CHECKING:
    from studio.engine.messages import Steering
    from studio.engine.store.reader import RunReader


class Session(QObject):
    """What is open and what runs.  `state` is one frozen value, `queries` the project's list.

    `desk` owns what is known of model servers, `lab` what is asked of metrics.
    """

    state_changed = Signal()
    """`state` is another one.  Emitted before the finer signals below."""

    project_changed = Signal(object)
    """Another project, or the same one read again: Project or None."""

    queries_changed = Signal()
    """`queries` is another tuple."""

    run_changed = Signal(object)
    """Another run is shown, or the shown one ended (then with the same id): RunRow or None.

    None comes before a run whose trials all follow anew: what is shown of the old one goes away.
    """

    trials_changed = Signal(object)
    """More of the shown run: a tuple of TrialRow, each replacing the row with the same id."""

    tally_changed = Signal(object, object)
    """How far the live run is: Tally, and the seconds left as (low, high) or None."""

    told = Signal(object)
    """Something for the user to know: Told."""

    trust_needed = Signal(object)
    """The project's code would run, and nobody allowed it yet: TrustNeeded."""

    engine_died = Signal(str)
    """How the engine process ended, in words; `continue_work` starts it again.

    Emitted again for every command that would need an engine.
    """

    closed = Signal()
    """The engine has ended after `close`; nothing is left running."""

    def __init__(
        self, link: EngineLink, remembered: Remembered, parent: QObject | None = None
    ) -> None:
        super().__init__(parent)
        self.state = State()
        self.queries: tuple[Query, ...] = ()
        self._link = link
        self._remembered = remembered
        self._arriving: list[Query] = []
        self._asked: RunCommand | None = None
        self._death = ""
        self.desk = Desk(link, self)
        self.lab = Lab(link, self)
        self.lab.changed.connect(self._scoring_changed)
        self.lab.rejudged.connect(self._rejudged)
        self._follower = RunFollower(self)
        self._follower.trials_changed.connect(self.trials_changed)
        self._follower.failed.connect(self._store_failed)
        link.noticed.connect(self._take)
        link.died.connect(self._engine_died)
        link.closed.connect(self.closed)

    @property
    def reader(self) -> "RunReader | None":
        """The store of the open project (perhaps without runs); None without a project."""
        self._follower.open(self.state.store)
        return self._follower.reader

    def close(self) -> None:
        """End the engine (it stores what runs); `closed` follows."""
        self._become(engine="closing")
        self._follower.close()
        self._link.close()

    def show_page(self, page: str) -> None:
        if page != self.state.page:
            self._become(page=page)

    def open_project(self, folder: str) -> None:
        self._become(opening=folder, refused=None)
        self._send(OpenProject(folder))

    def read_again(self) -> None:
        """Read the files again: of the folder that was refused last, else of the open project."""
        if self.state.refused is not None:
            self.open_project(self.state.refused.folder)
        elif self.state.project is not None:
            self.open_project(self.state.project.folder)

    def pick(self, **changes: Any) -> None:
        """Change what the next run uses: `prompt`, `tool_set`, `model`, `trials`."""
        project, before = self.state.project, self.state.picks
        if project is None or before is None:
            return
        picks = replace(before, **changes)
        if picks != before:
            self._remembered.keep("picks", {project.folder: asdict(picks)})
            self._become(picks=picks)

    def start_run(self, wanted: RunPlan | None = None) -> None:
        """Start a run: of the current picks over every query, unless a plan is given."""
        state = self.state
        if state.can_run and state.project is not None and state.picks is not None:
            self._ask(StartRun(wanted or plan(state.project, state.picks, self.queries)))

    def continue_run(self, run: int) -> None:
        """Run what is missing of a stored run, and show it."""
        if not self.state.is_busy and self.state.engine == "ready":
            self._ask(ContinueRun(run))

    def run_again(self, run: int) -> None:
        """Run a stored run again exactly, with nothing changed, and show it."""
        if self.state.engine == "ready" and not self.state.is_busy:
            self._ask(RunAgain(run))

    def run_invalid_again(self, run: int) -> None:
        """Start a run of the queries that were invalid in a stored one, with a larger window."""
        if self.state.can_run:
            self._ask(RunInvalidAgain(run))

    def stop_run(self) -> None:
        if self.state.is_busy and not self.state.is_stopping:
            self._become(is_stopping=True)
            self._send(StopRun())

    def steer(self, command: "Steering") -> None:
        """Pause, resume, finish or widen the live run."""
        if self.state.live is not None:
            self._send(command)

    def trust(self, folder: str) -> None:
        """The user allowed the project's code; the run that asked for it starts."""
        self._send(TrustProject(folder))
        if self._asked is not None and not self.state.is_busy:
            self._ask(self._asked)

    def open_run(self, run: int) -> None:
        """Show a stored run, or the live one again."""
        row = self._stored(run)
        if row is not None:
            self._show_run(row)

    def tell_trials_again(self) -> None:
        """Tell all trials of the shown run from the first on, for a page that was made late."""
        if self.state.run is not None:
            self._follower.follow(self.state.run.id)

    def show_trial(self, trial: int) -> None:
        """A trial of the shown run is looked at."""
        if trial != self.state.trial:
            self._become(trial=trial)

    def continue_work(self) -> None:
        """Start the engine again after its death, open the project, continue the cut-off run."""
        if self.state.engine != "ended":
            return
        state = self.state
        self._become(engine="starting")
        self._link.start()
        folder = state.opening or (state.project.folder if state.project else "")
        if folder:
            self._send(OpenProject(folder))
        is_same = state.project is not None and state.project.folder == folder
        if state.unfinished is not None and is_same:
            self._ask(ContinueRun(state.unfinished))

    def save_prompt(self, name: str, text: str) -> None:
        self._send(SavePrompt(name, text))

    def delete_prompt(self, name: str) -> None:
        self._send(DeletePrompt(name))

    def rename_prompt(self, name: str, to: str) -> None:
        picks, project = self.state.picks, self.state.project
        if project is not None and picks is not None and picks.prompt == name:
            # Taken up when the project was read again: until then there is no prompt of that name.
            self._remembered.keep("picks", {project.folder: asdict(replace(picks, prompt=to))})
        self._send(RenamePrompt(name, to))

    def save_tool(self, tool: ToolSpec) -> None:
        self._send(SaveTool(tool))

    def save_criteria(self, criteria: Criteria) -> None:
        self._send(SaveCriteria(criteria))

    def save_query(self, query: Query, replaces: str | None) -> None:
        self._send(SaveQuery(query, replaces))

    def delete_query(self, query_id: str) -> None:
        self._send(DeleteQuery(query_id))

    def _send(self, command: Command) -> None:
        """Send a command.  Without an engine that is told again: nothing comes of the command."""
        if self.state.engine == "ended":
            self.engine_died.emit(self._death)
        else:
            self._link.send(command)

    def _ask(self, command: RunCommand) -> None:
        self._asked = command
        if self.state.engine != "ended":
            self._become(is_starting=True, unfinished=None)
        self._send(command)

    def _become(self, **changes: Any) -> None:
        self.state = replace(self.state, **changes)
        self.state_changed.emit()

    def _take(self, batch: tuple[Notice, ...]) -> None:
        last = {type(notice): place for place, notice in enumerate(batch)}
        for place, notice in enumerate(batch):
            # Of a flood of progress only the latest word counts.
            is_progress = isinstance(notice, RunProgressed | Preparing | ScoringMoved)
            if not is_progress or last[type(notice)] == place:
                self._take_one(notice)

    def _take_one(self, notice: Notice) -> None:
        if self.desk.take(notice) or self.lab.take(notice):
            return
        before = self.state
        self.state = fold(before, notice)
        if isinstance(notice, ProjectOpened):
            self._opened(before)
        self.state_changed.emit()
        match notice:
            case ProjectOpened():
                self._announce_project(before)
            case QueriesRead():
                self._queries_read(notice)
            case RunStarted() | RunProgressed() | RunEnded():
                self._run_moved(notice)
            case TrustNeeded():
                self.trust_needed.emit(notice)
            case Told():
                self.told.emit(notice)
            case _:
                pass

    def _opened(self, before: State) -> None:
        project = self.state.project
        assert project is not None
        kept = self._remembered.kept("picks").get(project.folder)
        picks = first_picks(project, kept if isinstance(kept, dict) else {})
        self.state = replace(self.state, picks=picks)
        self._arriving = []
        if self.state.store != before.store:
            self._follower.close()

    def _announce_project(self, before: State) -> None:
        self.project_changed.emit(self.state.project)
        if self.state.query_count == 0:
            self.queries = ()
            self.queries_changed.emit()
        if self.state.store != before.store:
            if before.run is not None:
                self.run_changed.emit(None)
            self._show_latest()

    def _show_latest(self) -> None:
        try:
            runs = self.reader.runs() if self.reader is not None else []
        except StoreError as error:
            self._store_failed(error)
            return
        if runs and self.state.live is None:
            self._show_run(max(runs, key=_id))

    def _queries_read(self, notice: QueriesRead) -> None:
        self._arriving[notice.first :] = notice.queries
        if len(self._arriving) >= self.state.query_count:
            self.queries, self._arriving = tuple(self._arriving), []
            self.queries_changed.emit()

    def _run_moved(self, notice: RunStarted | RunProgressed | RunEnded) -> None:
        shown = self.state.run is not None and self.state.run.id == notice.run
        match notice:
            case RunStarted():
                self._asked = None  # what is trusted from now on is asked for by something else
                tally = Tally(notice.plan.planned)
                made = RunRow(notice.run, time.time(), notice.plan, notice.servers, tally)
                row = self._stored(notice.run) or made  # one that is continued has trials already
                self.state = replace(self.state, tally=row.tally)
                self._show_run(row)
                self.tally_changed.emit(row.tally, None)
            case RunProgressed():
                self.tally_changed.emit(notice.tally, notice.seconds_left)
                if shown:
                    self._follower.read_on()
            case RunEnded():
                self.tally_changed.emit(notice.tally, None)
                if shown:
                    self._refresh_run(notice.run)
                if notice.problem:
                    self.told.emit(Told(notice.problem, notice.remedy))

    def _show_run(self, row: RunRow) -> None:
        if self.state.run is not None:
            self.run_changed.emit(None)
        self._become(run=row)
        self.run_changed.emit(row)
        self._follower.open(self.state.store)
        self._follower.follow(row.id)

    def _refresh_run(self, run: int) -> None:
        row = self._stored(run)
        if row is not None:
            self._become(run=row)
            self.run_changed.emit(row)
        self._follower.read_on()

    def _scoring_changed(self) -> None:
        self._become(scoring=self.lab.scoring)

    def _rejudged(self, run: int, is_over: bool) -> None:  # noqa: FBT001 (a signal's argument)
        """Follow the new scores of the shown run; by other criteria all of it is shown anew."""
        shown = self.state.run
        if shown is None or shown.id != run:
            return
        row = self._stored(run)
        if row is not None and row.criteria != shown.criteria:
            self._show_run(row)
        elif is_over:
            self._refresh_run(run)
        else:
            self._follower.read_on()

    def _stored(self, run: int) -> RunRow | None:
        try:
            return self.reader.run(run) if self.reader is not None else None
        except StoreError as error:
            self._store_failed(error)
            return None

    def _engine_died(self, how: str) -> None:
        self._death = how
        self.state = engine_ended(self.state)
        self.desk.engine_ended()
        self.lab.engine_ended()
        self.state_changed.emit()
        if self.state.unfinished is not None:
            self._refresh_run(self.state.unfinished)
        self.engine_died.emit(how)

    def _store_failed(self, error: StoreError) -> None:
        self.told.emit(Told(error.problem, error.remedy))


def _id(row: RunRow) -> int:
    return row.id
