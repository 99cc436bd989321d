"""What is run again of a stored run: on which servers, and in a window into which it fits.

Light to import: the window's process asks for both beforehand.
"""

from collections.abc import Iterable, Iterator, Sequence
from typing import Protocol

from msgspec.structs import replace

from studio.engine.errors import RunError
from studio.engine.events import Event, ModelFailed, ModelReplied
from studio.engine.models.budget import LEAST_WINDOW, larger_window, window_of
from studio.engine.outcomes import Outcome
from studio.engine.records import ModelSpec, RunPlan, Variant
from studio.engine.store.rows import RunRow, TrialRow

_MOST_READ = 40
"""How many trials are looked into for what they needed."""

_LAST_EVENTS = 8


class Reader(Protocol):
    """The part of the store's reader that is needed here.  May raise StoreError."""

    def event_count(self, trial: int) -> int: ...

    def events(self, trial: int, first: int = 0, limit: int | None = None) -> list[Event]: ...


def invalid(trials: Iterable[TrialRow]) -> list[TrialRow]:
    """Those whose prompt or reply did not fit the window."""
    return [trial for trial in trials if trial.outcome is Outcome.TRUNCATED]


def in_turn(begun: ModelSpec, now: ModelSpec | None) -> tuple[ModelSpec, ...]:
    """A run's model with the servers that are asked when it is continued, one spec after the other.

    First those with which it was begun; where none of them has the model any more, those that the
    project names for it `now` (None: for no such model).
    """
    if now is None or now.servers == begun.servers:
        return (begun,)
    return (begun, replace(begun, server=now.server))


def fitting_window(reader: Reader, row: RunRow, trials: Sequence[TrialRow]) -> int | None:
    """The num_ctx to run these invalid trials of a run with; None if the model has no larger."""
    needed = [tokens for trial in trials[:_MOST_READ] for tokens in _needed(reader, trial)]
    options = row.plan.variant.model.options
    return larger_window(options, row.server.context_length, needed)


def _needed(reader: Reader, trial: TrialRow) -> Iterator[int]:
    first = max(0, reader.event_count(trial.id) - _LAST_EVENTS)
    for event in reader.events(trial.id, first, _LAST_EVENTS):
        if isinstance(event, ModelFailed | ModelReplied) and event.needed is not None:
            yield event.needed


def plan_again(
    reader: Reader, row: RunRow, trials: Sequence[TrialRow], window: int | None
) -> RunPlan:
    """A new run of the queries of those trials, with `window` as num_ctx or one that fits.

    Raises RunError if no trial is invalid, or the window is no larger, or there is no larger one.
    """
    if not trials:
        raise RunError(
            f"No trial of run {row.id} is invalid: every prompt fitted the window.",
            "What failed otherwise is run by continuing the run.",
        )
    asked = window_of(row.plan.variant.model.options)
    if window is not None and window <= asked:
        raise RunError(
            f"A window of {window:,} tokens is not larger than that of run {row.id} ({asked:,}).",
            "Give a larger one.",
        )
    wanted = window or fitting_window(reader, row, trials)
    if wanted is None:
        raise RunError(
            f"{row.plan.variant.model.name} was trained for a window of {asked:,} tokens: "
            "there is no larger one.",
            "Shorten the prompt or the tools' descriptions, or choose another model.",
        )
    positions = sorted({trial.position for trial in trials})
    query_ids = tuple(row.plan.query_ids[position] for position in positions)
    return replace(row.plan, query_ids=query_ids, window=wanted)


def with_window(variant: Variant, window: int | None) -> Variant:
    """The variant with another num_ctx, named for it; as it is if `window` is None.

    Raises RunError for a window into which nothing fits.
    """
    if window is None:
        return variant
    if window < LEAST_WINDOW:
        raise RunError(
            f"A window of {window:,} tokens (num_ctx) is too small.",
            f"Give at least {LEAST_WINDOW}: servers cut the prompt without a word.",
        )
    options = {**variant.model.options, "num_ctx": window}
    name = f"{variant.name.partition(_NAMED)[0]}{_NAMED}{window}"
    return replace(variant, name=name, model=replace(variant.model, options=options))


_NAMED = " · num_ctx "
