"""What the trials of a run work with: an agent, tools of their own, and a lane to a server."""

import asyncio
from collections.abc import Callable
from contextlib import AsyncExitStack
from pathlib import Path
from typing import TYPE_CHECKING

from studio.engine import trust
from studio.engine.entering import Entered
from studio.engine.events import TrialEnded
from studio.engine.pool import Lane, Pool
from studio.engine.runner import Emit, Job, Means
from studio.engine.scoring import Scorer
from studio.engine.server_facts import ServerFacts
from studio.engine.tools import ToolHost

if TYPE_CHECKING:
    from studio.engine.agents import AgentSetup


def load_libraries() -> None:
    """Import what running an agent needs: about a second, the first time."""
    import studio.engine.agents
    import studio.engine.models.chat  # noqa: F401 - loading it is the point


def pool_of(
    entered: Entered,
    tell: Callable[[str, tuple[ServerFacts, ...]], None],
    cleanup: AsyncExitStack,
) -> Pool:
    """The run's servers, ready to be asked; `cleanup` closes the connections."""
    from studio.engine.models.chat import chat_model

    plan = entered.plan
    lanes: list[Lane] = []
    for facts in entered.servers:
        if facts.left_out:
            continue
        model = chat_model(plan.variant.model, facts.address, time_limit=plan.time_limit)
        cleanup.push_async_callback(model.aclose)
        lanes.append(Lane(facts, model, asyncio.Semaphore(plan.requests)))
    others = [each for each in entered.servers if each.left_out]
    pool = Pool(plan.variant.model, lanes, others, tell)
    cleanup.push_async_callback(pool.close)
    return pool


async def means(folder: Path, entered: Entered, pool: Pool, cleanup: AsyncExitStack) -> Means:
    """What the trials work with; `cleanup` ends it.

    Raises StudioError if the project's graph or metrics cannot be used.
    """
    from studio.engine.agents import build, own_graph

    plan = entered.plan
    variant = plan.variant
    if plan.graph:
        # A stored plan may name code that the project as it stands does not.
        trust.require(folder)
    graph = (
        await own_graph.load(folder, plan.graph, variant)
        if plan.graph
        else build(variant.architecture)
    )

    def new_place() -> _TrialPlace:
        return _TrialPlace(make_setup, ToolHost(folder, variant.tool_set.tools), pool)

    def make_setup(lane: Lane, host: ToolHost) -> "AgentSetup":
        from studio.engine.agents import AgentSetup

        return AgentSetup(
            variant=variant,
            model=lane.model,
            tools=host,
            graph=graph,
            time_limit=plan.time_limit,
            is_own_graph=plan.graph is not None,
            window=lane.facts.window,
            gate=lane.gate,
            server=lane.facts.name,
        )

    scorer = cleanup.enter_context(Scorer(entered.criteria, folder))
    return Means(new_place, scorer.opinion, pool.after_fault, lambda: pool.size)


class _TrialPlace:
    """One agent with tools of its own; between trials the project's code is imported anew."""

    def __init__(
        self, make_setup: Callable[[Lane, ToolHost], "AgentSetup"], host: ToolHost, pool: Pool
    ) -> None:
        self._make_setup = make_setup
        self._host = host
        self._pool = pool
        self._setups: dict[tuple[str, int | None], AgentSetup] = {}

    async def run(self, job: Job, emit: Emit) -> TrialEnded:
        lane = self._pool.take(job)
        end = None
        try:
            await self._pool.wake(lane)
            end = await self._run(job, self._setup(lane), emit)
        finally:
            self._pool.give_back(lane, end)
        return end

    async def _run(self, job: Job, setup: "AgentSetup", emit: Emit) -> TrialEnded:
        from studio.engine.agents import run_trial

        # The tools get ready while the model is asked: no trial waits for what it may not need.
        readying = asyncio.create_task(self._host.reset())
        tried = [(each.server, each.reason) for each in job.tried]
        try:
            end = await run_trial(job.query, setup, emit, number=job.number, tried=tried)
            await readying
        except BaseException:
            readying.cancel()
            # The process is being ended: whoever closes the place next finds none.
            await asyncio.gather(readying, return_exceptions=True)
            raise
        return end

    def _setup(self, lane: Lane) -> "AgentSetup":
        # A server that was gone may have come back with another window.
        place = lane.facts.name, lane.facts.window
        if place not in self._setups:
            self._setups[place] = self._make_setup(lane, self._host)
        return self._setups[place]

    async def close(self) -> None:
        await self._host.close()
