"""What a probe makes of what a model and its server say, asked for real and fed by hand."""

import asyncio
import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from studio.engine.model_messages import (
    CancelProbe,
    FindModels,
    ProbeModel,
    ProbeMoved,
)
from studio.engine.models import failures
from studio.engine.models.desk import InUse
from studio.engine.models.exchange import Exchange
from studio.engine.models.failures import ModelFault
from studio.engine.models.probe import asking, kept, reading, words
from studio.engine.models.probe.asking import Observed, Seen
from studio.engine.models.probe.questions import TOOL, WINDOW, Step, body
from studio.engine.offers import (
    FoundModel,
    Guard,
    LoadedModel,
    Probe,
    Thinking,
    ToolCalls,
)
from studio.engine.outcomes import FailureClass
from studio.engine.records import EMBEDDED
from tests.engine.models.desk_bench import Bench, at_desk, done
from tests.ollama_fixture import ScriptedOllama

PLAIN = FoundModel("m:latest", digest="d" * 64, capabilities=("completion", "tools"))
THINKER = FoundModel("m:latest", digest="d" * 64, capabilities=("completion", "tools", "thinking"))
GOOD_JSON = '{"name": "Ant", "legs": 6, "kind": "insect"}'
END = {
    "done": True, "done_reason": "stop", "load_duration": 2_000_000_000, "prompt_eval_count": 300,
    "prompt_eval_duration": 1_500_000_000, "eval_count": 20, "eval_duration": 500_000_000,
}  # fmt: skip


def sent(step: Step, think: bool | None = None):
    return body(step, "m", window=WINDOW, think=think, nonce="1")


def said(step: Step, message: dict, end: dict | None = None) -> Seen:
    """What is seen of a whole reply."""
    exchange = Exchange()
    exchange.began(sent(step))
    line = {"model": "m", "message": {"role": "assistant", "content": "", **message}}
    exchange.read(json.dumps(line | END | (end or {})).encode())
    exchange.end()
    return asking._seen(exchange)


def refused(step: Step, status: int, text: str) -> Seen:
    """What is seen of a refusal."""
    fault = failures.from_status(status, json.dumps({"error": text}))
    assert isinstance(fault, ModelFault)
    return Seen(sent(step), failure=fault.failure, problem=fault.problem)


ANSWERED = said(Step.ANSWER, {"content": "His daughter."})


def read(model: FoundModel = PLAIN, **seen: Seen) -> Probe:
    observed = {Step.ANSWER: ANSWERED, **{Step[name]: each for name, each in seen.items()}}
    return reading.read(
        model, Observed(observed), server="http://127.0.0.1:1", version="0.30.1", at=5.0
    )


class TestReading:
    def test_speeds_are_the_servers_own_and_loading_stands_apart(self):
        probe = read()
        assert (probe.prompt_speed, probe.reply_speed, probe.load_seconds) == (200.0, 40.0, 2.0)
        assert probe.answers is True
        without = said(Step.ANSWER, {"content": "x"}, {"eval_count": None, "load_duration": "1"})
        probe = read(ANSWER=without)
        assert (probe.reply_speed, probe.load_seconds) == (None, None)

    def test_the_load_time_of_a_model_that_could_not_be_freed_before_was_not_measured(self):
        observed = Observed({Step.ANSWER: ANSWERED}, was_freed=False)
        probe = reading.read(PLAIN, observed, server="s", version="0.30.1", at=5.0)
        assert (probe.load_seconds, probe.reply_speed) == (None, 40.0)

    @pytest.mark.parametrize(
        ("seen", "answers", "reason"),
        [
            (said(Step.ANSWER, {"content": " \n"}), False, "empty"),
            (said(Step.ANSWER, {"thinking": "Hm."}), False, "only thought"),
            (said(Step.ANSWER, {"content": "<think>Hm."}), False, "only thought"),
            (refused(Step.ANSWER, 500, "model requires more system memory (9.9 GiB)"), False,
             "more system memory"),
            (Seen({}, failure=FailureClass.TIME_OUT, problem="Too slow."), None, "Too slow."),
            (Seen({}, failure=FailureClass.SERVER, problem="Gone.", is_lost=True), None, "Gone."),
        ],
    )  # fmt: skip
    def test_an_answer_is_text_beside_the_thinking(self, seen, answers, reason):
        probe = read(ANSWER=seen)
        assert probe.answers is answers
        assert reason in probe.reasons["answers"]
        assert (probe.tools, probe.schema, probe.window) == (None, None, None)

    @pytest.mark.parametrize(
        ("seen", "tools", "reason"),
        [
            (said(Step.TOOLS, {"tool_calls": [
                {"function": {"name": "get_temperature", "arguments": {"city": "Lisbon"}}}]}),
             ToolCalls.NATIVE, 'get_temperature({"city":"Lisbon"})'),
            (said(Step.TOOLS, {"content":
                '```json\n{"name": "get_temperature", "arguments": {"city": "Lisbon"}}\n```'}),
             ToolCalls.AS_TEXT, "get_temperature"),
            (said(Step.TOOLS, {"content": '[get_temperature(city="Lisbon")]'}),
             ToolCalls.AS_TEXT, "Lisbon"),
            (said(Step.TOOLS, {"content": "It is 21 degrees."}), ToolCalls.NONE, "21 degrees"),
            (said(Step.TOOLS, {"content": "<tool_response>21</tool_response>"}),
             ToolCalls.NONE, "invented a tool result"),
            (said(Step.TOOLS, {}), ToolCalls.NONE, "nothing"),
            (refused(Step.TOOLS, 400, "registry.ollama.ai/library/m:latest does not support tools"),
             ToolCalls.NONE, "refuses tools"),
            (refused(Step.TOOLS, 500, "error parsing tool call: raw='{\"q\":]', err=invalid"),
             ToolCalls.NONE, "could not read"),
            (refused(Step.TOOLS, 503, "server busy, please try again."), None, "server busy"),
        ],
    )  # fmt: skip
    def test_tool_calls_are_native_or_in_the_text_or_none(self, seen, tools, reason):
        probe = read(TOOLS=seen)
        assert probe.tools is tools
        assert reason in probe.reasons["tools"]

    def test_the_better_of_two_tries_counts_and_says_so(self):
        call = {"function": {"name": TOOL["function"]["name"], "arguments": {"city": "Quito"}}}
        probe = read(
            TOOLS=said(Step.TOOLS, {"content": "I would call it."}),
            TOOLS_AGAIN=said(Step.TOOLS_AGAIN, {"tool_calls": [call]}),
        )
        assert probe.tools is ToolCalls.NATIVE
        assert "one of two tries" in probe.reasons["tools"]

    @pytest.mark.parametrize(
        ("seen", "schema", "reason"),
        [
            (said(Step.SCHEMA, {"content": f" {GOOD_JSON}\n"}), True, "Ant"),
            (said(Step.SCHEMA, {"content": GOOD_JSON.replace("insect", "fish")}), False, "fish"),
            (said(Step.SCHEMA, {"content": f"```json\n{GOOD_JSON}\n```"}), False, "fence"),
            (said(Step.SCHEMA, {"content": "An ant has six legs."}), False, "no JSON"),
            (said(Step.SCHEMA, {"content": '{"name": "A'}, {"done_reason": "length"}), False,
             "tokens ran out"),
            (said(Step.SCHEMA, {"thinking": GOOD_JSON}), False, "nothing but thinking"),
            (said(Step.SCHEMA, {"content": "[" * 5_000}), False, "no JSON"),
            (refused(Step.SCHEMA, 500, "invalid JSON schema in format"), None, "invalid JSON"),
        ],
    )  # fmt: skip
    def test_a_schema_is_kept_to_or_not_and_the_reason_is_told(self, seen, schema, reason):
        probe = read(SCHEMA=seen)
        assert probe.schema is schema
        assert reason in probe.reasons["schema"]

    def test_a_thinker_is_asked_for_its_schema_both_ways(self):
        good = said(Step.SCHEMA, {"content": GOOD_JSON})
        prose = said(Step.SCHEMA, {"content": "An ant."})
        both = read(THINKER, SCHEMA=good, SCHEMA_THINKING=good)
        off = read(THINKER, SCHEMA=good, SCHEMA_THINKING=prose)
        on = read(THINKER, SCHEMA=prose, SCHEMA_THINKING=good)
        assert [each.schema for each in (both, off, on)] == [True, True, True]
        assert "Only with thinking off" in off.reasons["schema"]
        assert "Only while it thinks" in on.reasons["schema"]
        assert read(THINKER, SCHEMA=prose, SCHEMA_THINKING=prose).schema is False

    @pytest.mark.parametrize(
        ("seen", "window", "reason"),
        [
            (refused(Step.WINDOW, 400, "the input length exceeds the context length"),
             Guard.REFUSES, "longer than the model's window"),
            (refused(Step.WINDOW, 400, json.dumps({"error": {
                "code": 400, "type": "exceed_context_size_error", "n_prompt_tokens": 1810,
                "n_ctx": 1024, "message": "request (1810 tokens) exceeds the available context "
                "size (1024 tokens), try increasing it"}})),
             Guard.REFUSES, "1,810 tokens"),
            (said(Step.WINDOW, {"content": "x"}, {"prompt_eval_count": 514}), Guard.CUTS, "514"),
            (said(Step.WINDOW, {"content": "x"}, {"prompt_eval_count": 1_756}),
             Guard.READS_ALL, "1,756"),
            (said(Step.WINDOW, {"content": "x"}, {"prompt_eval_count": None}), None, "did not say"),
            (refused(Step.WINDOW, 500, "runner died"), None, "runner died"),
        ],
    )  # fmt: skip
    def test_a_window_is_guarded_or_cut_in_silence(self, seen, window, reason):
        probe = read(WINDOW=seen)
        assert probe.window is window
        assert reason in probe.reasons["window"]

    def test_thinking_stands_apart_or_in_the_text_or_cannot_be_switched_off(self):
        apart = read(THINKER, THINKING=said(Step.THINKING, {"thinking": "7*13", "content": "No."}))
        assert apart.thinking is Thinking.APART
        inside = read(ANSWER=said(Step.ANSWER, {"content": "<think>Hm.</think>Yes."}))
        assert (inside.thinking, inside.answers) == (Thinking.IN_TEXT, True)
        always = read(
            THINKER,
            ANSWER=said(Step.ANSWER, {"thinking": "Hm.", "content": "Yes."}),
            THINKING=said(Step.THINKING, {"thinking": "Hm.", "content": "No."}),
        )
        assert "also when it is told not to" in always.reasons["thinking"]
        silent = read(THINKER, THINKING=said(Step.THINKING, {"content": "No."}))
        assert (silent.thinking, read().thinking) == (Thinking.NONE, Thinking.NONE)

    def test_the_window_that_was_really_allocated_is_told(self):
        observed = Observed({Step.ANSWER: ANSWERED}, 1024, LoadedModel("m:latest", window=4096))
        probe = reading.read(PLAIN, observed, server="s", version="1", at=0.0)
        assert "asked for a window of 1,024, got 4,096" in words.figures(probe)

    @given(
        st.dictionaries(
            st.sampled_from(Step),
            st.builds(
                Seen,
                sent=st.sampled_from([{}, *map(sent, Step)]),
                text=st.text(max_size=60),
                thinking=st.text(max_size=9),
                prompt_tokens=st.none() | st.integers(0, 2**40),
                reply_tokens=st.none() | st.integers(0, 9),
                prompt_seconds=st.none() | st.just(0.0),
                failure=st.none() | st.sampled_from(FailureClass),
                problem=st.text(min_size=1, max_size=9),
                done_reason=st.none() | st.just("length"),
            ),
        ),
        st.sampled_from([PLAIN, THINKER, FoundModel("m")]),
    )  # fmt: skip
    def test_whatever_was_seen_is_read_and_told_in_words(self, seen, model):
        probe = reading.read(model, Observed(seen), server="s", version="1", at=0.0)
        assert set(probe.reasons) == {"answers", "tools", "schema", "window", "thinking"}
        assert all(probe.reasons.values())
        assert words.summary(probe).endswith(".")
        assert words.badge(probe)[1] in {"good", "mark", "bad", "muted"}
        for tone, what, by in words.findings(probe):
            assert tone in {"good", "mark", "bad", "muted"}
            assert what
            assert by


CALL = {"tool_calls": [{"name": "get_temperature", "arguments": {"city": "Lisbon"}}]}
TOO_LONG = {"status": 400, "error": "the input length exceeds the context length"}
RULES = [
    {"user": "Who counted", "reply": {"content": "His daughter did."}},
    {"user": "Lisbon", "reply": CALL},
    {"user": "Describe one animal", "reply": {"content": GOOD_JSON}},
    {"user": "91", "reply": {"thinking": "7 times 13.", "content": "No."}},
]
MODEL = {
    "name": "m:latest", "digest": "d" * 64,
    "capabilities": ["completion", "tools", "thinking"],
}  # fmt: skip
SCRIPT = {
    "version": "0.30.1", "models": [MODEL], "rules": RULES, "default": TOO_LONG,
    "loaded": [{"name": "m:latest", "context_length": 1024}],
}  # fmt: skip


class TestProbing:
    def test_a_model_is_asked_and_what_was_found_is_kept(self, scripted_ollama):
        address = scripted_ollama.play(SCRIPT)
        bench = done(ProbeModel(address, "m"))
        probe = bench.probe.probe
        assert bench.probe.ending == "finished"
        assert (probe.answers, probe.tools, probe.schema, probe.window, probe.thinking) == (
            True, ToolCalls.NATIVE, True, Guard.REFUSES, Thinking.APART,
        )  # fmt: skip
        assert bench.found.probes == (probe,)
        assert done(FindModels(address)).found.probes == (probe,)
        # Another version of the server, or another model of that name, was not probed.
        scripted_ollama.play(SCRIPT | {"version": "0.31.0"})
        assert done(FindModels(address)).found.probes == ()
        scripted_ollama.play(SCRIPT | {"models": [MODEL | {"digest": "e" * 64}]})
        assert done(FindModels(address)).found.probes == ()

    def test_every_question_has_the_same_options_but_its_length(self, scripted_ollama):
        address = scripted_ollama.play(SCRIPT)
        done(ProbeModel(address, "m:latest"))
        asked = [chat for chat in scripted_ollama.chats() if chat["messages"]]
        assert len(asked) == 6
        for chat in asked:
            assert chat["options"].pop("num_predict")
            assert chat["options"] == {"num_ctx": 1024, "temperature": 0, "seed": 1}
            assert (chat["truncate"], chat["shift"]) == (False, False)
        # Freed before, so that loading is measured, and afterwards.
        unloaded = [place for place, chat in enumerate(scripted_ollama.chats())
                    if chat.get("keep_alive") == 0]  # fmt: skip
        assert unloaded == [0, len(scripted_ollama.chats()) - 1]

    def test_a_model_that_the_server_does_not_free_is_probed_without_its_load_time(
        self, scripted_ollama
    ):
        address = scripted_ollama.play(SCRIPT | {"load": {"status": 500, "error": "no"}})
        probe = done(ProbeModel(address, "m:latest")).probe.probe
        assert probe.answers
        assert probe.load_seconds is None

    def test_a_model_that_cannot_think_is_not_asked_to(self, scripted_ollama):
        model = MODEL | {"capabilities": ["completion"]}
        address = scripted_ollama.play(SCRIPT | {"models": [model]})
        done(ProbeModel(address, "m"))
        assert all("think" not in chat for chat in scripted_ollama.chats())

    def test_without_an_answer_nothing_more_is_asked(self, scripted_ollama):
        broken = {"status": 500, "error": "model requires more system memory"}
        address = scripted_ollama.play(SCRIPT | {"rules": [], "default": broken})
        bench = done(ProbeModel(address, "m"))
        assert bench.probe.probe.answers is False
        assert sum(bool(chat["messages"]) for chat in scripted_ollama.chats()) == 1

    def test_a_server_that_dies_is_not_held_against_the_model(self):
        server = ScriptedOllama(SCRIPT | {"default": {"fault": "silence"}})

        async def work(bench: Bench) -> None:
            probing = bench.begin(ProbeModel(server.address, "m"))
            await bench.until(lambda bench: any("longer" in each.asking for each in
                                                bench.all(ProbeMoved)))  # fmt: skip
            await asyncio.to_thread(server.kill)
            await probing

        bench = at_desk(work)
        assert (bench.probe.ending, bench.probe.probe) == ("failed", None)
        assert bench.probe.problem
        assert kept.all_probes() == ()

    def test_a_cancelled_probe_ends_at_the_server(self, scripted_ollama):
        slow = {"rules": [], "default": {"fault": "silence"}}
        address = scripted_ollama.play(SCRIPT | slow)

        async def work(bench: Bench) -> None:
            probing = bench.begin(ProbeModel(address, "m"))
            await bench.until(lambda _: any(chat["messages"] for chat in scripted_ollama.chats()))
            await bench.do(CancelProbe(address, "m"))
            await asyncio.wait([probing])

        assert at_desk(work).probe.ending == "cancelled"
        scripted_ollama.wait_for(lambda log: any(entry["ended"] == "client left" for entry in log))

    def test_silence_ends_a_question_and_not_the_probe(self, scripted_ollama):
        address = scripted_ollama.play({"default": {"fault": "silence"}})

        async def ask() -> Seen:
            from studio.engine.models.ollama import OllamaServer

            async with OllamaServer(address) as server:
                limits = asking.Limits(silence=0.2, question=5.0)
                return await asking.exchanged(server, sent(Step.TOOLS), limits)

        seen = asyncio.run(ask())
        assert (seen.failure, seen.problem != "") == (FailureClass.TIME_OUT, True)

    def test_a_model_that_is_not_there_is_told_with_the_nearest(self, scripted_ollama):
        address = scripted_ollama.play(SCRIPT | {"models": [MODEL | {"name": "qwen3:4b"}]})
        probe = done(ProbeModel(address, "qwen3:8b")).probe
        assert (probe.ending, "qwen3:4b" in probe.remedy) == ("failed", True)

    def test_while_a_run_goes_on_nothing_is_probed(self, scripted_ollama):
        address = scripted_ollama.play(SCRIPT)
        error = done(ProbeModel(address, "m"), in_use=InUse(frozenset(), "")).error
        assert "A run is under way" in error.problem
        assert scripted_ollama.log() == []

    @pytest.mark.weights
    def test_the_embedded_model_calls_tools_and_refuses_what_is_too_long(self):
        bench = done(ProbeModel(EMBEDDED, "smollm2:135m"))
        probe = bench.probe.probe
        assert (probe.answers, probe.tools, probe.schema, probe.window) == (
            True, ToolCalls.NATIVE, True, Guard.REFUSES,
        )  # fmt: skip
        assert probe.server == EMBEDDED
        assert probe.window_allocated == probe.window_asked
        assert min(probe.prompt_speed, probe.reply_speed, probe.load_seconds) > 0
        # It is found again before the server is started, at whatever address that will be.
        assert done(FindModels(EMBEDDED)).found.probes == (probe,)


class TestKept:
    def test_the_newest_of_the_same_is_kept(self):
        first = Probe("s", "1", "m", "d", 1.0, answers=True)
        other = Probe("s", "2", "m", "d", 2.0, answers=True)
        again = Probe("s", "1", "m", "d", 3.0, answers=False)
        for probe in (first, other, again):
            kept.keep(probe)
        assert kept.all_probes() == (other, again)

    @pytest.mark.parametrize("content", [b"", b"{}", b"[1]", b"\xff", b"[" * 100_000])
    def test_a_damaged_file_holds_no_probe_and_is_written_anew(self, content):
        kept.keep(Probe("s", "1", "m", "d", 1.0))
        (kept.data_folder() / "probes.json").write_bytes(content)
        assert kept.all_probes() == ()
        kept.keep(Probe("s", "1", "m", "d", 1.0))
        assert len(kept.all_probes()) == 1
