"""Whatever two real servers said to chat requests becomes an answer, or exactly one failure."""

import asyncio

import pytest

from studio.engine.agents import AgentSetup, build, run_trial
from studio.engine.events import Event
from studio.engine.models.chat import chat_model
from studio.engine.models.estimate import estimate_request, least_request
from studio.engine.models.window import Counts, cut
from studio.engine.outcomes import FailureClass, Outcome
from studio.engine.records import (
    ModelSpec,
    Prompt,
    Query,
    ToolSet,
    Variant,
)
from studio.engine.trace import Trace
from tests.engine.models.recorded import RecordedChat, last_line, recorded_chats

CHATS = recorded_chats()
ASKED = [chat for chat in CHATS if not chat.is_rendering]
SERVER, HARNESS, TRUNCATED = (
    FailureClass.SERVER,
    FailureClass.HARNESS,
    FailureClass.TRUNCATED,
)

CUT = {
    "window too small, cut in silence",
    "window too small, last message alone too long",
    "tools, window too small for tools",
    "window full while writing, shift false",
}
"""Where the server cut, answered, and said nothing."""

BLAMED = {
    "does not support": SERVER,
    "not found": SERVER,
    "server busy": SERVER,
    "unexpected EOF\"}": SERVER,
    "has terminated": SERVER,
    "\"done_reason\":\"load\"": SERVER,
    "\"done_reason\":\"unload\"": SERVER,
    "input length exceeds": TRUNCATED,
    "exceed_context_size_error": TRUNCATED,
    "missing request body": HARNESS,
    "model is required": HARNESS,
    "cannot unmarshal": HARNESS,
    "must be of type": HARNESS,
    "think value": HARNESS,
    "closing '}' symbol": HARNESS,
    "invalid format": HARNESS,
    "JSON schema": HARNESS,
    "invalid duration": HARNESS,
}  # fmt: skip
"""Whose fault it is when these words stand in the last line."""


class NoTools:
    """Every tool is unknown."""

    async def call(self, name, arguments):
        class Outcome:
            content, error, printed, seconds = f"no tool {name}", "unknown tool", "", 0.0

        return Outcome()


def replayed(chat: RecordedChat, address: str) -> Trace:
    """A trial whose first model call gets the recorded answer."""
    kept = ("num_ctx", "num_predict")
    stated = chat.sent.get("options") or {}
    options = {
        key: value
        for key in kept
        if isinstance(value := stated.get(key), int) and value > 0
    }  # fmt: skip
    spec = ModelSpec("m", options=options, think=None)
    variant = Variant("v", Prompt("p", ""), ToolSet("t", ()), spec)
    events: list[Event] = []

    async def play() -> None:
        setup = AgentSetup(variant, chat_model(spec, address, time_limit=20), NoTools(),
                           build("react"))  # fmt: skip
        try:
            await run_trial(Query("q", chat.text or "Hello"), setup, events.append)
        finally:
            await setup.model.aclose()

    asyncio.run(play())
    return Trace(events)


def expected_failure(chat: RecordedChat) -> FailureClass | None:
    """What the recorded lines mean, read by a person; None for an answer."""
    if chat.case in CUT and "tools" not in chat.case:
        return TRUNCATED
    last = chat.lines[-1]
    if chat.case == "chat, broken JSON":
        return HARNESS
    if chat.ended != "complete":
        return SERVER
    found = {blame for words, blame in BLAMED.items() if words in last.replace("\\", "")}
    if not found:
        assert '"done":true' in last
        return None
    (blame,) = found
    return blame


@pytest.mark.parametrize("chat", ASKED, ids=lambda chat: chat.name)
def test_a_recorded_answer_is_an_answer_or_exactly_one_failure(chat, scripted_ollama):
    rules = [{"tool_results": 0, "reply": chat.reply}]
    scripted_ollama.play({"rules": rules, "default": {"content": "Done."}})
    trace = replayed(chat, scripted_ollama.address)
    expected = expected_failure(chat)
    end = trace.end
    if expected is None:
        assert end.outcome is Outcome.FINISHED
        assert not trace.failures
        is_blank = end.answer is None
        assert (end.failure is FailureClass.MODEL_OUTPUT) == is_blank
        assert bool(end.reason) == is_blank
        return
    assert end.outcome is not Outcome.FINISHED
    assert end.failure is expected
    assert not end.failure.is_agents_own
    assert [failed.failure for failed in trace.failures] == ([] if chat.case in CUT else [expected])
    if expected is TRUNCATED:
        [ended] = (*trace.failures, *trace.replies)
        assert ended.needed > 0, "so that a larger window can be chosen"
    assert_told(end.reason)


def assert_told(reason: str) -> None:
    """What happened, and what to do: sentences, without the JSON that a server may wrap them in."""
    assert reason.endswith(".")
    assert reason.count(". ") >= 1
    assert '"error"' not in reason
    assert "n_ctx" not in reason


def counts_of(chat: RecordedChat) -> Counts:
    last = last_line(chat)
    return Counts(last.get("prompt_eval_count"), last.get("eval_count"), last.get("done_reason"))


ANSWERED = [
    chat
    for chat in ASKED
    if chat.status == 200 and chat.ended == "complete" and chat.sent.get("messages")
    and "prompt_eval_count" in last_line(chat)
]  # fmt: skip


@pytest.mark.parametrize("chat", ANSWERED, ids=lambda chat: chat.name)
def test_a_cut_is_found_where_there_was_one_and_nowhere_else(chat):
    found = cut(chat.sent, counts_of(chat))
    assert (found is not None) == (chat.case in CUT)


def whole() -> list[tuple[RecordedChat, int]]:
    """Requests that were read whole, once each, with the number of tokens that was counted."""
    once = {
        repr((chat.sent.get("messages"), chat.sent.get("tools"), counts_of(chat).prompt)): chat
        for chat in ANSWERED
        if chat.case not in CUT and "num_ctx" not in chat.case
    }
    return [(chat, counts_of(chat).prompt or 0) for chat in once.values()]


def test_the_estimate_of_a_request_is_about_as_good_as_is_said():
    errors = [abs(estimate_request(chat.sent) / count - 1) for chat, count in whole()]
    assert len(errors) > 25
    assert sum(errors) / len(errors) < 0.12
    assert sorted(errors)[len(errors) * 9 // 10] < 0.25


def test_no_request_takes_fewer_tokens_than_the_floor():
    assert all(least_request(chat.sent) <= count for chat, count in whole())
