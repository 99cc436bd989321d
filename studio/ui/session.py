"""The session: what is open and what runs.  The only owner of changing state in the window.

Commands go through its methods down to the engine; what the engine says becomes a new frozen
`State` and signals that carry frozen values.
"""

import time
from typing import TYPE_CHECKING, Any

from msgspec.structs import replace
from PySide6.QtCore import QObject

from studio.engine.errors import StoreError
from studio.engine.messages import (
    Command,
    ContinueRun,
    Notice,
    OpenProject,
    ProjectOpened,
    QueriesRead,
    RunAgain,
    RunCommand,
    RunEnded,
    RunInvalidAgain,
    RunProgressed,
    RunStarted,
    StartRun,
    StopRun,
    Told,
    TrustNeeded,
    TrustProject,
)
from studio.engine.records import Query, RunPlan, Tally
from studio.engine.store.rows import RunRow
from studio.ui.arriving import ArrivingQueries
from studio.ui.desk import Desk
from studio.ui.fold import engine_ended, fold, latest_words
from studio.ui.kept_picks import KeptPicks
from studio.ui.lab import Lab
from studio.ui.link import EngineLink
from studio.ui.project_files import ProjectFiles
from studio.ui.remembered import Remembered
from studio.ui.shown_run import ShownRun
from studio.ui.state import State, plan
from studio.ui.telling import Telling

if TYPE_CHECKING:
    from studio.engine.messages import Steering
    from studio.engine.store.reader import RunReader


class Session(Telling):
    """What is open and what runs.  `state` is one frozen value, `queries` the project's list.

    `desk` owns what is known of model servers, `lab` what is asked of metrics; `files` sends what
    the user changes of the project.
    """

    def __init__(
        self, link: EngineLink, remembered: Remembered, parent: QObject | None = None
    ) -> None:
        super().__init__(parent)
        self.state = State()
        self.queries: tuple[Query, ...] = ()
        self._link = link
        self._picks = KeptPicks(remembered)
        self._arriving = ArrivingQueries()
        self._asked: RunCommand | None = None
        self._death = ""
        self.desk = Desk(link, self)
        self.lab = Lab(link, self)
        self.lab.changed.connect(self._scoring_changed)
        self.lab.asked.connect(self._forget_asked)
        self.files = ProjectFiles(self._send, self._keep_renamed)
        self._shown = ShownRun(self._become, self)
        self.lab.rejudged.connect(self._shown.rejudged)
        self._shown.changed.connect(self.run_changed)
        self._shown.trials_changed.connect(self.trials_changed)
        self._shown.failed.connect(self._store_failed)
        link.noticed.connect(self._take)
        link.died.connect(self._engine_died)
        link.closed.connect(self.closed)

    @property
    def reader(self) -> "RunReader | None":
        """The store of the open project (perhaps without runs); None without a project."""
        return self._shown.reader

    def close(self) -> None:
        """End the engine (it stores what runs); `closed` follows."""
        self._become(engine="closing")
        self._shown.close()
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
        if project is not None and before is not None:
            picks = replace(before, **changes)
            self._picks.keep(project, picks)
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
        """The user allowed the project's code: do what asked for it."""
        self._send(TrustProject(folder))
        if self._asked is None:
            self.lab.ask_again()
        elif not self.state.is_busy:
            self._ask(self._asked)

    def open_run(self, run: int) -> None:
        """Show a stored run, or the live one again."""
        self._shown.open(run)

    def tell_trials_again(self) -> None:
        """Tell all trials of the shown run from the first on, for a page that was made late."""
        self._shown.tell_again()

    def show_trial(self, place: tuple[int, int]) -> None:
        """The trial at this place (position, number) of the shown run is looked at."""
        if place != self.state.trial:
            self._become(trial=place)

    def look_at(self, place: tuple[int, int]) -> None:
        """Show the trial at this place (position, number) of the shown run on the Evaluate page."""
        self.show_page("evaluate")
        self.trial_wanted.emit(place)

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

    def _keep_renamed(self, kind: str, name: str, to: str) -> None:
        picks, project = self.state.picks, self.state.project
        if project is not None and picks is not None:
            self._picks.renamed(project, picks, kind, name, to)

    def _take(self, batch: tuple[Notice, ...]) -> None:
        for notice in latest_words(batch):
            self._take_one(notice)

    def _take_one(self, notice: Notice) -> None:
        if self.desk.take(notice) or self.lab.take(notice):
            return
        self.state = fold(self.state, notice)
        if isinstance(notice, ProjectOpened):
            self._opened()
        self.state_changed.emit()
        match notice:
            case ProjectOpened():
                self._announce_project()
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

    def _opened(self) -> None:
        project = self.state.project
        assert project is not None
        self.state = replace(self.state, picks=self._picks.of(project))
        self._arriving = ArrivingQueries()

    def _announce_project(self) -> None:
        project = self.state.project
        assert project is not None
        self.project_changed.emit(project)
        if self.state.query_count == 0:
            self.queries = ()
            self.queries_changed.emit()
        if self._shown.use(self.state.store, project.own_digest):
            self._shown.leave()
            self.lab.forget()
            if self.state.live is None:
                self._shown.show_latest()

    def _queries_read(self, notice: QueriesRead) -> None:
        queries = self._arriving.whole(notice, self.state.query_count)
        if queries is not None:
            self.queries = queries
            self.queries_changed.emit()

    def _run_moved(self, notice: RunStarted | RunProgressed | RunEnded) -> None:
        match notice:
            case RunStarted():
                self._forget_asked()
                tally = Tally(notice.plan.planned)
                made = RunRow(notice.run, time.time(), notice.plan, notice.servers, tally)
                row = (
                    self._shown.stored(notice.run) or made
                )  # one that is continued has trials already
                self.state = replace(self.state, tally=row.tally)
                self._shown.show(row)
                self.tally_changed.emit(row.tally, None)
            case RunProgressed():
                self.tally_changed.emit(notice.tally, notice.seconds_left)
                self._shown.read_on(notice.run)
            case RunEnded():
                self.tally_changed.emit(notice.tally, None)
                if self.state.run is not None and self.state.run.id == notice.run:
                    self._shown.refresh(notice.run)
                if notice.problem:
                    self.told.emit(Told(notice.problem, notice.remedy))

    def _forget_asked(self) -> None:
        self._asked = None  # what is trusted from now on is asked for by something else

    def _scoring_changed(self) -> None:
        self._become(scoring=self.lab.scoring)

    def _engine_died(self, how: str) -> None:
        self._death = how
        self.state = engine_ended(self.state)
        self.desk.engine_ended()
        self.lab.engine_ended()
        self.state_changed.emit()
        if self.state.unfinished is not None:
            self._shown.refresh(self.state.unfinished)
        self.engine_died.emit(how)

    def _store_failed(self, error: StoreError) -> None:
        self.told.emit(Told(error.problem, error.remedy))
