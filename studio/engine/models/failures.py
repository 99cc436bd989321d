"""What a model server says when it fails, as one sentence with whose fault it was.

Two servers word the same refusal differently: one in text, one as JSON inside the text of its
`error` field.  Both are understood here and nowhere else.
"""

import json
import re
from collections.abc import Mapping
from typing import Any

import httpx

from studio.engine.errors import ServerError
from studio.engine.plain import plain_text
from studio.engine.records import FailureClass

READABLE = 2_000

_TOO_LONG = re.compile(
    r"exceeds? the available context size|input length exceeds the context length"
    r"|longer than the context length|exceed_context_size",
    re.IGNORECASE,
)
_MALFORMED_CALL = re.compile(
    r"error parsing tool call|failed to parse tool call|XML syntax error|parsing tool.?call",
    re.IGNORECASE,
)
_RAW_CALL = re.compile(r"raw='(.*)', err=", re.DOTALL)
_REMEDIES = (
    ("does not support tools", "Choose a model that can call tools, or an empty tool set."),
    ("does not support thinking", "Take `think: true` away from this model's settings."),
    ("not found", "Pull the model, or choose one that the server has."),
    ("server busy", "Run fewer trials at once."),
    ("must be of type", "Correct the option in the model's settings."),
    ("memory", "Choose a smaller model or a smaller num_ctx."),
)


class ModelFault(ServerError):
    """A model call that gave no usable reply.

    `failure` says whose fault it was; `raw` is what the server said, cut to a readable length.
    """

    def __init__(
        self, failure: FailureClass, problem: str, remedy: str = "", *, raw: str = ""
    ) -> None:
        super().__init__(plain_text(problem, READABLE), remedy)
        self.failure = failure
        self.raw = plain_text(raw, READABLE)


def from_status(status: int, body: str) -> ModelFault:
    """The fault behind an HTTP answer that is no success."""
    text, details = _error_of(body)
    if not text:
        text = f"The server answered with status {status}."
    return _from_error(text, details, raw=f"{status} {body}")


def from_error(error: Any, line: str) -> ModelFault:
    """The fault behind an `error` field in the stream."""
    text, details = _unwrapped(error)
    return _from_error(text or "The server reported an error without a text.", details, raw=line)


def from_transport(error: httpx.HTTPError, address: str) -> ModelFault:
    """The fault behind a connection that could not be made or did not last."""
    kind = type(error).__name__
    match error:
        case httpx.ConnectError() | httpx.ConnectTimeout():
            problem = f"No model server answers at {address}."
            return ModelFault(FailureClass.SERVER, problem, start_advice(address), raw=str(error))
        case httpx.TimeoutException():
            problem = f"The server at {address} said nothing within the time limit."
            return ModelFault(FailureClass.TIME_OUT, problem, raw=f"{kind}: {error}")
    problem = f"The connection to {address} broke in the middle of the reply."
    remedy = "See whether the server is still running."
    return ModelFault(FailureClass.SERVER, problem, remedy, raw=f"{kind}: {error}")


def unreadable(line: str) -> ModelFault:
    """The fault behind a line of the stream that is nothing a model server says."""
    if _MALFORMED_CALL.search(line):
        return _malformed(line, line)
    problem = f"The server sent a line that is no reply: {plain_text(line, 200)}"
    return ModelFault(FailureClass.SERVER, problem, raw=line)


def ended_early(partial: str) -> ModelFault:
    """The fault behind a stream that ends without its last line."""
    problem = "The server ended the reply before it was complete."
    remedy = "See whether the server or its model process crashed."
    return ModelFault(FailureClass.SERVER, problem, remedy, raw=partial)


def start_advice(address: str) -> str:
    """What to do when nothing listens at `address`: for this machine, or for another one."""
    host = httpx.URL(address).host
    if host in {"127.0.0.1", "localhost", "::1"}:
        return "Start Ollama, or change the server's address in the model settings."
    return f"See whether Ollama runs on {host} and listens to other machines (OLLAMA_HOST)."


def _from_error(text: str, details: Mapping[str, Any], *, raw: str) -> ModelFault:
    if _TOO_LONG.search(text) or details.get("type") == "exceed_context_size_error":
        return _too_long(text, details, raw)
    if _MALFORMED_CALL.search(text):
        return _malformed(text, raw)
    remedy = next((advice for words, advice in _REMEDIES if words in text), "")
    sentence = text if text.endswith((".", "!", "?")) else f"{text}."
    return ModelFault(FailureClass.SERVER, sentence, remedy, raw=raw)


def _too_long(text: str, details: Mapping[str, Any], raw: str) -> ModelFault:
    counts = re.findall(r"\((\d+) tokens\)", text)
    tokens, window = details.get("n_prompt_tokens"), details.get("n_ctx")
    if not (isinstance(tokens, int) and isinstance(window, int)) and len(counts) == 2:
        tokens, window = map(int, counts)
    problem = "The prompt is longer than the model's window."
    if isinstance(tokens, int) and isinstance(window, int):
        problem = f"The prompt has {tokens:,} tokens, the model's window (num_ctx) {window:,}."
    remedy = "Raise num_ctx, or shorten the prompt or the tools' descriptions."
    return ModelFault(FailureClass.TRUNCATED, problem, remedy, raw=raw)


def _malformed(text: str, raw: str) -> ModelFault:
    written = _RAW_CALL.search(text)
    shown = plain_text(written.group(1) if written else text, 200)
    problem = f"The model wrote a tool call that the server could not read: {shown}"
    return ModelFault(FailureClass.MODEL_OUTPUT, problem, raw=raw)


def _error_of(body: str) -> tuple[str, Mapping[str, Any]]:
    try:
        said = json.loads(body)
    except (ValueError, RecursionError):
        return plain_text(body.strip(), 200), {}
    return _unwrapped(said.get("error", "") if isinstance(said, dict) else said)


def _unwrapped(error: Any) -> tuple[str, Mapping[str, Any]]:
    """The sentence of an error and its details, however deep it is wrapped in JSON."""
    for _ in range(4):
        if isinstance(error, dict) and "error" in error:
            error = error["error"]
        elif isinstance(error, dict):
            return str(error.get("message", error)), error
        elif isinstance(error, str) and error.lstrip().startswith("{"):
            try:
                error = json.loads(error)
            except (ValueError, RecursionError):
                break
        else:
            break
    return str(error), {}
