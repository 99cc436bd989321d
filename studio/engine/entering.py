"""How a run enters the store: servers found, plan settled, what is to be done of it listed."""

import asyncio
import time
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

from msgspec.structs import replace

from studio.engine import plans
from studio.engine.again import in_turn
from studio.engine.errors import RunError
from studio.engine.models.pooling import as_set
from studio.engine.models.servers import Ready, Servers
from studio.engine.offers import same_address
from studio.engine.project import Loaded
from studio.engine.records import Criteria, ModelSpec, Query, RunPlan, Tally
from studio.engine.rescoring import score_the_rest
from studio.engine.runner import Job
from studio.engine.server_facts import ServerFacts
from studio.engine.store.rows import RunRow
from studio.engine.store.writer import Store

_NEW_RUN = "Start a new run: scores of two models do not belong together."
_ANOTHER = (
    "Bring that very model back, or name a server that has it (--server in the terminal, or "
    f"model: server in project.yaml). {_NEW_RUN}"
)


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
    ready = await _ready_again(bench, row, [row.plan.variant.model])
    if not ready.sharing:
        raise RunError(f"Run {row.id} cannot be run again. {_why_none(row, ready)}", _NEW_RUN)
    return _entered(bench, replace(row.plan, repeats=row.id), queries, ready)


async def enter_again(
    bench: Bench, run: int, server: str | tuple[str, ...] | None = None
) -> Entered:
    """What is missing of a stored run, to be asked of `server` if one (or several) is named.

    Otherwise those are asked with which it was begun; where none of them has the model any more,
    those that the project names for it now.
    """
    store = bench.store
    await asyncio.wrap_future(store.committed())
    row, queries = await asyncio.to_thread(plans.stored, store.path, run)
    ready = await _ready_again(bench, row, await _asked_in_turn(bench, row, server))
    if not ready.sharing:
        raise RunError(f"Run {run} cannot be continued. {_why_none(row, ready)}", _ANOTHER)
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


async def _asked_in_turn(
    bench: Bench, row: RunRow, server: str | tuple[str, ...] | None
) -> Sequence[ModelSpec]:
    """The run's model with the servers that are asked to go on, one spec after the other."""
    begun = row.plan.variant.model
    if not row.server.model_digest and server is not None:
        problem = f"Which model run {row.id} asked its server did not tell."
        raise RunError(problem, "Start a new run: no other server can be shown to have the same.")
    if not row.server.model_digest:
        return [begun]
    if server is not None:
        return [await asyncio.to_thread(as_set, replace(begun, server=server))]
    models = bench.loaded.project.models
    now = next((each for each in models if each.name == begun.name), begun)
    return in_turn(begun, await asyncio.to_thread(as_set, now))


async def _ready_again(bench: Bench, row: RunRow, specs: Sequence[ModelSpec]) -> Ready:
    """The servers that have the very model of a stored run, if any."""
    with_tools = bool(row.plan.variant.tool_set.tools)
    return await bench.servers.ready_again(specs, row.server.model_digest, with_tools=with_tools)


def _refuse_pulled(bench: Bench, ready: Ready) -> None:
    """A model that is being fetched becomes another one in the middle of the run."""
    model: ModelSpec = ready.spec
    for server in ready.sharing:
        if bench.is_pulled(server.name, model.name):
            raise RunError(
                f"{model.name} is being pulled on {server.name}.",
                "Wait for its end, or cancel the pull on the Models page.",
            )


def _why_none(row: RunRow, ready: Ready) -> str:
    """Why no server can go on with a run: each that was asked, in its turn."""
    facts = row.server
    model = f"{row.plan.variant.model.name} ({facts.model_digest[:12] or 'no digest known'})"
    whys = (
        each.left_out if each.name in each.left_out else f"{each.name}: {each.left_out}"
        for each in ready.servers
    )
    return f"It needs {model}. {' '.join(whys)}"


def _joined(before: Sequence[ServerFacts], now: Sequence[ServerFacts]) -> tuple[ServerFacts, ...]:
    """The servers of a run that goes on: those of now, then those that took part before."""
    took_part = {each.name: each for each in before if each.took_part}
    kept = [_kept(each, took_part.pop(each.name, None)) for each in now]
    asked = [each.address for each in now]
    return (*kept, *(_gone(each, asked) for each in took_part.values()))


def _kept(now: ServerFacts, before: ServerFacts | None) -> ServerFacts:
    """What is known of a server that took part `before`; of one that is gone that stays."""
    if before is None:
        return now
    if now.left_out:
        return replace(before, left_out=now.left_out)
    was_gone = (
        each if each.until else replace(each, until=time.time()) for each in before.absences
    )
    return replace(now, took_part=True, absences=tuple(was_gone))


def _gone(before: ServerFacts, asked: Sequence[str]) -> ServerFacts:
    same = next((each for each in asked if same_address(each, before.address)), "")
    why = f"It goes on as {same}." if same else "It was not asked when the run was continued."
    return replace(before, left_out=before.left_out or why)
