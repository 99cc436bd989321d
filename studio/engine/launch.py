"""From names to live objects: builds what a run works with, carries it out and stores its end."""

import asyncio
import logging
from collections.abc import Callable, Iterable, Sequence
from contextlib import AsyncExitStack, closing
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, assert_never

from msgspec.structs import replace

from studio.engine import plans, trust
from studio.engine.errors import RunError, StudioError
from studio.engine.events import TrialEnded
from studio.engine.messages import (
    ContinueRun,
    FinishRun,
    Notice,
    PauseRun,
    Preparing,
    ResumeRun,
    RunAgain,
    RunAtOnce,
    RunCommand,
    RunEnded,
    RunInvalidAgain,
    RunProgressed,
    RunStarted,
    StartRun,
    Steering,
)
from studio.engine.models.budget import window_of
from studio.engine.models.desk import InUse
from studio.engine.models.ollama import OllamaServer
from studio.engine.models.servers import Servers
from studio.engine.project import Loaded
from studio.engine.records import Criteria, Query, RunPlan, ServerFacts, Tally
from studio.engine.runner import Emit, Job, Means, Progress, Runner
from studio.engine.scoring import Scorer
from studio.engine.store.reader import RunReader
from studio.engine.store.rows import RunRow
from studio.engine.store.writer import Store
from studio.engine.tools import ToolHost
from studio.engine.trace import Trace

if TYPE_CHECKING:
    from studio.engine.agents import AgentSetup

_log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class _Entered:
    """A run that is in the store, and what is left to do of it."""

    run: int
    plan: RunPlan
    criteria: Criteria
    server: ServerFacts
    jobs: Iterable[Job]
    tally: Tally


@dataclass(frozen=True, slots=True)
class Bench:
    """What a run is made from: the project as its files hold it, its store, and the servers."""

    folder: Path
    loaded: Loaded
    store: Store
    servers: Servers


class Launch:
    """One run, from being asked for to being stored.  `run()` once; `stop()` at any time."""

    def __init__(self, command: RunCommand, tell: Callable[[Notice], None]) -> None:
        self._command = command
        self._tell = tell
        self._entered: _Entered | None = None
        self._runner: Runner | None = None
        self._preparing: asyncio.Task[Runner] | None = None
        self._is_stopped = False

    def stop(self) -> None:
        """End the run as "stopped", also before it began and while it is still being prepared."""
        if self._is_stopped:
            return
        self._is_stopped = True
        if self._runner is not None:
            self._runner.stop()
        elif self._preparing is not None:
            self._preparing.cancel()

    def steer(self, command: Steering) -> None:
        """Pause, resume, finish or change the number of trials at once of a run under way."""
        runner = self._runner
        if runner is None:
            return
        match command:
            case PauseRun():
                runner.pause()
            case ResumeRun():
                runner.resume()
            case FinishRun():
                runner.finish()
            case RunAtOnce(trials=trials):
                runner.run_at_once(trials)
            case _:
                assert_never(command)

    @property
    def run_number(self) -> int | None:
        """The run that it writes to; None while that is not known."""
        if self._entered is not None:
            return self._entered.run
        return self._command.run if isinstance(self._command, ContinueRun) else None

    @property
    def in_use(self) -> InUse:
        """The server and the model that the run asks; both are "" while it is being prepared."""
        entered = self._entered
        if entered is None:
            return InUse("", "")
        model = entered.plan.variant.model
        return InUse(entered.server.address, model.name, window_of(model.options))

    async def run(self, bench: Bench) -> None:
        """Carry the run out; whatever comes of it is told, RunEnded last and once."""
        ending, problem, remedy = "failed", "", ""
        try:
            ending = await self._carry_out(bench)
        except StudioError as error:
            problem, remedy = error.problem, error.remedy
        except asyncio.CancelledError:
            ending = "stopped"
        except Exception as error:  # a bug of ours: the window must hear of the end all the same
            _log.exception("a run failed")
            problem = f"The engine made a mistake: {type(error).__name__}: {error}"
        self._tell(await self._end(bench.store, ending, problem, remedy))

    async def _carry_out(self, bench: Bench) -> str:
        async with AsyncExitStack() as cleanup:
            if self._is_stopped:
                return "stopped"
            self._preparing = asyncio.create_task(self._prepare(bench, cleanup))
            self._runner = await self._preparing
            # It may have been stopped after the preparing was done and before this was told.
            if self._is_stopped or self._entered is None:
                return "stopped"
            return await self._runner.run(self._entered.jobs, self._report)

    async def _prepare(self, bench: Bench, cleanup: AsyncExitStack) -> Runner:
        """Find what the run needs, write its beginning into the store and tell of it."""
        self._tell(Preparing("Loading the agent's libraries"))
        await asyncio.to_thread(load_libraries)
        match self._command:
            case StartRun(plan=plan):
                entered = await _enter_new(bench, *plans.as_on_disk(bench.loaded, plan))
            case ContinueRun(run=run):
                entered = await _enter_again(bench, run)
            case RunInvalidAgain(run=run, window=window):
                again = await asyncio.to_thread(plans.of_invalid, bench.store.path, run, window)
                entered = await _enter_new(bench, *plans.as_on_disk(bench.loaded, again))
            case RunAgain(run=run):
                row, queries = await asyncio.to_thread(plans.stored, bench.store.path, run)
                exactly = replace(row.plan, repeats=run)
                entered = await _enter_new(bench, exactly, queries, same_as=row)
            case _:
                assert_never(self._command)
        self._entered = entered
        await asyncio.wrap_future(bench.store.committed())
        self._tell(RunStarted(entered.run, entered.plan, entered.server))
        means = await _means(bench.folder, entered, cleanup)
        return Runner(entered.run, means, bench.store, entered.tally, at_once=entered.plan.at_once)

    def _report(self, progress: Progress) -> None:
        assert self._entered is not None
        self._tell(
            RunProgressed(
                self._entered.run,
                progress.tally,
                progress.running,
                progress.seconds_left,
                is_paused=progress.is_paused,
                at_once=progress.at_once,
            )
        )

    async def _end(self, store: Store, ending: str, problem: str, remedy: str) -> RunEnded:
        if self._entered is None:
            return RunEnded(0, ending, Tally(0), problem, remedy)
        run = self._entered.run
        tally = self._runner.tally if self._runner else self._entered.tally
        try:
            store.end_run(run, ending)
            await asyncio.wrap_future(store.committed())
        except StudioError as error:
            ending, problem, remedy = "failed", error.problem, error.remedy
        return RunEnded(run, ending, tally, problem, remedy)


async def _enter_new(
    bench: Bench, plan: RunPlan, queries: Sequence[Query], *, same_as: RunRow | None = None
) -> _Entered:
    server = await _resolve(bench, plan)
    if same_as is not None:
        _require_same_model(same_as, server)
    run = bench.store.create_run(plan, server, queries)
    jobs = (
        Job(query, number, position)
        for number in range(1, plan.trials + 1)
        for position, query in enumerate(queries)
    )
    return _Entered(run, plan, plan.criteria, server, jobs, Tally(plan.planned))


def _require_same_model(row: RunRow, server: ServerFacts) -> None:
    if server.model_digest != row.server.model_digest:
        raise RunError(
            f"{row.plan.variant.model.name} is another model now than it was in run {row.id}.",
            "Start a new run: scores of two models do not belong together.",
        )


async def _enter_again(bench: Bench, run: int) -> _Entered:
    store = bench.store
    await asyncio.wrap_future(store.committed())
    row, queries = await asyncio.to_thread(plans.stored, store.path, run)
    server = await _resolve(bench, row.plan)
    _require_same_model(row, server)
    missing = await asyncio.to_thread(store.missing, run)
    await asyncio.to_thread(_score_the_rest, store, row, queries)
    store.resume_run(run)
    jobs = (Job(queries[position], number, position) for _, number, position in missing)
    done, invalid, planned = row.tally.done, row.tally.invalid, row.plan.planned
    # What failed by the server's fault is among the missing.
    kept = Tally(planned, done, failed=planned - len(missing) - done - invalid, invalid=invalid)
    return _Entered(run, row.plan, row.criteria, server, jobs, kept)


async def _resolve(bench: Bench, plan: RunPlan) -> ServerFacts:
    variant = plan.variant
    return await bench.servers.resolve(variant.model, with_tools=bool(variant.tool_set.tools))


def _score_the_rest(store: Store, row: RunRow, queries: Sequence[Query]) -> None:
    """Score the trials whose end reached the disk, but not their scores."""
    scorer = Scorer(row.criteria)
    unscored = store.unscored(row.id, [metric.key for metric in scorer.metrics])
    with closing(RunReader(store.path)) as reader:
        for id in unscored:
            trial = reader.trial(id)
            assert trial is not None, "the store named it"
            trace = Trace(reader.events(id))
            store.add_scores(id, *scorer.opinion(queries[trial.position], trace))


class _TrialPlace:
    """One agent with tools of its own; between trials the project's code is imported anew."""

    def __init__(self, setup: "AgentSetup", host: ToolHost) -> None:
        self._setup = setup
        self._host = host

    async def run(self, job: Job, emit: Emit) -> TrialEnded:
        from studio.engine.agents import run_trial

        # The tools get ready while the model is asked: no trial waits for what it may not need.
        readying = asyncio.create_task(self._host.reset())
        try:
            end = await run_trial(job.query, self._setup, emit, number=job.number)
            await readying
        except BaseException:
            readying.cancel()
            # The process is being ended: whoever closes the place next finds none.
            await asyncio.gather(readying, return_exceptions=True)
            raise
        return end

    async def close(self) -> None:
        await self._host.close()


def load_libraries() -> None:
    """Import what running an agent needs: about a second, the first time."""
    import studio.engine.agents
    import studio.engine.models.chat  # noqa: F401 - loading it is the point


async def _means(folder: Path, entered: _Entered, cleanup: AsyncExitStack) -> Means:
    """What this run's trials work with; `cleanup` closes it."""
    from studio.engine.agents import AgentSetup, build, own_graph
    from studio.engine.models.chat import chat_model

    plan, address = entered.plan, entered.server.address
    variant = plan.variant
    if plan.graph:
        # A stored plan may name code that the project as it stands does not.
        trust.require(folder)
    model = chat_model(variant.model, address, time_limit=plan.time_limit)
    cleanup.push_async_callback(model.aclose)
    graph = (
        await own_graph.load(folder, plan.graph, variant)
        if plan.graph
        else build(variant.architecture)
    )

    gate = asyncio.Semaphore(plan.requests)

    def new_place() -> _TrialPlace:
        host = ToolHost(folder, variant.tool_set.tools)
        setup = AgentSetup(
            variant=variant,
            model=model,
            tools=host,
            graph=graph,
            time_limit=plan.time_limit,
            is_own_graph=plan.graph is not None,
            window=entered.server.window,
            gate=gate,
        )
        return _TrialPlace(setup, host)

    async def still_there() -> None:
        async with OllamaServer(address) as server:
            await server.version()

    return Means(new_place, Scorer(entered.criteria).opinion, still_there)
