"""A case with very many calls is graded in a moment, or refused with the reason."""

import pytest

from studio.engine.grading import grade
from studio.engine.grading.case import MOST_CALLS
from studio.engine.metrics import CATALOGUE
from tests.engine.metrics.calls.cases import function

MANY = 4_000


def turned(count):
    """Calls, and the same in the opposite order: the worst there is for whoever pairs them."""
    calls = [{"name": "f", "arguments": {"a": number}} for number in range(count)]
    return calls, calls[::-1]


def as_messages(calls):
    asked = [{"name": each["name"], "args": each["arguments"], "id": "1"} for each in calls]
    return [{"role": "assistant", "content": "", "tool_calls": asked}]


def in_bfcls_shape(count, **more):
    made, expected = turned(count)
    return {
        "category": "parallel",
        "function": [function("f", {"a": "integer"}, ("a",))],
        "ground_truth": [{"f": {"a": [each["arguments"]["a"]]}} for each in expected],
        "result": made,
        **more,
    }


def case_of(name, count):
    made, expected = turned(count)
    match name:
        case "bfcl_ast":
            return in_bfcls_shape(count)
        case "acebench_normal":
            answers = {f"f_{place}": each["arguments"] for place, each in enumerate(expected)}
            return in_bfcls_shape(count, ground_truth=answers)
        case "trajectory_match":
            return {"outputs": as_messages(made), "reference_outputs": as_messages(expected)}
        case "ragas_tool_call_accuracy" | "ragas_tool_call_f1":
            return {"tool_calls": made, "reference_tool_calls": expected}
        case _:
            chain = {"required": ["f"], "forbidden": ["g"], "order": [["f", "g"]]}
            return {"calls": made, "expected": {"calls": expected, "chain": chain}}


NAMES = [
    "tool_call_accuracy", "ragas_tool_call_accuracy", "ragas_tool_call_f1", "argument_accuracy",
    "bfcl_ast", "acebench_normal", "trajectory_match", "chain_check", "tool_use_correctness",
    "redundant_calls", "loop",
]  # fmt: skip


@pytest.mark.parametrize("name", NAMES)
def test_many_calls_get_a_verdict_or_a_reason(name):
    kind = CATALOGUE[name]
    modes = ["published", "corrected"] if "mode" in kind.__struct_fields__ else [None]
    for mode in modes:
        metric = kind() if mode is None else kind(mode=mode)
        assert grade(metric, case_of(name, 100)).value is not None
        verdict = grade(metric, case_of(name, MANY))
        assert verdict.value is not None or "4,000" in verdict.reason


def test_a_case_in_the_general_shape_holds_so_many_calls_at_most():
    made, expected = turned(MOST_CALLS + 1)
    metric = CATALOGUE["repeated_call"]()
    assert "2,001 calls" in grade(metric, {"calls": made}).reason
    assert "2,001 calls" in grade(metric, {"expected": {"calls": expected}}).reason
    assert grade(metric, {"calls": made[1:]}).value == 0.0
