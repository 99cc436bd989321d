"""Whatever a case states or holds, these metrics give a verdict or say why not: none fails."""

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from studio.engine.grading import grade
from studio.engine.metrics import CATALOGUE, build
from studio.engine.metrics.agentarch import AGENT_ARCH
from studio.engine.metrics.conversation import CONVERSATION
from studio.engine.records import MetricSpec
from tests.engine.metrics.agentarch.library import case

OTHERS = ("reflection_score", "stated_confidence", "claimed_success", "composite")
NAMES = (*(metric.name for metric in (*AGENT_ARCH, *CONVERSATION)), *OTHERS)
KEYS = (
    "tool_order", "tool_args", "final_response", "orchestrator", "agent_selections", "read_only",
    "memory", "corrections", "turn", "value", "old", "new", "failure_point", "call", "tool",
    "required", "tools", "says", "question", "answer", "wanted", "score",
)  # fmt: skip

leaves = (
    st.none() | st.booleans() | st.integers(-1, 3) | st.sampled_from([1.5, float("nan"), 10**400])
    | st.sampled_from(["", "f", "a@b.co", "\ud800", "yes", *KEYS])
)  # fmt: skip
anything = st.recursive(
    leaves,
    lambda inner: (
        st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from(KEYS), inner, max_size=4)
    ),
    max_leaves=12,
)


def of(name: str, given: dict[str, Any]) -> None:
    verdict = grade(build([MetricSpec(name)])[0], given)
    assert "failed on" not in verdict.reason
    assert verdict.value is not None or verdict.reason
    assert verdict.value is None or 0 <= verdict.value <= 1


@pytest.mark.parametrize("name", NAMES)
@settings(max_examples=40)
@given(anything)
def test_an_odd_statement_is_read_or_named(name, stated):
    turns = [{"user": "My mail is a@b.co", "calls": [{"name": "f", "arguments": {"x": "a@b.co"}}]},
             {"user": "Actually c@d.co", "answer": "Done."}]  # fmt: skip
    for read in CATALOGUE[name].reads:
        of(name, {"turns": turns, "expected": {read: stated}})
    for known in getattr(CATALOGUE[name], "known_by", ()):
        of(name, {**case(), known: stated})
    of(name, {"messages": stated})
    of(name, {"turns": [*turns, stated]})
