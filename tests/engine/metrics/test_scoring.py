"""What is scored, what is not, and what happens to a metric that goes wrong."""

import math
from typing import ClassVar

import pytest

from studio.engine.metrics import CATALOGUE, Metric, Verdict, build, score_all
from studio.engine.outcomes import FailureClass, Outcome
from studio.engine.records import MetricSpec
from studio.engine.trace import Trace
from tests.engine.metrics.made_traces import calls, query, trace

EVERYTHING = query(calls=calls(("a", {})), contains=("5",), number=5.0)
ALL = build([MetricSpec(name) for name in CATALOGUE])
ANSWER_METRICS = build([MetricSpec("answer_contains"), MetricSpec("number_in_answer")])


class Odd(Metric, frozen=True):
    name: ClassVar[str] = "odd"
    title: ClassVar[str] = "Odd"
    value: float = 0.0

    def verdict(self, query, trace):
        return Verdict(self.value)


class Broken(Odd, frozen=True):
    name: ClassVar[str] = "broken"

    def verdict(self, query, trace):
        raise ZeroDivisionError("of all things")


@pytest.mark.parametrize(
    ("outcome", "failure", "words"),
    [
        (Outcome.CANCELLED, FailureClass.CANCELLED, "cancelled"),
        (Outcome.SKIPPED, None, "skipped"),
        (Outcome.INTERRUPTED, None, "engine ended"),
        (Outcome.TIMED_OUT, FailureClass.TIME_OUT, "out of time"),
        (Outcome.TRUNCATED, FailureClass.TRUNCATED, "did not fit"),
        (Outcome.FAILED, FailureClass.SERVER, "no fault of the agent (server)"),
        (Outcome.FAILED, FailureClass.HARNESS, "no fault of the agent (harness)"),
        (Outcome.FAILED, FailureClass.TOOL, "no fault of the agent (tool)"),
        (Outcome.FAILED, None, "no fault of the agent (unknown)"),
    ],
)
def test_no_metric_scores_a_trial_that_was_no_fair_chance(outcome, failure, words):
    scores = score_all(ALL, EVERYTHING, trace(made=[("a", {})], outcome=outcome, failure=failure))
    assert [score.value for score in scores] == [None] * len(CATALOGUE)
    assert all(words in score.reason for score in scores)


@pytest.mark.parametrize(
    ("outcome", "failure"),
    [
        (Outcome.STEP_CAP, FailureClass.STEP_CAP),
        (Outcome.FAILED, FailureClass.AGENT),
        (Outcome.FAILED, FailureClass.MODEL_OUTPUT),
    ],
)
def test_a_fault_of_its_own_is_scored_on_what_the_agent_did(outcome, failure):
    done = trace("It is 5.", made=[("a", {})], outcome=outcome, failure=failure)
    values = {score.metric: score.value for score in score_all(ALL, EVERYTHING, done)}
    assert values["tool_call_accuracy"] == 1.0
    assert values["ragas_tool_call_accuracy"] == 1.0
    assert values["steps"] == 3.0
    # What it wrote on the way is no answer.
    assert values["answer_contains"] == values["number_in_answer"] == 0.0


@pytest.mark.parametrize("answer", [None, "", "  \n"])
def test_an_empty_answer_is_a_wrong_answer(answer):
    for score in score_all(ANSWER_METRICS, EVERYTHING, trace(answer)):
        assert score.value == 0.0
        assert score.reason == "the agent gave no answer"


def test_where_nothing_is_expected_only_effort_and_claims_are_scored():
    scores = score_all(ALL, query(), trace())
    scored = {score.metric for score in scores if score.value is not None}
    assert scored == {
        "steps", "messages", "seconds", "tokens", "redundant_calls", "cost_score",
        "efficient_trajectory", "repeated_call", "loop", "step_cap", "claimed_success",
    }  # fmt: skip
    # A judge's reply is read as it stands, whatever the query expects.
    silent = [score for score in scores if score.metric not in {*scored, "simpleqa_grade"}]
    assert all(score.value is None and score.reason for score in silent)


def test_a_trial_that_still_runs_is_not_scored():
    assert Odd().score(query(), Trace(trace().events[:-1])).reason == "the trial has not ended"


def test_a_metric_that_raises_leaves_the_others_alone_and_says_so(caplog):
    scores = score_all([Broken(), Odd()], query(), trace())
    assert scores[0].value is None
    assert scores[0].reason == "the metric failed: ZeroDivisionError: of all things"
    assert scores[1].value == 0.0
    assert "broken" in caplog.text


@pytest.mark.parametrize("value", [math.nan, math.inf, -0.1, 1.1])
def test_a_value_out_of_range_is_invalid_and_not_scored(value):
    score = Odd(value).score(query(), trace())
    assert score.value is None
    assert score.reason.startswith("invalid")


def test_effort_is_counted_from_the_trace():
    done = trace(made=[("a", {}), ("b", {})])
    values = {score.metric: score.value for score in score_all(ALL, query(), done)}
    assert values["steps"] == 5
    # The thesis: question, two calls, two results, answer.
    assert values["messages"] == 6
    assert values["seconds"] == 3.0
    assert values["tokens"] == 330


@pytest.mark.parametrize(("count", "value"), [("prompt", 200), ("reply", 20), ("total", 220)])
def test_tokens_are_counted_as_asked(count, value):
    (metric,) = build([MetricSpec("tokens", {"count": count})])
    assert metric.score(query(), trace(made=[("a", {})])).value == value


def test_tokens_that_the_server_did_not_report_are_not_scored():
    done = trace(tokens=(None, 10))
    total, reply = build([MetricSpec("tokens"), MetricSpec("tokens", {"count": "reply"})])
    assert total.score(query(), done).value is None
    assert reply.score(query(), done).value == 10


def test_the_answer_must_contain_every_text_whatever_its_case():
    (metric,) = build([MetricSpec("answer_contains")])
    right = metric.score(query(contains=("GOLD", "eur")), trace("Gold is at 70.52 EUR."))
    wrong = metric.score(query(contains=("gold", "usd")), trace("Gold is at 70.52 EUR."))
    assert (right.value, wrong.value) == (1.0, 0.0)
    assert "'usd'" in wrong.reason
    assert "'gold'" not in wrong.reason


@pytest.mark.parametrize("contains", [(), ("",), (" ", "\n")])
def test_a_text_that_stands_in_every_answer_states_nothing(contains):
    (metric,) = build([MetricSpec("answer_contains")])
    assert metric.score(query(contains=contains), trace()).value is None
