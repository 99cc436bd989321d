"""How far a run is, and how long it will still take: counts and a range, never a single guess."""

from collections.abc import Sequence
from statistics import quantiles

from msgspec.structs import replace

from studio.engine.outcomes import Outcome
from studio.engine.records import Tally
from studio.engine.store.rows import tallied

_SEEN_FOR_A_RANGE = 3
_LATEST = 40


def count(tally: Tally, outcome: Outcome) -> Tally:
    """`tally` with one more trial that ended as `outcome`; one to be run again is not counted."""
    field = tallied(outcome)
    return replace(tally, **{field: getattr(tally, field) + 1}) if field else tally


def uncount(tally: Tally, outcome: Outcome) -> Tally:
    """`tally` without a trial that ended as `outcome` and is begun again."""
    field = tallied(outcome)
    return replace(tally, **{field: getattr(tally, field) - 1}) if field else tally


def seconds_left(
    durations: Sequence[float], trials_left: int, at_once: int
) -> tuple[float, float] | None:
    """The range within which the rest will likely be done, in seconds.

    `durations` are how long trials kept one of the `at_once` places.  From the middle half of the
    latest; None until three were seen, since one or two (a model loading, an empty cache) say
    little.
    """
    if trials_left == 0:
        return (0.0, 0.0)
    latest = durations[-_LATEST:]
    if len(latest) < _SEEN_FOR_A_RANGE:
        return None
    low, _, high = quantiles(latest, n=4, method="inclusive")
    rounds = trials_left / max(1, at_once)
    return (low * rounds, high * rounds)
