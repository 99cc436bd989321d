"""The cases that BFCL's AST match takes: under which names, and whatever they hold."""

import json

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from studio.engine.grading import grade
from studio.engine.metrics.bfcl import BfclAst
from tests.engine.metrics.calls.cases import bfcl, bfcl_value, function, outcome
from tests.engine.metrics.made_traces import trace

F = function("f", {"a": "integer", "b": "string", "c": "integer"}, ("a",))
ANSWER = {"f": {"a": [1], "b": ["x", ""]}}
ONE, TWO = {"f": {"a": 1}}, {"f": {"a": 2}}
SHAPES = {
    "its category": {"category": "simple_python"},
    "its test_category": {"test_category": "simple_python"},
    "an id": {"id": "live_simple_17-3-2"},
    "neither": {},
    "an id of its own": {"id": 17},
    "a language": {"category": "simple", "language": "Python"},
}


@pytest.mark.parametrize("name", SHAPES)
@pytest.mark.parametrize("answers", ["ground_truth", "possible_answer"])
@pytest.mark.parametrize("result", ["result", "model_output", "model_result", "output", "response"])
def test_a_case_is_understood_under_its_usual_names(name, answers, result):
    case = {"question": [[{"role": "user", "content": "?"}]], "function": [F], **SHAPES[name]}
    assert outcome(bfcl({**case, answers: [ANSWER], result: [ONE]})) == 1.0
    assert outcome(bfcl({**case, answers: [ANSWER], result: [TWO]})) == "value_error:others"


def test_a_line_of_a_score_file_is_a_case():
    line = {
        "id": "simple_python_0", "test_category": "simple_python", "valid": False,
        "prompt": {"id": "simple_python_0", "function": [F]}, "model_result_raw": "[f(a=1)]",
        "possible_answer": [ANSWER],
    }  # fmt: skip
    assert bfcl(line).value == 1.0


def test_functions_may_be_described_as_openai_does_and_answers_stand_alone():
    described = {"type": "function", "function": F}
    assert bfcl({"tools": [described], "ground_truth": ANSWER, "result": [ONE]}).value == 1.0


@pytest.mark.parametrize(
    ("change", "reason"),
    [
        ({"result": ...}, "no result"),
        ({"ground_truth": ...}, "no ground_truth"),
        ({"ground_truth": 5}, "no ground_truth"),
        ({"language": "Cobol"}, "none of Python, Java and JavaScript"),
        ({"function": ...}, "no function"),
        ({"function": [{"name": "f"}]}, "fails on this case"),
        ({"result": "[f(a='%s' % 5)]"}, "were not read"),
        ({"result": "[f(a=1)]" * 30_000}, "were not read"),
    ],
)
def test_what_cannot_be_judged_is_not_scored_with_the_reason(change, reason):
    case = {**bfcl_value("integer", [1], 1), **change}
    verdict = bfcl({key: value for key, value in case.items() if value is not ...})
    assert verdict.value is None
    assert reason in verdict.reason


def test_a_trial_is_judged_by_the_functions_that_the_model_was_offered():
    general = {
        "tools": [{"name": "f", "parameters": F["parameters"]}],
        "expected": {"bfcl": {"ground_truth": [ANSWER], "category": "simple_python"}},
        "calls": [{"name": "f", "arguments": {"a": 1}}],
    }
    assert grade(BfclAst(), general).value == 1.0
    assert grade(BfclAst(), {**general, "calls": []}).value == 0.0
    assert grade(BfclAst(), {**general, "expected": {}}).value is None


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(max_size=8),
    lambda inner: (
        st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=4), inner, max_size=3)
    ),
    max_leaves=6,
)
SCALARS = {
    "string": st.text(min_size=1, max_size=8), "integer": st.integers(), "boolean": st.booleans(),
    "float": st.floats(allow_nan=False, allow_infinity=False),
}  # fmt: skip


@given(
    st.data(),
    st.dictionaries(
        st.text("abc", min_size=1, max_size=3), st.sampled_from(list(SCALARS)), max_size=4
    ),
)
@settings(max_examples=60)
def test_a_perfect_call_is_always_right(data, kinds):
    given = {key: data.draw(SCALARS[kind]) for key, kind in kinds.items()}
    case = {
        "category": "simple_python", "function": [function("f", kinds, tuple(kinds))],
        "ground_truth": [{"f": {key: [value] for key, value in given.items()}}],
        "result": [{"f": given}],
    }  # fmt: skip
    for mode in ("published", "corrected"):
        assert bfcl(case, mode).value == 1.0
        as_text = {**case, "result": [{"f": json.dumps(given)}]}
        assert bfcl(as_text, mode).value == 1.0


@given(
    JSON, JSON, st.sampled_from(["string", "integer", "float", "boolean", "array", "dict", "any"])
)
def test_any_value_gets_a_verdict_of_a_known_kind(value, answer, kind):
    described = {"type": kind, "items": {"type": "string"}}
    verdict = bfcl(bfcl_value(described, [answer], value))
    assert verdict.value in (None, 0.0, 1.0)
    if verdict.value == 0.0:
        assert verdict.evidence["error_type"].startswith(
            ("type_error", "value_error", "dict_checker")
        )
    assert bfcl(bfcl_value(described, [answer], value), "corrected").value is not None


def test_deep_and_large_values_are_judged():
    deep = "x"
    for _ in range(10_000):
        deep = [deep]
    for value in (deep, 10**400, "x" * 100_000, float("nan"), float("inf"), ["x"] * 5_000):
        for mode in ("published", "corrected"):
            verdict = bfcl(bfcl_value("integer", [5], value), mode)
            assert verdict.value == 0.0 or verdict.reason


def test_a_trial_without_calls_is_judged_by_its_answer():
    done = trace(answer="[f(a=1)]")
    assert done.answer == "[f(a=1)]"
    general = {
        "tools": [F], "expected": {"bfcl": {"ground_truth": [ANSWER]}}, "answer": "[f(a=1)]",
    }  # fmt: skip
    assert grade(BfclAst(), general).value == 1.0
