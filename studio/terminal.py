"""The engine in a terminal: a progress bar, a table of results, plain words for what went wrong.

Nothing here evaluates: it puts commands into a workbench of its own and shows what comes of them.
"""

import asyncio
import contextlib
import shlex
import signal
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from rich.console import Console
from rich.markup import escape
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn

from studio.engine import project, trust
from studio.engine.errors import NotTrusted, ProjectError, RunError, StudioError
from studio.engine.messages import (
    ContinueRun,
    Notice,
    Preparing,
    ProjectRefused,
    RunAgain,
    RunCommand,
    RunEnded,
    RunInvalidAgain,
    RunProgressed,
    RunStarted,
    StartRun,
    Told,
    TrustNeeded,
)
from studio.engine.models.addresses import parse_address
from studio.engine.project.fields import did_you_mean
from studio.engine.records import AUTO, EMBEDDED, POOL, Query, RunPlan
from studio.engine.workbench import Workbench
from studio.terminal_console import PlainConsole
from studio.terminal_keys import HINT, Keys, pressed
from studio.terminal_results import show_beginning, show_results, tally_line
from studio.terminal_runs import run_of, stored_runs


@dataclass(frozen=True, slots=True)
class Picks:
    """What a run in the terminal departs from the project's own choices; None keeps those."""

    prompt: str | None = None
    tool_set: str | None = None
    model: str | None = None
    servers: tuple[str, ...] = ()
    trials: int | None = None
    at_once: int | None = None
    queries: tuple[str, ...] = ()
    continue_run: int | None = None
    window: int | None = None
    again: int | None = None
    trusts_code: bool = False


def run_project(folder: Path, picks: Picks) -> int:
    """Run and score a project; 0 when the run finished, 1 when it did not."""
    folder = folder.resolve()
    loaded = project.load(folder)
    if picks.trusts_code:
        trust.trust(folder)
    command = _command(loaded, picks)
    console = PlainConsole()
    if isinstance(command, ContinueRun) and (told := _whole(folder, command.run)):
        console.print(told, markup=False, highlight=False, soft_wrap=True)
        return 0
    with _bar(console) as bar:
        ended = asyncio.run(_run(folder, command, bar))
    row = show_results(console, folder, ended.run) if ended.run else None
    if row is not None and row.missing:
        named = "".join(f" --server {shlex.quote(each)}" for each in picks.servers)
        again = named if picks.continue_run is not None else ""
        what = "The rest" if row.missing > row.lost else "What the server failed, again"
        console.print(
            f"{what}: studio run {shlex.quote(str(folder))} --continue {row.id}{again}",
            markup=False, highlight=False, soft_wrap=True,
        )  # fmt: skip
    if ended.problem:
        raise RunError(ended.problem, ended.remedy)
    return 0 if ended.ending == "finished" else 1


def _command(loaded: project.Loaded, picks: Picks) -> RunCommand:
    if picks.window is not None:
        _positive("--num-ctx", picks.window, 0)
    if picks.again is not None:
        if replace(picks, again=None, trusts_code=False) != Picks():
            raise RunError(
                "--again runs exactly what was run.",
                "Leave the other choices out, or start a new run with them.",
            )
        return RunAgain(picks.again)
    if picks.continue_run is None:
        return StartRun(_plan(loaded, picks))
    settled = replace(picks, continue_run=None, window=None, servers=(), trusts_code=False)
    if settled != Picks() or (picks.servers and picks.window is not None):
        raise RunError(
            "--continue runs what is missing as the run was begun; only --server may differ.",
            "Leave the other choices out, or start a new run with them.",
        )
    if picks.window is None:
        return ContinueRun(picks.continue_run, _servers(picks.servers))
    # Another window makes another variant: what was invalid is run anew, in a run of its own.
    return RunInvalidAgain(picks.continue_run, picks.window)


def _whole(folder: Path, run: int) -> str:
    """That nothing is missing of a run; "" if something is, or if its end never reached the disk.

    Raises RunError if there is no such run.
    """
    with stored_runs(folder) as reader:
        row = run_of(reader, run)
    if row.missing or row.ending is None:
        return ""
    see = f"studio analyse {shlex.quote(str(folder))} --run {run}"
    return f"Nothing is missing of run {run}: {tally_line(row.tally)}.  Its figures: {see}"


def _plan(loaded: project.Loaded, picks: Picks) -> RunPlan:
    opened = loaded.project
    variant = project.variant(
        opened,
        prompt=picks.prompt or opened.default_prompt,
        tool_set=picks.tool_set or opened.default_tool_set,
        model=picks.model or opened.default_model,
    )
    return RunPlan(
        project=opened.name,
        variant=variant,
        query_ids=_chosen(loaded.queries, picks.queries),
        metrics=opened.metrics,
        passed=opened.passed,
        trials=_positive("--trials", picks.trials, opened.trials),
        at_once=_positive("--at-once", picks.at_once, opened.at_once),
        requests=opened.requests,
        time_limit=opened.time_limit,
        graph=opened.graph,
        window=picks.window,
        server=_servers(picks.servers),
    )


def _servers(named: Sequence[str]) -> str | tuple[str, ...] | None:
    """The servers as a plan has them; None leaves the project's.  Raises ServerError."""
    if POOL in named and len(named) > 1:
        raise RunError(f"--server {POOL} means all of them already.", "Leave the others out.")
    servers = tuple(
        each if each in (AUTO, EMBEDDED, POOL) else parse_address(each) for each in named
    )
    return servers[0] if len(servers) == 1 else servers or None


def _positive(option: str, given: int | None, default: int) -> int:
    if given is None:
        return default
    if given < 1:
        raise RunError(f"{option} is {given}.", "Give a whole number from 1 on.")
    return given


def _chosen(queries: Sequence[Query], ids: Sequence[str]) -> tuple[str, ...]:
    known = [query.id for query in queries]
    unknown = [id for id in ids if id not in set(known)]
    if unknown:
        raise RunError(f"The project has no query {unknown[0]!r}.", did_you_mean(unknown[0], known))
    return tuple(ids) or tuple(query.id for query in queries)


class _Bar:
    """The progress bar as notices move it."""

    def __init__(self, progress: Progress, console: Console) -> None:
        self._progress = progress
        self._console = console
        self._task = progress.add_task("Starting", total=None)

    def say(self, what: str) -> None:
        """Something in place of how it goes, until that changes."""
        self._progress.update(self._task, description=escape(what))

    def note(self, what: str) -> None:
        """A line above the bar."""
        self._console.print(what, markup=False, highlight=False)

    def show(self, notice: Notice) -> None:
        match notice:
            case Told(problem=problem, remedy=remedy):
                self._console.print(f"{problem} {remedy}".rstrip(), markup=False, soft_wrap=True)
            case Preparing(what=what, done=done, total=total):
                self._update(what, done >> 20 if total else 0, total >> 20 or None)
            case RunStarted(plan=plan, servers=servers):
                show_beginning(self._console, plan, servers)
                self._update("Running", 0, plan.planned)
            case RunProgressed(tally=tally, is_paused=is_paused):
                words = f"{tally.failed:,} failed" if tally.failed else "Running"
                words = "Paused" if is_paused else words
                self._update(words, tally.planned - tally.left, tally.planned)

    def _update(self, what: str, done: int, total: int | None) -> None:
        self._progress.update(self._task, description=escape(what), completed=done, total=total)


@contextlib.contextmanager
def _bar(console: Console) -> Iterator[_Bar]:
    columns = (
        TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeElapsedColumn(),
    )  # fmt: skip
    with Progress(*columns, console=console) as progress:
        try:
            yield _Bar(progress, console)
        except StudioError:
            progress.live.transient = True  # nothing began that it could show
            raise


async def _run(folder: Path, command: RunCommand, bar: _Bar) -> RunEnded:
    notices: asyncio.Queue[Notice] = asyncio.Queue()
    async with Workbench(notices.put_nowait) as bench:
        await bench.open(folder)
        bench.take(command)
        _stop_on_interrupt(bench, bar)
        keys = Keys(bench.take)
        with pressed(keys.press) as has_keys:
            while True:
                match notice := await notices.get():
                    case RunEnded():
                        return notice
                    case TrustNeeded() | ProjectRefused() | Told(is_error=True):
                        raise _refusal(notice, folder)
                    case _:
                        keys.hear(notice)
                        bar.show(notice)
                if isinstance(notice, RunStarted) and has_keys:
                    bar.note(HINT)


def _refusal(notice: TrustNeeded | ProjectRefused | Told, folder: Path) -> StudioError:
    """Why the run does not start."""
    match notice:
        case TrustNeeded(files=files):
            return NotTrusted(
                folder,
                f"This project brings code of its own ({', '.join(files)}).",
                "Read it, then allow it with --trust.",
            )
        case ProjectRefused(problems=problems):
            return ProjectError(folder, problems)
        case Told(problem=problem, remedy=remedy):
            return RunError(problem, remedy)


def _stop_on_interrupt(bench: Workbench, bar: _Bar) -> None:
    """Ctrl+C stops the run; what ended keeps its scores, and the run can be continued.

    A second Ctrl+C ends the program at once.
    """
    loop = asyncio.get_running_loop()

    def stop(number: signal.Signals) -> None:
        loop.remove_signal_handler(number)
        bar.say("Stopping")
        bench.stop()

    with contextlib.suppress(NotImplementedError):  # Windows: Ctrl+C cancels the whole program
        for number in (signal.SIGINT, signal.SIGTERM):
            loop.add_signal_handler(number, stop, number)
