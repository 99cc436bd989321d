"""What is found in a reply, and what is known of the tools that it may call."""

from collections.abc import Iterable, Mapping
from typing import Any, NamedTuple

from studio.engine.plain import plain_text
from studio.engine.records import JsonObject, Record

_PREFIXES = ("functions.", "function.", "tools.", "tool.", "default_api.")
_SUFFIXES = (".call", ".run", ".invoke", "()")


class FoundCall(Record, frozen=True):
    """A tool call that stood in the text.

    `form` names the notation that it was written in; `repaired` says that the text had to be
    mended or guessed at.  The tool may be one that does not exist.
    """

    name: str
    arguments: JsonObject
    form: str
    repaired: bool = False


class Found(Record, frozen=True):
    """A reply, taken apart.  `answer` is the text without thinking, calls and control tokens.

    `marks` are remarks on what is no call but tells something, each a short phrase.
    """

    calls: tuple[FoundCall, ...] = ()
    marks: tuple[str, ...] = ()
    answer: str = ""
    thinking: str = ""


class Candidate(NamedTuple):
    """A call as it was read, before its notation is noted."""

    name: str
    arguments: dict[str, Any]
    repaired: bool = False


class Attempt(NamedTuple):
    """What one way of reading a text found, and the text that it left over."""

    calls: list[FoundCall]
    rest: str
    marks: tuple[str, ...] = ()


def noted(calls: Iterable[Candidate], form: str, *, repaired: bool = False) -> list[FoundCall]:
    """`calls` with the notation that they were written in."""
    return [
        FoundCall(plain_text(call.name), call.arguments, form, call.repaired or repaired)
        for call in calls
    ]


def without(text: str, gone: Iterable[tuple[int, int]]) -> str:
    """`text` without the spans `gone`, which may overlap."""
    kept: list[str] = []
    position = 0
    for start, end in sorted(gone):
        if start > position:
            kept.append(text[position:start])
        position = max(position, end)
    return "".join([*kept, text[position:]])


class Tools:
    """The tools at hand: their names and the JSON Schemas of their arguments."""

    def __init__(self, schemas: Mapping[str, JsonObject]) -> None:
        self._schemas = schemas

    def name(self, written: object) -> str | None:
        """The known tool that is meant by `written`; None if there is none."""
        if not isinstance(written, str):
            return None
        name = written.strip()
        for known in (name, _bare(name)):
            if known in self._schemas:
                return known
        return None

    def properties(self, name: str) -> Mapping[str, Any]:
        """The schemas of the arguments of `name`, in their order; empty for unknown tools."""
        properties = self._schemas.get(name, {}).get("properties")
        return properties if isinstance(properties, Mapping) else {}

    def required(self, name: str) -> list[str]:
        """The names of the arguments that a call of `name` must hold."""
        required = self._schemas.get(name, {}).get("required")
        return [key for key in _listed(required) if isinstance(key, str)]

    def types(self, name: str, argument: str) -> set[str]:
        """The JSON types that an argument may have; empty where the schema does not say."""
        schema = self.properties(name).get(argument)
        return _types(schema) if isinstance(schema, Mapping) else set()


def _bare(name: str) -> str:
    for suffix in _SUFFIXES:
        name = name.removesuffix(suffix)
    for prefix in _PREFIXES:
        name = name.removeprefix(prefix)
    return name


def _listed(value: Any) -> list[Any]:
    return list(value) if isinstance(value, list | tuple) else []


def _types(schema: Mapping[str, Any]) -> set[str]:
    stated = schema.get("type")
    types = {stated} if isinstance(stated, str) else set(map(str, _listed(stated)))
    for choice in _listed(schema.get("anyOf")) + _listed(schema.get("oneOf")):
        if isinstance(choice, Mapping):
            types |= _types(choice)
    return types
