"""Call match: the course module's grader of one call, on its own cases and beyond."""

import pytest

from studio.engine.grading import grade
from studio.engine.metrics.call_match import CallMatch
from tests.engine.metrics.made_traces import calls, query, trace

SCHEMA = {
    "type": "object", "required": ["city"],
    "properties": {"city": {"type": "string"}, "unit": {"type": "string"}},
}  # fmt: skip
WANTED = {
    "name": "get_weather",
    "args": {"city": ["New York, NY", "NYC"], "unit": ["fahrenheit", "F", ""]},
}


def made(name="get_weather", **arguments):
    return {"name": name, "args": arguments}


COURSE = {
    "exact": (made(city="New York, NY", unit="fahrenheit"), 1.0, ""),
    "normalized": (made(city="new york ny"), 1.0, ""),
    "wrong tool": (made("get_forecast", city="NYC"), 0.0, "called get_forecast"),
    "missing city": (made(unit="F"), 0.0, "city is missing"),
    "hallucinated": (made(city="NYC", priority="high"), 0.0, "priority is not documented"),
    "wrong type": (made(city=10001), 0.0, "of the wrong type"),
    "invented value": (made(city="Boston"), 0.0, 'city is "Boston"'),
}


@pytest.mark.parametrize("mode", ["published", "corrected"])
@pytest.mark.parametrize("name", COURSE)
def test_the_cases_of_the_course(name, mode):
    actual, value, reason = COURSE[name]
    case = {"actual": actual, "expected": WANTED, "schema": SCHEMA}
    verdict = grade(CallMatch(mode=mode), case)
    assert verdict.value == value
    assert reason in verdict.reason


@pytest.mark.parametrize("mode", ["published", "corrected"])
def test_where_no_call_is_wanted_none_is_right(mode):
    metric = CallMatch(mode=mode)
    assert grade(metric, {"actual": None, "expected": None}).value == 1.0
    assert grade(metric, {"actual": made(city="NYC"), "expected": None}).value == 0.0
    assert grade(metric, {"actual": None, "expected": WANTED}).value == 0.0


# type, acceptable, value: published, corrected.
APART = {
    "3.0 as an integer": ("integer", 3, 3.0, 0.0, 1.0),
    "letters that ASCII lacks": ("string", "東京", "北京", 1.0, 0.0),
    "true within a list": ("array", [1], [True], 1.0, 0.0),
    "large integers": ("integer", 2**53, 2**53 + 1, 1.0, 0.0),
    "a type that is unknown": ("colour", "red", "red", None, 1.0),
    "accents": ("string", "Zürich", "zurich", 1.0, 1.0),
    "blanks of any kind": ("string", "a b", "a\tb\n", 1.0, 1.0),
    "5 and 5.0": ("number", 5, 5.0, 1.0, 1.0),
    "true as a number": ("number", 1, True, 0.0, 0.0),
    "objects at any depth": ("object", {"a": {"b": ["X y"]}}, {"a": {"b": ["xy"]}}, 1.0, 1.0),
}


@pytest.mark.parametrize("name", APART)
def test_where_the_modes_differ_and_where_not(name):
    kind, acceptable, value, published, corrected = APART[name]
    case = {
        "actual": made("f", a=value), "expected": {"name": "f", "args": {"a": [acceptable]}},
        "schema": {"properties": {"a": {"type": kind}}},
    }  # fmt: skip
    assert grade(CallMatch(mode="published"), case).value == published
    assert grade(CallMatch(), case).value == corrected


@pytest.mark.parametrize(
    "case",
    [
        {"actual": made(city="NYC")},
        {"actual": made(city="NYC"), "expected": WANTED},
        {"actual": 5, "expected": WANTED, "schema": SCHEMA},
        {"actual": made(city="NYC"), "expected": {"name": "get_weather"}, "schema": SCHEMA},
        {"actual": {"name": "get_weather", "args": 5}, "expected": WANTED, "schema": SCHEMA},
    ],
)
def test_what_cannot_be_judged_is_not_scored_with_a_reason(case):
    for mode in ("published", "corrected"):
        verdict = grade(CallMatch(mode=mode), case)
        assert verdict.value is None
        assert verdict.reason


def test_a_trial_is_held_against_the_one_call_of_its_query():
    a = ("f", {"x": 1})
    general = {"tools": [{"name": "f", "parameters": {"properties": {"x": {"type": "integer"}}}}]}
    stated = {"expected": {"calls": [{"name": "f", "arguments": {"x": 1}}]}}
    called = {"calls": [{"name": "f", "arguments": {"x": 1}}]}
    assert grade(CallMatch(), {**general, **stated, **called}).value == 1.0
    assert CallMatch().score(query(calls=()), trace(made=[a])).value == 0.0
    assert CallMatch().score(query(calls=()), trace()).value == 1.0
    assert CallMatch().score(query(calls=calls(a, a)), trace(made=[a])).value is None
    assert CallMatch().score(query(), trace(made=[a])).value is None
    assert CallMatch().score(query(calls=calls(a)), trace(made=[a, a])).value == 0.0


@pytest.mark.parametrize(
    ("city", "acceptable", "value"),
    [
        ("NYC", "NYC", 1.0),  # one value, without a list around it
        ("N", "NYC", 0.0),
        ("", "", 1.0),
        ("", [""], 1.0),
        ("NYC", [""], 0.0),
        ("", ["NYC", ""], 0.0),
    ],
)
def test_a_value_alone_and_an_empty_text_are_acceptable_values(city, acceptable, value):
    expected = {"name": "get_weather", "args": {"city": acceptable}}
    case = {"actual": made(city=city), "expected": expected, "schema": SCHEMA}
    assert grade(CallMatch(), case).value == value


def test_an_expected_empty_text_is_the_value_that_is_wanted():
    tools = {"tools": [{"name": "f", "parameters": {"properties": {"x": {"type": "string"}}}}]}
    stated = {"expected": {"calls": [{"name": "f", "arguments": {"x": ""}}]}}
    for text, value in (("", 1.0), ("a", 0.0)):
        called = {"calls": [{"name": "f", "arguments": {"x": text}}]}
        assert grade(CallMatch(), {**tools, **stated, **called}).value == value


@pytest.mark.parametrize(
    ("case", "reason"),
    [
        ({"actual": {"args": {}}, "expected": WANTED, "schema": SCHEMA}, "'name' is missing"),
        ({"actual": made(), "expected": {"name": "get_weather"}, "schema": SCHEMA}, "'args' is"),
        ({"actual": [], "expected": WANTED, "schema": SCHEMA}, "of another kind"),
    ],
)
def test_what_cannot_be_read_is_said_in_words_and_in_the_evidence_for_programs(case, reason):
    verdict = grade(CallMatch(), case)
    assert reason in verdict.reason
    assert "Error" not in verdict.reason
    assert "Error" in verdict.evidence["error"]
