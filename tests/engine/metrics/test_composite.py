"""One figure from several: the guide's weights, what passes, and parts that are not scored."""

import math
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from studio.engine.errors import StudioError
from studio.engine.grading import grade
from studio.engine.metrics import Metric, build, check_settings
from studio.engine.metrics.composite import guides_parts
from studio.engine.records import MetricSpec
from tests.engine.metrics.made_traces import calls, query, trace

GUIDE = {
    "tool_use": {"score": 1.0},
    "trajectory": {"cost_score": 0.8},
    "multi_turn": {"memory_score": 0.5},
    "reflection": {"score": 0.5},
    "final_answer": {"score": 1.0},
}
shares = st.floats(0, 1)


def metric(name: str = "composite", **settings: Any) -> Metric:
    return build([MetricSpec(name, settings)])[0]


def test_the_guides_weights_are_the_default_and_sum_to_one():
    assert guides_parts() == {
        "tool_use_correctness": 0.25, "cost_score": 0.2, "memory_score": 0.2,
        "reflection_score": 0.15, "agentic_match": 0.2,
    }  # fmt: skip
    assert sum(0.0 if not isinstance(w, float) else w for w in guides_parts().values()) == 1.0
    verdict = grade(metric(), {"evaluations": GUIDE})
    assert verdict.value == pytest.approx(0.25 + 0.16 + 0.1 + 0.075 + 0.2)
    assert verdict.evidence["passed"] is True
    assert grade(metric("composite_passed"), {"evaluations": GUIDE}).value == 1


def test_a_count_is_no_part_but_the_published_sum_takes_it():
    counted = {**GUIDE, "multi_turn": {"memory_score": 2}}
    verdict = grade(metric(), {"evaluations": counted})
    assert verdict.value is None
    assert "2 is no share" in verdict.reason
    published = grade(metric(mode="published"), {"evaluations": counted})
    assert published.value == round(0.25 + 0.16 + 0.4 + 0.075 + 0.2, 3)


def test_published_figures_have_three_digits_and_pass_unrounded():
    scores = dict(zip(guides_parts(), (0.6996, 0.6996, 0.6996, 0.6996, 0.6996), strict=True))
    verdict = grade(metric(mode="published"), {"scores": scores})
    assert (verdict.value, verdict.evidence["passed"]) == (0.7, False)
    assert grade(metric(), {"scores": scores}).value == pytest.approx(0.6996)


def test_seven_tenths_pass_whatever_rounding_left_of_them():
    parts = {"answer_contains": 0.1, "exact_match": 0.6, "agentic_match": 0.3}
    scores = {"answer_contains": 1, "exact_match": 1, "agentic_match": 0}
    # 0.1 + 0.6 is 0.7 less a rounding error.
    assert grade(metric("composite_passed", parts=parts), {"scores": scores}).value == 1


def test_a_part_that_is_not_scored_is_left_out_only_where_that_is_asked_for():
    scores = {**dict.fromkeys(guides_parts(), 1.0), "memory_score": None}
    verdict = grade(metric(), {"scores": scores})
    assert verdict.value is None
    assert verdict.reason.startswith("1 of 5 parts not scored (unscored: reweigh leaves them")
    assert "memory_score: no number is stated" in verdict.reason
    verdict = grade(metric(unscored="reweigh"), {"scores": scores})
    assert verdict.value == 1.0
    assert verdict.reason.startswith("passed: on 4 of 5 parts: ")
    assert "re-weighted without memory_score" in verdict.reason
    assert verdict.evidence["stands_on"] == "4 of 5 parts"
    nothing = grade(metric(unscored="reweigh"), {"scores": {}})
    assert nothing.value is None
    assert nothing.reason.startswith("none of the 5 parts is scored: ")


def test_weights_of_the_parts_that_are_scored_are_taken_to_sum_to_one_again():
    parts = {"exact_match": 0.5, "agentic_match": 0.3, "memory_score": 0.2}
    scores = {"exact_match": 1, "agentic_match": 0}
    for mode in ("corrected", "published"):
        verdict = grade(metric(parts=parts, unscored="reweigh", mode=mode), {"scores": scores})
        assert verdict.value == pytest.approx(0.5 / 0.8)


def test_the_default_stands_on_what_a_trial_of_one_turn_can_be_asked():
    case = {
        "gold": "88.16", "expected_tools": ["get_price"], "answer": "Gold costs 88.16 USD.",
        "calls": [{"name": "get_price", "arguments": {"metal": "gold"}, "result": "88.16"}],
    }  # fmt: skip
    assert grade(metric(), case).value is None
    verdict = grade(metric(unscored="reweigh"), case)
    assert (verdict.value, verdict.evidence["stands_on"]) == (1.0, "3 of 5 parts")


@pytest.mark.parametrize(
    "stated",
    [
        {"gold": "88.16"}, {"gold": 88.16}, {"answers": ["5", "88.16"]}, {"expected": "88.16"},
        {"expected": ["5", "88.16"]}, {"ground_truth": {"text": ["88.16"]}},
    ],
)  # fmt: skip
def test_a_part_reads_the_right_answer_of_a_case_as_it_does_alone(stated):
    for name in ("agentic_match", "exact_match", "gaia_match"):
        for answer, wanted in (("88.16", 1.0), ("7", 0.0)):
            case = {**stated, "answer": answer}
            assert grade(metric(name), case).value == wanted
            assert grade(metric(parts={name: 1.0}), case).value == wanted


def test_the_parts_of_a_trial_are_the_metrics_themselves():
    parts = {
        "agentic_match": 1.0,
        "calls": {"metric": "tool_call_accuracy", "weight": 2, "settings": {"ignore_case": True}},
        "repeated_call": 1.0,
    }
    wanted = query(answers=("5",), calls=calls(("a", {"x": "Y"}), ("b", {})))
    done = trace("It is 5.", made=[("a", {"x": "y"})])
    score = metric(parts=parts).score(wanted, done)
    # Nothing was repeated: of that, less is better.
    assert score.value == pytest.approx((1 + 2 * 0.5 + 1) / 4)
    assert score.version == "1/1.1.1"
    assert metric(parts=parts).label == "Composite (parts agentic_match, calls, repeated_call)"
    assert score.evidence["parts"] == {"agentic_match": 1.0, "calls": 0.5, "repeated_call": 1.0}
    assert metric(parts=parts) == metric(parts=parts)
    assert hash(metric(parts=parts)) == hash(metric(parts=parts))


def test_a_part_below_its_own_threshold_fails_the_whole():
    parts = {"exact_match": {"weight": 0.1, "at_least": 1.0}, "agentic_match": 0.9}
    scores = {"exact_match": 0, "agentic_match": 1}
    verdict = grade(metric(parts=parts), {"scores": scores})
    assert verdict.value == pytest.approx(0.9)
    assert "too low: exact_match" in verdict.reason
    assert grade(metric("composite_passed", parts=parts), {"scores": scores}).value == 0


@pytest.mark.parametrize(
    ("parts", "problem"),
    [
        ({}, "needs parts"),
        ({"steps": 1.0}, "Steps cannot be part"),
        ({"stated_confidence": 1.0}, "cannot be part"),
        ({"composite": 1.0}, "cannot be part"),
        ({"own": {"weight": 1, "settings": {"function": "mine"}}}, "cannot be part"),
        ({"exact_mach": 1.0}, "Did you mean 'exact_match'"),
        ({"exact_match": {"weight": 1, "settings": {"mod": 1}}}, "has no setting 'mod'"),
        ({"exact_match": 0}, "A value in it must be a number > 0"),
        ({"exact_match": math.inf}, "A value in it must be a number <= 1000000"),
        ({"exact_match": {"wait": 1}}, "A value in it cannot have 'wait'"),
        ('{"exact_match": 1,}', 'names with values: {"name": value}'),
        (5, "names with values"),
    ],
)
def test_parts_that_cannot_be_are_named_before_anything_is_scored(parts, problem):
    spec = MetricSpec("composite", {"parts": parts})
    assert problem in (check_settings(spec) or "")
    with pytest.raises(StudioError):
        build([spec])


@pytest.mark.parametrize("scores", [None, 5, [], {"tool_use": "1"}, {"tool_use": float("nan")}])
def test_scores_that_cannot_be_read_are_not_scored(scores):
    verdict = grade(metric(), {"scores": scores})
    assert verdict.value is None
    assert verdict.reason


@given(st.dictionaries(st.sampled_from(list(guides_parts())), shares | st.none()))
def test_the_whole_lies_between_its_worst_and_its_best_part(scores):
    scored = [value for value in scores.values() if value is not None]
    verdict = grade(metric(unscored="reweigh"), {"scores": scores})
    assert (verdict.value is None) == (not scored)
    if verdict.value is not None:
        assert min(scored) - 1e-9 <= verdict.value <= max(scored) + 1e-9
        passed = grade(metric("composite_passed", unscored="reweigh"), {"scores": scores})
        assert passed.value == (verdict.value >= 0.7 - 1e-9)
