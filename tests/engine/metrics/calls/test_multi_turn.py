"""BFCL's checks of conversations: states and responses that were recorded."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from studio.engine.grading import grade
from studio.engine.metrics.multi_turn import MultiTurn
from tests.engine.metrics.calls.cases import outcome
from tests.engine.metrics.made_traces import query, trace


def judged(*turns, mode="published", **more):
    metric = MultiTurn(mode=mode, **more.pop("settings", {}))
    return metric.verdict_on({"turns": list(turns), **more})


def turn(results, expected, **more):
    return {"results": results, "expected_results": expected, **more}


MISMATCH = "multi_turn:execution_response_mismatch"
STATE = "multi_turn:instance_state_mismatch"


def test_the_gold_results_are_among_those_so_far():
    assert outcome(judged(turn(["a", "b"], ["b"]), turn(["c"], ["a", "c"]))) == 1.0
    assert outcome(judged(turn(["a"], ["a", "a"]))) == MISMATCH
    assert outcome(judged(turn(["a"], ["b"]), turn(["b"], ["b"]))) == MISMATCH
    assert judged(turn(["a"], ["a"]), turn(["b"], ["c"])).evidence["turn"] == 2


def test_results_may_be_written_step_by_step():
    assert outcome(judged(turn([["a"], ["b", "c"]], ["c"]))) == 1.0


def test_a_turn_without_gold_calls_is_not_checked_but_its_results_count():
    assert outcome(judged(turn(["a"], []), turn(["b"], ["a"]))) == 1.0


def test_a_turn_that_needs_a_call_must_have_one():
    for calls in ([], [[]], [[], []]):
        missed = turn([], ["a"], calls=calls)
        assert outcome(judged(missed)) == "multi_turn:empty_turn_model_response"


def test_a_conversation_of_another_length_was_ended():
    assert outcome(judged(turn(["a"], ["a"]), expected_turns=2)) == "multi_turn:force_terminated"


def state(made, gold, mode="published"):
    return outcome(judged(turn(["a"], ["a"], state=made, expected_state=gold), mode=mode))


def test_public_attributes_of_every_class_are_compared():
    gold = {"Files": {"root": {"a": 1}, "_private": 1}}
    assert state({"Files": {"root": {"a": 1}, "_private": 2}}, gold) == 1.0
    assert state({"Files": {"root": {"a": 2}}}, gold) == STATE
    assert state({"Files": {}}, gold) == STATE
    assert state({}, gold) == STATE


def test_published_what_only_the_model_has_and_true_for_one_are_overlooked():
    gold = {"Files": {"root": 1}}
    more, true = {"Files": {"root": 1, "junk": 5}}, {"Files": {"root": True}}
    assert (state(more, gold), state(true, gold)) == (1.0, 1.0)
    assert (state(more, gold, "corrected"), state(true, gold, "corrected")) == (STATE, STATE)


def test_one_of_the_two_checks_can_be_asked_for():
    both = turn(["b"], ["a"], state={"F": {"x": 2}}, expected_state={"F": {"x": 1}})
    assert outcome(judged(both, settings={"checks": "state"})) == STATE
    assert outcome(judged(both, settings={"checks": "response"})) == MISMATCH


@pytest.mark.parametrize(
    "case",
    [
        {"turns": []}, {"turns": 5}, {"turns": [5]}, {"turns": [{"results": ["a"]}]},
        {"turns": [turn("a", ["a"])]}, {"turns": [turn(["a"], ["a"], state=5)]},
        {"turns": [turn(["a"], ["a"], expected_state={"F": {}})]},
        {"turns": [turn(["a"] * 2_001, ["a"])]},
    ],
)  # fmt: skip
def test_what_cannot_be_judged_is_not_scored_with_a_reason(case):
    for mode in ("published", "corrected"):
        verdict = grade(MultiTurn(mode=mode), case)
        assert verdict.value is None
        assert verdict.reason


def test_a_trial_has_results_and_no_state():
    done = trace(made=[("f", {})])
    assert MultiTurn().score(query(more={"results": ["ok"]}), done).value == 1.0
    assert MultiTurn().score(query(more={"results": ["no"]}), done).value == 0.0
    assert MultiTurn(checks="state").score(query(more={"results": ["ok"]}), done).value is None
    assert MultiTurn().score(query(), done).value is None


RESULTS = st.lists(st.sampled_from(["a", "b", "c"]), max_size=4)


@given(st.lists(RESULTS, min_size=1, max_size=4), st.randoms(use_true_random=False))
def test_a_gold_run_is_right_in_any_order_within_its_turns(turns, random):
    made = [turn(random.sample(results, len(results)), results) for results in turns]
    assert judged(*made).value == 1.0
    lacking = [turn(results[1:], results) for results in turns]
    if any(results for results in turns):
        assert judged(*lacking).value == 0.0
