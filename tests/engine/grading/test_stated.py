"""A case that does not say what was done says nothing against the agent."""

import pytest

from studio.engine.grading import grade
from studio.engine.metrics import CATALOGUE

RIGHT = {
    "exact_match": {"answers": ["B"]},
    "gaia_match": {"answers": ["B"]},
    "agentic_match": {"answers": ["B"]},
    "multiple_choice": {"answers": ["B"]},
    "answer_contains": {"contains": ["B"]},
    "answer_pattern": {"pattern": "B"},
    "number_in_answer": {"number": 5},
    "required_outputs": {"outputs": ["B"]},
    "ifeval": {"instructions": [{"id": "punctuation:no_comma"}]},
    "missed_escalation": {"escalation": True},
}
"""What each metric that asks for the answer expects of it."""
CALLS = [{"name": "f", "arguments": {"a": 1}}]


def graded(name, **case):
    return grade(CATALOGUE[name](), case)


@pytest.mark.parametrize("name", RIGHT)
def test_an_answer_that_is_not_said_is_not_a_missing_one(name):
    for case in ({"anwser": "B"}, {"calls": CALLS}, {"calls": CALLS, "anwser": "B"}, {"tools": []}):
        verdict = graded(name, expected=RIGHT[name], **case)
        assert verdict.value is None
        assert "write answer" in verdict.reason
        assert "it has expected, " in verdict.reason
        assert ("is anwser meant for answer?" in verdict.reason) == ("anwser" in case)


@pytest.mark.parametrize("name", RIGHT)
def test_an_answer_that_is_said_to_be_none_is_a_wrong_one(name):
    worst = 1.0 if name == "missed_escalation" else 0.0
    for case in ({"answer": None}, {"response": None, "calls": CALLS}, {"messages": []}):
        assert graded(name, expected=RIGHT[name], **case).value == worst


def test_an_agent_that_reached_the_step_cap_gave_no_answer():
    for right in ("expected", "gold"):
        case = {right: "B", "calls": CALLS, "outcome": "step cap"}
        assert graded("exact_match", **case).value == 0.0


@pytest.mark.parametrize("name", sorted(CATALOGUE.keys() - {"own"}))
def test_a_case_without_anything_done_is_not_scored_by_any_metric(name):
    expected = {
        "calls": CALLS,
        "answers": ["B"],
        "chain": {"required": ["f"]},
        **RIGHT.get(name, {}),
    }
    for case in ({}, {"expected": expected}, {"expected": expected, "clals": CALLS, "note": "x"}):
        assert graded(name, id="q1", **case).value is None


@pytest.mark.parametrize("name", ["tool_call_accuracy", "argument_accuracy", "redundant_calls"])
def test_calls_that_are_not_understood_are_not_missing_ones(name):
    said = {"expected": {"calls": CALLS}, "answer": "B"}
    assert graded(name, **said).value == 0.0
    assert graded(name, **said, calls=None).value == 0.0
    assert "tool_calls must be a list" in graded(name, **said, tool_calls=3).reason
    assert "is tool_callz meant for tool_calls?" in graded(name, **said, tool_callz=CALLS).reason
    assert graded("exact_match", expected="B", answer="B", tool_calls=3).value == 1.0
    for case in ({"seconds": 1.0}, {"outcome": "step cap"}, {"steps": 5}):
        assert "write calls" in graded(name, expected={"calls": CALLS}, **case).reason
        assert graded(name, expected={"calls": CALLS}, calls=None, **case).value == 0.0


def test_one_call_may_stand_without_a_list():
    for key in ("calls", "tool_calls", "actual"):
        assert graded("tool_call_accuracy", expected_calls=CALLS, **{key: CALLS[0]}).value == 1.0


def test_an_answer_may_stand_in_a_list_or_an_object():
    for answer in ("B", ["B"], {"text": "B"}, [{"text": "B"}]):
        assert graded("answer_contains", contains="B", answer=answer).value == 1.0
    assert graded("answer_contains", contains="B", answer=["B", "C"]).value is None
    assert graded("exact_match", expected=5, actual=5).value == 1.0
    assert graded("exact_match", expected="B", actual=CALLS).value is None


def test_what_took_no_time_that_is_known_took_not_none():
    assert graded("seconds", answer="B", seconds=0).value == 0.0
    assert graded("seconds", answer="B").value is None


@pytest.mark.parametrize(
    ("name", "gold"),
    [
        ("exact_match", "88.16"), ("gaia_match", 88.16), ("agentic_match", ["88.16"]),
        ("number_in_answer", 88.16), ("number_in_answer", "88.16"), ("number_in_answer", [88.16]),
        ("required_outputs", 88.16), ("required_outputs", "88.16"), ("multiple_choice", "B"),
        ("answer_contains", "gold"),
    ],
)  # fmt: skip
def test_the_right_answer_is_what_every_metric_of_answers_asks_for(name, gold):
    given = {"answer_contains": "It is gold.", "multiple_choice": "B"}.get(name, "88.16")
    for key in ("gold", "ground_truth", "reference"):
        assert graded(name, **{key: gold}, answer=given).value == 1.0
        assert graded(name, **{key: gold}, answer="Silver, 5.").value == 0.0


def test_what_is_stated_for_a_metric_counts_before_the_right_answer():
    case = {"gold": "88.16", "answer": "It is 5."}
    assert graded("number_in_answer", **case, number=5).value == 1.0
    assert graded("number_in_answer", **case, expected={"number": 5}).value == 1.0
    assert graded("answer_contains", gold="gold", contains="silver", answer="gold").value == 0.0


def test_one_of_several_right_answers_suffices_so_none_must_stand_in_the_answer():
    for name in ("answer_contains", "required_outputs", "number_in_answer"):
        assert graded(name, gold=["5", "7"], answer="5").value is None
