"""RAGAS' ToolCallF1: what ragas 0.4.3 gives, and what the corrected mode gives instead."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from studio.engine.grading import grade
from studio.engine.metrics.ragas_f1 import RagasToolCallF1
from tests.engine.metrics.made_traces import calls, query, trace

PUBLISHED, CORRECTED = RagasToolCallF1(mode="published"), RagasToolCallF1()
A, B, C = ("a", {"x": 1}), ("b", {"y": [1, {"z": 2}]}), ("c", {})

# The calls made, those expected: as published, corrected.
CASES = {
    "the same": ([A, B], [A, B], 1.0, 1.0),
    "in another order": ([B, A], [A, B], 1.0, 1.0),
    "one more": ([A, B], [A], 0.6667, 2 / 3),
    "one fewer": ([A], [A, B], 0.6667, 2 / 3),
    "one of three": ([A, B, C], [C], 0.5, 0.5),
    "none of them": ([A], [B], 0.0, 0.0),
    "one argument wrong": ([("a", {"x": 2})], [A], 0.0, 0.0),
    "one argument more": ([("a", {"x": 1, "y": 2})], [A], 0.0, 0.0),
    "a call repeated": ([A, A], [A], 1.0, 2 / 3),
    "true for one": ([("a", {"x": True})], [A], 1.0, 0.0),
    "5.0 for 5": ([("a", {"x": 1.0})], [A], 1.0, 1.0),
    "keys in another order": (
        [("a", {"x": {"p": 1, "q": 2}})], [("a", {"x": {"q": 2, "p": 1}})], 1.0, 1.0,
    ),
    "a list in another order": ([("a", {"x": [1, 2]})], [("a", {"x": [2, 1]})], 0.0, 0.0),
    "none made, none expected": ([], [], 0.0, 1.0),
    "none expected": ([A], [], 0.0, 0.0),
    "none made": ([], [A], 0.0, 0.0),
}  # fmt: skip


@pytest.mark.parametrize("name", CASES)
def test_calls_are_right_or_wrong_as_a_whole(name):
    made, expected, published, corrected = CASES[name]
    asked, done = query(calls=calls(*expected)), trace(made=made)
    assert PUBLISHED.score(asked, done).value == published
    assert CORRECTED.score(asked, done).value == corrected
    case = {
        "user_input": [{"type": "ai", "tool_calls": [{"name": n, "args": a} for n, a in made]}],
        "reference_tool_calls": [{"name": n, "args": a} for n, a in expected],
    }
    assert grade(PUBLISHED, case).value == published
    assert grade(CORRECTED, case).value == corrected


def test_what_cannot_be_said_is_not_scored():
    assert CORRECTED.score(query(), trace(made=[A])).value is None
    many = [A] * 1_001
    assert "can be paired" in CORRECTED.score(query(calls=calls(A)), trace(made=many)).reason
    assert PUBLISHED.score(query(calls=calls(A)), trace(made=many)).value == 1.0


CALLS = st.lists(st.tuples(st.sampled_from("ab"), st.dictionaries(st.just("x"), st.integers(0, 1))))


@given(CALLS, CALLS)
def test_it_is_symmetric_and_one_only_for_the_same_calls(made, expected):
    for metric in (PUBLISHED, CORRECTED):
        value = metric.compared(made, expected).value
        assert value == metric.compared(expected, made).value
    same = sorted(map(repr, made)) == sorted(map(repr, expected))
    assert (CORRECTED.compared(made, expected).value == 1.0) == same
