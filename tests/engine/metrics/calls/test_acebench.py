"""ACEBench's checker of normal cases: its decisions, defects included, and the question without."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from studio.engine.grading import grade
from studio.engine.metrics.acebench import AceBenchNormal
from tests.engine.metrics.calls.cases import acebench, acebench_value, function, outcome

LIST = {"type": "array", "items": {"type": "string"}}

# type, wanted, given: as published, corrected.
VALUES = {
    "the same text": ("string", "Los Angeles", "los angeles", 1.0, 1.0),
    "a text that holds the wanted one": ("string", "gold", "gold price", 1.0, "value_error"),
    "a text that does not": ("string", "gold", "silver", "value_error:string", "value_error"),
    "a truth value that was turned": ("boolean", True, False, 1.0, "value_error"),
    "another integer": ("integer", 5, 6, 1.0, "value_error"),
    "another float": ("float", 5.0, 6.5, 1.0, "value_error"),
    "an integer for a float": ("float", 5.0, 5, 1.0, 1.0),
    "a number is an integer": ("number", 5, 6, 1.0, "value_error"),
    "a float for a number is a variable": ("number", 5, 5.0, 1.0, 1.0),
    "another float for a number": ("number", 5, 6.5, "type_error", "value_error"),
    "an enumeration is a variable": ("enum", "red", "blue", 1.0, "value_error"),
    "a text for an integer": ("integer", 5, "5", "type_error", "type_error"),
    "true as a text": ("boolean", True, "true", 1.0, "type_error"),
    "a list in order": (LIST, ["A", "b"], ["a", "B"], 1.0, 1.0),
    "a list in another order": (
        LIST, ["a", "b"], ["b", "a"], "value_error:list/tuple", "value_error",
    ),
    "an object that holds the wanted": (
        "dict", {"x": 1}, {"x": 12}, 1.0, "value_error",
    ),
    "an object with another key": ("dict", {"x": 1}, {"y": 1}, "value_error", "value_error"),
    "an object within an object": ("dict", {"x": {"y": "a"}}, {"x": {"y": "A"}}, 1.0, 1.0),
}  # fmt: skip


@pytest.mark.parametrize("name", VALUES)
def test_a_value_is_judged_as_published_and_as_corrected(name):
    kind, wanted, value, published, corrected = VALUES[name]
    case = acebench_value(kind, wanted, value)
    assert outcome(acebench(case)) == published
    assert outcome(acebench(case, "corrected")) == corrected


F = function("f", {"a": "string", "b": "integer"}, ("a",))
BASE = {"id": "normal_single_turn_1", "function": [F], "ground_truth": {"f": {"a": "x", "b": 1}}}
CALLS = {
    "right": ([{"f": {"a": "x", "b": 1}}], 1.0, 1.0),
    "what is not required may be left out": ([{"f": {"a": "x"}}], 1.0, "lack_args"),
    "a required argument is missing": ([{"f": {"b": 1}}], "lack_args", "lack_args"),
    "one argument too many": ([{"f": {"a": "x", "c": 1}}], "addition_args", "lack_args"),
    "another function": ([{"g": {"a": "x"}}], "function_mismatch", "function_mismatch"),
    "two calls": ([{"f": {"a": "x"}}] * 2, "wrong functions number", "wrong functions number"),
    "no arguments": ([{"f": {}}], "wrong_param", "lack_args"),
    "text": ("[f(a='x', b=1)]", 1.0, 1.0),
    "text within words": ("Sure: [f(a='x', b=1)] done [g()]", 1.0, 1.0),
    "text without brackets": ("f(a='x', b=1)", "wrong_output_format", "wrong_output_format"),
    "text that is no call": ("[1, 2]", "wrong_output_format", "wrong_output_format"),
    "arguments as text": ([{"f": '{"a": "x", "b": 1}'}], 1.0, 1.0),
    "no list": (5, "wrong_output_format", "wrong_output_format"),
}  # fmt: skip


@pytest.mark.parametrize("name", CALLS)
def test_calls_are_judged_as_published_and_as_corrected(name):
    result, published, corrected = CALLS[name]
    assert outcome(acebench({**BASE, "result": result})) == published
    assert outcome(acebench({**BASE, "result": result}, "corrected")) == corrected


def test_one_of_several_answers_suffices_and_the_first_names_the_fault():
    case = {**BASE, "ground_truth": [{"f": {"a": "y"}}, {"f": {"a": "x"}}]}
    for mode in ("published", "corrected"):
        assert acebench({**case, "result": [{"f": {"a": "x"}}]}, mode).value == 1.0
        assert acebench({**case, "result": [{"f": {"a": "z"}}]}, mode).value == 0.0
    case["ground_truth"] = []
    assert acebench({**case, "result": []}).value is None


def test_published_one_call_may_stand_for_two_corrected_it_may_not():
    case = {
        "function": [F], "category": "normal_single_turn_parallel_function",
        "ground_truth": {"f_1": {"a": "x"}, "f_2": {"a": "xy"}},
        "result": [{"f": {"a": "xy"}}, {"f": {"a": "nothing of it"}}],
    }  # fmt: skip
    assert acebench(case).value == 1.0
    assert acebench(case, "corrected").value == 0.0
    case["result"] = [{"f": {"a": "xy"}}, {"f": {"a": "x"}}]
    assert acebench(case, "corrected").value == 1.0


def test_texts_must_be_equal_where_an_agent_is_tested():
    case = acebench_value("string", "gold", "gold price", category="agent_multi_step")
    assert outcome(acebench(case)) == "value_error:string"


def test_in_conversations_all_white_space_is_dropped_first():
    case = {**BASE, "id": "normal_multi_turn_user_adjust_0_0", "ground_truth": {"f": {"a": "a b"}}}
    assert acebench({**case, "result": "[ f(\n a = 'a\tb' ) ]"}).value == 1.0
    assert acebench({**case, "result": "Sure: [f(a='a b')]"}).value == 0.0


@pytest.mark.parametrize(
    ("change", "reason"),
    [
        ({"ground_truth": None}, "no ground_truth"),
        ({"function": []}, "fails on this case"),
        ({"function": [{"name": "f", "arguments": {}}]}, "fails on this case"),
        ({"function": [function("f", {"a": "colour"}, ())]}, "fails on this case"),
        ({"result": "[f(a='%s' % 5)]"}, "were not read"),
    ],
)
def test_what_cannot_be_judged_is_not_scored_with_the_reason(change, reason):
    verdict = acebench({**BASE, "result": [{"f": {"a": "x"}}], **change})
    assert verdict.value is None
    assert reason in verdict.reason
    assert acebench(BASE).reason == "the case has no result"


def test_a_trial_is_judged_by_the_functions_that_the_model_was_offered():
    general = {
        "tools": [F], "expected": {"acebench": {"ground_truth": BASE["ground_truth"]}},
        "calls": [{"name": "f", "arguments": {"a": "x", "b": 1}}],
    }  # fmt: skip
    assert grade(AceBenchNormal(), general).value == 1.0
    assert grade(AceBenchNormal(), {**general, "calls": []}).value == 0.0


ARGUMENTS = st.dictionaries(
    st.text("abc", min_size=1, max_size=3), st.text(min_size=1, max_size=8), min_size=1, max_size=4
)


@given(ARGUMENTS, st.sampled_from(["published", "corrected"]))
def test_a_perfect_call_is_always_right(given, mode):
    case = {
        "function": [function("f", dict.fromkeys(given, "string"), tuple(given))],
        "ground_truth": {"f": given}, "result": [{"f": given}],
    }  # fmt: skip
    assert acebench(case, mode).value == 1.0
