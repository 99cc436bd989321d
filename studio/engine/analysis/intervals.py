"""How sure a mean is: confidence intervals for verdicts, shares, amounts and medians.

Scores of one group, such as the trials of one query, are one piece of evidence.  How often each
interval holds the true value was simulated: `tests/bench/coverage.py` prints the table.
"""

import math
from collections.abc import Sequence
from typing import NamedTuple

from studio.engine.analysis.quantiles import median_rank, normal_quantile, t_quantile

Interval = tuple[float | None, float | None, str]
"""From, to, and by which method; None and None with the reason where there is none."""
Ends = tuple[float, float]
"""The lowest and the highest value that there can be."""

_FEW = 7
"""From so many groups on, Student's t with the ends added is no wider than the cautious Wilson."""
_ROUNDING = 1e-9
"""An error this small beside the reach of the values is what rounding leaves of none."""


class Squares(NamedTuple):
    """Sums over groups from which the spread of their totals about any mean follows at once."""

    total_total: float = 0.0
    count_total: float = 0.0
    count_count: int = 0

    def with_change(
        self, before: tuple[int, float], after: tuple[int, float], times: int = 1
    ) -> "Squares":
        (old_count, old), (count, new) = before, after
        return Squares(
            self.total_total + times * (new * new - old * old),
            self.count_total + times * (count * new - old_count * old),
            self.count_count + times * (count * count - old_count * old_count),
        )

    def about(self, mean: float) -> float:
        """The sum of (total - count x mean)^2 over the groups."""
        return self.total_total - 2 * mean * self.count_total + mean * mean * self.count_count


class Scatter(NamedTuple):
    """Scores in groups: how many of both, and how they lie.  `squares` are less the `origin`."""

    scored: int
    groups: int
    mean: float
    squares: Squares
    origin: float

    def about(self, mean: float) -> float:
        """The sum of (total - count x mean)^2 over the groups."""
        return max(0.0, self.squares.about(mean - self.origin))

    @property
    def student(self) -> str:
        return "Student t" if self.groups == self.scored else "Student t over groups"


def of_verdicts(scatter: Scatter, ends: Ends, confidence: float) -> Interval:
    """Wilson's, of values that are all at one of the ends, one a group."""
    return _wilson_between(scatter, ends, confidence, "Wilson")


def of_shares(scatter: Scatter, ends: Ends, confidence: float) -> Interval:
    """Of the mean of values between two ends, however they are spread.

    The sample of a lopsided share holds too few of the rare values to tell its spread: Student's t
    is far too narrow then.  So two groups are added to those that there are, one at each end, as
    Agresti & Coull (1998) add verdicts.  Of few groups that leaves nothing: Wilson's interval then
    stands for the mean, cautiously, since no values between the ends spread wider than these.
    """
    if scatter.groups < _FEW:
        return _wilson_between(scatter, ends, confidence, "Wilson, cautious")
    groups, each = scatter.groups + 2, scatter.scored / scatter.groups
    weight = groups * each
    centre = (scatter.scored * scatter.mean + each * sum(ends)) / weight
    spread = scatter.about(centre) + sum((each * (end - centre)) ** 2 for end in ends)
    error = math.sqrt(spread * groups / (groups - 1)) / weight
    reach = t_quantile(0.5 + confidence / 2, scatter.groups - 1) * error
    low, high = max(centre - reach, ends[0]), min(centre + reach, ends[1])
    name = f"{scatter.student}, ends added, {confidence:.0%}"
    return min(low, scatter.mean), max(high, scatter.mean), name


def of_amounts(
    scatter: Scatter, reach: float, limits: tuple[float | None, float | None], confidence: float
) -> Interval:
    """Student's t, of the mean of values that are not bounded at both sides.

    `reach` is how far the values lie apart at most.
    """
    groups = scatter.groups
    if groups < 2:
        return None, None, "no interval: fewer than 2 independent values"
    spread = scatter.about(scatter.mean) * groups / (groups - 1)
    error = math.sqrt(spread) / scatter.scored
    if error <= _ROUNDING * reach:
        return None, None, "no interval: all values are equal"
    around = t_quantile(0.5 + confidence / 2, groups - 1) * error
    lowest, highest = limits
    low, high = scatter.mean - around, scatter.mean + around
    low = low if lowest is None else max(low, lowest)
    high = high if highest is None else min(high, highest)
    return low, high, f"{scatter.student}, {confidence:.0%}"


def of_median(ordered: Sequence[float], confidence: float) -> Interval:
    """The order statistics of the sign test."""
    rank = median_rank(len(ordered), confidence)
    if not rank:
        return None, None, "no interval: too few values for a median"
    return ordered[rank - 1], ordered[-rank], f"order statistics, {confidence:.0%}"


def wilson(share: float, count: int, confidence: float = 0.95) -> tuple[float, float]:
    """Wilson's score interval for a share seen in `count` independent verdicts."""
    z = normal_quantile(0.5 + confidence / 2)
    centre = share + z * z / (2 * count)
    reach = z * math.sqrt(max(0.0, share * (1 - share) / count + (z / (2 * count)) ** 2))
    scale = 1 + z * z / count
    low, high = (centre - reach) / scale, (centre + reach) / scale
    return min(max(0.0, low), share), max(min(1.0, high), share)


def _wilson_between(scatter: Scatter, ends: Ends, confidence: float, name: str) -> Interval:
    """Wilson's for the mean, read as a share of the way from the lowest end to the highest."""
    lowest, highest = ends
    width = highest - lowest
    # A range of one value alone tells what the mean is.
    share = (scatter.mean - lowest) / width if width else 0.0
    low, high = wilson(share, scatter.groups, confidence)
    low, high = max(lowest + low * width, lowest), min(lowest + high * width, highest)
    return low, high, f"{name}, {confidence:.0%}"
