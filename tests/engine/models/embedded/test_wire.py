"""The embedded server against what a real Ollama server of August 2026 said to the same requests.

`wire.jsonl` holds the recorded exchanges that apply to our model, trimmed; `wire_not_ours.jsonl`
names the others with the reason.  Compared are status, type, order of lines, names and types of
fields and whatever the model's words do not decide; for prompts without tools also token counts.
"""

import json
import math
from pathlib import Path
from typing import Any

import httpx
import pytest

pytestmark = pytest.mark.weights

HERE = Path(__file__).parent
RECORDED = [json.loads(line) for line in (HERE / "wire.jsonl").read_text("utf-8").splitlines()]
OURS = {"minilm": "all-minilm"}
# There the system message stood in the cut prompt twice, with its ten tokens.
COUNTED_TWICE = {"window too small, cut in silence": 42 - 10}
# What the words of a model decide, or the time of day.
FREE = {"arguments", "model_info", "created_at"}


def test_every_recorded_exchange_is_compared_or_excused():
    excused = [json.loads(line) for line in (HERE / "wire_not_ours.jsonl").read_text().splitlines()]
    assert len(RECORDED) + len(excused) == 172
    assert all(one["why"] for one in excused)


def _ours(value: Any) -> Any:
    """A recorded value with the models' names as ours and repeated text written out."""
    match value:
        case {"repeat": text, "times": times}:
            return text * times
        case dict():
            return {key: _ours(item) for key, item in value.items()}
        case list():
            return [_ours(item) for item in value]
        case str():
            for name in ("smollm2-tools", "smollm2-plain", "smollm2-brace", "smollm2-think"):
                value = value.replace(f"{name}:latest", "smollm2:135m").replace(
                    name, "smollm2:135m"
                )
            return OURS.get(value, value)
        case _:
            return value


def _shape(value: Any) -> Any:
    """Names and types; lists by the shapes of their items, numbers as one type but in counts."""
    match value:
        case dict():
            return {key: "free" if key in FREE else _shape(item) for key, item in value.items()}
        case list():
            return [shape for n, shape in enumerate(map(_shape, value)) if n == 0]
        case bool() | None:
            return type(value).__name__
        case float() | int():
            return "number"
        case _:
            return type(value).__name__


def _kind(line: dict[str, Any], *, streamed: bool) -> str:
    if "error" in line:
        return "error"
    if "message" not in line and "response" not in line:
        return "other"
    if "_debug_info" in line:
        return "debug"
    calls = "call" if line.get("message", {}).get("tool_calls") else "text"
    extra = " with odds" if "logprobs" in line else ""
    if line["done"] and line["done_reason"] in ("load", "unload"):
        return "load"
    if not streamed:
        return f"whole {calls}{extra}"
    return "last" if line["done"] else f"{calls}{extra}"


def _is_streamed(exchange: dict[str, Any]) -> bool:
    return exchange.get("body", {}).get("stream") is not False and exchange["type"].endswith(
        "ndjson"
    )


def _catalogue() -> dict[str, list[Any]]:
    found: dict[str, list[Any]] = {}
    for exchange in RECORDED:
        if exchange["path"] in ("/api/chat", "/api/generate"):
            for line in exchange["lines"]:
                kind = exchange["path"] + _kind(line, streamed=_is_streamed(exchange))
                found.setdefault(kind, []).append(_shape(line))
    return found


SHAPES = _catalogue()


def _body(exchange: dict[str, Any]) -> dict[str, Any] | None:
    if "raw" in exchange:
        return {"content": exchange["raw"]}
    if "body" not in exchange:
        return None
    body = _ours(exchange["body"])
    if exchange["path"] == "/api/pull" and "smollm2" in str(body.get("model")):
        body["model"] = "llama3.2:3b"  # Ours is here already.
    if (
        exchange["path"] == "/api/chat"
        and body.get("messages")
        and "window" not in exchange["case"]
    ):
        # The model's words do not count: a few tokens of them will do.
        options = body.setdefault("options", {})
        few = 40 if body.get("tools") else 8
        options["num_predict"] = min(options.get("num_predict") or few, few)
    return {"json": body}


@pytest.mark.parametrize("exchange", RECORDED, ids=[one["case"] for one in RECORDED])
def test_the_server_answers_as_ollama_did(address: str, exchange: dict[str, Any]):
    response = httpx.request(
        exchange["method"], address + exchange["path"], timeout=120, **(_body(exchange) or {})
    )
    assert response.status_code == exchange["status"], response.text
    assert response.headers["content-type"].split(";")[0] == exchange["type"]
    if "text" in exchange:
        assert response.text == exchange["text"]
        return
    said = [json.loads(line) for line in response.text.splitlines()]
    recorded = _ours(exchange["lines"])
    if exchange["path"] in ("/api/chat", "/api/generate") and exchange["status"] == 200:
        _same_reply(exchange, said, recorded)
    elif "error" in recorded[-1]:
        _same_error(exchange, said, recorded)
    else:
        assert _shape(said) == _shape(recorded)
    if exchange["path"] == "/api/embed":
        _same_embeddings(exchange, said[-1], recorded[-1])


def _same_embeddings(
    exchange: dict[str, Any], said: dict[str, Any], recorded: dict[str, Any]
) -> None:
    """The record holds two numbers in place of each vector's many."""
    assert said.get("prompt_eval_count") == recorded.get("prompt_eval_count")
    assert len(said.get("embeddings", ())) == len(recorded.get("embeddings", ()))
    for vector in said.get("embeddings", ()):
        assert len(vector) == exchange["body"].get("dimensions", 384)
        assert math.hypot(*vector) == pytest.approx(1, abs=1e-5)


@pytest.mark.parametrize(
    ("truncate", "told"),
    [
        ({}, {"prompt_eval_count": 512}),
        ({"truncate": False}, {"error": "the input length exceeds the context length"}),
    ],
    ids=["cut in silence", "refused"],
)
def test_a_text_longer_than_the_window_is_treated_as_ollama_does(address, truncate, told):
    body = {"model": "all-minilm", "input": "gold " * 600, **truncate}
    said = httpx.post(f"{address}/api/embed", json=body, timeout=120).json()
    assert told.items() <= said.items()


def test_a_text_has_the_same_vector_alone_and_among_others(address):
    def vectors(*texts: str) -> list[list[float]]:
        body = {"model": "all-minilm", "input": texts}
        answer = httpx.post(f"{address}/api/embed", json=body, timeout=120)
        return answer.json()["embeddings"]

    [alone] = vectors("silver ring")
    first, second = vectors("gold", "silver ring")
    assert second == pytest.approx(alone, abs=1e-5)
    assert first != pytest.approx(alone, abs=1e-5)


def _same_error(
    exchange: dict[str, Any], said: list[dict[str, Any]], recorded: list[dict[str, Any]]
) -> None:
    assert [set(line) for line in said] == [set(line) for line in recorded]
    text, expected = said[-1]["error"], recorded[-1]["error"]
    if "pull model manifest" in expected:
        assert text.startswith("pull model manifest: ")
    elif "Go struct field" in expected:
        assert text.startswith("json: cannot unmarshal string into Go struct field ChatRequest.")
    elif expected.startswith("{"):
        assert json.loads(text) == json.loads(expected)
    else:
        assert text == expected


def _same_reply(
    exchange: dict[str, Any], said: list[dict[str, Any]], recorded: list[dict[str, Any]]
) -> None:
    streamed = _is_streamed(exchange)
    kinds = [_kind(line, streamed=streamed) for line in said]
    for line, kind in zip(said, kinds, strict=True):
        assert _shape(line) in SHAPES[exchange["path"] + kind]
        assert line["model"] == recorded[0]["model"]
        role = "" if kind == "debug" else "assistant"
        assert line.get("message", {"role": role})["role"] == role
    if streamed:
        assert kinds[-1] == "last"
        assert "last" not in kinds[:-1]
        assert kinds[:-1] == ["call"] or set(kinds[:-1]) == {"text"}
    last, expected = said[-1], recorded[-1]
    assert last["done"] == expected["done"]
    reason = expected.get("done_reason")
    if reason in ("load", "unload"):
        assert last["done_reason"] == reason
    elif reason:
        assert last["done_reason"] in ("stop", "length")
    body = exchange.get("body", {})
    if not body.get("tools") and "prompt_eval_count" in expected:
        count = COUNTED_TWICE.get(exchange["case"], expected["prompt_eval_count"])
        assert last["prompt_eval_count"] == count
