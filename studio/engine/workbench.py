"""One open project: reads and saves its files, and carries out one run at a time.

The engine process puts commands in and sends the notices on; the terminal does the same without a
pipe.  Everything here happens on the loop that entered the context; files are read and written in
threads beside it.
"""

import asyncio
from collections.abc import Callable, Coroutine
from pathlib import Path
from typing import Any, Self, assert_never

from studio.engine import project, trust
from studio.engine.errors import ProjectError, RunError, StoreError, StudioError
from studio.engine.launch import Launch
from studio.engine.messages import (
    Command,
    ContinueRun,
    DeletePrompt,
    DeleteQuery,
    FindModels,
    Notice,
    OpenProject,
    ProjectOpened,
    ProjectRefused,
    QueriesRead,
    SavePrompt,
    SaveQuery,
    SaveTool,
    Shutdown,
    StartRun,
    StopRun,
    Told,
    TrustNeeded,
    TrustProject,
)
from studio.engine.models.servers import Servers
from studio.engine.project import Loaded
from studio.engine.store.opening import runs_file
from studio.engine.store.writer import Store

_QUERIES_AT_ONCE = 1000

Change = SavePrompt | DeletePrompt | SaveTool | SaveQuery | DeleteQuery


class Workbench:
    """Holds what is open; `tell` gets every notice, in order, on the loop."""

    def __init__(self, tell: Callable[[Notice], None]) -> None:
        self._tell = tell
        self._folder: Path | None = None
        self._store: Store | None = None
        self._servers = Servers(tell)
        self._turn = asyncio.Lock()
        self._tasks: set[asyncio.Task[None]] = set()
        self._launch: Launch | None = None

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.stopped()
        for task in tuple(self._tasks):
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)
        await self._servers.close()
        await self._close_store()

    def take(self, command: Command) -> None:
        """Carry out a command; what comes of it, errors too, is told."""
        match command:
            case StopRun():
                self.stop()
            case FindModels(server=server):
                self._start(self._servers.find(server))
            case _:
                self._start(self._in_turn(command))

    def stop(self) -> None:
        """Ask the run under way to end; RunEnded follows."""
        if self._launch is not None:
            self._launch.stop()

    async def stopped(self) -> None:
        """Stop the run under way, if there is one, and wait until it is stored."""
        self.stop()
        await self.until_run_ended()

    async def until_run_ended(self) -> None:
        if self._launch is not None:
            await self._launch.ended.wait()

    def _start(self, work: Coroutine[Any, Any, None]) -> None:
        task = asyncio.create_task(work)
        self._tasks.add(task)
        task.add_done_callback(self._finished)

    def _finished(self, task: "asyncio.Task[None]") -> None:
        self._tasks.discard(task)
        if not task.cancelled() and (error := task.exception()) is not None:
            # A bug of ours: not hidden, and the engine goes on with the next command.
            asyncio.get_running_loop().call_exception_handler(
                {"message": "a command failed", "exception": error, "task": task}
            )
            self._tell(Told(f"The engine made a mistake: {type(error).__name__}: {error}"))

    async def _in_turn(self, command: Command) -> None:
        async with self._turn:
            try:
                await self._carry_out(command)
            except ProjectError as error:
                self._tell(ProjectRefused(str(error.folder), error.problems))
            except StudioError as error:
                self._tell(Told(error.problem, error.remedy))

    async def _carry_out(self, command: Command) -> None:
        match command:
            case OpenProject(folder=folder):
                await self.open(Path(folder))
            case TrustProject(folder=folder):
                await asyncio.to_thread(trust.trust, Path(folder))
                await self.open(Path(folder))
            case StartRun() | ContinueRun():
                await self._run(command)
            case SavePrompt() | DeletePrompt() | SaveTool() | SaveQuery() | DeleteQuery():
                await self._save(command)
            case StopRun() | FindModels() | Shutdown():
                raise AssertionError(f"{command} is not carried out in turn")
            case _:
                assert_never(command)

    async def open(self, folder: Path) -> None:
        """Read the project and tell what it holds.  Raises ProjectError."""
        loaded = await asyncio.to_thread(project.load, folder)
        if folder != self._folder:
            await self.stopped()
            await self._close_store()
            self._folder = folder
        read_only = await self._open_store() if runs_file(folder).exists() else ""
        self._tell_project(folder, loaded, read_only)

    def _tell_project(self, folder: Path, loaded: Loaded, read_only: str = "") -> None:
        queries = loaded.queries
        self._tell(
            ProjectOpened(
                loaded.project,
                len(queries),
                trust.is_trusted(folder),
                str(runs_file(folder)),
                read_only,
            )
        )
        for first in range(0, len(queries), _QUERIES_AT_ONCE):
            self._tell(QueriesRead(first, queries[first : first + _QUERIES_AT_ONCE]))

    async def _save(self, change: Change) -> None:
        folder = self._opened()
        await asyncio.to_thread(_write, folder, change)
        self._tell_project(folder, await asyncio.to_thread(project.load, folder))

    def _opened(self) -> Path:
        if self._folder is None:
            raise RunError("No project is open.", "Open one first.")
        return self._folder

    async def _open_store(self) -> str:
        """Open the runs for writing; returns why that cannot be ("" if it can)."""
        if self._store is None:
            try:
                self._store = await asyncio.to_thread(Store.open, runs_file(self._opened()))
            except StoreError as error:
                return f"{error.problem} {error.remedy}".strip()
        return ""

    async def _close_store(self) -> None:
        if self._store is not None:
            await asyncio.to_thread(self._store.close)
            self._store = None

    async def _run(self, command: StartRun | ContinueRun) -> None:
        folder = self._opened()
        if self._launch is not None and not self._launch.ended.is_set():
            raise RunError("A run is under way.", "Stop it first, or wait for its end.")
        loaded = await asyncio.to_thread(project.load, folder)
        if loaded.project.has_code and not trust.is_trusted(folder):
            self._tell(TrustNeeded(str(folder), trust.code_files(folder)))
            return
        if self._store is None and (problem := await self._open_store()):
            raise StoreError("The runs of this project cannot be written.", problem)
        assert self._store is not None
        self._launch = Launch(folder, loaded, self._store, self._servers, self._tell)
        self._start(self._launch.run(command))


def _write(folder: Path, change: Change) -> None:
    """Write one change into the project's files.  Raises StudioError; they are then as before."""
    match change:
        case SavePrompt(name=name, text=text):
            project.save_prompt(folder, name, text)
        case DeletePrompt(name=name):
            project.delete_prompt(folder, name)
        case SaveTool(tool=tool):
            project.save_tool(folder, tool)
        case SaveQuery(query=query, replaces=replaces):
            project.save_query(folder, query, replaces)
        case DeleteQuery(id=id):
            project.delete_query(folder, id)
        case _:
            assert_never(change)
