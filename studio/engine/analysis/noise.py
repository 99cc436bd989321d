"""How far two runs of the same thing differ: what a difference must exceed to mean anything."""

from collections.abc import Iterable

from studio.engine.records import Record
from studio.engine.store.rows import TrialRow


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


def noise(metric: str, first: Iterable[TrialRow], second: Iterable[TrialRow]) -> Noise:
    """Pair the trials of two runs by query and number, and compare one metric's scores."""
    ours, theirs = _values(metric, first), _values(metric, second)
    pairs = [(ours[place], theirs[place]) for place in ours.keys() & theirs.keys()]
    if not pairs:
        return Noise(metric, 0, 0, None, None)
    count = len(pairs)
    return Noise(
        metric,
        count,
        sum(one != other for one, other in pairs),
        sum(one for one, _ in pairs) / count,
        sum(other for _, other in pairs) / count,
    )


def _values(metric: str, rows: Iterable[TrialRow]) -> dict[tuple[int, int], float]:
    return {
        (row.position, row.number): score.value
        for row in rows
        for score in row.scores
        if score.metric == metric and score.value is not None
    }
