"""One run: entered into the store, carried out, steered on its way, and its end stored."""

import asyncio
import logging
from collections.abc import Callable
from contextlib import AsyncExitStack
from typing import assert_never

from studio.engine import plans
from studio.engine.entering import Bench, Entered, enter_again, enter_new, enter_repeat
from studio.engine.errors import StudioError
from studio.engine.means import load_libraries, means, pool_of
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
    Told,
)
from studio.engine.models.budget import window_of
from studio.engine.models.desk import InUse
from studio.engine.pool import Pool
from studio.engine.records import RunPlan, Tally
from studio.engine.runner import Progress, Runner
from studio.engine.server_facts import ServerFacts
from studio.engine.store.writer import Store

_log = logging.getLogger(__name__)


class Launch:
    """One run, from being asked for to being stored.  `run()` once; `stop()` at any time."""

    def __init__(self, command: RunCommand, tell: Callable[[Notice], None]) -> None:
        self._command = command
        self._tell = tell
        self._entered: Entered | None = None
        self._pool: Pool | None = None
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
        """The servers and the model that the run asks; none while it is being prepared."""
        if self._entered is None or self._pool is None:
            return InUse(frozenset(), "")
        model = self._entered.plan.variant.model
        addresses = frozenset(each.address for each in self._pool.in_use)
        return InUse(addresses, model.name, window_of(model.options))

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
            ending = await self._runner.run(self._entered.jobs, self._report)
            if self._pool is not None and not self._is_stopped:
                # Another program may have pulled it anew: that must not pass unseen.
                await self._pool.look_for_replaced()
            return ending

    async def _prepare(self, bench: Bench, cleanup: AsyncExitStack) -> Runner:
        """Find what the run needs, write its beginning into the store and tell of it."""
        self._tell(Preparing("Loading the agent's libraries"))
        await asyncio.to_thread(load_libraries)
        entered = self._entered = await self._enter(bench)
        await asyncio.wrap_future(bench.store.committed())
        self._tell(RunStarted(entered.run, entered.plan, entered.servers))

        def changed(told: str, servers: tuple[ServerFacts, ...]) -> None:
            bench.store.set_servers(entered.run, servers)
            if told:
                self._tell(Told(told, is_error=False))
            if self._runner is not None:
                self._runner.fit()

        pool = self._pool = pool_of(entered, changed, cleanup)
        ready = await means(bench.folder, entered, pool, cleanup)
        return Runner(entered.run, ready, bench.store, entered.tally, at_once=entered.plan.at_once)

    async def _enter_new(self, bench: Bench, asked: RunPlan) -> Entered:
        plan, queries = plans.as_on_disk(bench.loaded, asked)
        if (told := await asyncio.to_thread(plans.too_long, plan, queries)) is not None:
            self._tell(told)
        return await enter_new(bench, plan, queries)

    async def _enter(self, bench: Bench) -> Entered:
        match self._command:
            case StartRun(plan=plan):
                return await self._enter_new(bench, plan)
            case ContinueRun(run=run, server=server):
                return await enter_again(bench, run, server)
            case RunInvalidAgain(run=run, window=window):
                again = await asyncio.to_thread(plans.of_invalid, bench.store.path, run, window)
                return await self._enter_new(bench, again)
            case RunAgain(run=run):
                row, queries = await asyncio.to_thread(plans.stored, bench.store.path, run)
                return await enter_repeat(bench, row, queries)
            case _:
                assert_never(self._command)

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
                servers=progress.servers,
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
            # What was to be run again, and was not, is still what it was.
            tally = await asyncio.to_thread(plans.tally, store.path, run)
        except StudioError as error:
            ending, problem, remedy = "failed", error.problem, error.remedy
        return RunEnded(run, ending, tally, problem, remedy)
