"""One open project: reads and saves its files, and carries out one run at a time.

The engine process puts commands in and sends the notices on; the terminal does the same without a
pipe.  Everything here happens on the loop that entered the context; files are read and written in
threads beside it.
"""

import asyncio
from collections.abc import Callable, Coroutine
from pathlib import Path
from typing import Any, Self

from studio.engine import project, trust
from studio.engine.changes import Change, carry_out, touched
from studio.engine.entering import Bench
from studio.engine.errors import ProjectError, RunError, StoreError, StudioError
from studio.engine.launch import Launch
from studio.engine.means import load_libraries
from studio.engine.messages import (
    Command,
    ContinueRun,
    DeletePrompt,
    DeleteQuery,
    DeleteToolSet,
    FinishRun,
    Notice,
    OpenProject,
    PauseRun,
    ProjectOpened,
    ProjectRefused,
    QueriesRead,
    RenamePrompt,
    ResumeRun,
    RunAgain,
    RunAtOnce,
    RunInvalidAgain,
    SavePrompt,
    SaveQuery,
    SaveTool,
    SaveToolSet,
    Shutdown,
    StartRun,
    StopRun,
    Told,
    TrustNeeded,
    TrustProject,
)
from studio.engine.metric_desk import MetricDesk
from studio.engine.models.desk import Desk, InUse
from studio.engine.models.servers import Servers
from studio.engine.open_runs import OpenRuns
from studio.engine.project import Loaded
from studio.engine.scoring_messages import (
    GradeCases,
    SaveCriteria,
    ScoreAgain,
    StopGrading,
    StopScoring,
    TryMetric,
)
from studio.engine.store.opening import runs_file
from studio.engine.store.writer import Store

_QUERIES_AT_ONCE = 1000

InTurn = OpenProject | TrustProject | Change | Launch


class Workbench:
    """Holds what is open; `tell` gets every notice, in order, on the loop.

    Commands are carried out one after another, in the order in which they came; a run, once begun,
    goes on beside them.  Leaving the context stops what runs, carries out the changes that were
    asked for before, and puts everything away.
    """

    def __init__(self, tell: Callable[[Notice], None]) -> None:
        self._tell = tell
        self._folder: Path | None = None
        self._loaded: Loaded | None = None
        self._runs = OpenRuns(self._take_over)
        self._servers = Servers(tell)
        self._desk = Desk(self._servers, tell, self._in_use)
        self._metrics = MetricDesk(tell, self._folder_in_turn, self._runs_in_turn, self._live)
        self._turn = asyncio.Lock()
        self._tasks: set[asyncio.Task[None]] = set()
        self._beside: set[asyncio.Task[None]] = set()
        self._asked: set[Launch] = set()
        self._launch: Launch | None = None
        self._running: asyncio.Task[None] | None = None
        self._is_closing = False

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *_: object) -> None:
        self._is_closing = True
        self.stop()
        self._metrics.stop()
        for task in self._beside:
            task.cancel()
        while self._tasks:
            await asyncio.wait(self._tasks)
        await self._servers.close()
        await self._close_store()

    def take(self, command: Command) -> None:
        """Carry out a command; what comes of it, errors too, is told."""
        match command:
            case StopRun():
                self.stop()
            case PauseRun() | ResumeRun() | FinishRun() | RunAtOnce():
                if self._launch is not None:
                    self._launch.steer(command)
            case StartRun() | ContinueRun() | RunInvalidAgain() | RunAgain():
                launch = Launch(command, self._tell)
                self._asked.add(launch)
                self._start(self._in_turn(launch))
            case (
                OpenProject() | TrustProject() | SavePrompt() | DeletePrompt() | RenamePrompt()
                | SaveTool() | SaveToolSet() | DeleteToolSet() | SaveQuery() | DeleteQuery()
                | SaveCriteria()
            ):  # fmt: skip
                self._start(self._in_turn(command))
            case ScoreAgain() | StopScoring() | TryMetric() | GradeCases() | StopGrading():
                self._start(self._metrics.carry_out(command))
            case Shutdown():
                raise AssertionError("who owns the workbench ends it")
            case _:
                self._start_beside(self._desk.carry_out(command))

    def _start_beside(self, work: Coroutine[Any, Any, None]) -> None:
        """Do something beside all else; leaving the context does not wait for its end."""
        task = self._start(work)
        self._beside.add(task)
        task.add_done_callback(self._beside.discard)

    def _in_use(self) -> InUse | None:
        return self._launch.in_use if self._launch is not None else None

    def _live(self) -> int | None:
        return self._launch.run_number if self._launch is not None else None

    async def _folder_in_turn(self) -> Path:
        async with self._turn:
            return self._opened()

    async def _runs_in_turn(self) -> tuple[Path, Store]:
        async with self._turn:
            folder = self._opened()
            return folder, await self._runs.writable(folder)

    def _take_over(self, folder: Path) -> None:
        """Nobody else writes to the folder's runs any more: what was changed there is read."""
        self.take(OpenProject(str(folder)))

    def stop(self) -> None:
        """End the run under way, and those that were asked for and have not begun yet."""
        for launch in (*self._asked, self._launch):
            if launch is not None:
                launch.stop()

    def _start(self, work: Coroutine[Any, Any, None]) -> "asyncio.Task[None]":
        task = asyncio.create_task(work)
        self._tasks.add(task)
        task.add_done_callback(self._finished)
        return task

    def _finished(self, task: "asyncio.Task[None]") -> None:
        self._tasks.discard(task)
        if not task.cancelled() and (error := task.exception()) is not None:
            # A bug of ours: not hidden, and the engine goes on with the next command.
            asyncio.get_running_loop().call_exception_handler(
                {"message": "a command failed", "exception": error, "task": task}
            )
            self._tell(Told(f"The engine made a mistake: {type(error).__name__}: {error}"))

    async def _in_turn(self, asked: InTurn) -> None:
        async with self._turn:
            if self._is_closing and not isinstance(asked, Change):
                return
            try:
                await self._carry_out(asked)
            except ProjectError as error:
                self._tell(ProjectRefused(str(error.folder), error.problems))
            except StudioError as error:
                self._tell(Told(error.problem, error.remedy))
            finally:
                if isinstance(asked, Launch):
                    self._asked.discard(asked)

    async def _carry_out(self, asked: InTurn) -> None:
        match asked:
            case OpenProject(folder=folder):
                await self.open(Path(folder))
            case TrustProject(folder=folder):
                await asyncio.to_thread(trust.trust, Path(folder))
                await self.open(Path(folder))
            case Launch():
                await self._run(asked)
            case _:
                await self._save(asked)

    async def open(self, folder: Path) -> None:
        """Read the project and tell what it holds.  Raises ProjectError."""
        loaded = await asyncio.to_thread(project.load, folder, self._loaded)
        if folder != self._folder:
            await self._end_run()
            await self._metrics.end()
            await self._close_store()
            self._folder = folder
        await self._tell_project(folder, loaded)
        # By the time somebody presses Evaluate, nothing is left to be loaded.
        self._start_beside(asyncio.to_thread(load_libraries))

    async def _tell_project(self, folder: Path, loaded: Loaded) -> None:
        self._loaded = loaded
        queries = loaded.queries
        self._tell(
            ProjectOpened(
                loaded.project,
                len(queries),
                trust.is_trusted(folder),
                str(runs_file(folder)),
                await self._runs.why_read_only(folder),
            )
        )
        for first in range(0, len(queries), _QUERIES_AT_ONCE):
            self._tell(QueriesRead(first, queries[first : first + _QUERIES_AT_ONCE]))

    async def _save(self, change: Change) -> None:
        folder = self._opened()
        await self._refuse_if_changed_elsewhere(folder, change)
        try:
            await asyncio.to_thread(carry_out, folder, change)
        except ProjectError as error:
            # It is the change that cannot be, not the project.
            raise StudioError("This was not saved.", error.remedy) from error
        if not self._is_closing:
            await self._tell_project(
                folder, await asyncio.to_thread(project.load, folder, self._loaded)
            )

    async def _refuse_if_changed_elsewhere(self, folder: Path, change: Change) -> None:
        """Raise StudioError if the files hold something else than what the user has seen."""
        try:
            fresh = await asyncio.to_thread(project.load, folder, self._loaded)
        except ProjectError:
            return  # told once the change is made: it may be what sets the files right
        seen = self._loaded
        if seen is not None and touched(fresh, change) != touched(seen, change):
            await self._tell_project(folder, fresh)
            raise StudioError(
                "Nothing was changed: another program wrote to the file meanwhile.",
                "What you typed is still here; Revert shows what the file holds now.  Do it again "
                "to replace that.",
            )

    def _opened(self) -> Path:
        if self._folder is None:
            raise RunError("No project is open.", "Open one first.")
        return self._folder

    async def _close_store(self) -> None:
        try:
            await self._runs.close()
        except StoreError as error:
            self._tell(Told(error.problem, error.remedy))

    async def _end_run(self) -> None:
        """Stop the run under way, if there is one, and wait until it is stored."""
        if self._launch is not None and self._running is not None:
            self._launch.stop()
            await asyncio.wait([self._running])

    async def _run(self, launch: Launch) -> None:
        folder = self._opened()
        if self._launch is not None:
            raise RunError("A run is under way.", "Stop it first, or wait for its end.")
        if self._metrics.run is not None and launch.run_number == self._metrics.run:
            raise RunError("This run is being scored again.", "Wait for the end of that.")
        loaded = await asyncio.to_thread(project.load, folder, self._loaded)
        if loaded != self._loaded:
            # What runs is what the files hold now: that is shown too.
            await self._tell_project(folder, loaded)
        if loaded.project.has_code and not trust.is_trusted(folder):
            self._tell(TrustNeeded(str(folder), trust.code_files(folder)))
            return
        self._desk.stop_probes()
        store = await self._runs.writable(folder)
        bench = Bench(folder, loaded, store, self._servers, self._desk.is_pulled)
        self._launch = launch
        self._running = self._start(self._run_to_its_end(launch, bench))

    async def _run_to_its_end(self, launch: Launch, bench: Bench) -> None:
        try:
            await launch.run(bench)
        finally:
            self._launch = self._running = None
