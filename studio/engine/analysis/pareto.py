"""The failure map of a run: its failed trials by what went wrong first, most frequent first."""

from collections.abc import Iterable, Sequence

from studio.engine.analysis.passing import Rule, passed
from studio.engine.outcomes import FailureMode
from studio.engine.records import (
    Finding,
    Record,
)
from studio.engine.store.rows import TrialRow


class Place(Record, frozen=True):
    """A trial and its first finding; None where no bucket fits what went wrong."""

    trial: int
    query_id: str
    query: str
    number: int
    finding: Finding | None = None


class Bucket(Record, frozen=True):
    """The trials that went wrong first in one way.

    `share` and `cumulative` (this bucket and those before it) are of all failed trials.  `also`
    counts the trials of other buckets in which the same was found later on.
    """

    mode: FailureMode
    places: tuple[Place, ...]
    share: float
    cumulative: float
    also: int = 0

    @property
    def count(self) -> int:
        return len(self.places)


class FailureMap(Record, frozen=True):
    """Where the failed trials of a run went wrong.

    Failed are those that did not pass, and those that gave no answer by their own doing.
    `unexplained` are the failed trials without a finding.  `apart` are those that failed by no
    doing of the agent: they are in no bucket and in no share.
    """

    buckets: tuple[Bucket, ...] = ()
    unexplained: tuple[Place, ...] = ()
    apart: tuple[Place, ...] = ()
    failed: int = 0


def failure_map(trials: Iterable[TrialRow], rules: Sequence[Rule]) -> FailureMap:
    """Count the first findings of the trials of a run; trials stand in the order given."""
    first: dict[FailureMode, list[Place]] = {}
    later: dict[FailureMode, int] = {}
    unexplained: list[Place] = []
    for trial in trials:
        place = _place(trial)
        if place.finding is not None:
            first.setdefault(place.finding.mode, []).append(place)
            for mode in {each.mode for each in trial.findings} - {place.finding.mode}:
                later[mode] = later.get(mode, 0) + 1
        elif trial.is_excused:
            first.setdefault(FailureMode.NOT_THE_AGENT, []).append(place)
        elif passed(rules, trial.scores) is False:
            unexplained.append(place)
    apart = first.pop(FailureMode.NOT_THE_AGENT, [])
    failed = sum(map(len, first.values())) + len(unexplained)
    return FailureMap(
        _buckets(first, later, failed), tuple(unexplained), tuple(apart), failed
    )  # fmt: skip


def _place(trial: TrialRow) -> Place:
    finding = trial.findings[0] if trial.findings else None
    return Place(trial.id, trial.query_id, trial.query, trial.number, finding)


def _buckets(
    first: dict[FailureMode, list[Place]], later: dict[FailureMode, int], failed: int
) -> tuple[Bucket, ...]:
    order = list(FailureMode)
    ranked = sorted(first, key=lambda mode: (-len(first[mode]), order.index(mode)))
    buckets: list[Bucket] = []
    seen = 0
    for mode in ranked:
        places = tuple(first[mode])
        seen += len(places)
        share, cumulative = len(places) / failed, seen / failed
        buckets.append(Bucket(mode, places, share, cumulative, later.get(mode, 0)))
    return tuple(buckets)
