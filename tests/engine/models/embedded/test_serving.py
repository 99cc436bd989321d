"""The server at work: what it promises to the clients that the studio uses."""

import asyncio
import json
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager
from typing import Any

import httpx
import jsonschema
import msgspec
import ollama
import pytest
from langchain_core.messages import AIMessage
from langchain_ollama import ChatOllama

from studio.engine.models.budget import budget
from studio.engine.models.embedded.asked import Message, Refusal
from studio.engine.models.embedded.engine import Engine
from studio.engine.models.embedded.template import CHOICE, answer_cue
from studio.engine.models.embedded.weights import MODEL, WEIGHTS
from studio.engine.models.estimate import ERROR
from studio.engine.records import ModelSpec, ToolSpec

pytestmark = pytest.mark.weights

OPTIONS = {"temperature": 0, "num_ctx": 1024, "num_predict": 12}
METALS = ["gold", "silver", "platinum"]
PRICE = {
    "type": "function",
    "function": {
        "name": "get_metal_price",
        "description": "Price of one gram of a metal in USD.",
        "parameters": {
            "type": "object",
            "properties": {"metal_name": {"type": "string", "enum": METALS}},
            "required": ["metal_name"],
        },
    },
}
PRICE_SPEC = msgspec.convert(PRICE["function"], ToolSpec)
EXCHANGE_SPEC = ToolSpec(
    "convert_currency",
    "Convert an amount of US dollars into another currency.",
    {
        "type": "object",
        "properties": {
            "amount": {"type": "number", "description": "How many US dollars."},
            "currency": {"type": "string", "description": "Such as EUR or GBP."},
        },
        "required": ["amount", "currency"],
    },
)
# A reply that would take minutes: thousands of numbers are asked for.
ENDLESS: dict[str, Any] = {
    "model": MODEL,
    "messages": [{"role": "user", "content": "Count."}],
    "format": {"type": "array", "items": {"type": "integer"}, "minItems": 20_000},
    "options": {"num_ctx": 1024, "num_predict": 20_000},
}


@pytest.fixture
def client(address: str) -> Iterator[ollama.Client]:
    with ollama.Client(address) as client:
        yield client


@asynccontextmanager
async def _chat(address: str, **more: Any) -> AsyncIterator[ChatOllama]:
    model = ChatOllama(model=MODEL, base_url=address, temperature=0, num_ctx=1024, **more)
    try:
        yield model
    finally:
        # It opens two clients and offers no way to close them.
        await model._async_client.close()
        model._client.close()


def _short(address: str) -> dict[str, Any]:
    """A request that is answered only if nothing else keeps the model busy."""
    body = {"model": MODEL, "messages": [{"role": "user", "content": "Hi"}], "stream": False,
            "options": OPTIONS}  # fmt: skip
    answer: dict[str, Any] = httpx.post(f"{address}/api/chat", json=body, timeout=90).json()
    return answer


def test_the_official_client_sees_an_ollama_server(client: ollama.Client):
    listed = client.list().models[0]
    assert (listed.model, listed.digest) == (MODEL, WEIGHTS.sha256)
    shown = client.show(MODEL)
    assert shown.capabilities == ["completion", "tools"]
    assert shown.modelinfo is not None
    assert shown.modelinfo["llama.context_length"] == 8192
    said = list(
        client.chat(MODEL, [{"role": "user", "content": "Hi"}], stream=True, options=OPTIONS)
    )
    assert said[-1].done_reason in ("stop", "length")
    assert "".join(part.message.content or "" for part in said)
    assert client.ps().models[0].context_length == 1024
    with pytest.raises(ollama.ResponseError) as refused:
        client.chat("llama3.2:3b", [{"role": "user", "content": "Hi"}])
    assert refused.value.status_code == 404


def test_the_same_seed_gives_the_same_words(client: ollama.Client):
    options = OPTIONS | {"temperature": 0.9, "seed": 3}
    texts = {client.generate(MODEL, "Name a metal.", options=options).response for _ in range(2)}
    assert len(texts) == 1


def test_langchain_gets_a_call_that_fits_the_tool(address: str):
    asked = [
        ("system", 'I will call `get_metal_price` with {"metal_name": "gold"}'),
        ("user", "What is the price of gold?"),
    ]

    async def ask() -> AIMessage:
        async with _chat(address) as model:
            return await model.bind_tools([PRICE]).ainvoke(asked)

    reply = asyncio.run(ask())
    assert isinstance(reply, AIMessage)
    [call] = reply.tool_calls
    assert (call["name"], call["args"]) == ("get_metal_price", {"metal_name": "gold"})
    assert reply.usage_metadata is not None


@pytest.mark.parametrize(
    "parameters",
    [
        PRICE["function"]["parameters"],  # type: ignore[index] # a plain dict
        {"type": "object", "properties": {}},
        {"type": "object", "properties": {"a": {"anyOf": [{"type": "string"}, {"type": "null"}]},
         "b": {"type": ["integer", "null"]}}, "required": ["a", "b"]},
        {"type": "object", "properties": {"x": {"$ref": "#/$defs/x"}}, "required": ["x"],
         "$defs": {"x": {"type": "array", "items": {"type": "number"}, "maxItems": 2}}},
        {"properties": {"x": {"$ref": "#/nowhere"}}},
        {"properties": {"x": {"type": "string", "pattern": "^(a"}}},
    ],
)  # fmt: skip
def test_a_call_fits_the_schema_of_its_tool(address: str, parameters: dict[str, Any]):
    name = "look_up"
    tools = [{"type": "function", "function": {"name": name, "parameters": parameters}}]
    body = {"model": MODEL, "tools": tools, "stream": False,
            "options": OPTIONS | {"num_predict": 60},
            "messages": [{"role": "system", "content": f"I will call `{name}` with {{"},
                         {"role": "user", "content": "Look it up."}]}  # fmt: skip
    reply = httpx.post(f"{address}/api/chat", json=body, timeout=90).json()
    assert reply["done"]
    for call in reply["message"].get("tool_calls", ()):
        assert call["function"]["name"] == name
        if "nowhere" not in str(parameters) and "(a" not in str(parameters):
            jsonschema.validate(call["function"]["arguments"], parameters)


def test_a_call_that_was_made_is_not_made_again(address: str):
    made = {"function": {"name": "get_metal_price", "arguments": {"metal_name": "gold"}}}
    body = {
        "model": MODEL, "tools": [PRICE], "stream": False, "options": OPTIONS,
        "messages": [
            {"role": "user", "content": "What is the price of gold?"},
            {"role": "assistant", "content": "", "tool_calls": [made]},
            {"role": "tool", "content": "88.1553"},
        ],
    }  # fmt: skip
    message = httpx.post(f"{address}/api/chat", json=body, timeout=90).json()["message"]
    calls = [call["function"] for call in message.get("tool_calls", ())]
    assert made["function"] not in [{k: call[k] for k in ("name", "arguments")} for call in calls]
    assert calls or message["content"]


def _counted(address: str, prompt: str, limit: int = 1) -> dict[str, Any]:
    """What is counted where a prompt is taken as it is."""
    options = OPTIONS | {"num_predict": limit}
    body = {"model": MODEL, "prompt": prompt, "raw": True, "stream": False, "options": options}
    return dict(httpx.post(f"{address}/api/generate", json=body, timeout=90).json())


def test_to_choose_to_answer_counts_towards_the_limit_of_a_reply(address: str):
    made = {"function": {"name": "get_metal_price", "arguments": {"metal_name": "gold"}}}
    body = {
        "model": MODEL, "tools": [PRICE], "stream": False, "logprobs": True,
        "messages": [
            {"role": "user", "content": "What is the price of gold?"},
            {"role": "assistant", "content": "", "tool_calls": [made]},
            {"role": "tool", "content": "88.1553"},
        ],
    }  # fmt: skip

    def ask(limit: int) -> dict[str, Any]:
        limited = body | {"options": OPTIONS | {"num_predict": limit}}
        return dict(httpx.post(f"{address}/api/chat", json=limited, timeout=90).json())

    whole = ask(60)
    # Not far from it: an end that nobody sees is counted and has no probability.
    choice = whole["eval_count"] - len(whole["logprobs"])
    replies = {limit: ask(limit) for limit in range(choice - 3, choice + 4)}
    counts = {limit: (each["eval_count"], each["done_reason"]) for limit, each in replies.items()}
    assert counts == {limit: (limit, "length") for limit in replies}
    # Where nothing is left behind the choice, there is no answer.
    assert sum(not each["message"]["content"] for each in replies.values()) == 1


@pytest.mark.parametrize("is_answered", [False, True])
def test_all_that_a_turn_with_tools_reads_and_writes_is_counted_whatever_the_cache_holds(
    address: str, *, is_answered: bool
):
    question, name = "What is the price of gold?", "get_metal_price"
    messages: list[dict[str, Any]] = [{"role": "user", "content": question}]
    if is_answered:  # a call that was made is taken as the wish to answer
        made = {"function": {"name": name, "arguments": {"metal_name": "gold"}}}
        messages += [
            {"role": "assistant", "content": "", "tool_calls": [made]},
            {"role": "tool", "content": "88.1553"},
        ]
    body = {"model": MODEL, "tools": [PRICE], "stream": False, "messages": messages,
            "options": OPTIONS | {"num_predict": 40}, "logprobs": True}  # fmt: skip
    first, second = (
        httpx.post(f"{address}/api/chat", json=body, timeout=90).json() for _ in range(2)
    )
    counts = [(each["prompt_eval_count"], each["eval_count"]) for each in (first, second)]
    assert counts[0] == counts[1]
    assert bool(first["message"].get("tool_calls")) is not is_answered

    debug = httpx.post(f"{address}/api/chat", json=body | {"_debug_render_only": True}).json()
    rendered = debug["_debug_info"]["rendered_template"]
    chosen = _counted(address, rendered + CHOICE)
    read = chosen["prompt_eval_count"]
    if is_answered:
        shared = rendered.removesuffix("assistant\n")
        asked = [Message("user", question), Message("tool")]
        cue = answer_cue(asked).removeprefix("<|im_start|>")
        read += _counted(address, shared + cue)["prompt_eval_count"]
        read -= _counted(address, shared)["prompt_eval_count"]
        # To choose to answer was written, too.
        assert counts[0][1] > len(first["logprobs"]) > 1
    assert counts[0][0] == read


@pytest.mark.parametrize(
    "schema",
    [
        {"type": "object", "properties": {"n": {"type": "integer"}}, "required": ["n"]},
        {"type": "array", "items": {"enum": ["a", "b"]}, "minItems": 2, "maxItems": 2},
        {"type": "string", "pattern": "^[a-c]{3}$"},
        # What the decoder does not know must not set the model free.
        {"type": "object", "properties": {"n": {"type": "boolean"}}, "required": ["n"],
         "additionalProperties": False, "not": {"required": ["m"]}},
    ],
)  # fmt: skip
def test_a_reply_fits_the_schema_that_was_asked_for(address: str, schema: dict[str, Any]):
    body = {"model": MODEL, "messages": [{"role": "user", "content": "Hello"}], "stream": False,
            "format": schema, "options": OPTIONS | {"num_predict": 60}}  # fmt: skip
    reply = httpx.post(f"{address}/api/chat", json=body, timeout=90).json()
    jsonschema.validate(json.loads(reply["message"]["content"]), schema)


def test_without_shifting_a_reply_ends_at_the_windows_end(address: str):
    body = ENDLESS | {"stream": False, "shift": False, "options": {"num_ctx": 256}}
    body["options"] = {"num_ctx": 256, "num_predict": 5000}
    reply = httpx.post(f"{address}/api/chat", json=body, timeout=120).json()
    assert reply["done_reason"] == "length"
    assert reply["prompt_eval_count"] + reply["eval_count"] == 256


@pytest.mark.parametrize("stream", [True, False])
def test_a_closed_connection_stops_the_model(address: str, *, stream: bool):
    if stream:
        with httpx.stream("POST", f"{address}/api/chat", json=ENDLESS, timeout=30) as response:
            assert next(response.iter_lines())
    else:
        with pytest.raises(httpx.ReadTimeout):
            httpx.post(f"{address}/api/chat", json=ENDLESS | {"stream": False}, timeout=2)
    assert _short(address)["done"]


def test_a_cancelled_task_stops_the_model(address: str):
    async def cancel_after_the_first_word() -> None:
        began = asyncio.Event()

        async def read() -> None:
            async with _chat(address, format=ENDLESS["format"]) as model:
                async for _ in model.astream("Count."):
                    began.set()

        task = asyncio.create_task(read())
        await began.wait()
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task

    asyncio.run(cancel_after_the_first_word())
    assert _short(address)["done"]


def test_a_waiting_request_whose_client_went_is_not_answered(address: str):
    with httpx.stream("POST", f"{address}/api/chat", json=ENDLESS, timeout=30) as running:
        lines = running.iter_lines()  # Kept: when it goes, so does the connection.
        next(lines)
        with pytest.raises(httpx.ReadTimeout):
            httpx.post(f"{address}/api/chat", json=ENDLESS, timeout=1)
    assert _short(address)["done"]


def test_a_full_queue_is_refused(weights: Any, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr("studio.engine.models.embedded.engine._MOST_WAITING", 2)
    engine = Engine(weights)

    async def ask() -> None:
        async with engine.turn(1024, 60):
            pass

    async def fill() -> Refusal:
        async with engine.turn(1024, 60):
            waiting = [asyncio.create_task(ask()) for _ in range(2)]
            await asyncio.sleep(0)
            with pytest.raises(Refusal) as refused:
                await ask()
        await asyncio.gather(*waiting)
        return refused.value

    assert asyncio.run(fill()).status == 503


def test_a_prompt_that_does_not_fit_is_a_refusal_that_the_studio_understands(address: str):
    body = {"model": MODEL, "messages": [{"role": "user", "content": "word " * 900}],
            "truncate": False, "options": {"num_ctx": 256}}  # fmt: skip
    response = httpx.post(f"{address}/api/chat", json=body, timeout=60)
    assert response.status_code == 400
    told = json.loads(response.json()["error"])["error"]
    assert (told["type"], told["n_ctx"]) == ("exceed_context_size_error", 256)


@pytest.mark.parametrize("system", ["", "You know what metals cost. Use the tools, then answer."])
@pytest.mark.parametrize("tools", [(), (PRICE_SPEC,), (PRICE_SPEC, EXCHANGE_SPEC)])
def test_the_meter_is_as_near_to_what_the_server_counts_as_it_says(client, system, tools):
    question = "How much does a gram of gold cost in USD?"
    made = budget(system, tools, question, ModelSpec(MODEL))
    messages = [{"role": "system", "content": system}] if system else []
    offered = [{"type": "function", "function": msgspec.to_builtins(tool)} for tool in tools]
    counted = client.chat(
        MODEL,
        [*messages, {"role": "user", "content": question}],
        tools=offered,
        options=OPTIONS | {"num_predict": 1},
    ).prompt_eval_count
    assert made.prompt == pytest.approx(counted, rel=ERROR)
