"""How trials end: answers, limits, cancellation and every kind of failure."""

import asyncio

import pytest

from studio.engine.agents import build, run_trial
from studio.engine.events import ModelFailed, StepEnded, StepStarted, TrialEnded
from studio.engine.outcomes import FailureClass, Outcome
from studio.engine.records import (
    ModelSpec,
    Query,
)
from studio.engine.trace import Trace
from tests.ollama_fixture import ScriptedOllama

CALL = {"tool_calls": [{"name": "add", "arguments": {"a": 1, "b": 1}}]}


def test_a_trial_at_the_step_cap_has_no_answer(stage, scripted_ollama):
    scripted_ollama.play({"default": CALL | {"content": "Let me see."}})
    stage.step_cap = 4
    trace = stage.run()
    assert (trace.outcome, trace.answer) == (Outcome.STEP_CAP, None)
    assert [step.node for step in trace.steps] == ["agent", "tools", "agent", "tools"]
    assert "4 steps" in trace.end.reason


def test_an_answer_in_the_last_step_allowed_counts(stage, scripted_ollama):
    scripted_ollama.play({"rules": [{"tool_results": 0, "reply": CALL}]})
    stage.step_cap = 3
    assert stage.run().outcome is Outcome.FINISHED


@pytest.mark.parametrize(
    ("reply", "said"),
    [
        ({"content": ""}, "wrote nothing"),
        ({"content": " \n"}, "wrote nothing"),
        ({"content": "", "thinking": "The sum is 2."}, "only thought"),
        ({"content": "<think>The sum is 2.</think>"}, "only thought"),
        (
            {"content": "", "done_reason": "length", "counts": {"eval_count": 4070}},
            "cut off. Raise num_ctx (4,096)",
        ),
    ],
)
def test_an_empty_answer_says_why_it_is_empty(stage, scripted_ollama, reply, said):
    scripted_ollama.play({"default": reply})
    trace = stage.run()
    assert (trace.outcome, trace.answer) == (Outcome.FINISHED, None)
    assert said in trace.end.reason


def test_the_answer_is_the_last_text_even_if_a_blank_reply_follows(stage, scripted_ollama):
    rules = [{"tool_results": 0, "reply": CALL | {"content": "It is 2."}}]
    scripted_ollama.play({"rules": rules, "default": {"content": ""}})
    trace = stage.run()
    assert trace.answer == "It is 2."
    assert "earlier" in trace.end.reason


@pytest.mark.parametrize("written", ["field", "text"])
def test_thinking_is_kept_apart_and_never_in_the_answer(stage, scripted_ollama, written):
    by_field = {"content": "It is 2.", "thinking": "Easy."}
    in_text = {"content": "<think>Easy.</think>It is 2."}
    scripted_ollama.play({"default": by_field if written == "field" else in_text})
    trace = stage.run()
    assert trace.answer == "It is 2."
    assert trace.replies[0].thinking == "Easy."


def test_a_trial_over_its_time_keeps_its_finished_steps(stage, scripted_ollama):
    rules = [{"tool_results": 0, "reply": CALL}]
    scripted_ollama.play({"rules": rules, "default": {"fault": "silence"}})
    stage.time_limit = 1.0
    trace = stage.run()
    assert (trace.outcome, trace.end.failure) == (Outcome.TIMED_OUT, FailureClass.TIME_OUT)
    assert len(trace.tool_results) == 1
    assert [failure.failure for failure in trace.failures] == [FailureClass.TIME_OUT]
    ended = [event for event in trace.events if isinstance(event, StepEnded)]
    assert [step.error for step in ended] == [None, None, "timed out", "timed out"]
    assert scripted_ollama.wait_for(lambda log: log[-1]["ended"] == "client left")


def test_a_cancelled_trial_keeps_its_finished_steps_and_frees_the_server(stage, scripted_ollama):
    rules = [{"tool_results": 0, "reply": CALL}]
    scripted_ollama.play({"rules": rules, "default": {"fault": "silence"}})

    async def cancel_while_waiting() -> None:
        task = asyncio.create_task(stage.play())
        await asyncio.to_thread(scripted_ollama.wait_for, lambda log: len(log) == 2)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task

    asyncio.run(cancel_while_waiting())
    trace = Trace(stage.events)
    assert (trace.outcome, trace.answer) == (Outcome.CANCELLED, None)
    assert len(trace.tool_results) == 1
    assert [failure.failure for failure in trace.failures] == [FailureClass.CANCELLED]
    assert scripted_ollama.wait_for(lambda log: log[-1]["ended"] == "client left")


CONTEXT_AS_JSON = (
    '{"error":{"code":400,"message":"request (1810 tokens) exceeds the available context size '
    '(256 tokens), try increasing it","type":"exceed_context_size_error","n_prompt_tokens":1810,'
    '"n_ctx":256}}'
)


@pytest.mark.parametrize(
    ("reply", "outcome", "failure", "said"),
    [
        ({"fault": "drop"}, Outcome.FAILED, FailureClass.SERVER, "closed"),
        ({"fault": "reset", "content": ["a", "b"]}, Outcome.FAILED, FailureClass.SERVER, "broke"),
        ({"fault": "end", "content": ["a", "b"]}, Outcome.FAILED, FailureClass.SERVER, "complete"),
        (
            {"fault": "error line", "content": "a", "error": "unexpected EOF"},
            Outcome.FAILED, FailureClass.SERVER, "unexpected EOF",
        ),
        ({"fault": "garbage", "content": "a"}, Outcome.FAILED, FailureClass.SERVER, "upstream"),
        ({"lines": ['{"odd": 1}']}, Outcome.FAILED, FailureClass.SERVER, '{"odd": 1}'),
        ({"lines": ["[1]"]}, Outcome.FAILED, FailureClass.SERVER, "no reply"),
        ({"status": 503, "error": "server busy, please try again."}, Outcome.FAILED,
         FailureClass.SERVER, "busy"),
        ({"status": 502, "body": "<html>bad gateway</html>"}, Outcome.FAILED, FailureClass.SERVER,
         "bad gateway"),
        ({"status": 400, "error": "registry.ollama.ai/library/m:latest does not support tools"},
         Outcome.FAILED, FailureClass.SERVER, "Choose a model that can call tools"),
        ({"status": 500, "error": "error parsing tool call: raw='{\"q\"]', err=invalid"},
         Outcome.FAILED, FailureClass.MODEL_OUTPUT, '{"q"]'),
        ({"lines": ['{"error parsing tool call": "invalid character"}']}, Outcome.FAILED,
         FailureClass.MODEL_OUTPUT, "invalid character"),
        ({"fault": "error line", "error": "XML syntax error on line 2"}, Outcome.FAILED,
         FailureClass.MODEL_OUTPUT, "line 2"),
        ({"tool_calls": [{"name": "add", "arguments": "dir /s"}]}, Outcome.FAILED,
         FailureClass.MODEL_OUTPUT, "dir /s"),
        ({"status": 400, "error": CONTEXT_AS_JSON}, Outcome.TRUNCATED, FailureClass.TRUNCATED,
         "1,810 tokens, the model's window (num_ctx) 256"),
        ({"status": 400, "error": "the input length exceeds the context length"},
         Outcome.TRUNCATED, FailureClass.TRUNCATED, "longer than the model's window"),
    ],
)  # fmt: skip
def test_every_fault_of_a_server_is_named_and_blamed(
    stage, scripted_ollama, reply, outcome, failure, said
):
    scripted_ollama.play({"default": reply})
    trace = stage.run()
    assert (trace.outcome, trace.end.failure) == (outcome, failure)
    assert said in trace.end.reason
    [failed] = trace.failures
    assert failed.failure is failure
    assert trace.answer is None


def test_a_server_that_does_not_answer_is_named_with_its_address(stage, closed_address):
    stage.address = closed_address
    trace = stage.run()
    assert trace.end.failure is FailureClass.SERVER
    assert closed_address in trace.end.reason


def test_a_server_that_dies_in_the_middle_fails_the_trial(stage):
    with ScriptedOllama({"default": {"fault": "silence"}}) as server:
        stage.address = server.address

        async def kill_while_waiting() -> TrialEnded:
            task = asyncio.create_task(stage.play())
            await asyncio.to_thread(server.wait_for, lambda log: len(log) == 1)
            server.kill()
            return await task

        ended = asyncio.run(kill_while_waiting())
    assert (ended.outcome, ended.failure) == (Outcome.FAILED, FailureClass.SERVER)


def test_a_prompt_that_an_older_server_cut_in_silence_makes_the_trial_invalid(
    stage, scripted_ollama
):
    scripted_ollama.play({"default": {"content": "Eh?", "counts": {"prompt_eval_count": 42}}})
    stage.query = "seven words of text that say little " * 130
    stage.model = ModelSpec("m", options={"num_ctx": 256})
    trace = stage.run()
    assert trace.outcome is Outcome.TRUNCATED
    assert "42 tokens" in trace.end.reason
    assert "prompt cut" in trace.replies[0].marks
    assert trace.answer is None


def test_a_prompt_that_fits_is_not_called_cut_whatever_a_cache_counted(stage, scripted_ollama):
    scripted_ollama.play({"default": {"content": "Ah.", "counts": {"prompt_eval_count": 1}}})
    stage.query = "word " * 500
    stage.model = ModelSpec("m", options={"num_ctx": 4096})
    assert stage.run().outcome is Outcome.FINISHED


def test_a_query_without_text_is_never_sent(stage, scripted_ollama):
    stage.query = "  \n"
    trace = stage.run()
    assert (trace.outcome, trace.end.failure) == (Outcome.FAILED, FailureClass.HARNESS)
    assert scripted_ollama.chats() == []


def test_a_bug_in_a_tool_caller_is_shown_with_its_type(stage, scripted_ollama):
    def broken(**_: object) -> int:
        raise KeyError("boom")

    stage.tools.functions = {"add": broken}
    scripted_ollama.play({"default": CALL})
    trace = stage.run()
    assert (trace.outcome, trace.end.failure) == (Outcome.FAILED, FailureClass.HARNESS)
    assert trace.end.reason.startswith("KeyError: 'boom'")
    assert "not of the agent" in trace.end.reason


def test_what_emit_raises_is_not_swallowed(stage, scripted_ollama):
    def full(event: object) -> None:
        raise OSError("disk full")

    async def play() -> None:
        setup = stage.setup()
        try:
            await run_trial(Query("q", "?"), setup, full)
        finally:
            await setup.model.aclose()

    with pytest.raises(OSError, match="disk full"):
        asyncio.run(play())


def test_text_that_no_record_can_hold_is_made_plain(stage, scripted_ollama):
    rules = [{"tool_results": 0, "reply": {
        "tool_calls": [{"name": "add", "arguments": {"text": "\ud800", "a": 2**70}}]}}]  # fmt: skip
    scripted_ollama.play({"rules": rules, "default": {"content": "\udfff fine"}})
    stage.tools.functions = {"add": lambda text, a: text + a}
    stage.query = "a lone \ud83d surrogate"
    trace = stage.run()
    assert trace.outcome is Outcome.FINISHED
    assert trace.answer == "? fine"
    assert stage.tools.made == [("add", {"text": "?", "a": str(2**70)})]


def test_trials_that_run_together_do_not_mix(stage, scripted_ollama):
    rules = [
        {"user": f"q{n}", "reply": {"content": f"a{n}", "delay": 0.002 * (5 - n)}} for n in range(5)
    ]
    scripted_ollama.play({"rules": rules})

    async def all_at_once() -> dict[str, list[object]]:
        setup = stage.setup()
        heard: dict[str, list[object]] = {f"q{n}": [] for n in range(5)}
        trials = [run_trial(Query(q, q), setup, events.append) for q, events in heard.items()]
        await asyncio.gather(*trials)
        await setup.model.aclose()
        return heard

    for query, events in asyncio.run(all_at_once()).items():
        trace = Trace(events)
        assert trace.answer == query.replace("q", "a")
        assert len({e.step for e in events if isinstance(e, StepStarted)}) == 2


def test_a_trial_that_failed_in_the_middle_ends_its_steps_with_the_error(stage, scripted_ollama):
    scripted_ollama.play({"default": {"status": 500, "error": "it broke"}})
    trace = stage.run()
    ended = [event.error for event in trace.events if isinstance(event, StepEnded)]
    assert len(ended) == 2
    assert all("it broke" in (error or "") for error in ended)
    assert any(isinstance(event, ModelFailed) for event in trace.events)


def test_an_unknown_architecture_is_refused_with_the_names_that_exist():
    with pytest.raises(Exception, match="react"):
        build("none")
