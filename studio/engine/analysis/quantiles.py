"""Quantiles of the normal, Student's t and the sign distribution, in plain Python.

Formulas: Abramowitz & Stegun, Handbook of Mathematical Functions, 26.7.3, 26.7.4 (the distribution
of t as a finite sum, exact for whole degrees of freedom) and 26.7.5 (its expansion for many).
"""

import math
from collections.abc import Callable
from functools import lru_cache

_MANY = 400
_MANY_SIGNS = 1000


@lru_cache(maxsize=64)
def normal_quantile(probability: float) -> float:
    """The value that a standard normal variable stays below with `probability` (0 < p < 1)."""
    return _solve(lambda z: 0.5 * math.erfc(-z / math.sqrt(2)), probability)


@lru_cache(maxsize=4096)
def t_quantile(probability: float, freedom: int) -> float:
    """The same for Student's t with `freedom` degrees of freedom (1 or more)."""
    if freedom > _MANY:
        return _expansion(normal_quantile(probability), freedom)
    return _solve(lambda t: _t_distribution(t, freedom), probability)


def _solve(distribution: Callable[[float], float], probability: float) -> float:
    """Bisection; `distribution` grows from 0 to 1 and is symmetric about 0."""
    if not 0 < probability < 1:
        raise ValueError(f"a probability lies between 0 and 1, not {probability}")
    high = 1.0
    while distribution(high) < max(probability, 1 - probability):
        high *= 2
    low = -high
    for _ in range(200):
        middle = (low + high) / 2
        if middle in (low, high):
            break
        if distribution(middle) < probability:
            low = middle
        else:
            high = middle
    return (low + high) / 2


def _t_distribution(t: float, freedom: int) -> float:
    angle = math.atan2(t, math.sqrt(freedom))
    sine, cosine = math.sin(angle), math.cos(angle)
    is_odd = freedom % 2
    term = cosine if is_odd else 1.0
    total = term if freedom > 1 else 0.0
    for k in range(3 if is_odd else 2, freedom - 1, 2):
        term *= cosine * cosine * (k - 1) / k
        total += term
    within = (angle + sine * total) * 2 / math.pi if is_odd else sine * total
    return 0.5 + within / 2


def _expansion(z: float, freedom: int) -> float:
    first = (z**3 + z) / 4
    second = (5 * z**5 + 16 * z**3 + 3 * z) / 96
    third = (3 * z**7 + 19 * z**5 + 17 * z**3 - 15 * z) / 384
    return z + first / freedom + second / freedom**2 + third / freedom**3


@lru_cache(maxsize=4096)
def median_rank(count: int, confidence: float) -> int:
    """How many values to leave out at each end so that the rest covers the median.

    The rank r (from 1) for which the r-th smallest and the r-th largest of `count` independent
    values enclose the median of their population with at least `confidence`; 0 if even the
    extremes do not.  From the sign test, so whatever the distribution is.
    """
    tail = (1 - confidence) / 2
    if count > _MANY_SIGNS:
        half_width = normal_quantile(1 - tail) * math.sqrt(count) / 2
        return math.floor(count / 2 - half_width)
    limit = tail * 2.0**count
    rank, term = 0, 1
    cumulated = term
    while cumulated <= limit:
        rank += 1
        term = term * (count - rank + 1) // rank
        cumulated += term
    return rank
