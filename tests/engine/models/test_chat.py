"""What goes over the wire, what is read from it, and what the client is spared."""

import asyncio
import json

import httpx
import ollama
import pytest
from hypothesis import given
from hypothesis import strategies as st

from studio.engine.models.chat import chat_model
from studio.engine.models.exchange import Exchange, recording
from studio.engine.models.failures import (
    READABLE,
    ModelFault,
    from_error,
    from_status,
    from_transport,
)
from studio.engine.models.window import Counts, cut
from studio.engine.outcomes import FailureClass
from studio.engine.records import ModelSpec


def asked(spec: ModelSpec, address: str, exchange: Exchange | None = None, times: int = 1):
    """The last reply of the model; what passed is in `exchange`."""

    async def ask():
        model = chat_model(spec, address, time_limit=10)
        try:
            with recording(exchange or Exchange()):
                for _ in range(times):
                    reply = await model.ainvoke("hi")
                return reply
        finally:
            await model.aclose()

    return asyncio.run(ask())


def test_every_option_is_sent_by_its_own_name_and_a_window_always(scripted_ollama):
    options = {"min_p": 0.1, "temperature": 0, "seed": 3, "num_predict": 50}
    asked(ModelSpec("m", options=options, keep_alive="10m"), scripted_ollama.address)
    [body] = scripted_ollama.chats()
    assert body["options"] == {"num_ctx": 4096, **options}
    assert body["keep_alive"] == "10m"
    assert (body["truncate"], body["shift"]) == (False, False)
    assert "think" not in body


@pytest.mark.parametrize("think", [True, False, "low", "high"])
def test_thinking_is_asked_for_as_stated(scripted_ollama, think):
    asked(ModelSpec("m", think=think), scripted_ollama.address)
    assert scripted_ollama.chats()[0]["think"] == think


def test_the_facts_of_a_reply_are_read_from_the_wire(scripted_ollama):
    scripted_ollama.play(
        {"default": {"content": ["a", "b"], "thinking": "hm", "done_reason": "length"}}
    )
    exchange = Exchange()
    asked(ModelSpec("m"), scripted_ollama.address, exchange)
    assert (exchange.text, exchange.thinking) == ("ab", "hm")
    assert (exchange.done_reason, exchange.is_done) == ("length", True)
    assert (exchange.prompt_tokens, exchange.reply_tokens) == (26, 8)
    assert exchange.load_seconds == 0.001
    assert exchange.first_byte_seconds > 0
    assert exchange.sent == scripted_ollama.chats()[0]


def test_connections_are_used_again(scripted_ollama):
    exchange = Exchange()
    asked(ModelSpec("m"), scripted_ollama.address, exchange, times=3)
    assert len({entry["client"] for entry in scripted_ollama.log()}) == 1


@pytest.mark.parametrize(
    ("address", "told"),
    [
        ("https://ollama.com", "Bearer secret"),
        ("http://box:1", None),
        ("https://x.ollama.com", None),
    ],
)
def test_the_key_of_the_environment_is_told_to_nobody_else(monkeypatch, address, told):
    monkeypatch.setenv("OLLAMA_API_KEY", "secret")
    heard: list[httpx.Request] = []

    async def lines():
        yield b'{"message": {"role": "assistant", "content": "Hi."}, "done": true}'

    def answer(request: httpx.Request) -> httpx.Response:
        heard.append(request)
        return httpx.Response(200, content=lines())

    # Where connections are made: no other machine is asked by a test.
    monkeypatch.setattr(httpx, "AsyncHTTPTransport", lambda **_: httpx.MockTransport(answer))
    asked(ModelSpec("m"), address)
    assert heard[0].headers.get("Authorization") == told


def test_a_proxy_of_the_environment_is_never_used(scripted_ollama, closed_address, monkeypatch):
    for name in ("HTTP_PROXY", "http_proxy", "ALL_PROXY"):
        monkeypatch.setenv(name, closed_address)
    assert asked(ModelSpec("m"), scripted_ollama.address).text == "Hello."


def test_a_redirect_is_not_followed(scripted_ollama):
    scripted_ollama.play({"default": {"status": 307, "error": "elsewhere"}})
    with pytest.raises(ModelFault, match="elsewhere"):
        asked(ModelSpec("m"), scripted_ollama.address)


def test_a_stream_that_only_loaded_the_model_is_a_fault(scripted_ollama):
    line = (
        '{"model":"m","message":{"role":"assistant","content":""},"done":true,"done_reason":"load"}'
    )
    scripted_ollama.play({"default": {"lines": [line]}})
    with pytest.raises(ModelFault, match="no message"):
        asked(ModelSpec("m"), scripted_ollama.address)


def line(message: object, **fields: object) -> bytes:
    return json.dumps({"message": message, **fields}).encode()


@pytest.mark.parametrize(
    ("arguments", "read", "mended"),
    [
        ({"a": 1}, {"a": 1}, False),
        ('{"a": 1}', {"a": 1}, True),
        ("{'a': 1}", {"a": 1}, True),
        ('{"a": 1', {"a": 1}, True),
        (None, {}, True),
        ("", {}, True),
    ],
)
def test_arguments_of_every_shape_reach_the_client_as_an_object(arguments, read, mended):
    exchange = Exchange()
    call = {"function": {"name": "add", "arguments": arguments}}
    handed_on = exchange.read(line({"role": "assistant", "tool_calls": [call]}))
    assert (exchange.calls[0].arguments, exchange.calls[0].mended) == (read, mended)
    assert json.loads(handed_on)["message"]["tool_calls"][0]["function"]["arguments"] == read


@pytest.mark.parametrize("call", [3, {}, {"function": None}, {"function": {"arguments": {}}},
                                  {"function": {"name": "f", "arguments": [1]}},
                                  {"function": {"name": "f", "arguments": "dir /s"}}])  # fmt: skip
def test_a_call_that_is_none_is_the_models_fault_and_shown(call):
    with pytest.raises(ModelFault) as caught:
        Exchange().read(line({"role": "assistant", "tool_calls": [call]}))
    assert caught.value.failure is FailureClass.MODEL_OUTPUT
    assert caught.value.raw


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=8), inner),
    max_leaves=8,
)


def client_reads_or_fault_is_named(data: bytes) -> None:
    try:
        handed_on = json.loads(Exchange().read(data))
    except ModelFault as fault:
        is_good = fault.problem != ""
    else:
        is_good = isinstance(ollama.ChatResponse(**handed_on).message.role, str)
    assert is_good


@given(st.binary(max_size=60))
def test_any_line_is_read_or_named(data):
    client_reads_or_fault_is_named(data)


@given(
    st.dictionaries(st.sampled_from(["role", "content", "thinking", "tool_calls", "images"]), JSON),
    st.dictionaries(st.sampled_from(["done", "done_reason", "model", "eval_count"]), JSON),
)
def test_any_message_is_read_or_named(message, fields):
    client_reads_or_fault_is_named(line(message, **fields))


@given(JSON, st.integers(300, 599))
def test_any_error_body_becomes_a_sentence(error, status):
    for fault in (
        from_status(status, json.dumps({"error": error})),
        from_status(status, str(error)),
        from_error(error, "line"),
    ):
        assert fault.problem
        assert len(fault.problem) <= READABLE + 100


@pytest.mark.parametrize(
    "said",
    [
        "the input length exceeds the context length",
        "the prompt is longer than the context length currently available to the model",
        '{"error":{"code":400,"message":"request (1810 tokens) exceeds the available context size '
        '(256 tokens), try increasing it","type":"exceed_context_size_error",'
        '"n_prompt_tokens":1810,"n_ctx":256}}',
        "request (1810 tokens) exceeds the available context size (256 tokens)",
    ],
)
def test_every_wording_of_a_prompt_too_long_is_understood(said):
    fault = from_status(400, json.dumps({"error": said}))
    assert fault.failure is FailureClass.TRUNCATED
    if "1810" in said:
        assert "1,810 tokens" in fault.problem
        assert "256" in fault.problem
    assert "{" not in fault.problem


def test_a_certificate_that_is_not_trusted_is_called_so():
    said = "[SSL: CERTIFICATE_VERIFY_FAILED] certificate verify failed: self-signed certificate"
    fault = from_transport(httpx.ConnectError(said), "https://box")
    assert "certificate that this machine does not trust" in fault.problem
    assert "Start Ollama" not in fault.remedy


@pytest.mark.parametrize(
    ("words", "window", "count", "is_cut"),
    [
        (900, 256, 42, True),
        (900, 256, 130, True),
        (900, 256, 256, True),
        (900, 2048, 1300, False),
        (900, 2048, 5, False),
        (200, 4096, 200, False),
        (900, 256, None, True),
        (100, 256, None, False),
        (300, 256, 256, True),
        (300, 256, 290, False),
    ],
)
def test_a_cut_is_claimed_only_where_the_count_proves_it(words, window, count, is_cut):
    sent = {"options": {"num_ctx": window}, "messages": [{"content": "word " * words}]}
    assert (cut(sent, Counts(count)) is not None) is is_cut


@pytest.mark.parametrize(
    ("reply", "is_cut"), [(96, False), (95, False), (94, True), (45, True), (1, True)]
)
def test_a_reply_that_ends_below_its_limit_was_ended_by_the_window(reply, is_cut):
    sent = {"messages": [], "options": {"num_ctx": 256, "num_predict": 96}}
    assert (cut(sent, Counts(100, reply, "length")) is not None) is is_cut
    assert cut(sent, Counts(100, reply, "stop")) is None
