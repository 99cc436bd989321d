"""Arguments: valid by their schema, and right one by one; and how values are compared."""

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from studio.engine import json_schema
from studio.engine.grading import grade
from studio.engine.metrics.argument_check import ArgumentAccuracy, ArgumentsValid
from studio.engine.metrics.arguments import difference, same_value, shown
from studio.engine.metrics.chain import ToolUseCorrectness
from studio.engine.records import ToolSpec
from studio.engine.tools.arguments import ArgumentCheck
from tests.engine.metrics.made_traces import calls, query, trace

SCHEMA = {
    "type": "object", "required": ["city"],
    "properties": {"city": {"type": "string"}, "days": {"type": "integer"}},
}  # fmt: skip


def valid(arguments, schema=SCHEMA):
    case = {
        "tools": [{"name": "f", "parameters": schema}],
        "calls": [{"name": "f", "arguments": arguments}],
    }
    return grade(ArgumentsValid(), case)


def test_arguments_are_held_against_their_schema():
    assert valid({"city": "Oslo", "days": 3}).value == 1.0
    assert valid({"city": "Oslo", "days": 3.0}).value == 1.0
    assert "days" in valid({"city": "Oslo", "days": "3"}).reason
    assert "'city' is a required property" in valid({}).reason
    assert valid({"city": "Oslo", "days": True}).value == 0.0


@pytest.mark.parametrize("schema", [{"type": "strnig"}, {"required": 5}, {"properties": {"a": 7}}])
def test_a_schema_that_is_none_says_nothing_of_the_arguments(schema):
    found = valid({"a": 1}, schema)
    assert found.value is None
    assert found.reason.startswith("the schema of f cannot be followed")
    case = {
        "expected": {"calls": ["f"]},
        "tools": [{"name": "f", "parameters": schema}],
        "calls": [{"name": "f", "arguments": {"a": 1}}],
    }
    assert grade(ToolUseCorrectness(), case).value is None
    missing = {**case, "expected": {"calls": ["f", "g"]}}
    assert grade(ToolUseCorrectness(), missing).value == 0.0


def test_the_names_of_bfcl_for_types_are_understood():
    schema = {"type": "dict", "properties": {"a": {"type": "float"}, "b": {"type": "tuple"}}}
    assert valid({"a": 1.5, "b": [1]}, schema).value == 1.0
    assert valid({"a": "x"}, schema).value == 0.0


@pytest.mark.parametrize(
    "schema",
    [
        {"type": "colour"}, {"$ref": "#/nowhere"}, {"$ref": "https://example.org/x"},
        {"properties": [1]}, {"required": 5}, {"properties": {"city": {"pattern": "("}}},
        {"properties": {"city": {"pattern": "(a+)+$"}}}, {"allOf": 5}, {"$ref": "#"},
    ],
)  # fmt: skip
def test_a_schema_that_cannot_be_followed_has_a_verdict_all_the_same(schema):
    verdict = valid({"city": "a" * 60 + "!"}, schema)
    assert verdict.value in (None, 0.0, 1.0)
    assert verdict.reason


LONG = "a" * 60 + "!"


@pytest.mark.parametrize("pattern", ["(", "(a|aa)+$"])
@pytest.mark.parametrize("made", [{"city": LONG}, {LONG: "Oslo"}], ids=["value", "name"])
def test_a_pattern_that_cannot_be_searched_is_no_fault_of_the_arguments(monkeypatch, pattern, made):
    monkeypatch.setattr(json_schema, "_LIMIT", 0.05)
    verdict = valid(made, patterned(pattern, made))
    assert (verdict.value, verdict.reason) == (None, "the schema of f cannot be followed")


@pytest.mark.parametrize("made", [{"city": LONG}, {LONG: "Oslo"}], ids=["value", "name"])
def test_a_tool_whose_pattern_searches_for_ever_says_so_to_who_calls_it(monkeypatch, made):
    monkeypatch.setattr(json_schema, "_LIMIT", 0.05)
    tool = ToolSpec(name="f", description="", parameters=patterned("(a|aa)+$", made))
    assert "schema cannot be followed: the pattern" in ArgumentCheck(tool).problems(made)


def patterned(pattern, made):
    """A schema that holds the value of `city`, or else the names, against the pattern."""
    if "city" in made:
        return {"type": "object", "properties": {"city": {"pattern": pattern}}}
    return {"type": "object", "patternProperties": {pattern: {"type": "string"}}}


def test_calls_of_tools_that_nobody_offered_are_invalid():
    case = {"tools": [{"name": "f"}], "calls": [{"name": "g"}, {"name": "f"}]}
    verdict = grade(ArgumentsValid(), case)
    assert verdict.value == 0.5
    assert verdict.evidence == {"call 1": "there is no tool g"}
    assert grade(ArgumentsValid(), {"tools": [{"name": "f"}]}).value is None
    assert grade(ArgumentsValid(), {"calls": [{"name": "f"}]}).value is None


def accuracy(made, wanted, **settings):
    return ArgumentAccuracy(**settings).score(query(calls=calls(*wanted)), trace(made=made)).value


def test_arguments_count_one_by_one():
    wanted = [("f", {"a": 1, "b": "x"}), ("g", {"c": 3})]
    assert accuracy(wanted, wanted) == 1.0
    assert accuracy(wanted[:1], wanted) == pytest.approx(2 / 3)
    assert accuracy([("f", {"a": 1.0, "b": "X"})], wanted[:1]) == 0.5
    assert accuracy([("f", {"a": 1, "b": "X"})], wanted[:1], ignore_case=True) == 1.0
    assert accuracy([("f", {"a": 1, "z": 0})], wanted[:1], of="made") == 0.5
    assert accuracy([("f", {"a": 1})], wanted[:1], of="both") == pytest.approx(2 / 3)
    assert accuracy([], [("f", {})]) is None
    assert accuracy([("f", {})] * 1_001, wanted) is None


def test_each_expected_call_is_paired_with_the_best_of_its_name():
    made = [("f", {"a": 2, "b": 2}), ("f", {"a": 1, "b": 1})]
    assert accuracy(made, [("f", {"a": 1, "b": 1}), ("f", {"a": 2, "b": 2})]) == 1.0


SAME = [
    (5, 5.0),
    ("é", "é"),
    ([1, {"a": None}], [1.0, {"a": None}]),
    ({"a": 1, "b": 2}, {"b": 2, "a": 1}),
    ((1,), [1]),
]
OTHER = [
    (1, True),
    (0, False),
    ("5", 5),
    (None, 0),
    ({"a": None}, {}),
    ([1, 2], [2, 1]),
    ("a", "A"),
    ("a", ["a"]),
    ({}, []),
    (2**53, 2**53 + 1),
]


@pytest.mark.parametrize(("one", "other"), SAME)
def test_what_is_the_same(one, other):
    assert same_value(one, other)
    assert same_value(other, one)


@pytest.mark.parametrize(("one", "other"), OTHER)
def test_what_is_not_the_same(one, other):
    assert not same_value(one, other)
    assert not same_value(other, one)


def test_case_may_be_ignored_at_any_depth():
    assert same_value({"a": ["Gold"]}, {"a": ["gold"]}, ignore_case=True)
    assert not same_value({"A": 1}, {"a": 1}, ignore_case=True)


def test_deep_values_are_compared_without_recursion():
    def nested(inner):
        for _ in range(50_000):
            inner = [inner]
        return inner

    assert same_value(nested(1), nested(1.0))
    assert not same_value(nested(1), nested(2))


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(max_size=5),
    lambda inner: (
        st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=3), inner, max_size=3)
    ),
    max_leaves=8,
)


@given(JSON, JSON)
def test_being_the_same_is_symmetric_and_holds_of_itself(one, other):
    assert same_value(one, one)
    assert same_value(one, other) == same_value(other, one)
    assert not same_value(one, other) or same_value(one, other, ignore_case=True)


@given(
    st.dictionaries(st.text(max_size=3), JSON, max_size=3),
    st.dictionaries(st.text(max_size=3), JSON, max_size=3),
)
def test_there_is_a_difference_exactly_where_values_are_not_the_same(expected, made):
    assert (difference(expected, made) == "") == same_value(expected, made)


def test_values_are_shown_short_whatever_they_are():
    assert shown("x" * 100) == '"' + "x" * 58 + "…"
    for odd in (math.nan, 10**5000, {1: 2}, "\ud800", object()):
        assert 0 < len(shown(odd)) <= 60
