"""A mean never travels alone: how many were scored of how many planned, and how sure it is."""

import bisect
import math
from collections.abc import Hashable, Iterable, Sequence
from itertools import repeat
from typing import Literal, NamedTuple

from studio.engine.analysis.quantiles import median_rank, normal_quantile, t_quantile
from studio.engine.records import Record

Average = Literal["mean", "median"]

_FEW = 10
"""Below so many values their spread is not trusted to tell how far the mean may be off."""
_ROUNDING = 1e-9
"""An error this small beside the reach of the values is what rounding leaves of none."""


class Scale(Record, frozen=True):
    """What kind of values are summarised: as a metric's class attributes of the same names."""

    lowest: float | None = None
    highest: float | None = None
    is_binary: bool = False
    average: Average = "mean"


SHARE = Scale(0.0, 1.0)
VERDICT = Scale(0.0, 1.0, is_binary=True)
AMOUNT = Scale(0.0, None)


class Summary(Record, frozen=True):
    """One metric over many trials.

    `low` to `high` is the confidence interval of the mean (or of the median, where that is the
    scale's average) by `method`; None, with the reason as method, where there is none.
    `least` and `most` are the mean if every planned trial that is not scored had got the lowest or
    the highest value; None where the scale has no such value.  `excused` trials are not scored
    since it was not the agent's doing that they gave no answer; `counted` is the mean if they had
    got the lowest value, None where there are none or the values have no two ends.
    """

    scored: int
    planned: int
    mean: float | None = None
    median: float | None = None
    low: float | None = None
    high: float | None = None
    method: str = "nothing scored"
    least: float | None = None
    most: float | None = None
    average: Average = "mean"
    excused: int = 0
    counted: float | None = None

    @property
    def value(self) -> float | None:
        """The average that is shown first; None if nothing was scored."""
        return self.mean if self.average == "mean" else self.median

    @property
    def counts(self) -> str:
        """What must stand beside the value: "18 of 20"."""
        return f"{self.scored:,} of {self.planned:,}"


class _Squares(NamedTuple):
    """Sums over groups from which the spread of their totals about any mean follows at once."""

    total_total: float = 0.0
    count_total: float = 0.0
    count_count: int = 0

    def with_change(
        self, before: tuple[int, float], after: tuple[int, float], times: int = 1
    ) -> "_Squares":
        (old_count, old), (count, new) = before, after
        return _Squares(
            self.total_total + times * (new * new - old * old),
            self.count_total + times * (count * new - old_count * old),
            self.count_count + times * (count * count - old_count * old_count),
        )

    def about(self, mean: float) -> float:
        """The sum of (total - count x mean)^2 over the groups."""
        return self.total_total - 2 * mean * self.count_total + mean * mean * self.count_count


class Running:
    """A summary that grows with each score.

    `group` names what several scores have in common, such as the query of which they are trials:
    such scores are no independent evidence, and the interval is widened for it.
    """

    def __init__(self, scale: Scale = SHARE, confidence: float = 0.95) -> None:
        self._scale = scale
        self._confidence = confidence
        self._sorted: list[float] = []
        self._seen = 0
        self._excused = 0
        self._groups: dict[Hashable, tuple[int, float]] = {}
        self._alike = 0
        self._origin = 0.0
        self._squares = _Squares()

    def add(self, value: float | None, group: Hashable = None, *, is_excused: bool = False) -> None:
        """Take one score in; None stands for "not scored".  Raises ValueError for NaN.

        `is_excused` says that the agent had no part in there being no score.
        """
        if value is not None and not math.isfinite(value):
            raise ValueError(f"a score is a finite number or None, not {value}")
        self._seen += 1
        if value is None:
            self._excused += is_excused
            return
        if not self._sorted:
            self._origin = value
        bisect.insort(self._sorted, value)
        key = (None, self._seen) if group is None else group
        before = self._groups.get(key, (0, 0.0))
        after = before[0] + 1, before[1] + value - self._origin
        self._groups[key] = after
        self._squares = self._squares.with_change(before, after)

    def remove(self, value: float | None, group: Hashable, *, is_excused: bool = False) -> None:
        """Take a score back that was added under this group: the trial is judged otherwise now."""
        self._seen -= 1
        if value is None:
            self._excused -= is_excused
            return
        del self._sorted[bisect.bisect_left(self._sorted, value)]
        count, total = self._groups.pop(group)
        after = (count - 1, total - (value - self._origin)) if count > 1 else (0, 0.0)
        if after[0]:
            self._groups[group] = after
        self._squares = self._squares.with_change((count, total), after)
        if not self._sorted:
            self._squares = _Squares()  # and what rounding left with it

    def add_groups(self, values: Sequence[float], times: int = 1) -> None:
        """Take in `times` groups that hold these finite scores each, as one of many alike."""
        if not values or times < 1:
            return
        self._origin = self._origin if self._sorted else values[0]
        for value in values:
            place = bisect.bisect(self._sorted, value)
            self._sorted[place:place] = [value] * times
        self._seen += times * len(values)
        self._alike += times
        group = len(values), sum(value - self._origin for value in values)
        self._squares = self._squares.with_change((0, 0.0), group, times)

    def summary(self, planned: int | None = None) -> Summary:
        """What is known so far, of `planned` trials (as many as were added, if not given)."""
        planned = self._seen if planned is None else planned
        scored = len(self._sorted)
        if planned < self._seen:
            raise ValueError(f"{self._seen} scores of only {planned} planned")
        average = self._scale.average
        if not scored:
            least, most = self._scale.lowest, self._scale.highest
            bounds = (least, most) if planned else (None, None)
            return Summary(
                0, planned, least=bounds[0], most=bounds[1], average=average,
                excused=self._excused, counted=self._counted(0.0, 0),
            )  # fmt: skip
        total = math.fsum(self._sorted)
        mean = min(max(total / scored, self._sorted[0]), self._sorted[-1])
        low, high, method = self._interval(mean)
        return Summary(
            scored=scored,
            planned=planned,
            mean=mean,
            median=_median(self._sorted),
            low=low,
            high=high,
            method=method,
            least=_filled_up(total, planned - scored, planned, self._scale.lowest),
            most=_filled_up(total, planned - scored, planned, self._scale.highest),
            average=average,
            excused=self._excused,
            counted=self._counted(total, scored),
        )

    def _counted(self, total: float, scored: int) -> float | None:
        """The mean with the lowest value for each excused trial."""
        lowest, excused = self._scale.lowest, self._excused
        if not excused or lowest is None or self._scale.highest is None:
            return None
        return (total + excused * lowest) / (scored + excused)

    def _interval(self, mean: float) -> tuple[float | None, float | None, str]:
        scale, groups = self._scale, len(self._groups) + self._alike
        if scale.average == "median":
            return _around_the_median(self._sorted, self._confidence)
        is_repeated = groups < len(self._sorted)
        if scale.is_binary and not is_repeated:
            return self._wilson(mean, groups, "Wilson")
        error = self._standard_error(mean)
        is_bounded = scale.lowest is not None and scale.highest is not None
        if is_bounded and (groups < _FEW or error == 0):
            return self._wilson(mean, groups, "Wilson, cautious")
        if groups < 2:
            return None, None, "no interval: fewer than 2 independent values"
        if error == 0:
            return None, None, "no interval: all values are equal"
        reach = t_quantile(0.5 + self._confidence / 2, groups - 1) * error
        name = "Student t over groups" if is_repeated else "Student t"
        return *self._clipped(mean - reach, mean + reach), self._named(name)

    def _standard_error(self, mean: float) -> float:
        """Of the mean, with the scores of one group counted as one piece of evidence."""
        groups, scored = len(self._groups) + self._alike, len(self._sorted)
        reach = self._sorted[-1] - self._sorted[0]
        if groups < 2 or not reach:
            return 0.0
        spread = self._squares.about(mean - self._origin) * groups / (groups - 1)
        error = math.sqrt(max(0.0, spread)) / scored
        return error if error > _ROUNDING * reach else 0.0

    def _wilson(self, mean: float, count: int, name: str) -> tuple[float, float, str]:
        """Wilson's interval for the mean, read as a share of the way from lowest to highest.

        For other values than 0 and 1 it is cautious: none in that range spread wider than these.
        """
        lowest, highest = self._scale.lowest, self._scale.highest
        assert lowest is not None, "asked of closed ranges alone"
        assert highest is not None, "as above"
        width = highest - lowest
        # A range of one value alone tells what the mean is.
        share = (mean - lowest) / width if width else 0.0
        low, high = wilson(share, count, self._confidence)
        return *self._clipped(lowest + low * width, lowest + high * width), self._named(name)

    def _clipped(self, low: float, high: float) -> tuple[float, float]:
        lowest, highest = self._scale.lowest, self._scale.highest
        low = low if lowest is None else max(low, lowest)
        return low, high if highest is None else min(high, highest)

    def _named(self, method: str) -> str:
        return f"{method}, {self._confidence:.0%}"


def summarise(
    values: Sequence[float | None],
    planned: int | None = None,
    scale: Scale = SHARE,
    *,
    groups: Iterable[Hashable] | None = None,
    confidence: float = 0.95,
) -> Summary:
    """One metric's scores over a run; None in `values` stands for "not scored".

    `planned` counts the trials that have no score yet as well (default: as many as `values`).
    Intervals: Wilson's for 0/1 verdicts; for other values in a closed range Student's t, or
    Wilson's (which is wider) below 10 values and where all are equal; for amounts Student's t;
    for a median the order statistics of the sign test.  `groups` holds one name a value: values
    that share one (trials of one query) count as one piece of evidence.
    """
    running = Running(scale, confidence)
    names: Iterable[Hashable] = repeat(None, len(values)) if groups is None else groups
    for value, name in zip(values, names, strict=True):
        running.add(value, name)
    return running.summary(planned)


def wilson(share: float, count: int, confidence: float = 0.95) -> tuple[float, float]:
    """Wilson's score interval for a share seen in `count` independent verdicts."""
    z = normal_quantile(0.5 + confidence / 2)
    centre = share + z * z / (2 * count)
    reach = z * math.sqrt(max(0.0, share * (1 - share) / count + (z / (2 * count)) ** 2))
    scale = 1 + z * z / count
    low, high = (centre - reach) / scale, (centre + reach) / scale
    return min(max(0.0, low), share), max(min(1.0, high), share)


def _around_the_median(
    ordered: Sequence[float], confidence: float
) -> tuple[float | None, float | None, str]:
    rank = median_rank(len(ordered), confidence)
    if not rank:
        return None, None, "no interval: too few values for a median"
    return ordered[rank - 1], ordered[-rank], f"order statistics, {confidence:.0%}"


def _median(ordered: Sequence[float]) -> float:
    middle = len(ordered) // 2
    if len(ordered) % 2:
        return ordered[middle]
    return ordered[middle - 1] + (ordered[middle] - ordered[middle - 1]) / 2


def _filled_up(total: float, missing: int, planned: int, value: float | None) -> float | None:
    if value is None:
        return total / planned if not missing else None
    return (total + missing * value) / planned
