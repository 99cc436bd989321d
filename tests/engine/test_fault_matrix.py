"""The fault matrix: whatever a server does to one trial, no other is touched and no agent blamed.

Each case is a whole run of the real workbench, runner, tools and store against a server process
that treats the middle one of three queries in its own way.
"""

import asyncio
import contextlib
import json
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from studio.engine import trust
from studio.engine.events import ModelCalled, ModelFailed, ModelReplied, StepEnded, StepStarted
from studio.engine.messages import (
    ContinueRun,
    RunCommand,
    RunInvalidAgain,
    RunStarted,
    StartRun,
    StopRun,
)
from studio.engine.outcomes import FailureClass, Outcome
from studio.engine.records import (
    RunPlan,
    Tally,
)
from studio.engine.store.reader import RunReader
from studio.engine.trace import Trace
from tests.engine import sample
from tests.engine.carrying_out import carry_out
from tests.ollama_fixture import ScriptedOllama

STRUCK = "What do 1 grams cost?"
"""The question whose trial the fault strikes; those before and after it go well."""


class Fault(NamedTuple):
    """What a server does, and what must be said of it.  `window`: the num_ctx of the model."""

    reply: dict[str, Any]
    failure: FailureClass | None
    said: str
    outcome: Outcome = Outcome.FAILED
    window: int | None = None
    after_a_tool: bool = False


def cut(reply: dict[str, Any], said: str, **how: Any) -> Fault:
    return Fault(reply, FailureClass.TRUNCATED, said, Outcome.TRUNCATED, **how)


def server(reply: dict[str, Any], said: str, **how: Any) -> Fault:
    return Fault(reply, FailureClass.SERVER, said, **how)


def model(reply: dict[str, Any], said: str) -> Fault:
    return Fault(reply, FailureClass.MODEL_OUTPUT, said)


def late(reply: dict[str, Any], said: str) -> Fault:
    return Fault(reply, FailureClass.TIME_OUT, said, Outcome.TIMED_OUT)


TOO_LONG = (
    '{"error":{"code":400,"message":"request (1810 tokens) exceeds the available context size '
    '(256 tokens), try increasing it","type":"exceed_context_size_error","n_prompt_tokens":1810,'
    '"n_ctx":256}}'
)
TOOLLESS = "registry.ollama.ai/library/small:latest does not support tools"
RUNNER = "an error was encountered while running the model: unexpected EOF"
BUSY = "server busy, please try again.  maximum pending requests exceeded"
LOAD = '{"model":"m","message":{"role":"assistant","content":""},"done":true,"done_reason":"load"}'
THOUGHT = '{"model":"m","message":{"role":"assistant","content":"","thinking":" so"},"done":false}'
CALL = {"tool_calls": [{"name": "price", "arguments": {"grams": 3}}]}
NO_COUNTS = {"prompt_eval_count": None, "eval_count": None, "total_duration": None,
             "load_duration": None}  # fmt: skip

MATRIX = {
    "closed before the first byte": server({"fault": "drop"}, "before it answered"),
    "reset in the middle": server({"fault": "reset", "content": ["It ", "costs"]}, "broke"),
    "reset in the middle of the second reply": server(
        {"fault": "reset", "content": ["It ", "costs"]}, "broke", after_a_tool=True
    ),
    "ends without its last line": server({"fault": "end", "content": ["a", "b"]}, "complete"),
    "ends before its first line": server({"lines": []}, "complete"),
    "an error line after 200": server(
        {"fault": "error line", "content": "It costs", "error": RUNNER}, "unexpected EOF"
    ),
    "an error line after a tool call": server(
        {"fault": "error line", **CALL, "after": 1, "error": RUNNER}, "unexpected EOF"
    ),
    "a garbage line": server({"fault": "garbage", "content": "It costs"}, "upstream connect"),
    "a line that is JSON but no reply": server({"lines": ['{"odd": 1}']}, "no reply"),
    "a page of a proxy": server({"status": 502, "body": "<html>Bad gateway</html>"}, "gateway"),
    "a stream of a page": server({"lines": ["<html>", "</html>"]}, "no reply"),
    "only loads": server({"lines": [LOAD]}, "no message"),
    "401": server({"status": 401, "error": "unauthorized"}, "Sign in"),
    "404 in the middle": server({"status": 404, "error": "model 'small' not found"}, "Pull"),
    "499": server({"status": 499, "error": "request canceled"}, "Continue the run"),
    "500, runner died": server({"status": 500, "error": RUNNER}, "server's log"),
    "500, did not load": server(
        {"status": 500, "error": "llama-server process has terminated: signal: killed"}, "log"
    ),
    "500, no memory": server(
        {"status": 500, "error": "model requires more system memory (9 GiB)"}, "smaller model"
    ),
    "500 without a word": server({"status": 500, "body": ""}, "status 500"),
    "503": server({"status": 503, "error": BUSY}, "fewer trials at once"),
    "503 after a tool": server({"status": 503, "error": BUSY}, "busy", after_a_tool=True),
    "400, no tools": server({"status": 400, "error": TOOLLESS}, "Choose a model"),
    "400, anything": Fault(
        {"status": 400, "error": "json: cannot unmarshal"}, FailureClass.HARNESS, "what was sent"
    ),
    "500, wrong option": Fault(
        {"status": 500, "error": 'option "top_k" must be of type integer'},
        FailureClass.HARNESS, "Correct the option",
    ),
    "silence": late({"fault": "silence"}, "Raise the time limit"),
    "a word now and then": late({"content": ["a"] * 200, "pause": 0.1}, "Raise the time limit"),
    "too long, in words": cut(
        {"status": 400, "error": "the input length exceeds the context length"}, "num_ctx"
    ),
    "too long, in JSON": cut({"status": 400, "error": TOO_LONG}, "1,810 tokens"),
    "too long, in words with both numbers": cut(
        {"status": 500, "error": "input length (5000 tokens) exceeds the model's maximum context "
         "length (4096 tokens)"}, "5,000 tokens",
    ),
    "too long, seen after a tool": cut(
        {"status": 400, "error": TOO_LONG}, "1,810 tokens", after_a_tool=True
    ),
    "cut in silence": cut(
        {"content": "Eh?", "counts": {"prompt_eval_count": 33}}, "33 tokens", window=256
    ),
    "cut in silence, full window": cut(
        {"content": "Eh?", "counts": {"prompt_eval_count": 256}}, "256 tokens", window=256
    ),
    "cut, and not counted": cut(
        {"content": "Eh?", "counts": NO_COUNTS}, "did not say", window=256
    ),
    "no room for the reply": cut(
        {"content": "It", "done_reason": "length",
         "counts": {"prompt_eval_count": 4090, "eval_count": 6}}, "after 6 tokens",
    ),
    "no room for the reply, and not all is counted": cut(
        {"content": "It", "done_reason": "length",
         "counts": {"prompt_eval_count": 4000, "eval_count": 6}}, "after 6 tokens",
    ),
    "no room to end thinking": cut(
        {"content": "", "thinking": "Let me see.", "done_reason": "length",
         "counts": {"prompt_eval_count": 1096, "eval_count": 3000}}, "all of them thinking",
    ),
    "no room to end thinking in the text": cut(
        {"content": "<think>Let me see.", "done_reason": "length",
         "counts": {"prompt_eval_count": 1096, "eval_count": 3000}}, "all of them thinking",
    ),
    "room to write on and on": Fault(
        {"content": "It costs 10 dollars, or", "thinking": "So.", "done_reason": "length",
         "counts": {"prompt_eval_count": 1096, "eval_count": 3000}}, None, "", Outcome.FINISHED
    ),
    "a call that cannot be parsed": model(
        {"status": 500, "error": "error parsing tool call: raw='{\"q\"]', err=invalid"}, '{"q"]'
    ),
    "a sentence as the key": model(
        {"lines": ['{"error parsing tool call": "invalid character"}']}, "invalid character"
    ),
    "a call of a tool that there is not": model(
        {"status": 500, "error": "tool 'prize' not found"}, "tool 'prize' not found"
    ),
    "the same word for ever": model(
        {"fault": "end", "content": ["It", *[" no"] * 31]}, "again and again"
    ),
    "the same thought for ever": model(
        {"lines": [THOUGHT] * 31}, "again and again"
    ),
    "arguments that are none": model(
        {"tool_calls": [{"name": "price", "arguments": "dir /s"}]}, "dir /s"
    ),
    "an empty answer": Fault(
        {"content": ""}, FailureClass.MODEL_OUTPUT, "wrote nothing", Outcome.FINISHED
    ),
    "only thoughts": Fault(
        {"content": "<think>30?"}, FailureClass.MODEL_OUTPUT, "only thought", Outcome.FINISHED
    ),
    "the same call for ever": Fault(
        CALL, FailureClass.STEP_CAP, "step cap", Outcome.STEP_CAP, after_a_tool=True
    ),
    "an answer without counts": Fault(
        {"content": "It costs 10 dollars.", "counts": NO_COUNTS}, None, "", Outcome.FINISHED
    ),
    "an answer without a reason for its end": Fault(
        {"content": "It costs 10 dollars.", "done_reason": None}, None, "", Outcome.FINISHED
    ),
    "lines in two pieces": Fault(
        {"content": ["It costs ", "10 dollars."], "pause": 0.05}, None, "", Outcome.FINISHED
    ),
}  # fmt: skip


def script_of(fault: Fault) -> dict[str, Any]:
    """A script that answers STRUCK with the fault and all else as it should."""
    struck = {"user": STRUCK, "reply": fault.reply}
    call = {"user": STRUCK, "tool_results": 0, "reply": CALL}
    first = [call, struck] if fault.after_a_tool else [struck]
    return sample.script(rules=[*first, *sample.RULES])


def start(plan: RunPlan) -> RunCommand:
    return StartRun(plan)


def go_on(_plan: RunPlan) -> RunCommand:
    return ContinueRun(1)


def write(folder: Path, address: str, fault: Fault) -> Path:
    options = {"num_ctx": fault.window} if fault.window else {}
    made = sample.write(
        folder,
        address,
        queries=3,
        run={"time_limit": 1.5 if fault.failure is FailureClass.TIME_OUT else 30},
        model={"name": sample.MODEL, "server": address, "options": options},
        agent={"step_cap": 8},
    )
    if fault.window:
        lines = (made / "queries.jsonl").read_text().splitlines()
        long = json.loads(lines[1])
        long["query"] = STRUCK + " Grams and grams of gold." * 80
        (made / "queries.jsonl").write_text("\n".join([lines[0], json.dumps(long), lines[2]]))
    trust.trust(made)
    return made


def expected_tally(fault: Fault) -> Tally:
    match fault.outcome:
        case Outcome.FINISHED | Outcome.STEP_CAP:
            return Tally(3, done=3)
        case Outcome.TRUNCATED:
            return Tally(3, done=2, invalid=1)
        case _:
            return Tally(3, done=2, failed=1)


@pytest.mark.parametrize("name", MATRIX)
def test_a_fault_strikes_one_trial_and_is_named_once(tmp_path, scripted_ollama, name):
    fault = MATRIX[name]
    scripted_ollama.play(script_of(fault))
    folder = write(tmp_path / "gold", scripted_ollama.address, fault)
    ended, told = carry_out(folder, start)
    assert (ended.ending, ended.problem) == ("finished", "")
    assert ["the longest query" in each.problem for each in told] == [True] * bool(fault.window)
    assert ended.tally == expected_tally(fault)
    with contextlib.closing(RunReader(folder)) as reader:
        before, struck, after = reader.changed_trials(1)
        assert reader.tally(1) == ended.tally, "what is told is what is stored"
        trace = Trace(reader.events(struck.id))
    for well in (before, after):
        assert (well.outcome, well.failure, well.reason) == (Outcome.FINISHED, None, "")
        assert all(score.value is not None for score in well.scores)
    assert (struck.outcome, struck.failure) == (fault.outcome, fault.failure)
    assert fault.said in struck.reason
    is_excused = fault.failure is not None and not fault.failure.is_agents_own
    assert struck.is_excused == is_excused
    assert all(score.value is None for score in struck.scores) == is_excused
    assert len(struck.scores) == len(sample.SCORED)
    check_trace(trace, fault)


def check_trace(trace: Trace, fault: Fault) -> None:
    """What was begun is ended, once; every failure on the way is of the trial's one class."""
    assert {failed.failure for failed in trace.failures} <= {fault.failure}
    asked = [event.call for event in trace.events if isinstance(event, ModelCalled)]
    closed = [event.call for event in trace.events if isinstance(event, ModelReplied | ModelFailed)]
    assert asked == closed
    began = [event.step for event in trace.events if isinstance(event, StepStarted)]
    ended = [event.step for event in trace.events if isinstance(event, StepEnded)]
    assert sorted(began) == sorted(ended)
    if fault.failure is not None:
        assert trace.answer is None
        assert trace.end.reason.count(".") >= 2, "what happened, and what to do about it"


@pytest.mark.parametrize("name", ["reset in the middle", "503", "500, runner died"])
def test_what_the_server_did_is_made_good_by_continuing(tmp_path, scripted_ollama, name):
    fault = MATRIX[name]
    scripted_ollama.play(script_of(fault))
    folder = write(tmp_path / "gold", scripted_ollama.address, fault)
    carry_out(folder, start)
    scripted_ollama.play(sample.script())
    ended, _ = carry_out(folder, go_on)
    assert (ended.ending, ended.tally) == ("finished", Tally(3, done=3))


def test_no_library_speaks_beside_the_studio(tmp_path, scripted_ollama, caplog):
    fault = MATRIX["only loads"]
    scripted_ollama.play(script_of(fault))
    carry_out(write(tmp_path / "gold", scripted_ollama.address, fault), start)
    assert [each.name for each in caplog.records if not each.name.startswith("studio")] == []


def test_what_a_stopped_run_did_not_run_again_is_counted_as_what_it_still_is(
    tmp_path, scripted_ollama
):
    fault = MATRIX["503"]
    scripted_ollama.play(script_of(fault))
    folder = write(tmp_path / "gold", scripted_ollama.address, fault)
    carry_out(folder, start)

    def stop(bench, notice) -> None:
        if isinstance(notice, RunStarted):
            bench.take(StopRun())

    ended, _ = carry_out(folder, go_on, beside=stop)
    assert (ended.ending, ended.tally) == ("stopped", Tally(3, done=2, failed=1))
    with contextlib.closing(RunReader(folder)) as reader:
        assert reader.tally(1) == ended.tally
    scripted_ollama.play(sample.script())
    assert carry_out(folder, go_on)[0].tally == Tally(3, done=3)


def test_a_server_that_dies_ends_the_run_with_its_address_and_nothing_is_lost(tmp_path):
    silence = {"user": STRUCK, "reply": {"fault": "silence"}}
    with ScriptedOllama(sample.script(rules=[silence, *sample.RULES])) as dying:
        fault = server({}, "")
        folder = write(tmp_path / "gold", dying.address, fault)

        def killing(plan: RunPlan) -> RunCommand:
            asyncio.get_running_loop().run_in_executor(None, kill)
            return StartRun(plan)

        def kill() -> None:
            with contextlib.suppress(AssertionError):
                dying.wait_for(lambda log: any(STRUCK in str(each["body"]) for each in log))
            dying.kill()

        ended, _ = carry_out(folder, killing)
        address = dying.address
    assert ended.ending == "failed"
    assert address in ended.problem
    assert ended.remedy
    assert ended.tally == Tally(3, done=1, failed=1)
    with contextlib.closing(RunReader(folder)) as reader:
        _, struck = reader.changed_trials(1)
    assert (struck.outcome, struck.failure) == (Outcome.FAILED, FailureClass.SERVER)
    assert struck.is_excused, "what a server did is not the agent's"
    with ScriptedOllama(sample.script(port=int(address.rpartition(":")[2]))) as again:
        assert again.address == address
        ended, _ = carry_out(folder, go_on)
    assert (ended.ending, ended.tally) == ("finished", Tally(3, done=3))


@pytest.mark.parametrize(
    ("name", "window"), [("too long, in JSON", 8192), ("cut in silence", 2048)]
)
def test_invalid_trials_run_again_with_room_for_what_they_needed(
    tmp_path, scripted_ollama, name, window
):
    fault = MATRIX[name]
    scripted_ollama.play(script_of(fault))
    folder = write(tmp_path / "gold", scripted_ollama.address, fault)
    carry_out(folder, start)
    scripted_ollama.play(sample.script())
    ended, told = carry_out(folder, lambda _: RunInvalidAgain(1))
    assert (ended.run, ended.tally, told) == (2, Tally(1, done=1), [])
    assert {body["options"]["num_ctx"] for body in scripted_ollama.chats()} == {window}
    with contextlib.closing(RunReader(folder)) as reader:
        row = reader.run(2)
        assert row.plan.query_ids == ("q1",)
        assert row.plan.variant.name.endswith(f"num_ctx {window}")
        assert row.server.window == 8192, "as the server says"
        assert reader.tally(1) == Tally(3, done=2, invalid=1), "the first run stays what it was"


@pytest.mark.parametrize(
    ("run", "window", "said"),
    [(1, None, "No trial of run 1 is invalid"), (9, None, "no run 9"), (1, 16384, "No trial")],
)
def test_where_nothing_is_invalid_nothing_is_run_again(
    tmp_path, scripted_ollama, run, window, said
):
    scripted_ollama.play(sample.script())
    folder = write(tmp_path / "gold", scripted_ollama.address, server({}, ""))
    carry_out(folder, start)
    ended, _ = carry_out(folder, lambda _: RunInvalidAgain(run, window))
    assert (ended.run, ended.ending) == (0, "failed")
    assert said in ended.problem


@pytest.mark.parametrize(("window", "said"), [(256, "not larger than"), (100, "not larger than")])
def test_invalid_trials_are_not_run_again_with_less_room(tmp_path, scripted_ollama, window, said):
    fault = MATRIX["cut in silence"]
    scripted_ollama.play(script_of(fault))
    folder = write(tmp_path / "gold", scripted_ollama.address, fault)
    carry_out(folder, start)
    ended, _ = carry_out(folder, lambda _: RunInvalidAgain(1, window))
    assert (ended.run, ended.ending) == (0, "failed")
    assert said in ended.problem
    assert ended.remedy


def test_no_run_has_a_window_into_which_nothing_fits(tmp_path, scripted_ollama):
    scripted_ollama.play(sample.script())
    folder = write(tmp_path / "gold", scripted_ollama.address, server({}, ""))
    ended, _ = carry_out(folder, start, window=100)
    assert (ended.run, ended.ending) == (0, "failed")
    assert "at least 256" in ended.remedy


def test_a_window_smaller_than_the_one_asked_for_is_told_and_guarded(tmp_path, scripted_ollama):
    models = [{"name": sample.MODEL, "context_length": 8192}]
    ps = {"models": [{"name": sample.MODEL, "model": sample.MODEL, "context_length": 512}]}
    cut_there = {"user": STRUCK, "reply": {"content": "Eh?", "counts": {"prompt_eval_count": 300}}}
    scripted_ollama.play(
        sample.script(
            models=models, routes={"/api/ps": {"body": ps}}, rules=[cut_there, *sample.RULES]
        )
    )
    fault = Fault({}, FailureClass.TRUNCATED, "", window=1024)
    folder = write(tmp_path / "gold", scripted_ollama.address, fault)
    ended, told = carry_out(folder, start)
    foreseen, seen = told
    assert "the longest query" in foreseen.problem
    assert "512 tokens, not the 1,024" in seen.problem
    assert {each.is_error for each in told} == {False}
    assert ended.tally == Tally(3, done=2, invalid=1)
    with contextlib.closing(RunReader(folder)) as reader:
        assert reader.run(1).server.window == 512
