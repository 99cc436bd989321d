"""Efficiency: the guide's two agents, repetitions, loops, and the step cap."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from studio.engine.metrics.efficiency import (
    CostScore,
    EfficientTrajectory,
    Loop,
    RedundantCalls,
    RepeatedCall,
    StepCap,
)
from studio.engine.outcomes import Outcome
from tests.engine.metrics.made_traces import query, trace

# The guide's agents: one called four tools, the other fifteen, eight of the calls in vain.
GOOD = [("get_diff", {}), ("check_style", {}), ("check_security", {}), ("suggest_fix", {})]
BAD = [("search", {"n": n}) for n in range(9)] + [(f"tool{n}", {}) for n in range(6)]


def value(metric, made, **expected):
    return metric.score(query(**expected), trace(made=made)).value


def test_the_agents_of_the_guide():
    published = {"mode": "published"}
    assert value(RedundantCalls(**published), GOOD) == 0
    assert value(CostScore(**published), GOOD) == 1.0
    assert value(EfficientTrajectory(**published), GOOD) == 1.0
    assert value(RedundantCalls(**published), BAD) == 8
    assert value(CostScore(**published), BAD) == 0.2, "the guide prints 0.3; its formula gives 0.2"
    assert value(EfficientTrajectory(**published), BAD) == 0.0


# The calls: in vain as published (whatever the arguments, from three on), and corrected.
COUNTS = {
    "none": ([], 0, 0),
    "twice the same": ([("a", {"x": 1})] * 2, 0, 1),
    "three times the same": ([("a", {"x": 1})] * 3, 2, 2),
    "three times with other arguments": ([("a", {"x": n}) for n in range(3)], 2, 0),
    "the same by value": ([("a", {"x": 5}), ("a", {"x": 5.0})], 0, 1),
    "true is not one": ([("a", {"x": 1}), ("a", {"x": True})], 0, 0),
    "keys in another order": ([("a", {"x": 1, "y": 2}), ("a", {"y": 2, "x": 1})], 0, 1),
}


@pytest.mark.parametrize("name", COUNTS)
def test_calls_in_vain_are_counted(name):
    made, published, corrected = COUNTS[name]
    assert value(RedundantCalls(mode="published"), made) == published
    assert value(RedundantCalls(), made) == corrected


def test_the_limit_of_the_query_goes_before_the_setting():
    made = [("a", {"x": 1})] * 3
    assert value(CostScore(), made) == 0.8
    assert value(CostScore(max_iterations=4), made) == 0.5
    assert value(CostScore(), made, more={"chain": {"max_iterations": 2}}) == 0.0
    assert value(CostScore(), made, more={"chain": {"max_iterations": 0}}) is None
    assert value(EfficientTrajectory(), made, more={"chain": 5}) is None
    assert value(EfficientTrajectory(max_iterations=2), GOOD) == 0.0


A, B = ("a", {"x": 1}), ("b", {})


def test_a_call_that_equals_the_one_before_it_repeats():
    assert value(RepeatedCall(), [A, B, A]) == 0.0
    assert value(RepeatedCall(), [B, A, A]) == 1.0
    assert value(RepeatedCall(), [A, ("a", {"x": 2})]) == 0.0
    reason = RepeatedCall().score(query(), trace(made=[B, A, A])).reason
    assert reason == "call 3 repeats a(x=1)"


def test_a_sequence_made_over_and_over_is_a_loop():
    assert value(Loop(), [A, A]) == 0.0
    assert value(Loop(), [B, A, A, A]) == 1.0
    assert value(Loop(), [A, B, A, B, A, B]) == 1.0
    assert value(Loop(longest=1), [A, B, A, B, A, B]) == 0.0
    assert value(Loop(times=2), [A, B, A, B]) == 1.0
    assert value(Loop(longest=10**12), [A, B] * 500) == 1.0, "no longer than there are calls"
    reason = Loop().score(query(), trace(made=[B, A, A, A])).reason
    assert reason == "a made 3 times in a row from call 2 on"


def test_the_step_cap_is_told():
    assert StepCap().score(query(), trace(None, outcome=Outcome.STEP_CAP)).value == 1.0
    assert value(StepCap(), []) == 0.0


@given(st.lists(st.tuples(st.sampled_from("ab"), st.dictionaries(st.just("x"), st.integers(0, 1)))))
def test_a_repetition_and_a_loop_are_calls_in_vain(made):
    in_vain = value(RedundantCalls(), made)
    assert in_vain >= value(RepeatedCall(), made)
    assert in_vain >= 2 * value(Loop(), made)
    assert value(RepeatedCall(), made) >= value(Loop(longest=1), made)
    assert in_vain <= max(0, len(made) - 1)
