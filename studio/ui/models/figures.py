"""Adds the trials of a run up, query by query, for the charts and the summary strip.

Kept current by what changed, so a run of many thousand trials costs no more per update than a
small one.
"""

from bisect import bisect_left, insort
from collections.abc import Iterable, Sequence
from itertools import pairwise
from typing import NamedTuple

from studio.engine.store.rows import TrialRow
from studio.ui.models.measures import Measure, score_of


class Bar(NamedTuple):
    """One query's figure: the mean of its scored trials, never without its counts.

    `value` is None if nothing was scored; `reason` then says why, "" while trials are to come.
    """

    value: float | None
    scored: int
    ended: int
    planned: int
    reason: str = ""

    @property
    def is_pending(self) -> bool:
        return self.value is None and not self.reason


class Figures:
    """The figures of one run of `queries` queries, each tried `trials` times."""

    def __init__(self, queries: int = 0, trials: int = 1) -> None:
        self.queries = queries
        self.trials = trials
        self._rows: list[dict[int, TrialRow]] = [{} for _ in range(queries)]
        self._seconds: list[float] = []

    def update(self, rows: Iterable[TrialRow]) -> None:
        for row in rows:
            if not 0 <= row.position < self.queries:
                continue
            known = self._rows[row.position]
            old = known.get(row.number)
            if old is not None and (before := _seconds(old)) is not None:
                del self._seconds[bisect_left(self._seconds, before)]
            if (now := _seconds(row)) is not None:
                insort(self._seconds, now)
            known[row.number] = row

    def trials_of(self, position: int) -> list[TrialRow]:
        """The trials of a query that began, by their number."""
        known = self._rows[position]
        return [known[number] for number in sorted(known)]

    def score(self, position: int, measure: Measure) -> Bar:
        values: list[float] = []
        reason = ""
        rows = self.trials_of(position)
        ended = 0
        for row in rows:
            ended += row.outcome is not None
            found = score_of(row, measure.key)
            if found is not None and found.value is not None:
                values.append(found.value)
            elif found is not None:
                reason = found.reason or "not scored"
        return self._bar(values, ended, reason)

    def steps(self, position: int) -> Bar:
        ended = [row for row in self.trials_of(position) if row.outcome is not None]
        telling = [row for row in ended if not row.is_excused]
        values = [float(row.steps) for row in telling if row.steps is not None]
        reason = "no step was taken" if telling else "not the agent's doing" if ended else ""
        return self._bar(values, len(ended), reason)

    def _bar(self, values: list[float], ended: int, reason: str) -> Bar:
        mean = sum(values) / len(values) if values else None
        return Bar(mean, len(values), ended, self.trials, "" if values else reason)

    def values(self, measure: Measure) -> list[float | None]:
        """The values of all ended trials, None for those not scored."""
        scores = (
            score_of(row, measure.key)
            for rows in self._rows
            for row in rows.values()
            if row.outcome is not None
        )
        return [None if found is None else found.value for found in scores]

    @property
    def seconds(self) -> Sequence[float]:
        """How long each ended trial took that tells of the agent, rising."""
        return self._seconds

    @property
    def median_seconds(self) -> float | None:
        count = len(self._seconds)
        if not count:
            return None
        return (self._seconds[(count - 1) // 2] + self._seconds[count // 2]) / 2


def _seconds(row: TrialRow) -> float | None:
    """How fast a server refuses, or how long it is silent, is no time of the agent's."""
    return None if row.outcome is None or row.is_excused else row.seconds


class Bins(NamedTuple):
    """Counts of values in bins of equal width, the first beginning at `low`."""

    low: float
    width: float
    counts: tuple[int, ...]


def bins(rising: Sequence[float], at_most: int = 12) -> Bins:
    """The values in at most `at_most` bins whose width a person would choose (1, 2 or 5 × 10ⁿ)."""
    if not rising:
        return Bins(0.0, 1.0, ())
    width = _round_width((rising[-1] - rising[0]) / max(1, at_most - 1))
    first = int(rising[0] // width)
    last = int(rising[-1] // width)
    edges = [bisect_left(rising, (place + first) * width) for place in range(last - first + 2)]
    edges[0], edges[-1] = 0, len(rising)
    counts = tuple(high - low for low, high in pairwise(edges))
    return Bins(first * width, width, counts)


def _round_width(least: float) -> float:
    if least <= 0:
        return 1.0
    power = 1e-6
    while power < 1e12:
        for factor in (1, 2, 5):
            if factor * power >= least:
                return factor * power
        power *= 10
    return power
