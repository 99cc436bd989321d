"""How a run enters the store: servers found, plan settled, what is to be done of it listed."""

import asyncio
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

from msgspec.structs import replace

from studio.engine import plans
from studio.engine.errors import RunError
from studio.engine.models.servers import Ready, Servers
from studio.engine.project import Loaded
from studio.engine.records import Criteria, ModelSpec, Query, RunPlan, ServerFacts, Tally
from studio.engine.rescoring import score_the_rest
from studio.engine.runner import Job
from studio.engine.store.rows import RunRow
from studio.engine.store.writer import Store


@dataclass(frozen=True, slots=True)
class Entered:
    """A run that is in the store, and what is left to do of it."""

    run: int
    plan: RunPlan
    criteria: Criteria
    servers: tuple[ServerFacts, ...]
    jobs: Iterable[Job]
    tally: Tally


def _never(_server: str, _model: str) -> bool:
    return False


@dataclass(frozen=True, slots=True)
class Bench:
    """What a run is made from: the project as its files hold it, its store, and the servers.

    `is_pulled` says whether a server is fetching a model just now.
    """

    folder: Path
    loaded: Loaded
    store: Store
    servers: Servers
    is_pulled: Callable[[str, str], bool] = _never


async def enter_new(bench: Bench, plan: RunPlan, queries: Sequence[Query]) -> Entered:
    """A new run of a plan; its model's options are completed, and kept with it."""
    model = plan.variant.model
    ready = await bench.servers.ready(model, with_tools=bool(plan.variant.tool_set.tools))
    settled = replace(plan, variant=replace(plan.variant, model=ready.spec))
    return _entered(bench, settled, queries, ready)


async def enter_repeat(bench: Bench, row: RunRow, queries: Sequence[Query]) -> Entered:
    """A new run of just what a stored one was."""
    ready = await _ready_again(bench, row)
    return _entered(bench, replace(row.plan, repeats=row.id), queries, ready)


async def enter_again(bench: Bench, run: int) -> Entered:
    """What is missing of a stored run."""
    store = bench.store
    await asyncio.wrap_future(store.committed())
    row, queries = await asyncio.to_thread(plans.stored, store.path, run)
    ready = await _ready_again(bench, row)
    _refuse_pulled(bench, ready)
    missing = await asyncio.to_thread(store.missing, run)
    await asyncio.to_thread(score_the_rest, store, bench.folder, row, queries)
    servers = _joined(row.servers, ready.servers)
    store.set_servers(run, servers)
    store.resume_run(run)
    jobs = (Job(queries[position], number, position) for _, number, position in missing)
    done, invalid, planned = row.tally.done, row.tally.invalid, row.plan.planned
    # What failed by the server's fault is among the missing.
    kept = Tally(planned, done, failed=planned - len(missing) - done - invalid, invalid=invalid)
    return Entered(run, row.plan, row.criteria, servers, jobs, kept)


def _entered(bench: Bench, plan: RunPlan, queries: Sequence[Query], ready: Ready) -> Entered:
    _refuse_pulled(bench, ready)
    run = bench.store.create_run(plan, ready.servers, queries)
    jobs = (
        Job(query, number, position)
        for number in range(1, plan.trials + 1)
        for position, query in enumerate(queries)
    )
    return Entered(run, plan, plan.criteria, ready.servers, jobs, Tally(plan.planned))


async def _ready_again(bench: Bench, row: RunRow) -> Ready:
    """The servers that have the very model of a stored run; raises RunError if none has."""
    variant, digest = row.plan.variant, row.server.model_digest
    ready = await bench.servers.ready_again(
        variant.model, digest, with_tools=bool(variant.tool_set.tools)
    )
    if not ready.sharing:
        raise RunError(
            f"{variant.model.name} is another model now than it was in run {row.id}.",
            "Start a new run: scores of two models do not belong together.",
        )
    return ready


def _refuse_pulled(bench: Bench, ready: Ready) -> None:
    """A model that is being fetched becomes another one in the middle of the run."""
    model: ModelSpec = ready.spec
    for server in ready.sharing:
        if bench.is_pulled(server.name, model.name):
            raise RunError(
                f"{model.name} is being pulled on {server.name}.",
                "Wait for its end, or cancel the pull on the Models page.",
            )


def _joined(before: Sequence[ServerFacts], now: Sequence[ServerFacts]) -> tuple[ServerFacts, ...]:
    """The servers of a run that goes on: those of now, then those that took part before."""
    names = {each.name for each in now}
    took_part = {each.name for each in before if each.took_part}
    kept = [replace(each, took_part=True) if each.name in took_part else each for each in now]
    gone = [
        replace(each, left_out=each.left_out or "It was not asked when the run was continued.")
        for each in before
        if each.took_part and each.name not in names
    ]
    return (*kept, *gone)
