"""One request to a model and what came back, read from the wire while it passes.

langchain-ollama and the client below it forget much of a reply (thinking, first-byte time, exact
arguments) and choke on some of what models make servers say.  So the facts are taken here, from
the lines themselves, and a line that the client could not read is mended or named before the
client sees it.
"""

import json
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, field
from types import NoneType
from typing import Any

import json_repair
import msgspec

from studio.engine.models import failures
from studio.engine.models.failures import ModelFault
from studio.engine.outcomes import FailureClass
from studio.engine.plain import plain, plain_text
from studio.engine.records import JsonObject

_DECODE = msgspec.json.Decoder().decode
_ENCODE = msgspec.json.Encoder().encode

MENDED = "arguments mended"

_REPEATS = 30
"""So many pieces that are all the same are what Ollama breaks a reply off for."""

# What the client below insists on; a field of another type, or never asked for, is left out.
_TYPES: dict[str, type] = {
    "model": str, "created_at": str, "done": bool, "done_reason": str, "total_duration": int,
    "load_duration": int, "prompt_eval_count": int, "prompt_eval_duration": int,
    "eval_count": int, "eval_duration": int, "logprobs": NoneType,
}  # fmt: skip
_MESSAGE_TYPES: dict[str, type] = {
    "role": str, "content": str, "thinking": str, "tool_calls": list, "tool_name": str,
    "images": NoneType,
}  # fmt: skip


class WireCall(msgspec.Struct, frozen=True):
    """A tool call as the server reported it; `mended` if its arguments were no JSON object."""

    name: str
    arguments: JsonObject
    mended: bool = False


@dataclass
class Exchange:
    """The facts of one model call, growing while the reply comes in.

    `fields` are added to the request's body, `options` to the options in it; `on_sent` is told the
    body as it goes over the wire.  Times are in seconds from the sending of the request.
    """

    fields: JsonObject = field(default_factory=dict)
    options: JsonObject = field(default_factory=dict)
    on_sent: Callable[[JsonObject], None] | None = None
    sent: JsonObject | None = None
    texts: list[str] = field(default_factory=list)
    thoughts: list[str] = field(default_factory=list)
    calls: list[WireCall] = field(default_factory=list)
    is_done: bool = False
    done_reason: str | None = None
    prompt_tokens: int | None = None
    reply_tokens: int | None = None
    load_seconds: float | None = None
    prompt_seconds: float | None = None
    reply_seconds: float | None = None
    first_byte_seconds: float | None = None
    _began: float = 0.0

    @property
    def text(self) -> str:
        return "".join(self.texts)

    @property
    def thinking(self) -> str:
        return "".join(self.thoughts)

    def began(self, body: JsonObject) -> None:
        self.sent = body
        self._began = time.perf_counter()
        if self.on_sent:
            self.on_sent(body)

    def read(self, line: bytes) -> bytes:
        """Take the facts of one line of the reply; returns the line that the client may read.

        Raises ModelFault for an error line and for what is no line of a reply.
        """
        if self.first_byte_seconds is None:
            self.first_byte_seconds = time.perf_counter() - self._began
        part, is_changed = _decoded(line)
        if part.get("error"):
            raise failures.from_error(part["error"], line.decode("utf-8", "replace"))
        message = part.get("message")
        if not isinstance(message, dict):
            if not part.get("done"):
                raise failures.unreadable(line.decode("utf-8", "replace"))
            message = part["message"] = {}
        is_changed |= self._take(message)
        is_changed |= _clean(message, _MESSAGE_TYPES)
        if "role" not in message:
            message["role"] = "assistant"
            is_changed = True
        is_changed |= _clean(part, _TYPES)
        if part.get("done"):
            self._finish(part)
        return _ENCODE(part) if is_changed else line

    def end(self) -> None:
        """The stream is over; raises ModelFault if it ended before the reply did."""
        if not self.is_done:
            raise failures.ended_early(self.text or self.thinking, self._repeated())
        if self.done_reason in {"load", "unload"}:
            problem = (
                f"The server only did this to the model: {self.done_reason}. It saw no message."
            )
            raise ModelFault(FailureClass.SERVER, problem, "Update the server.")

    def _repeated(self) -> str | None:
        """What the last pieces of the reply all are, if they all are the same."""
        pieces = (self.texts or self.thoughts)[-_REPEATS:]
        same = {piece.strip() for piece in pieces}
        return pieces[-1] if len(pieces) == _REPEATS and len(same) == 1 else None

    def _take(self, message: dict[str, Any]) -> bool:
        """Take text, thinking and calls; returns whether the message had to be mended."""
        is_changed = False
        for key, parts in (("content", self.texts), ("thinking", self.thoughts)):
            text = message.get(key)
            if text is not None and not isinstance(text, str):
                text = message[key] = _ENCODE(text).decode()
                is_changed = True
            if text:
                parts.append(plain_text(text))
        calls = message.get("tool_calls") or []
        for call in calls if isinstance(calls, list) else [calls]:
            taken = _call(call)
            self.calls.append(taken)
            if taken.mended:
                call["function"]["arguments"] = dict(taken.arguments)
                is_changed = True
        return is_changed

    def _finish(self, part: dict[str, Any]) -> None:
        self.is_done = True
        reason = part.get("done_reason")
        self.done_reason = reason if isinstance(reason, str) else None
        self.prompt_tokens = _count(part.get("prompt_eval_count"))
        self.reply_tokens = _count(part.get("eval_count"))
        self.load_seconds = _seconds(part.get("load_duration"))
        self.prompt_seconds = _seconds(part.get("prompt_eval_duration"))
        self.reply_seconds = _seconds(part.get("eval_duration"))


def _decoded(line: bytes) -> tuple[dict[str, Any], bool]:
    try:
        part, is_changed = _DECODE(line), False
    except (msgspec.DecodeError, RecursionError):
        # Lone surrogates, NaN and broken UTF-8: not JSON by the book, but sent all the same.
        text = line.decode("utf-8", "replace")
        try:
            part, is_changed = plain(json.loads(text)), True
        except (ValueError, RecursionError):
            raise failures.unreadable(text) from None
    if not isinstance(part, dict):
        raise failures.unreadable(line.decode("utf-8", "replace"))
    return part, is_changed


def _clean(part: dict[str, Any], types: Mapping[str, type]) -> bool:
    """Leave out what is not of its type; returns whether anything was."""
    wrong = [key for key, kind in types.items() if key in part and not isinstance(part[key], kind)]
    for key in wrong:
        del part[key]
    return bool(wrong)


def _call(call: Any) -> WireCall:
    function = call.get("function") if isinstance(call, dict) else None
    name = function.get("name") if isinstance(function, dict) else None
    if not isinstance(function, dict) or not isinstance(name, str):
        raise _bad_call("a tool call without a name", call)
    arguments = function.get("arguments")
    if isinstance(arguments, dict):
        return WireCall(plain_text(name), plain(arguments))
    if arguments is None or arguments == "":
        return WireCall(plain_text(name), {}, mended=True)
    if isinstance(arguments, str):
        for read in (json.loads, json_repair.loads):
            try:
                mended = read(arguments)
            except (ValueError, RecursionError):
                continue
            if isinstance(mended, dict):
                return WireCall(plain_text(name), plain(mended), mended=True)
    raise _bad_call(f"a call of {name} whose arguments are no JSON object", call)


def _bad_call(what: str, call: Any) -> ModelFault:
    raw = json.dumps(plain(call), ensure_ascii=False)
    return failures.model_output(f"{what}: {failures.quoted(raw)}", raw)


def _count(value: Any) -> int | None:
    is_count = isinstance(value, int) and not isinstance(value, bool) and value >= 0
    return value if is_count else None


def _seconds(nanoseconds: Any) -> float | None:
    number = _count(nanoseconds)
    return None if number is None else number / 1e9


_CURRENT: ContextVar[Exchange | None] = ContextVar("exchange", default=None)


@contextmanager
def recording(exchange: Exchange) -> Iterator[Exchange]:
    """Model calls made in this context fill `exchange`."""
    token = _CURRENT.set(exchange)
    try:
        yield exchange
    finally:
        _CURRENT.reset(token)


def current() -> Exchange:
    """The exchange that the caller records into; a new one if it records nothing."""
    return _CURRENT.get() or Exchange()
