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
from studio.engine.outcomes import FailureClass
from studio.engine.plain import plain_text

READABLE = 2_000
PATIENCE = "Raise the time limit, or see what keeps the server busy."
WHERE_NAMED = (
    "where it is named: in the terminal, in the settings, in project.yaml (model: server), or in "
    "OLLAMA_HOST."
)
MORE_ROOM = "Run it again with a larger num_ctx, or shorten the prompt or the tools' descriptions."

_TOO_LONG = re.compile(
    r"exceeds? the available context size|exceeds (?:the )?(?:model's )?(?:maximum )?context length"
    r"|longer than the context length|exceed_context_size",
    re.IGNORECASE,
)
_UNREAD_CALL = re.compile(
    r"\b(?:pars\w+|incomplete|invalid|returned invalid) (?:\w+ ){0,3}(?:tool|function).?call"
    r"|failed to parse (?:\w+ )?(?:JSON|XML|arguments|value)\b|XML syntax error"
    r"|\b(?:invalid|mismatched) arg|\bATEM\b"
    r"|required argument .* is missing|empty (?:\w+ )*(?:argument|function|call) name"
    r"|\btool (['\"]).*\1 (?:not found|is not declared)|undeclared \w+ function",
    re.IGNORECASE,
)
"""What the parsers of a server say of a call that a model wrote, one parser for each kind of model.

They end the reply with it, in place of passing on what they could not read; a call of a tool that
was not offered is among it.
"""
_RAW_CALL = re.compile(r"raw='(.*)', err=", re.DOTALL)
_SERVER, _HARNESS = FailureClass.SERVER, FailureClass.HARNESS
_KNOWN = (
    (
        "does not support tools",
        _SERVER,
        "Choose a model that can call tools, or no tools.",
    ),
    ("does not support thinking", _SERVER, "Take `think: true` away from this model's settings."),
    ("does not support chat", _SERVER, "Choose a model that can chat: this one only embeds texts."),
    ("not found", _SERVER, "Pull the model, or choose one that the server has."),
    ("server busy", _SERVER, "Run fewer trials at once, or see who else asks the server."),
    ("must be of type", _HARNESS, "Correct the option in the model's settings."),
    ("think value", _HARNESS, "Correct `think` in the model's settings."),
    ("invalid duration", _HARNESS, "Correct `keep_alive` in the model's settings."),
    ("schema", _HARNESS, "Correct the schema that the reply was asked to follow."),
    ("invalid format", _HARNESS, "Correct the format that the reply was asked to follow."),
    ("memory", _SERVER, "Choose a smaller model or a smaller num_ctx."),
    ("unauthorized", _SERVER, "Sign in to the server (`ollama signin`), or choose a local model."),
    ("request canceled", _SERVER, "Continue the run: the trial is then run again."),
)
"""What servers are known to say: words of it, whose fault that is, and what to do."""

_BAD_REQUESTS = {400, 405, 406, 413, 415, 422}
_READ_REQUEST = "See what was sent in the step's details, and correct the model's settings."
_READ_LOG = "See the server's log."
_NO_HTTPS = "Write the address with http:// if the server speaks no https."
_READ_REPLY = "See the raw reply: another model, or another prompt, may do better."


class ModelFault(ServerError):
    """A model call that gave no usable reply.

    `failure` says whose fault it was; `raw` is what the server said, cut to a readable length;
    `needed` are the tokens that the window would have to hold, if it was too small.
    """

    def __init__(
        self,
        failure: FailureClass,
        problem: str,
        remedy: str = "",
        *,
        raw: str = "",
        needed: int | None = None,
    ) -> None:
        super().__init__(plain_text(problem, READABLE), remedy)
        self.failure = failure
        self.raw = plain_text(raw, READABLE)
        self.needed = needed


def from_status(status: int, body: str) -> ModelFault:
    """The fault behind an HTTP answer that is no success."""
    text, details = _error_of(body)
    if not text:
        text = f"The server answered with status {status}."
    return _from_error(text, details, raw=f"{status} {body}", is_ours=status in _BAD_REQUESTS)


def from_error(error: Any, line: str) -> ModelFault:
    """The fault behind an `error` field in the stream."""
    text, details = _unwrapped(error)
    return _from_error(text or "The server reported an error without a text.", details, raw=line)


def from_transport(
    error: httpx.HTTPError, address: str, *, is_answering: bool = True
) -> ModelFault:
    """The fault behind a connection that could not be made or did not last.

    `is_answering`: the answer had begun.
    """
    kind = type(error).__name__
    match error:
        case httpx.ConnectError() if "[SSL" in str(error):
            return _no_tls(str(error), address)
        case httpx.ConnectError() | httpx.ConnectTimeout():
            problem = f"No model server answers at {address}."
            return ModelFault(FailureClass.SERVER, problem, start_advice(address), raw=str(error))
        case httpx.TimeoutException():
            problem = f"The server at {address} said nothing within the time limit."
            return ModelFault(FailureClass.TIME_OUT, problem, PATIENCE, raw=f"{kind}: {error}")
    problem = f"The connection to {address} broke in the middle of the reply."
    remedy = "See whether the server is still running."
    if not is_answering:
        problem = f"The server at {address} closed the connection before it answered."
        remedy += " If it is, see whether its address has the right port, and http or https."
    return ModelFault(FailureClass.SERVER, problem, remedy, raw=f"{kind}: {error}")


def _no_tls(error: str, address: str) -> ModelFault:
    """Something answers at an https address, but no safe connection comes of it."""
    problem = f"No safe connection (https) to {address} is possible."
    remedy = _NO_HTTPS
    if "CERTIFICATE" in error:
        problem = f"The server at {address} shows a certificate that this machine does not trust."
        remedy = "Let the machine trust it, or correct the server's address."
    return ModelFault(FailureClass.SERVER, problem, remedy, raw=error)


def unreadable(line: str) -> ModelFault:
    """The fault behind a line of the stream that is nothing a model server says."""
    if _UNREAD_CALL.search(line):
        return _malformed(line, line)
    problem = f"The server sent a line that is no reply: {quoted(line)}"
    remedy = "See whether a model server, and not a proxy, answers at the server's address."
    return ModelFault(FailureClass.SERVER, problem, remedy, raw=line)


def ended_early(partial: str, repeated: str | None = None) -> ModelFault:
    """The fault behind a stream that ends without its last line.

    `repeated` is what the model wrote over and over until then: Ollama breaks such a reply off
    (after 30 times) and says nothing.
    """
    if repeated is not None:
        what = f"the same again and again, until the server broke it off: {quoted(repeated)}"
        return model_output(what, partial)
    problem = "The server ended the reply before it was complete."
    remedy = "See whether the server or its model process crashed."
    return ModelFault(FailureClass.SERVER, problem, remedy, raw=partial)


def start_advice(address: str) -> str:
    """What to do when nothing listens at `address`: for this machine, or for another one."""
    url = httpx.URL(address)
    advice = f"See whether Ollama runs on {url.host} and listens to other machines (OLLAMA_HOST)."
    if url.host in {"127.0.0.1", "localhost", "::1"}:
        advice = f"Start Ollama, or correct its address {WHERE_NAMED}"
    return f"{advice} {_NO_HTTPS}" if url.scheme == "https" else advice


def quoted(text: str) -> str:
    """What a model or a server wrote, for the middle of a sentence, which it ends."""
    return f"“{plain_text(text, 200).strip()}”."


def ended(text: str) -> str:
    """What a server said as a sentence, which another one may follow."""
    return text if text.endswith((".", "!", "?")) else f"{text}."


def model_output(what: str, raw: str) -> ModelFault:
    """The fault of a model that wrote something that nobody can use; `what` ends a sentence."""
    return ModelFault(FailureClass.MODEL_OUTPUT, f"The model wrote {what}", _READ_REPLY, raw=raw)


def _from_error(
    text: str, details: Mapping[str, Any], *, raw: str, is_ours: bool = False
) -> ModelFault:
    """`is_ours`: the status says that the request was a bad one."""
    if _TOO_LONG.search(text) or details.get("type") == "exceed_context_size_error":
        return _too_long(text, details, raw)
    if _UNREAD_CALL.search(text) and not is_ours:
        return _malformed(text, raw)
    problem = ended(text)
    for words, failure, remedy in _KNOWN:
        if words in text:
            return ModelFault(failure, problem, remedy, raw=raw)
    if is_ours:
        return ModelFault(_HARNESS, problem, _READ_REQUEST, raw=raw)
    return ModelFault(_SERVER, problem, _READ_LOG, raw=raw)


def _too_long(text: str, details: Mapping[str, Any], raw: str) -> ModelFault:
    counts = re.findall(r"\((\d+) tokens\)", text)
    tokens, window = details.get("n_prompt_tokens"), details.get("n_ctx")
    if not (isinstance(tokens, int) and isinstance(window, int)) and len(counts) == 2:
        tokens, window = map(int, counts)
    problem = "The prompt is longer than the model's window."
    if isinstance(tokens, int) and isinstance(window, int):
        problem = f"The prompt has {tokens:,} tokens, the model's window (num_ctx) {window:,}."
    needed = tokens if isinstance(tokens, int) else None
    return ModelFault(FailureClass.TRUNCATED, problem, MORE_ROOM, raw=raw, needed=needed)


def _malformed(text: str, raw: str) -> ModelFault:
    written = _RAW_CALL.search(text)
    shown = plain_text(written.group(1) if written else text, 200)
    return model_output(f"a tool call that the server could not read: {quoted(shown)}", raw)


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
