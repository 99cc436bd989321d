"""The loop: start, agent, (tools, agent)*, end, and what it leaves in the trace."""

import pytest

from studio.engine.events import (
    ModelCalled,
    ModelReplied,
    StepEnded,
    StepStarted,
    ToolCalled,
    ToolReturned,
    TrialEnded,
    TrialStarted,
    decode,
    encode,
)
from studio.engine.outcomes import Outcome
from studio.engine.records import ModelSpec

CALL = {"tool_calls": [{"name": "add", "arguments": {"a": 1, "b": 1}}]}
SUM = {"rules": [{"tool_results": 0, "reply": CALL}], "default": {"content": "It is 2."}}


def kinds(trace):
    return [type(event) for event in trace.events]


def test_a_trial_with_one_tool_call_is_recorded_in_the_order_in_which_it_happened(
    stage, scripted_ollama
):
    scripted_ollama.play(SUM)
    trace = stage.run()
    asked = [StepStarted, ModelCalled, ModelReplied, StepEnded]
    called = [StepStarted, ToolCalled, ToolReturned, StepEnded]
    assert kinds(trace) == [
        TrialStarted, StepStarted, *asked, *called, *asked, StepEnded, TrialEnded,
    ]  # fmt: skip
    times = [event.at for event in trace.events]
    assert times == sorted(times)
    assert (trace.outcome, trace.answer) == (Outcome.FINISHED, "It is 2.")
    assert decode(encode(trace.events)) == list(trace.events)


def test_steps_nest_below_the_assistant_and_are_numbered(stage, scripted_ollama):
    scripted_ollama.play(SUM)
    trace = stage.run()
    started = [event for event in trace.events if isinstance(event, StepStarted)]
    assistant = started[0]
    assert [(step.node, step.number, step.parent) for step in started] == [
        ("assistant", 1, None),
        ("agent", 2, assistant.step),
        ("tools", 3, assistant.step),
        ("agent", 4, assistant.step),
    ]
    assert [step.node for step in trace.steps] == ["agent", "tools", "agent"]
    assert {event.step for event in trace.tool_calls} == {started[2].step}


def test_the_request_is_recorded_as_it_went_over_the_wire(stage, scripted_ollama):
    scripted_ollama.play(SUM)
    stage.model = ModelSpec("m", options={"num_ctx": 512, "min_p": 0.1, "seed": 7})
    trace = stage.run()
    sent = [event.sent for event in trace.model_calls]
    assert sent == scripted_ollama.chats()
    assert sent[0]["options"] == {"num_ctx": 512, "min_p": 0.1, "seed": 7}
    assert (sent[0]["truncate"], sent[0]["shift"]) == (False, False)
    # A schema reaches the model as the project states it, `minimum` and all.
    properties = sent[0]["tools"][0]["function"]["parameters"]["properties"]
    assert properties["a"] == {"type": "integer", "minimum": 0}
    assert [message["role"] for message in sent[1]["messages"]] == [
        "system", "user", "assistant", "tool",
    ]  # fmt: skip
    assert sent[1]["messages"][-1]["tool_name"] == "add"


def test_a_stated_seed_counts_up_with_the_trials(stage, scripted_ollama):
    scripted_ollama.play({"default": {"content": "Yes."}})
    stage.model = ModelSpec("m", options={"seed": 7})
    stage.run(number=3)
    assert scripted_ollama.chats()[0]["options"]["seed"] == 9


def test_several_calls_of_one_reply_are_made_in_order(stage, scripted_ollama):
    calls = [{"name": "add", "arguments": {"a": n}} for n in range(3)]
    rules = [{"tool_results": 0, "reply": {"tool_calls": calls}}]
    scripted_ollama.play({"rules": rules, "default": {"content": "Done."}})
    trace = stage.run()
    assert [call.arguments["a"] for call in trace.tool_calls] == [0, 1, 2]
    assert [trace.tool_results[call.call].content for call in trace.tool_calls] == ["0", "1", "2"]
    assert trace.message_count == 1 + 3 + 1 + 3


def test_text_before_a_call_and_a_call_alone_both_work(stage, scripted_ollama):
    reply = CALL | {"content": "Let me see."}
    scripted_ollama.play({"rules": [{"tool_results": 0, "reply": reply}]})
    trace = stage.run()
    assert trace.replies[0].text == "Let me see."
    assert trace.answer == "Hello."


@pytest.mark.parametrize(
    ("name", "function", "error"),
    [("nope", None, "unknown tool"), ("add", lambda **_: 1 / 0, "exception")],
)
def test_a_failing_tool_is_told_to_the_model_and_the_trial_goes_on(
    stage, scripted_ollama, name, function, error
):
    stage.tools.functions = {"add": function} if function else {}
    reply = {"tool_calls": [{"name": name, "arguments": {}}]}
    scripted_ollama.play({"rules": [{"tool_results": 0, "reply": reply}]})
    trace = stage.run()
    [result] = trace.tool_results.values()
    assert result.error == error
    assert scripted_ollama.chats()[1]["messages"][-1]["content"] == result.content
    assert trace.outcome is Outcome.FINISHED


def test_a_call_found_in_text_is_made_marked_and_kept_raw(stage, scripted_ollama):
    raw = '<tool_call>{"name": "add", "arguments": {"a": 1, "b": 1}}</tool_call>'
    rules = [{"tool_results": 0, "reply": {"content": raw}}]
    scripted_ollama.play({"rules": rules, "default": {"content": "It is 2."}})
    trace = stage.run()
    assert trace.replies[0].text == raw
    assert "found in text" in trace.replies[0].marks
    assert [call.origin for call in trace.tool_calls] == ["found in text"]
    # The raw call isn't fed back beside the real one.
    [assistant] = [m for m in scripted_ollama.chats()[1]["messages"] if m["role"] == "assistant"]
    assert "<tool_call>" not in assistant.get("content", "")
    assert assistant["tool_calls"][0]["function"]["name"] == "add"


def test_arguments_sent_as_a_string_are_mended_and_marked(stage, scripted_ollama):
    reply = {"tool_calls": [{"name": "add", "arguments": '{"a": 1}'}]}
    scripted_ollama.play({"rules": [{"tool_results": 0, "reply": reply}]})
    trace = stage.run()
    assert stage.tools.made == [("add", {"a": 1})]
    assert trace.replies[0].calls[0].origin == "repaired"
    assert "arguments mended" in trace.replies[0].marks


def test_a_list_written_as_a_string_is_decoded_only_where_the_schema_wants_a_list(
    stage, scripted_ollama
):
    reply = {"tool_calls": [{"name": "add", "arguments": {"list": "[1,2]", "text": "[1,2]"}}]}
    scripted_ollama.play({"rules": [{"tool_results": 0, "reply": reply}]})
    stage.run()
    assert stage.tools.made == [("add", {"list": [1, 2], "text": "[1,2]"})]


def test_the_same_call_three_times_in_a_row_is_marked(stage, scripted_ollama):
    rules = [{"tool_results": n, "reply": CALL} for n in range(4)]
    scripted_ollama.play({"rules": rules})
    trace = stage.run()
    marked = ["repeated call" in reply.marks for reply in trace.replies]
    assert marked == [False, False, True, True, False]


@pytest.mark.parametrize("loading", [0, 1_000_000_000, 10**18])
def test_loading_the_model_is_no_part_of_a_trials_own_time(stage, scripted_ollama, loading):
    scripted_ollama.play({"default": {"content": "Hi.", "counts": {"load_duration": loading}}})
    trace = stage.run()
    [reply] = trace.replies
    assert reply.load_seconds == loading / 1e9, "what the server said is kept as it is"
    whole = trace.end.at - trace.events[0].at
    assert trace.seconds == whole - min(loading / 1e9, reply.seconds)


def test_token_counts_that_a_server_leaves_out_are_unknown(stage, scripted_ollama):
    scripted_ollama.play({"default": {"content": "Hi.", "counts": {"prompt_eval_count": None}}})
    [reply] = stage.run().replies
    assert (reply.prompt_tokens, reply.reply_tokens) == (None, 8)
    assert reply.load_seconds == 0.001
