"""A trial passes by stated rules, and a score that is missing decides nothing."""

from studio.engine.analysis.passing import Rule, Tried, passed, rules, tried
from studio.engine.metrics import build
from studio.engine.records import MetricSpec, Score, Threshold

METRICS = build([MetricSpec("answer_contains"), MetricSpec("steps"), MetricSpec("exact_match")])


def scores(**values: float | None) -> list[Score]:
    return [Score(metric, "1", value) for metric, value in values.items()]


def test_without_thresholds_the_metrics_that_tell_success_decide():
    own = rules(METRICS)
    assert [rule.metric for rule in own] == ["answer_contains", "exact_match"]
    assert passed(own, scores(answer_contains=1.0, exact_match=1.0, steps=900.0)) is True
    assert passed(own, scores(answer_contains=1.0, exact_match=0.0)) is False


def test_what_was_not_scored_decides_nothing():
    own = rules(METRICS)
    assert passed(own, scores(answer_contains=1.0, exact_match=None)) is True
    assert passed(own, scores(answer_contains=None, exact_match=None)) is None
    assert passed(own, []) is None


def test_of_a_metric_that_is_better_low_a_threshold_is_the_most():
    own = rules(METRICS, [Threshold("steps", 4.0)])
    assert passed(own, scores(steps=4.0, answer_contains=0.0)) is True
    assert passed(own, scores(steps=5.0)) is False


def test_a_threshold_is_held_by_an_equal_value():
    own = rules(METRICS, [Threshold("answer_contains", 0.5)])
    assert passed(own, scores(answer_contains=0.5)) is True
    assert passed(own, scores(answer_contains=0.49)) is False


def test_a_rule_may_hold_though_the_value_is_not_all_that_it_can_be():
    own = (Rule("share", 0.5), Rule("errors", 1.0, is_most=True))
    assert tried(own, scores(share=0.5, errors=0.0)) == (
        Tried("share", holds=True, is_full=False),
        Tried("errors", holds=True, is_full=True),
    )
    assert tried(own, scores(share=None)) == ()
