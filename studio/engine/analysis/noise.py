"""How far two runs of the same thing differ: what a difference must exceed to mean anything."""

from collections import Counter, defaultdict
from collections.abc import Iterable

from studio.engine.records import Record
from studio.engine.store.rows import TrialRow

_Place = tuple[str, int, int]
"""Metric, position and number."""


class Noise(Record, frozen=True):
    """One metric over the trials that two runs have in common and both scored.

    `differing` of the `paired` trials got another score; `apart` is how far the means over the
    pairs are from each other, None where nothing was paired.
    """

    metric: str
    paired: int
    differing: int
    first: float | None
    second: float | None

    @property
    def apart(self) -> float | None:
        if self.first is None or self.second is None:
            return None
        return abs(self.first - self.second)


class Pairs:
    """The scores of two runs of the same thing, by query and number of the trial.

    The runs are side 0 and side 1; their trials may be taken in any order.
    """

    def __init__(self) -> None:
        self._values: tuple[dict[_Place, float], dict[_Place, float]] = ({}, {})
        self._paired: Counter[str] = Counter()
        self._differing: Counter[str] = Counter()
        self._sums = defaultdict[str, float](float), defaultdict[str, float](float)

    def restart(self, side: int) -> None:
        """Forget the trials of one side: they are taken anew."""
        self._values[side].clear()
        for counts in (self._paired, self._differing, *self._sums):
            counts.clear()

    def take(self, side: int, trial: TrialRow) -> None:
        """Take a trial in; of one that was taken before, the first scores count."""
        for score in trial.scores:
            place = (score.metric, trial.position, trial.number)
            if score.value is not None and place not in self._values[side]:
                self._values[side][place] = score.value
                self._join(score.metric, self._values[0].get(place), self._values[1].get(place))

    def _join(self, metric: str, one: float | None, other: float | None) -> None:
        if one is None or other is None:
            return
        self._paired[metric] += 1
        self._differing[metric] += one != other
        self._sums[0][metric] += one
        self._sums[1][metric] += other

    def noise(self, metric: str) -> Noise:
        """How far the scores of one metric, by its key, are apart."""
        paired = self._paired[metric]
        first, second = (sums[metric] / paired if paired else None for sums in self._sums)
        return Noise(metric, paired, self._differing[metric], first, second)


def pairs_of(first: Iterable[TrialRow], second: Iterable[TrialRow]) -> Pairs:
    """The trials of two runs, paired."""
    pairs = Pairs()
    for side, trials in enumerate((first, second)):
        for trial in trials:
            pairs.take(side, trial)
    return pairs
