"""The arguments of a call as they should have been written, given the tool's schema."""

import json
from collections.abc import Mapping
from typing import Any

from studio.engine.models.found_calls.literals import NotLiteral, read_literal
from studio.engine.models.found_calls.values import Candidate, Tools
from studio.engine.plain import plain
from studio.engine.records import JsonObject

_WRAPPERS = ("parameters", "arguments", "args", "params", "kwargs", "input")
_ECHOED = frozenset({"type", "value", "description", "title", "default"})
_NOTHING = ("", "{}", "none", "null")


class NoArguments(ValueError):
    """The value cannot be the arguments of this tool."""


def arguments_of(given: Any, name: str, tools: Tools) -> Candidate:
    """The call of `name` with the arguments `given`, in whatever shape.  Raises NoArguments."""
    call = _shaped(given, name, tools)
    call = _unwrapped(call, tools)
    call = _without_schema(call, tools)
    return call._replace(arguments=decoded(call.arguments, tools, name))


def decoded(arguments: Mapping[str, Any], tools: Tools, name: str) -> dict[str, Any]:
    """`arguments` as plain JSON.

    A string that holds a list or an object is decoded where the tool wants one of these and no
    string.
    """
    return {
        str(plain(key)): plain(_decoded(value, tools.types(name, key)))
        for key, value in arguments.items()
    }


def decoded_arguments(arguments: JsonObject, schema: JsonObject) -> dict[str, Any]:
    """`arguments` of a call that the server reported, encoded twice or not, as `schema` wants."""
    return decoded(arguments, Tools({"": schema}), "")


def from_text(written: str, types: set[str]) -> Any:
    """The value of an argument that was written without quotes, as in XML forms."""
    if not types or "string" in types:
        return None if written == "null" and "null" in types else written
    try:
        value = json.loads(written)
    except (ValueError, RecursionError):
        lowered = written.strip().lower()
        return {"true": True, "false": False, "none": None}.get(lowered, written)
    return value


def _shaped(given: Any, name: str, tools: Tools) -> Candidate:
    match given:
        case dict():
            return Candidate(name, given)
        case None | []:
            return Candidate(name, {})
        case [dict() as only]:
            return Candidate(name, only, repaired=True)
        case list():
            return _positional(given, name, tools)
        case str():
            return _from_string(given, name, tools)
    return _single(given, name, tools)


def _from_string(given: str, name: str, tools: Tools) -> Candidate:
    value = _json_or_literal(given)
    if isinstance(value, dict):
        return Candidate(name, value)
    if given.strip().lower() in _NOTHING and not tools.required(name):
        return Candidate(name, {})
    return _single(given, name, tools)


def _single(given: Any, name: str, tools: Tools) -> Candidate:
    """A bare value goes to the only argument that it can be meant for."""
    names = tools.required(name) or list(tools.properties(name))
    if len(names) != 1:
        raise NoArguments(name)
    return Candidate(name, {names[0]: given})


def _positional(given: list[Any], name: str, tools: Tools) -> Candidate:
    names = list(tools.properties(name))
    if len(given) > len(names):
        raise NoArguments(name)
    return Candidate(name, dict(zip(names, given, strict=False)), repaired=True)


def positional(given: list[Any], name: str, tools: Tools) -> dict[str, Any]:
    """Values without names, in the order of the schema.  Raises NoArguments."""
    return _positional(given, name, tools).arguments


def _unwrapped(call: Candidate, tools: Tools) -> Candidate:
    """`{"parameters": {...}}` inside the arguments, unless the tool has such an argument."""
    match list(call.arguments.items()):
        case [(key, dict() as inner)] if key in _WRAPPERS:
            if key not in tools.properties(call.name):
                return call._replace(arguments=inner)
    return call


def _without_schema(call: Candidate, tools: Tools) -> Candidate:
    """Values that were filled into a copy of the schema, taken out of it."""
    arguments, own = call.arguments, tools.properties(call.name)
    properties = arguments.get("properties")
    if isinstance(properties, dict) and "properties" not in own and properties.keys() <= own.keys():
        call = call._replace(arguments=properties, repaired=True)
    values = {
        key: item["value"] if _is_echo(item, tools.types(call.name, key)) else item
        for key, item in call.arguments.items()
    }
    return call if values == call.arguments else call._replace(arguments=values, repaired=True)


def _is_echo(value: Any, types: set[str]) -> bool:
    return (
        isinstance(value, dict)
        and {"type", "value"} <= value.keys() <= _ECHOED
        and "object" not in types
    )


def _decoded(value: Any, types: set[str]) -> Any:
    if not isinstance(value, str) or "string" in types or not types & {"array", "object"}:
        return value
    inner = _json_or_literal(value)
    wanted = {"array": list, "object": dict}
    if any(isinstance(inner, wanted[kind]) for kind in types & wanted.keys()):
        return inner
    return value


def _json_or_literal(text: str) -> Any:
    text = text.strip()
    if not text.startswith(("{", "[")):
        return None
    try:
        return json.loads(text, strict=False)
    except (ValueError, RecursionError):
        pass
    try:
        return read_literal(text)
    except NotLiteral:
        return None
