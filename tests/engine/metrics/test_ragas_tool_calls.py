"""RAGAS' ToolCallAccuracy: every case that was measured with ragas 0.4.3 itself."""

import pytest

from studio.engine.grading import grade
from studio.engine.metrics.ragas_calls import RagasToolCallAccuracy
from studio.engine.outcomes import Outcome
from tests.engine.metrics.made_traces import calls, query, trace

STRICT, FLEXIBLE = RagasToolCallAccuracy(), RagasToolCallAccuracy(order="flexible")
A, B = ("a", {"x": 1}), ("b", {"y": 2})

MEASURED = {
    "equal": ([A, B], [A, B], 1.0, 1.0),
    "one extra call": ([A, B], [A], 0.0, 0.0),
    "one call missing": ([A], [A, B], 0.0, 0.0),
    "same call repeated": ([A, A], [A], 0.0, 0.0),
    "reference has the call twice, made once": ([A], [A, A], 0.0, 0.0),
    "two calls swapped": ([B, A], [A, B], 0.0, 1.0),
    "same tool twice, arguments swapped": (
        [("a", {"x": 2}), ("a", {"x": 1})], [("a", {"x": 1}), ("a", {"x": 2})], 0.0, 1.0,
    ),
    "text 5 for 5": ([("a", {"x": "5"})], [("a", {"x": 5})], 1.0, 1.0),
    "5.0 for 5": ([("a", {"x": 5.0})], [("a", {"x": 5})], 0.0, 0.0),
    "True for 1": ([("a", {"x": True})], [("a", {"x": 1})], 0.0, 0.0),
    "extra predicted argument": ([("a", {"x": 1, "y": 2})], [A], 1.0, 1.0),
    "one of two arguments missing": ([A], [("a", {"x": 1, "y": 2})], 0.5, 0.5),
    "one of two arguments wrong": (
        [("a", {"x": 1, "y": 3})], [("a", {"x": 1, "y": 2})], 0.5, 0.5,
    ),
    "reference without arguments": ([A], [("a", {})], 0.0, 0.0),
    "both without arguments": ([("a", {})], [("a", {})], 1.0, 1.0),
    "case differs": ([("a", {"x": "Gold"})], [("a", {"x": "gold"})], 0.0, 0.0),
    "trailing space differs": ([("a", {"x": "gold "})], [("a", {"x": "gold"})], 0.0, 0.0),
    "nested object, other key order": (
        [("a", {"x": {"p": 1, "q": 2}})], [("a", {"x": {"q": 2, "p": 1}})], 0.0, 0.0,
    ),
    "reference null and absent": (
        [("a", {"x": 1})], [("a", {"x": 1, "y": None})], 0.5, 0.5,
    ),
    "no reference, no call": ([], [], 1.0, 1.0),
    "no reference, call made": ([A], [], 0.0, 0.0),
    "reference, no call": ([], [A], 0.0, 0.0),
}  # fmt: skip


@pytest.mark.parametrize("case", MEASURED)
def test_it_gives_what_ragas_gives(case):
    made, expected, strict, flexible = MEASURED[case]
    asked, done = query(calls=calls(*expected)), trace(made=made)
    assert STRICT.score(asked, done).value == strict
    assert FLEXIBLE.score(asked, done).value == flexible


def test_nothing_is_scored_where_no_calls_are_stated():
    assert STRICT.score(query(), trace(made=[A])).value is None


def test_calls_that_were_never_carried_out_count():
    done = trace(answer=None, made=[A], outcome=Outcome.STEP_CAP)
    assert STRICT.score(query(calls=calls(A)), done).value == 1.0


def test_the_reason_says_why_the_tools_do_not_line_up():
    score = STRICT.score(query(calls=calls(A, B)), trace(made=[A]))
    assert score.reason == "tools called: a; expected: a, b"


def messages(*steps):
    """A conversation as RAGAS writes it, each step a message with these calls."""
    found = [{"content": "?", "metadata": None, "type": "human"}]
    for step in steps:
        asked = [{"name": name, "args": arguments} for name, arguments in step]
        found.append({"content": "", "metadata": None, "type": "ai", "tool_calls": asked})
        found.append({"content": "ok", "metadata": None, "type": "tool"})
    return [*found, {"content": "Done.", "metadata": None, "type": "ai", "tool_calls": None}]


def own(made, expected, **more):
    reference = [{"name": name, "args": arguments} for name, arguments in expected]
    case = {"user_input": made, "reference_tool_calls": reference, **more}
    return grade(RagasToolCallAccuracy(), case)


@pytest.mark.parametrize("case", MEASURED)
def test_its_own_cases_give_what_ragas_gives(case):
    made, expected, strict, flexible = MEASURED[case]
    conversation = messages(*([call] for call in made))
    assert own(conversation, expected).value == strict
    assert own(conversation, expected, strict_order=False).value == flexible
    assert own(messages(made), expected, strict_order=True).value == strict


def test_calls_may_be_written_otherwise():
    asked = {"id": "1", "function": {"name": "a", "arguments": '{"x": 1}'}}
    as_openai = [{"role": "user", "content": "?"}, {"role": "assistant", "tool_calls": [asked]}]
    assert own(as_openai, [A]).value == 1.0
    reference = {"reference_tool_calls": [{"name": "a", "args": {"x": 1}}]}
    metric = RagasToolCallAccuracy()
    assert grade(metric, {"messages": as_openai, **reference}).value == 1.0
    assert grade(metric, {"tool_calls": [{"a": {"x": 1}}], **reference}).value == 1.0
    assert grade(metric, {"user_input": "one question", **reference}).value == 0.0


@pytest.mark.parametrize(
    "case",
    [
        {"user_input": []}, {"reference_tool_calls": []},
        {"user_input": [5], "reference_tool_calls": []},
        {"user_input": [], "reference_tool_calls": 5},
        {"user_input": [], "reference_tool_calls": [{"name": "a"}]},
        {"user_input": [{"type": "ai", "tool_calls": [{"name": "a", "args": [1]}]}],
         "reference_tool_calls": []},
        {"tool_calls": [{"name": "a", "args": {"x": 10**5000}}],
         "reference_tool_calls": [{"name": "a", "args": {"x": 1}}]},
    ],
)  # fmt: skip
def test_what_cannot_be_read_is_not_scored_with_a_reason(case):
    verdict = grade(RagasToolCallAccuracy(), case)
    assert verdict.value is None
    assert verdict.reason
