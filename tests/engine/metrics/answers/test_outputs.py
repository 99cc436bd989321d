"""What the agent had to tell: numbers are numbers, and commas are no trap."""

import pytest

from studio.engine.grading import grade
from studio.engine.metrics import build
from studio.engine.metrics.answers.outputs import RequiredOutputs
from studio.engine.records import MetricSpec
from tests.engine.metrics.made_traces import query, trace


@pytest.mark.parametrize(
    ("output", "message", "published", "corrected"),
    [
        ("54.04", "You get $54.04 back.", True, True),
        ("54.04", "You get $54.040 back.", True, True),
        ("10", "It costs 1,100 dollars.", True, False),
        ("10", "It costs 10.5 dollars.", True, False),
        ("10", "Call 2010-10.", True, True),
        ("10", "It costs 10.", True, True),
        ("10", "It costs $10!", True, True),
        ("10", "You owe -10 now.", True, False),
        ("-10", "You owe -$10 now.", False, True),
        ("1628", "In all 1,628 USD.", True, True),
        ("1,628", "In all 1,628 USD.", False, True),
        ("10", "Model A10 it is.", True, False),
        ("10", "Order AB-10 it is.", True, False),
        ("10", "We meet at 10:30.", True, False),
        ("12", "It came on 2024-05-12.", True, False),
        ("2024", "It came on May 12, 2024.", True, True),
        ("10", "It takes 5-10 days.", True, True),
        ("Paris", "We go to paris, then.", True, True),
        ("Paris", "A parish.", True, False),
        ("red, green", "They are red green", False, True),
        ("a  b", "a b", False, True),
        ("", "x", True, False),
    ],
)
def test_what_tells_an_output(output, message, published, corrected):
    case = {"outputs": [output], "response": message}
    assert RequiredOutputs(mode="published").verdict_on(case).value == published
    assert RequiredOutputs().verdict_on(case).value == corrected


def test_every_output_must_be_told_in_some_message_of_the_agent():
    messages = [
        {"role": "user", "content": "Is it 7?"},
        {"role": "assistant", "content": "It is 5.", "tool_calls": []},
        {"role": "assistant", "content": "So 6."},
        {"role": "assistant", "content": None},
        {"role": "tool", "content": "8"},
        {"role": "assistant", "content": "9", "tool_calls": [{"name": "f"}]},
    ]
    told = RequiredOutputs().verdict_on({"outputs": ["5", "6"], "messages": messages})
    assert told.value == 1.0
    for silent in ("7", "8", "9"):
        found = RequiredOutputs().verdict_on({"outputs": ["5", silent], "messages": messages})
        assert (found.value, found.evidence) == (0.0, {"missing": [silent]})


def test_a_trial_is_graded_on_its_answer_and_where_nothing_is_wanted_not_at_all():
    metric = RequiredOutputs()
    assert metric.score(query(outputs=("5",)), trace("It is 5.")).value == 1.0
    assert metric.score(query(outputs=("5",)), trace(None)).value == 0.0
    assert metric.score(query(), trace("It is 5.")).value is None
    assert metric.score(query(outputs=()), trace("It is 5.")).value is None


def test_a_huge_message_has_a_verdict():
    case = {"outputs": ["10", "word"], "response": "1,100 -$" * 100_000}
    assert RequiredOutputs().verdict_on(case).value == 0.0


@pytest.mark.parametrize(
    "case",
    [
        {"task_id": 3, "info": {"task": {"outputs": ["327"]}}},
        {"task": {"outputs": ["327"]}},
        {"task": "a name", "outputs": ["327"]},
    ],
)
def test_a_trajectory_is_read_as_tau_bench_stores_it(case):
    [metric] = build([MetricSpec("required_outputs", {"mode": "published"})])
    told = {"role": "assistant", "content": "You get $327 back."}
    assert grade(metric, {**case, "traj": [told]}).value == 1.0
    assert grade(metric, {**case, "traj": [{**told, "role": "user"}]}).value == 0.0


def test_what_is_told_may_be_actions():
    respond = {"name": "respond", "kwargs": {"content": "It is 5."}}
    case = {"outputs": ["5"], "actions": [{"name": "find", "kwargs": {"content": "7"}}, respond]}
    assert RequiredOutputs().verdict_on(case).value == 1.0
    assert RequiredOutputs().verdict_on({**case, "outputs": ["7"]}).value == 0.0
