"""Scoring a stored run again in a terminal: `studio rescore`."""

import asyncio
import contextlib
import re
import shlex
import signal
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn

from studio.engine import metrics, project, trust
from studio.engine.errors import RunError, StudioError
from studio.engine.messages import Notice
from studio.engine.metric_desk import MetricDesk
from studio.engine.metrics.own.metric import Own
from studio.engine.open_runs import OpenRuns
from studio.engine.records import Criteria, MetricSpec, Project
from studio.engine.scoring_messages import ScoreAgain, ScoringEnded, ScoringMoved
from studio.engine.store.writer import Store
from studio.terminal_console import PlainConsole
from studio.terminal_results import show_results
from studio.terminal_runs import run_of, stored_runs
from studio.terminal_settings import settings_of

_KEY = re.compile(r"(\w+)(?:\((.*)\))?", re.DOTALL)
_AS_WRITTEN = "Write --metric NAME or --metric 'NAME(SETTING=VALUE)'."


class Wish(NamedTuple):
    """What to score again, and by what: the newest run and the project's own metrics if unsaid.

    `metrics` are as their keys: `steps`, `tokens(count=prompt)`.
    """

    folder: Path
    run: int | None = None
    metrics: Sequence[str] = ()
    trusts_code: bool = False


def rescore(wish: Wish) -> int:
    """Score the run again and show its results; 0 when all of it was scored, else 1."""
    folder = wish.folder.resolve()
    loaded = project.load(folder)
    with stored_runs(folder) as reader:
        run = run_of(reader, wish.run).id
    criteria = _criteria(loaded.project, wish.metrics)
    if wish.trusts_code:
        trust.trust(folder)
    console = PlainConsole()
    columns = (
        TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeElapsedColumn(),
    )  # fmt: skip
    with Progress(*columns, console=console) as bar:
        ended = asyncio.run(_score(folder, ScoreAgain(run, criteria), bar))
    if ended.problem:
        raise RunError(ended.problem, ended.remedy)
    show_results(console, folder, run)
    is_whole = ended.ending == "finished"
    told = "By the project's metrics again" if wish.metrics else ""
    if not is_whole:
        told = "Scored in part.  Again, for all of it"
    if told:
        console.print(
            f"{told}: studio rescore {shlex.quote(str(folder))} {run}",
            markup=False, highlight=False, soft_wrap=True,
        )  # fmt: skip
    return 0 if is_whole else 1


def _criteria(asking: Project, keys: Sequence[str]) -> Criteria:
    """Those of the project, or the metrics that are named, with what the project asks of them."""
    stated = asking.criteria
    if not keys:
        return stated
    specs = tuple(map(_spec, keys))
    known = {each.name for each in asking.own_metrics}
    measured = metrics.build(specs)
    for metric in measured:
        if isinstance(metric, Own) and metric.function not in known:
            problem = f"The project's metrics.py has no metric {metric.function!r}."
            raise StudioError(problem, "`studio grade --project FOLDER` lists those that it has.")
    keys = [metric.key for metric in measured]
    return Criteria(specs, tuple(each for each in stated.passed if each.metric in keys))


def _spec(key: str) -> MetricSpec:
    found = _KEY.fullmatch(key)
    if found is None:
        problem = f"{key!r} names no metric."
        raise StudioError(problem, _AS_WRITTEN)
    try:
        return MetricSpec(found[1], dict(settings_of(found[2] or "")))
    except ValueError as error:
        raise StudioError(f"In {key!r}, {error}.", _AS_WRITTEN) from None


async def _score(folder: Path, asked: ScoreAgain, bar: Progress) -> ScoringEnded:
    notices: asyncio.Queue[Notice] = asyncio.Queue()
    runs = OpenRuns()

    async def opened() -> tuple[Path, Store]:
        return folder, await runs.writable(folder)

    async def project_folder() -> Path:
        return folder

    desk = MetricDesk(notices.put_nowait, project_folder, opened, lambda: None)
    scoring = asyncio.create_task(desk.carry_out(asked))
    _stop_on_interrupt(desk)
    task = bar.add_task(f"Scoring run {asked.run} again", total=None)
    try:
        while True:
            match notice := await notices.get():
                case ScoringMoved(done=done, planned=planned):
                    bar.update(task, completed=done, total=planned)
                case ScoringEnded():
                    return notice
    finally:
        await scoring
        await runs.close()


def _stop_on_interrupt(desk: MetricDesk) -> None:
    """Ctrl+C stops; what was scored keeps its new scores.  A second one ends the program."""
    loop = asyncio.get_running_loop()

    def stop(number: signal.Signals) -> None:
        loop.remove_signal_handler(number)
        desk.stop()

    with contextlib.suppress(NotImplementedError):  # Windows: Ctrl+C cancels the whole program
        for number in (signal.SIGINT, signal.SIGTERM):
            loop.add_signal_handler(number, stop, number)
