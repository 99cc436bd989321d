"""How far figures of the same kind lie apart: rounds of trials, or variants that were tried."""

import math
from collections.abc import Iterable, Sequence

from studio.engine.analysis.passing import Rule, passed
from studio.engine.records import Record
from studio.engine.store.rows import TrialRow


class Spread(Record, frozen=True):
    """Mean, standard deviation and coefficient of variation, as AgentArch's table 3 has them.

    `deviation` is that of a sample (n - 1), None below two values; `variation` is the deviation as
    a share of the mean, None where there is no deviation or the mean is not above 0.
    """

    count: int
    mean: float | None = None
    deviation: float | None = None

    @property
    def variation(self) -> float | None:
        if self.deviation is None or self.mean is None or self.mean <= 0:
            return None
        return self.deviation / self.mean


def spread(values: Sequence[float]) -> Spread:
    """The spread of the values."""
    count = len(values)
    if not count:
        return Spread(0)
    mean = math.fsum(values) / count
    if count < 2:
        return Spread(count, mean)
    squares = math.fsum((value - mean) ** 2 for value in values)
    return Spread(count, mean, math.sqrt(squares / (count - 1)))


def rounds(trials: Iterable[TrialRow], rules: Sequence[Rule]) -> Spread:
    """The spread of the pass rates of the rounds: the first trials of all queries, the second ...

    What is repeated with nothing changed differs by noise alone.
    """
    verdicts: dict[int, list[bool]] = {}
    for trial in trials:
        is_passed = passed(rules, trial.scores)
        if is_passed is not None:
            verdicts.setdefault(trial.number, []).append(is_passed)
    return spread([sum(each) / len(each) for each in verdicts.values()])
