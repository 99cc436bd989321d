"""A mean never travels alone: how many were scored of how many planned, and how sure it is."""

import bisect
import math
from collections.abc import Hashable, Iterable, Sequence
from itertools import repeat
from typing import Literal

from studio.engine.analysis.intervals import (
    Interval,
    Scatter,
    Squares,
    of_amounts,
    of_median,
    of_shares,
    of_verdicts,
)
from studio.engine.records import Record

Average = Literal["mean", "median"]


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
        self._squares = Squares()

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
            self._squares = Squares()  # and what rounding left with it

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

    def _interval(self, mean: float) -> Interval:
        scale, confidence, ordered = self._scale, self._confidence, self._sorted
        if scale.average == "median":
            return of_median(ordered, confidence)
        groups = len(self._groups) + self._alike
        scatter = Scatter(len(ordered), groups, mean, self._squares, self._origin)
        if scale.lowest is None or scale.highest is None:
            limits = scale.lowest, scale.highest
            return of_amounts(scatter, ordered[-1] - ordered[0], limits, confidence)
        ends = scale.lowest, scale.highest
        if scale.is_binary and groups == len(ordered):
            return of_verdicts(scatter, ends, confidence)
        return of_shares(scatter, ends, confidence)


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
    Intervals are as in `intervals`.  `groups` holds one name a value: values that share one (trials
    of one query) count as one piece of evidence.
    """
    running = Running(scale, confidence)
    names: Iterable[Hashable] = repeat(None, len(values)) if groups is None else groups
    for value, name in zip(values, names, strict=True):
        running.add(value, name)
    return running.summary(planned)


def _median(ordered: Sequence[float]) -> float:
    middle = len(ordered) // 2
    if len(ordered) % 2:
        return ordered[middle]
    return ordered[middle - 1] + (ordered[middle] - ordered[middle - 1]) / 2


def _filled_up(total: float, missing: int, planned: int, value: float | None) -> float | None:
    if value is None:
        return total / planned if not missing else None
    return (total + missing * value) / planned
