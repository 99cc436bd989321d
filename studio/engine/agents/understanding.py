"""What a reply of the model means: its answer, its thinking and the tool calls it asks for.

Calls that the server reported win; where it reported none, those that the model wrote into its
text are taken, and marked.  The raw text stays what it was.
"""

import json
from collections.abc import Callable, Mapping, Sequence
from typing import Any, Protocol

import msgspec

from studio.engine.events import CallMade
from studio.engine.models.exchange import MENDED, Exchange, WireCall
from studio.engine.plain import plain
from studio.engine.records import JsonObject

FOUND = "found in text"
REPAIRED = "repaired"
CUT_OFF = "cut off at the token limit"
NATIVE = "native"

_DECODED = {"array": list, "object": dict}


class FoundCall(Protocol):
    """A call found in text; `repaired` if its text had to be mended first."""

    @property
    def name(self) -> str: ...
    @property
    def arguments(self) -> JsonObject: ...
    @property
    def repaired(self) -> bool: ...


class Found(Protocol):
    """What a reply's text holds besides the answer (see `models.found_calls`)."""

    @property
    def calls(self) -> Sequence[FoundCall]: ...
    @property
    def marks(self) -> Sequence[str]: ...
    @property
    def answer(self) -> str: ...
    @property
    def thinking(self) -> str: ...


Finder = Callable[[str, Mapping[str, JsonObject]], Found]
"""Looks for calls in the text of a reply, given the tools' argument schemas by name."""


class AsWritten(msgspec.Struct, frozen=True):
    """All of a text is the answer."""

    answer: str
    thinking: str = ""
    calls: tuple[FoundCall, ...] = ()
    marks: tuple[str, ...] = ()


def as_written(text: str, _tools: Mapping[str, JsonObject]) -> Found:
    """The Finder that finds nothing: only the calls that the server reported are made."""
    return AsWritten(text)


class Understood(msgspec.Struct, frozen=True):
    """A reply as it was understood; `answer` is its text without thinking and without calls."""

    answer: str
    thinking: str
    calls: tuple[CallMade, ...]
    marks: tuple[str, ...]
    done_reason: str | None

    @property
    def blank_reason(self) -> str:
        """Why there is no text in it, in words."""
        if self.done_reason == "length":
            return "Empty answer: the reply was cut at the token limit (num_predict or num_ctx)."
        if self.thinking.strip():
            return "Empty answer: the model only thought."
        return "Empty answer: the model wrote nothing."


def understand(
    exchange: Exchange, schemas: Mapping[str, JsonObject], call: str, find: Finder
) -> Understood:
    """Read the reply in `exchange`, the one to model call `call`; `schemas` by tool name."""
    text = exchange.text
    answer, thinking, marks = text, exchange.thinking, list[str]()
    made = [_native(wired, schemas) for wired in exchange.calls]
    if text.strip():
        found = find(text, schemas)
        answer, thinking = found.answer, "\n".join(filter(None, (thinking, found.thinking)))
        marks += found.marks
        if not made:
            made = [
                (each.name, plain(dict(each.arguments)), REPAIRED if each.repaired else FOUND)
                for each in found.calls
            ]
    origins = {origin for _, _, origin in made}
    marks += [FOUND] if not exchange.calls and made else []
    marks += [MENDED if exchange.calls else REPAIRED] if REPAIRED in origins else []
    marks += [CUT_OFF] if exchange.done_reason == "length" else []
    calls = tuple(
        CallMade(f"{call}.{place}", name, arguments, origin)
        for place, (name, arguments, origin) in enumerate(made, start=1)
    )
    unique = tuple(dict.fromkeys(marks))
    return Understood(answer, thinking, calls, unique, exchange.done_reason)


def _native(call: WireCall, schemas: Mapping[str, JsonObject]) -> tuple[str, JsonObject, str]:
    arguments, is_decoded = _decoded(call.arguments, schemas.get(call.name, {}))
    return call.name, arguments, REPAIRED if call.mended or is_decoded else NATIVE


def _decoded(arguments: JsonObject, schema: JsonObject) -> tuple[JsonObject, bool]:
    """Lists and objects that the model wrote as a string of JSON, where the schema wants them."""
    properties = schema.get("properties")
    if not isinstance(properties, dict):
        return arguments, False
    mended: dict[str, Any] = {}
    for name, value in arguments.items():
        stated = properties.get(name)
        kind = _DECODED.get(str(stated.get("type"))) if isinstance(stated, dict) else None
        if kind is None or not isinstance(value, str):
            continue
        try:
            decoded = plain(json.loads(value))
        except (ValueError, RecursionError):
            continue
        if isinstance(decoded, kind):
            mended[name] = decoded
    return ({**arguments, **mended}, True) if mended else (arguments, False)
