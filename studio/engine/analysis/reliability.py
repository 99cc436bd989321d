"""How reliable the agent is: what repeating a query says that one trial cannot.

Of a query n trials are counted and c of them passed.  Trials that were not the agent's doing, and
those whose scores do not tell, are left out of n and counted apart.  Three estimators, which are
no substitutes for each other, so that each figure carries the name of its own:

- pass@k, that at least one of k trials passes (Chen et al. 2021): unbiased, per query, averaged;
- pass^k, that all of k trials pass (tau-bench): the same;
- the pooled rate to the power of k (AgentArch's pass^K): easy and hard queries in one pot, which
  says too little where queries differ, and is no estimate of pass^k.
"""

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import lru_cache
from math import comb

from studio.engine.analysis.intervals import wilson
from studio.engine.analysis.passing import Rule, passed
from studio.engine.analysis.summary import SHARE, VERDICT, Running, Scale, Summary
from studio.engine.outcomes import Outcome
from studio.engine.records import Record
from studio.engine.store.rows import TrialRow

PASS_AT = "mean over queries of 1 − C(n−c, k) / C(n, k)"
PASS_ALL = "mean over queries of C(c, k) / C(n, k)"
POOLED = "(passed trials / counted trials)^k, all queries in one pot"
FLIP_RATE = "mean over queries of 2 c (n−c) / (n (n−1))"

Alike = Mapping[tuple[int, int], int]
"""How many queries have so many (counted, passed) trials."""

_CONFIDENCE = 0.95
_EACH_K_UP_TO = 8


class KOfN(Record, frozen=True):
    """How often one query passed: `passed` of `counted` trials.

    `excused` trials were not the agent's doing, `undecided` ones have no score that tells.
    `low` to `high` is Wilson's interval, 95 %, with the trials as independent of each other; None
    without any.
    """

    query_id: str
    query: str
    position: int
    counted: int = 0
    passed: int = 0
    excused: int = 0
    undecided: int = 0
    low: float | None = None
    high: float | None = None

    @property
    def share(self) -> float | None:
        return self.passed / self.counted if self.counted else None

    @property
    def flip_rate(self) -> float | None:
        """The share of pairs of its trials of which only one passed; None where no pair is."""
        return flip_rate(self.counted, self.passed)


class Estimate(Record, frozen=True):
    """One figure of reliability; `estimator` says how it was come by and stands beside it.

    `over` counts queries: those with enough counted trials of those that were planned.
    """

    name: str
    k: int
    estimator: str
    over: Summary

    @property
    def value(self) -> float | None:
        return self.over.mean

    @property
    def left_out(self) -> int:
        """Queries with fewer than k counted trials."""
        return self.over.planned - self.over.scored


class Reliability(Record, frozen=True):
    """The reliability of a run, for each k; `queries` stand in the order of the plan.

    `flip_rate` is the chance that two trials of one query do not agree, the mean over queries.
    """

    queries: tuple[KOfN, ...]
    pass_at: tuple[Estimate, ...]
    pass_all: tuple[Estimate, ...]
    pooled: tuple[Estimate, ...]
    flip_rate: Summary

    @property
    def most(self) -> int:
        """The largest number of counted trials that a query has: no k above it can be told."""
        return max((query.counted for query in self.queries), default=0)

    @property
    def trials(self) -> tuple[int, int]:
        """(passed, counted) over all queries."""
        return sum(each.passed for each in self.queries), sum(each.counted for each in self.queries)

    @property
    def left_out(self) -> tuple[int, int]:
        """Trials that are not counted: (excused, undecided)."""
        queries = self.queries
        return sum(each.excused for each in queries), sum(each.undecided for each in queries)


def reliability(
    trials: Iterable[TrialRow], rules: Sequence[Rule], planned: int | None = None
) -> Reliability:
    """The reliability of a run from its trials; those that still run are not counted.

    `planned` is the number of its queries (default: as many as have a trial).
    """
    return of_queries(k_of_n(trials, rules), planned)


def of_queries(queries: Sequence[KOfN], planned: int | None = None) -> Reliability:
    """The same from what is known of each query.

    Queries with as many counted and passed trials are alike to every figure: however many there
    are, each kind of them is looked at once.
    """
    planned = len(queries) if planned is None else planned
    alike = Counter((query.counted, query.passed) for query in queries)
    every_k = _every_k(max((n for n, _ in alike), default=0))
    return Reliability(
        tuple(queries),
        tuple(_estimate(f"pass@{k}", k, PASS_AT, pass_at, alike, planned) for k in every_k),
        tuple(_estimate(f"pass^{k}", k, PASS_ALL, pass_all, alike, planned) for k in every_k),
        _pooled(every_k, alike, planned),
        _mean([(flip_rate(n, c), times) for (n, c), times in alike.items()], SHARE, planned),
    )


def k_of_n(trials: Iterable[TrialRow], rules: Sequence[Rule]) -> tuple[KOfN, ...]:
    """For each query how many of its counted trials passed, in the order of the plan."""
    counts: dict[int, list[int]] = {}
    named: dict[int, TrialRow] = {}
    for trial in trials:
        if trial.outcome is None:
            continue
        named.setdefault(trial.position, trial)
        counts.setdefault(trial.position, [0, 0, 0, 0])[_kind(trial, rules)] += 1
    return tuple(_k_of_n(named[place], *counts[place]) for place in sorted(counts))


_PASSED, _NOT_PASSED, _EXCUSED, _UNDECIDED = range(4)
_NOT_RUN = (Outcome.SKIPPED, Outcome.INTERRUPTED)


def _kind(trial: TrialRow, rules: Sequence[Rule]) -> int:
    if trial.is_excused or trial.outcome in _NOT_RUN:
        return _EXCUSED
    is_passed = passed(rules, trial.scores)
    if is_passed is None:
        return _UNDECIDED
    return _PASSED if is_passed else _NOT_PASSED


def _k_of_n(trial: TrialRow, good: int, bad: int, excused: int, undecided: int) -> KOfN:
    n = good + bad
    low, high = wilson(good / n, n, _CONFIDENCE) if n else (None, None)
    return KOfN(
        trial.query_id, trial.query, trial.position, n, good, excused, undecided, low, high
    )  # fmt: skip


@lru_cache(maxsize=4096)
def pass_at(n: int, c: int, k: int) -> float | None:
    """The chance that at least one of k trials, drawn from n of which c passed, passed.

    None where n < k: the estimator is not defined there.
    """
    return None if n < k else 1 - comb(n - c, k) / comb(n, k)


@lru_cache(maxsize=4096)
def pass_all(n: int, c: int, k: int) -> float | None:
    """The chance that all of k trials, drawn from n of which c passed, passed; None where n < k."""
    return None if n < k else comb(c, k) / comb(n, k)


def flip_rate(n: int, c: int) -> float | None:
    """The share of pairs of n trials of which one passed and one did not, where c passed."""
    return 2 * c * (n - c) / (n * (n - 1)) if n > 1 else None


def _every_k(most: int) -> tuple[int, ...]:
    """Each k up to 8, then each power of two, and the most that can be told."""
    every = set(range(1, min(most, _EACH_K_UP_TO) + 1))
    k = _EACH_K_UP_TO
    while k <= most:
        every.add(k)
        k *= 2
    return tuple(sorted(every | {most} - {0}))


def _estimate(
    name: str,
    k: int,
    estimator: str,
    of: Callable[[int, int, int], float | None],
    alike: Alike,
    planned: int,
) -> Estimate:
    values = [(of(n, c, k), times) for (n, c), times in alike.items()]
    # One trial a query, or all of them at once, is a yes or a no, whose interval is known best.
    is_verdict = all(value in (None, 0.0, 1.0) for value, _ in values)
    return Estimate(
        name, k, estimator, _mean(values, VERDICT if is_verdict else SHARE, planned)
    )  # fmt: skip


def _mean(values: Iterable[tuple[float | None, int]], scale: Scale, planned: int) -> Summary:
    """The mean over queries of a value that so many of them have; None is left out."""
    running = Running(scale, _CONFIDENCE)
    for value, times in values:
        if value is not None:
            running.add_groups([value], times)
    return running.summary(planned)


def _pooled(every_k: Sequence[int], alike: Alike, planned: int) -> tuple[Estimate, ...]:
    running = Running(VERDICT, _CONFIDENCE)
    for (n, c), times in alike.items():
        running.add_groups([1.0] * c + [0.0] * (n - c), times)
    rate = running.summary()
    over = Summary(
        sum(times for (n, _), times in alike.items() if n), planned,
        rate.mean, None, rate.low, rate.high, rate.method,
    )  # fmt: skip
    return tuple(Estimate(f"pooled rate^{k}", k, POOLED, _power(over, k)) for k in every_k)


def _power(rate: Summary, k: int) -> Summary:
    raised = [None if x is None else x**k for x in (rate.mean, rate.low, rate.high)]
    method = rate.method if k == 1 else f"{rate.method}, its ends to the power of {k}"
    return Summary(rate.scored, rate.planned, raised[0], None, raised[1], raised[2], method)
