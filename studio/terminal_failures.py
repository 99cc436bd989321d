"""The failure map of a run for a terminal: how many trials went wrong how, and which."""

from collections.abc import Iterable, Iterator, Mapping, Sequence

from studio.engine.analysis.pareto import Bucket, FailureMap, Place
from studio.terminal_figures import Grid

_MOST_PLACES = 8
_MOST_MODES = 3


def map_grid(found: FailureMap) -> Grid:
    rows = [
        [
            bucket.mode.value,
            str(bucket.count),
            f"{bucket.share:.0%}",
            f"{bucket.cumulative:.0%}",
            str(bucket.also or ""),
        ]
        for bucket in found.buckets
    ]
    headings = ["Bucket", "Trials", "Share", "Cumulative", "Also later in"]
    return Grid(f"Failure map: what went wrong first in {_trials(found.failed)}", headings, rows)


def places_of(found: FailureMap) -> Iterator[tuple[str, Sequence[Place]]]:
    """Each bucket with its trials, then those of no bucket and those apart."""
    yield from ((bucket.mode.value, bucket.places) for bucket in found.buckets)
    if found.unexplained:
        yield "in no bucket", found.unexplained
    if found.apart:
        yield "not the agent's doing, and in no share", found.apart


def place_lines(places: Iterable[Place], titles: Mapping[str, str]) -> Iterator[str]:
    """What went wrong in a query, once, with the numbers of the trials in which it did."""
    alike: dict[tuple[str, str], list[Place]] = {}
    for place in places:
        reason = "" if place.finding is None else place.finding.reason
        alike.setdefault((place.query_id, reason), []).append(place)
    groups = list(alike.items())
    for (query_id, reason), same in groups[:_MOST_PLACES]:
        numbers = ", ".join(f"#{place.number}" for place in same)
        told = f": {reason}{_events(same)}" if reason else ""
        yield f"{titles.get(query_id, query_id)} {numbers}{told}"
    if rest := [same for _, same in groups[_MOST_PLACES:]]:
        trials = sum(map(len, rest))
        told = "1 more trial" if trials == 1 else f"{trials:,} more trials"
        yield f"and {told} (--json lists them all)"


def _events(places: Sequence[Place]) -> str:
    """Where it shows: one number where that is the same in all trials, else one for each."""
    found = [place.finding.event for place in places if place.finding is not None]
    events = [str(event) for event in found if event is not None]
    if not events:
        return ""
    is_same = len(set(events)) == 1
    return f" [event {events[0]}]" if is_same else f" [events {', '.join(events)}]"


def top_modes(buckets: Sequence[Bucket]) -> str:
    """`missing call 7, ignored result 5, wrong value 3`."""
    return ", ".join(f"{each.mode.value} {each.count:,}" for each in buckets[:_MOST_MODES])


def _trials(count: int) -> str:
    return f"{count:,} failed {'trial' if count == 1 else 'trials'}"
