"""Plans of runs: as the project's files have them now, and from what is stored."""

from collections.abc import Sequence
from contextlib import closing
from pathlib import Path

from msgspec.structs import replace

from studio.engine import project
from studio.engine.again import invalid, plan_again, with_window
from studio.engine.errors import RunError, no_run
from studio.engine.messages import Told
from studio.engine.models.budget import budget
from studio.engine.models.estimate import longest
from studio.engine.project import Loaded
from studio.engine.records import Query, RunPlan, Tally
from studio.engine.store.reader import RunReader
from studio.engine.store.rows import RunRow


def as_on_disk(loaded: Loaded, plan: RunPlan) -> tuple[RunPlan, tuple[Query, ...]]:
    """The plan with the prompt, tools and model as the project's files hold them now; its queries.

    Raises RunError when one of them is not there any more.
    """
    asked = plan.variant
    variant = project.variant(
        loaded.project,
        prompt=asked.prompt.name,
        tool_set=asked.tool_set.name,
        model=asked.model.name,
    )
    named = with_window(replace(variant, name=asked.name), plan.window)
    if plan.server is not None:
        named = replace(named, model=replace(named.model, server=plan.server))
    known = {query.id: query for query in loaded.queries}
    unknown = [id for id in plan.query_ids if id not in known]
    if unknown:
        raise RunError(
            f"There is no query {unknown[0]!r} in the project any more.",
            "Its list was changed: read the project again.",
        )
    if not plan.query_ids:
        raise RunError("There is nothing to run: no query is chosen.", "Add one first.")
    chosen = tuple(known[id] for id in plan.query_ids)
    return replace(plan, variant=named, graph=loaded.project.graph), chosen


def too_long(plan: RunPlan, queries: Sequence[Query]) -> Told | None:
    """What is told before a run whose longest first request will likely not fit the window."""
    variant = plan.variant
    query = longest(query.text for query in queries)
    made = budget(variant.prompt.text, variant.tool_set.tools, query, variant.model)
    if made.left >= 0:
        return None
    return Told(
        f"Prompt, tools and the longest query take about {made.prompt:,} tokens, and "
        f"{made.reply:,} are kept for the reply: more than the window's {made.window:,} (num_ctx).",
        "Trials that do not fit are counted as invalid, not as wrong; they can be run again with a "
        "larger window.",
        is_error=False,
    )


def stored(path: Path, run: int) -> tuple[RunRow, list[Query]]:
    """A stored run with its queries.  Raises RunError if there is none of that number."""
    with closing(RunReader(path)) as reader:
        return _known(reader, run), reader.queries(run)


def tally(path: Path, run: int) -> Tally:
    """How a stored run stands.  Raises StoreError."""
    with closing(RunReader(path)) as reader:
        return reader.tally(run)


def of_invalid(path: Path, run: int, window: int | None) -> RunPlan:
    """A plan that runs the invalid trials of a stored run again.  Raises RunError."""
    with closing(RunReader(path)) as reader:
        row = _known(reader, run)
        return plan_again(reader, row, invalid(reader.trials(run)), window)


def _known(reader: RunReader, run: int) -> RunRow:
    row = reader.run(run)
    if row is None:
        raise no_run(run)
    return row
