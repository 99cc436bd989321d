"""Which queries changed sides between two runs, or between two trials of one run.

The test is McNemar's in its exact form: the sign test on the queries that changed sides.
"""

import math
from collections import Counter
from collections.abc import Hashable, Iterable, Mapping, Sequence

from studio.engine.analysis.passing import Rule, passed
from studio.engine.records import Record
from studio.engine.store.rows import TrialRow

SIGN_TEST = "exact sign test over queries, two-sided (McNemar's exact test)"


class Pair(Record, frozen=True):
    """A query as it was run in both; `first` and `second` are the ids of its two trials."""

    query_id: str
    query: str
    first: int
    second: int


class Flips(Record, frozen=True):
    """The pairs of trials by whether the first and the second passed.

    Not compared: `undecided` pairs, of which one trial was excused or has no score that tells;
    `unpaired` trials without a partner; pairs whose query has another text (`changed`).
    `better` and `worse` count queries of which more, or fewer, trials passed the second time:
    trials of one query are one piece of evidence.  `p_value` is the chance of a difference as
    large as this one if both sides were equally likely; None if no query changed.
    """

    pass_pass: tuple[Pair, ...] = ()
    pass_fail: tuple[Pair, ...] = ()
    fail_pass: tuple[Pair, ...] = ()
    fail_fail: tuple[Pair, ...] = ()
    undecided: int = 0
    unpaired: int = 0
    changed: int = 0
    better: int = 0
    worse: int = 0
    p_value: float | None = None

    @property
    def compared(self) -> int:
        return sum(map(len, (self.pass_pass, self.pass_fail, self.fail_pass, self.fail_fail)))

    @property
    def flipped(self) -> int:
        return len(self.pass_fail) + len(self.fail_pass)


def between_runs(
    first: Iterable[TrialRow], second: Iterable[TrialRow], rules: Sequence[Rule]
) -> Flips:
    """Pair the trials of two runs by query id and number, both judged by the same rules."""
    return _flips(
        {(trial.query_id, trial.number): trial for trial in first},
        {(trial.query_id, trial.number): trial for trial in second},
        rules,
    )


def between_trials(
    trials: Iterable[TrialRow], rules: Sequence[Rule], first: int = 1, second: int = 2
) -> Flips:
    """The same for two trials of each query of one run, by their numbers."""
    numbered = list(trials)
    return _flips(
        {trial.query_id: trial for trial in numbered if trial.number == first},
        {trial.query_id: trial for trial in numbered if trial.number == second},
        rules,
    )


def _flips(
    first: Mapping[Hashable, TrialRow], second: Mapping[Hashable, TrialRow], rules: Sequence[Rule]
) -> Flips:
    cells: dict[tuple[bool, bool], list[Pair]] = {}
    undecided = changed = 0
    net: Counter[str] = Counter()
    for key, one in first.items():
        other = second.get(key)
        if other is None:
            continue
        if one.query != other.query:
            changed += 1
            continue
        before, after = passed(rules, one.scores), passed(rules, other.scores)
        if before is None or after is None:
            undecided += 1
            continue
        pair = Pair(one.query_id, one.query, one.id, other.id)
        cells.setdefault((before, after), []).append(pair)
        net[one.query_id] += after - before
    better = sum(change > 0 for change in net.values())
    worse = sum(change < 0 for change in net.values())
    return Flips(
        pass_pass=tuple(cells.get((True, True), ())),
        pass_fail=tuple(cells.get((True, False), ())),
        fail_pass=tuple(cells.get((False, True), ())),
        fail_fail=tuple(cells.get((False, False), ())),
        undecided=undecided,
        unpaired=len(first.keys() ^ second.keys()),
        changed=changed,
        better=better,
        worse=worse,
        p_value=sign_test(better, worse),
    )


def sign_test(one: int, other: int) -> float | None:
    """How likely sides as uneven as these are if each is a toss of a fair coin; None for none.

    Twice the smaller tail of the binomial distribution, 1 at most.
    """
    count, few = one + other, min(one, other)
    if not count:
        return None
    if one == other:
        return 1.0
    log_term = math.log(2) - count * math.log(2)
    log_term += math.lgamma(count + 1) - math.lgamma(few + 1) - math.lgamma(count - few + 1)
    term = total = math.exp(log_term)
    for k in range(few, 0, -1):
        term *= k / (count - k + 1)
        if term < total * 1e-17:
            break
        total += term
    return min(1.0, total)
