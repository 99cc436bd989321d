"""Whether a trial passed: one rule behind reliability, calibration and the map of failures."""

from collections.abc import Sequence

from studio.engine.metrics.base import Metric
from studio.engine.records import Record, Score, Threshold


class Rule(Record, frozen=True):
    """What one metric asks of a trial that passes.

    `at` is the least that its value may be, or (`is_most`) the most.
    """

    metric: str
    at: float
    is_most: bool = False

    def holds(self, value: float) -> bool:
        return value <= self.at if self.is_most else value >= self.at


def rules(metrics: Sequence[Metric], thresholds: Sequence[Threshold] = ()) -> tuple[Rule, ...]:
    """The rules that a trial has to hold to pass.

    The project's own thresholds; without any, every metric that tells success at its best value.
    A threshold of a metric that is not measured makes a rule that is never tried.
    """
    if thresholds:
        falls = {metric.key for metric in metrics if metric.better == "lower"}
        return tuple(Rule(each.metric, each.at, each.metric in falls) for each in thresholds)
    return tuple(
        Rule(metric.key, metric.highest)
        for metric in metrics
        if metric.tells_success and metric.highest is not None
    )


class Tried(Record, frozen=True):
    """A rule that a trial has a value for, and whether it holds.

    `is_full`: the value is all that a share can be (1; 0 where less is better), not just enough.
    """

    metric: str
    holds: bool
    is_full: bool = True


def tried(rules: Sequence[Rule], scores: Sequence[Score]) -> tuple[Tried, ...]:
    """How each rule went whose metric has a value.

    A metric without one, such as one for which the query states nothing, decides nothing.
    """
    values = {score.metric: score.value for score in scores}
    return tuple(
        Tried(rule.metric, rule.holds(value), value == (0.0 if rule.is_most else 1.0))
        for rule in rules
        if (value := values.get(rule.metric)) is not None
    )


def passed(rules: Sequence[Rule], scores: Sequence[Score]) -> bool | None:
    """Whether a trial passed by these rules; None where its scores do not tell.

    It passed if at least one rule was tried and all that were tried hold.
    """
    values = {score.metric: score.value for score in scores}
    verdict = None
    for rule in rules:
        value = values.get(rule.metric)
        if value is not None:
            if not rule.holds(value):
                return False
            verdict = True
    return verdict
