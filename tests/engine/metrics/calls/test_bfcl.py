"""BFCL's AST match: decisions that were measured with its own checker, and those it is freed of."""

import pytest

from tests.engine.metrics.calls.cases import bfcl, bfcl_value, function, outcome

SIMPLE = "simple_function_checker"
LIST = {"type": "array", "items": {"type": "string"}}
NUMBERS = {"type": "array", "items": {"type": "integer"}}
OBJECTS = {"type": "array", "items": {"type": "dict"}}
TUPLE = {"type": "tuple", "items": {"type": "integer"}}

# type, acceptable values, value given: what the published checker says, what the corrected mode.
VALUES = {
    "blanks and marks do not count": ("string", ["New York, NY"], "new york ny", 1.0, 1.0),
    "a tab does, published": ("string", ["New York"], "new\tyork", "value_error:string", 1.0),
    "another word": ("string", ["NYC"], "LA", "value_error:string", "value_error:others"),
    "a quote is a quote": ("string", ["'a'"], '"A"', 1.0, 1.0),
    "5.0 is no integer": ("integer", [5], 5.0, "type_error:simple", 1.0),
    "a text is no integer": ("integer", [5], "5", "type_error:simple", "type_error:simple"),
    "a truth value is no integer": ("integer", [1], True, "type_error:simple", "type_error:simple"),
    "1 is not true": ("boolean", [True], 1, "type_error:simple", "type_error:simple"),
    "a text is not true": ("boolean", [True], "true", "type_error:simple", "type_error:simple"),
    "an integer may stand for a float": ("float", [5], 5, 1.0, 1.0),
    "another integer": ("integer", [5], 6, "value_error:others", "value_error:others"),
    "a variable": ("integer", ["v"], "v", 1.0, 1.0),
    "variables have a case": ("integer", ["v"], "V", "value_error:others", "type_error:simple"),
    "null where null is acceptable": ("string", [None], None, 1.0, 1.0),
    "an empty text for what may be left out": ("integer", [5, ""], "", "type_error:simple", 1.0),
    "a list in order": (LIST, [["A b", "c"]], ["ab", "C"], 1.0, 1.0),
    "a list in another order": (
        LIST, [["a", "b"]], ["b", "a"], "value_error:list/tuple", "value_error:others",
    ),
    "a list of another type": (
        NUMBERS, [[1, 2]], ["1", "2"], "type_error:nested", "type_error:simple",
    ),
    "an empty list fits any items": (
        NUMBERS, [[1]], [], "value_error:list/tuple", "value_error:others",
    ),
    "a list for a tuple": (TUPLE, [[1, 2]], [1, 2], 1.0, 1.0),
    "an object": ("dict", [{"x": [1], "y": ["a", ""]}], {"x": 1}, 1.0, 1.0),
    "an object with another key": (
        "dict", [{"x": [1]}], {"x": 1, "z": 2}, "value_error:dict_key", "value_error:others",
    ),
    "an object with another value": (
        "dict", [{"x": [1]}], {"x": 2}, "value_error:dict_value", "value_error:others",
    ),
    "an object that lacks a key": (
        "dict", [{"x": [1], "y": [2]}], {"x": 1}, "value_error:dict_key", "value_error:others",
    ),
    "a list of objects": (OBJECTS, [[{"x": ["A"]}, {"x": [2]}]], [{"x": "a"}, {"x": 2}], 1.0, 1.0),
    "objects in another order": (
        OBJECTS, [[{"x": [1]}, {"x": [2]}]], [{"x": 2}, {"x": 1}],
        "value_error:dict_value", "value_error:others",
    ),
    "a list of too few objects": (
        OBJECTS, [[{"x": [1]}, {"x": [2]}]], [{"x": 1}],
        "value_error:list_dict_count", "value_error:others",
    ),
    "true within a list": (
        {"type": "array", "items": {"type": "boolean"}}, [[1]], [True], 1.0, "value_error:others",
    ),
    "texts deep in a list": (
        {"type": "array", "items": {"type": "array"}}, [[["a b"]]], [["A-B"]],
        "value_error:list/tuple", 1.0,
    ),
    "anything for any": ("any", [5], 5, 1.0, 1.0),
    "a type that is unknown": ("colour", ["red"], "red", None, 1.0),
}  # fmt: skip


@pytest.mark.parametrize("name", VALUES)
def test_a_value_is_judged_as_published_and_as_corrected(name):
    kind, acceptable, value, published, corrected = VALUES[name]
    case = bfcl_value(kind, acceptable, value)
    assert outcome(bfcl(case)) == published
    assert outcome(bfcl(case, "corrected")) == corrected


F = function("f", {"a": "integer", "b": "string", "c": "integer"}, ("a",))
G = function("g.h", {"x": "integer"}, ("x",))
ANSWER = {"f": {"a": [1], "b": ["x", ""]}}
CALLS = {
    "right": ([{"f": {"a": 1, "b": "X"}}], 1.0),
    "what may be left out": ([{"f": {"a": 1}}], 1.0),
    "no call": ([], f"{SIMPLE}:wrong_count"),
    "two calls": ([{"f": {"a": 1}}] * 2, f"{SIMPLE}:wrong_count"),
    "another function": ([{"g": {"a": 1}}], f"{SIMPLE}:wrong_func_name"),
    "a required argument is missing": ([{"f": {"b": "x"}}], f"{SIMPLE}:missing_required"),
    "an argument nobody documented": ([{"f": {"a": 1, "z": 1}}], f"{SIMPLE}:unexpected_param"),
    "a documented one without an answer": ([{"f": {"a": 1, "c": 1}}], f"{SIMPLE}:unexpected_param"),
    "an object without calls": ({"f": {"a": 1}}, "ast_decoder:decoder_wrong_output_format"),
    "a call without a name": ([{}, {"f": {"a": 1}}], "ast_decoder:decoder_failed"),
    "arguments that are none": ([{"f": 1}], "ast_decoder:decoder_wrong_output_format"),
    "arguments as text": ([{"f": '{"a": 1}'}], 1.0),
    "arguments as broken text": ([{"f": '{"a": 1'}], "ast_decoder:decoder_failed"),
    "nothing": (None, "ast_decoder:decoder_failed"),
    "name and arguments": ([{"name": "f", "arguments": {"a": 1}}], 1.0),
    "as OpenAI writes it": (
        [{"id": "1", "type": "function", "function": {"name": "f", "arguments": '{"a": 1}'}}], 1.0,
    ),
    "text": ("[f(a=1, b='x')]", 1.0),
    "text in marks, without brackets": ("```f(a=1)```", 1.0),
    "text that is no call": ("I cannot do that.", "ast_decoder:decoder_failed"),
    "a value that would have to be run": ("[f(a=g()+1)]", "ast_decoder:decoder_failed"),
}  # fmt: skip


@pytest.mark.parametrize("name", CALLS)
def test_calls_are_judged_as_published(name):
    result, published = CALLS[name]
    case = {"id": "simple_python_1", "function": [F], "ground_truth": [ANSWER], "result": result}
    assert outcome(bfcl(case)) == published
    corrected = bfcl(case, "corrected")
    assert (corrected.value == 1.0) == (published == 1.0)
    assert corrected.reason


def test_an_argument_that_the_answer_needs_is_missing_although_the_schema_does_not_require_it():
    case = bfcl_value("integer", [1], 1)
    case["function"] = [F]
    case["ground_truth"] = [{"f": {"a": [1], "c": [2]}}]
    assert outcome(bfcl(case)) == f"{SIMPLE}:missing_optional"


def parallel(calls, answers, mode="published"):
    case = {
        "category": "parallel_multiple", "function": [F, G], "ground_truth": answers,
        "result": calls,
    }  # fmt: skip
    return outcome(bfcl(case, mode))


WIDE, NARROW = {"f": {"a": [1, 2]}}, {"f": {"a": [1]}}
ONE, TWO = {"f": {"a": 1}}, {"f": {"a": 2}}


def test_parallel_calls_are_right_in_any_order():
    answers = [ANSWER, {"g.h": {"x": [3]}}]
    calls = [{"g.h": {"x": 3}}, {"f": {"a": 1}}]
    assert parallel(calls, answers) == parallel(calls[::-1], answers) == 1.0
    missing = "parallel_function_checker_no_order:cannot_find_match"
    assert parallel([{"f": {"a": 1}}] * 2, answers) == missing
    assert parallel(calls[:1], answers) == "parallel_function_checker_no_order:wrong_count"


def test_published_the_order_of_the_calls_can_decide_corrected_it_cannot():
    missing = "parallel_function_checker_no_order:cannot_find_match"
    assert parallel([TWO, ONE], [WIDE, NARROW]) == 1.0
    assert parallel([ONE, TWO], [WIDE, NARROW]) == missing
    assert parallel([ONE, TWO], [WIDE, NARROW], "corrected") == 1.0


def test_a_function_is_found_among_several_by_the_name_in_the_answer():
    case = {
        "category": "multiple", "function": [F, G], "ground_truth": [{"g.h": {"x": [3]}}],
        "result": [{"g.h": {"x": 3}}],
    }  # fmt: skip
    assert outcome(bfcl(case)) == 1.0
    case["result"] = case["result"] * 2
    assert outcome(bfcl(case)) == "multiple_function_checker:wrong_count"


def test_dots_may_be_underscores_where_the_interface_takes_none():
    case = {
        "category": "simple", "function": [G], "ground_truth": [{"g.h": {"x": [3]}}],
        "result": [{"g_h": {"x": 3}}],
    }  # fmt: skip
    assert outcome(bfcl(case)) == f"{SIMPLE}:wrong_func_name"
    assert outcome(bfcl(case, underscores=True)) == 1.0
    assert outcome(bfcl({**case, "underscore_to_dot": True})) == 1.0
    assert outcome(bfcl(case, "corrected")) == 1.0


@pytest.mark.parametrize(
    ("result", "irrelevance", "relevance"),
    [
        ([], 1.0, 0.0), ([{}], 1.0, 0.0), ("", 1.0, 0.0), ("Sorry.", 1.0, 0.0), ("[]", 1.0, 0.0),
        ([{"f": {}}], 0.0, 1.0), ("f(a=1)", 0.0, 1.0), ("[nobody.knows(x=2)]", 0.0, 1.0),
        ([{"f": 1}], 1.0, 0.0), (None, 1.0, 0.0), ({}, 1.0, 0.0),
    ],
)  # fmt: skip
def test_relevance_asks_for_a_call_and_irrelevance_for_none(result, irrelevance, relevance):
    case = {"function": [F], "result": result}
    for mode in ("published", "corrected"):
        assert bfcl({**case, "id": "live_irrelevance_3-0-1"}, mode).value == irrelevance
        assert bfcl({**case, "category": "live_relevance"}, mode).value == relevance


@pytest.mark.parametrize("acceptable", ["a b", ["a b"]])
def test_corrected_one_acceptable_value_needs_no_list(acceptable):
    assert bfcl(bfcl_value("string", acceptable, "A-B"), "corrected").value == 1.0
    assert bfcl(bfcl_value("string", acceptable, "a"), "corrected").value == 0.0
