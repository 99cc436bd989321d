"""Every metric of the catalogue gives a verdict, or says why not, on any case whatever.

What would hang is ended by the time limit of the suite.
"""

import json
import math
import re
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from studio.engine.grading import grade
from studio.engine.metrics import CATALOGUE, Metric, Verdict
from studio.engine.metrics.catalogue import READ_BY_METRICS
from studio.engine.metrics.help import example

# A project's own metric needs a project.
NAMES = [name for name in CATALOGUE if name != "own"]


def nested(depth: int, *, in_objects: bool = False) -> Any:
    value: Any = 1
    for _ in range(depth):
        value = {"a": value} if in_objects else [value]
    return value


HOSTILE: list[Any] = [
    None, True, 0, -1, 1.5, 10**400, -(10**30), math.nan, math.inf, 1e308, -0.0,
    "", " ", "x" * 100_000, "\ud800", "Αа", "٣", "(a+)+$", "[[", "null", "f(a=1)", "[f(a=((1)))]",
    "[" * 5_000, "f(" * 3_000,
    [], {}, [None], [[]], {"": None}, {"a": {"b": [1]}},
    nested(10_000), nested(10_000, in_objects=True),
    ["a"] * 1_500, [{"name": "f", "arguments": {}}] * 1_200, {"name": "f"}, {"f": {}},
    [{"f": {"a": math.nan}}], {1: 2, None: 3}, {"type": "object", "properties": [1]},
    {"$ref": "#"}, {"type": ["string"]}, {"pattern": "(a+)+$"}, "1e999999",
]  # fmt: skip
"""What stands in the place of a part of a case."""

EXAMPLES = {name: json.loads(example(name)) for name in NAMES}
FIELDS = sorted({field for case in EXAMPLES.values() for field in case} | {"category", "tokens"})

A_CALL = {"name": "f", "arguments": {"x": "a"}}
STATED: dict[str, Any] = {
    "acebench": {"ground_truth": {"f": {"x": "a"}}},
    "agentarch": {
        "tool_order": [["f"]], "tool_args": {"f": {"x": "a"}}, "final_response": "Done",
        "possible_final_outcomes": ["Done", "Not done"], "read_only": ["f"],
        "orchestrator": {"agent_selections": [["desk"]]}, "agents": ["desk"],
    },
    "bfcl": {"ground_truth": [{"f": {"x": ["a"]}}], "category": "simple_python"},
    "call": {"name": "f", "args": {"x": ["a", ""]}},
    "chain": {
        "required": ["f", {"g": {"to": "b"}}], "forbidden": ["h"], "min_steps": 1, "max_steps": 3,
        "order": [["f", "g"]], "outcome": "success", "says": ["cannot"], "max_iterations": 4,
    },
    "checklist": [{"question": "Is it so?", "answer": "yes", "wanted": "no"}],
    "conversation": {
        "memory": [{"turn": 2, "value": "a"}], "corrections": [{"turn": 2, "old": "a", "new": "b"}],
    },
    "escalation": {"required": True, "tools": ["f"], "says": ["one moment"]},
    "reflection": {"failure_point": {"tool": "f", "arguments": {"x": "a"}, "fix": {"x": "b"}}},
    "results": ["ok"],
    "trajectory": [
        {"role": "user", "content": "?"},
        {"role": "assistant", "content": [
            {"type": "tool_use", "id": "1", "name": "f", "input": {"x": "a"}}]},
    ],
}  # fmt: skip
"""What a query may state, for each name that metrics read."""

DONE = {
    "tools": [{"name": "f", "parameters": {"properties": {"x": {"type": "string"}}}}],
    "turns": [
        {"user": "a", "calls": [{**A_CALL, "result": "ok"}], "answer": "Yes"},
        {"user": "Actually, b", "calls": [{**A_CALL, "error": "exception"}], "answer": "Done"},
    ],
}


def kinds(name: str) -> list[Metric]:
    kind = CATALOGUE[name]
    modes = ["corrected", "published"] if "mode" in kind.__struct_fields__ else []
    return [kind(mode=mode) for mode in modes] or [kind()]


@st.composite
def changed(draw: st.DrawFn, value: Any, depth: int = 0) -> Any:
    """A case with some of its parts dropped, replaced or repeated."""
    if depth and draw(st.integers(0, 9)) == 0:
        return draw(st.sampled_from(HOSTILE))
    if isinstance(value, dict):
        kept = {key: item for key, item in value.items() if draw(st.integers(0, 14))}
        found = {key: draw(changed(item, depth + 1)) for key, item in kept.items()}
        if draw(st.integers(0, 7)) == 0:
            found[draw(st.sampled_from(FIELDS))] = draw(st.sampled_from(HOSTILE))
        return found
    if isinstance(value, list):
        return [draw(changed(item, depth + 1)) for item in value]
    return value


def check(verdict: Verdict) -> None:
    assert isinstance(verdict.reason, str)
    assert "grader failed" not in verdict.reason
    is_quoted = "published grader" in verdict.reason or "regular expression" in verdict.reason
    assert is_quoted or not re.search(r"\b(Type|Key|Attribute|Index|Value)Error|`", verdict.reason)
    if verdict.value is None:
        assert verdict.reason
    else:
        assert math.isfinite(verdict.value)


@pytest.mark.parametrize("name", NAMES)
@settings(max_examples=12, deadline=None, derandomize=True, suppress_health_check=list(HealthCheck))
@given(data=st.data())
def test_a_changed_case_gets_a_verdict_or_a_reason(name, data):
    case = data.draw(changed(EXAMPLES[name]))
    metric = data.draw(st.sampled_from(kinds(name)))
    check(grade(metric, case))


@pytest.mark.parametrize("name", NAMES)
def test_any_value_in_the_place_of_any_field_gets_a_verdict_or_a_reason(name):
    # One value a field, another for each metric and field: the product of all is for a long night.
    for place, field in enumerate(EXAMPLES[name]):
        for step, metric in enumerate(kinds(name)):
            hostile = HOSTILE[(7 * place + 3 * step + len(name)) % len(HOSTILE)]
            check(grade(metric, {**EXAMPLES[name], field: hostile}))


@pytest.mark.parametrize("name", NAMES)
def test_what_is_no_case_at_all_gets_a_verdict_or_a_reason(name):
    for case in ({}, {"id": 1}, {"messages": 5}, {"calls": [1]}, dict.fromkeys(FIELDS)):
        for metric in kinds(name):
            check(grade(metric, case))


def test_every_name_that_a_metric_reads_is_stated_above():
    assert set(STATED) == set(READ_BY_METRICS)


@pytest.mark.parametrize("name", [name for name in NAMES if CATALOGUE[name].reads])
@settings(max_examples=12, deadline=None, derandomize=True, suppress_health_check=list(HealthCheck))
@given(data=st.data())
def test_whatever_a_query_states_of_a_trial_gets_a_verdict_or_a_reason(name, data):
    stated = {read: STATED[read] for read in CATALOGUE[name].reads}
    expected = data.draw(changed({**stated, "calls": [A_CALL]}, 1))
    check(grade(data.draw(st.sampled_from(kinds(name))), {**DONE, "expected": expected}))
