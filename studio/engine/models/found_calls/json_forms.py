"""The shapes in which models write a tool call as JSON: which keys hold the name and arguments."""

import re
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from studio.engine.models.found_calls.arguments import NoArguments, arguments_of
from studio.engine.models.found_calls.values import Candidate, Tools

_NAME_KEYS = (
    "name", "tool", "tool_name", "function", "function_name", "action", "method", "recipient_name",
)  # fmt: skip
_ARGUMENT_KEYS = (
    "arguments", "parameters", "args", "params", "input", "action_input", "tool_input",
    "tool_args", "tool_arguments", "tool_parameters", "function_args", "function_arguments",
    "kwargs", "inputs", "parameter", "argument",
)  # fmt: skip
_STRONG = {
    ("name", "arguments"), ("name", "parameters"), ("function", "arguments"),
    ("function", "parameters"), ("tool", "input"), ("tool", "arguments"), ("tool", "parameters"),
    ("tool", "args"), ("tool_name", "arguments"), ("tool_name", "parameters"),
    ("tool_name", "tool_input"), ("tool_name", "tool_arguments"), ("action", "action_input"),
    ("function_name", "arguments"), ("function_name", "parameters"),
    ("recipient_name", "parameters"),
}  # fmt: skip
_LISTS = ("tool_calls", "function_calls", "calls", "tool_uses", "tool_call", "function_call")
_BESIDE = frozenset({"id", "type", "index", "call_id", "tool_call_id", "jsonrpc", "thought"})
_NAME = re.compile(r"[A-Za-z_][\w.\-]{0,127}\Z")
_DEPTH = 6


def candidates(value: Any, tools: Tools, *, in_prose: bool = False) -> list[Candidate]:
    """The calls that a JSON value states.

    `in_prose`: nothing but the value itself says that it is a call, so that the tool must be
    known and the arguments an object.
    """
    return list(_candidates(value, tools, _DEPTH, in_prose=in_prose))


def _candidates(value: Any, tools: Tools, depth: int, *, in_prose: bool) -> Iterator[Candidate]:
    if depth == 0:
        return
    if isinstance(value, list):
        for item in value:
            yield from _candidates(item, tools, depth - 1, in_prose=in_prose)
    elif isinstance(value, dict):
        inner = _wrapped(value)
        if inner is not None:
            yield from _candidates(inner, tools, depth - 1, in_prose=in_prose)
        else:
            yield from _calls(value, tools, in_prose=in_prose)


def _wrapped(value: dict[str, Any]) -> Any:
    """What stands in a wrapper such as `tool_calls`, or `function` when that is an object."""
    for key in _LISTS:
        if isinstance(value.get(key), list | dict):
            return value[key]
    function = value.get("function")
    if not isinstance(function, dict):
        return None
    beside = {key: value[key] for key in _ARGUMENT_KEYS if key in value}
    return {**beside, **function}


def _calls(value: dict[str, Any], tools: Tools, *, in_prose: bool) -> Iterable[Candidate]:
    if is_schema(value):
        return []
    for key in _NAME_KEYS:
        name = value.get(key)
        if not isinstance(name, str):
            continue
        call = _known(value, key, tools, in_prose=in_prose) if tools.name(name) else None
        call = call or (None if in_prose else _unknown(value, key, tools))
        if call:
            return [call]
    return _by_key(value, tools)


def _known(
    value: dict[str, Any], name_key: str, tools: Tools, *, in_prose: bool
) -> Candidate | None:
    name = tools.name(value[name_key])
    assert name is not None
    for key in _ARGUMENT_KEYS:
        if key not in value or key == name_key:
            continue
        if in_prose and not isinstance(value[key], dict):
            return None
        try:
            return arguments_of(value[key], name, tools)
        except NoArguments:
            return None
    return None if in_prose else _beside(value, name_key, name, tools)


def _beside(value: dict[str, Any], name_key: str, name: str, tools: Tools) -> Candidate | None:
    """The call of an object that has no key for arguments: none, or beside the name."""
    others = {key: item for key, item in value.items() if key != name_key and key not in _BESIDE}
    if not others:
        return Candidate(name, {})
    if others.keys() <= tools.properties(name).keys():
        call = arguments_of(others, name, tools)
        return call._replace(repaired=True)
    return None


def _unknown(value: dict[str, Any], name_key: str, tools: Tools) -> Candidate | None:
    """A call of a tool that does not exist: only in the usual keys, so that data is no call."""
    name = value[name_key].strip()
    if tools.name(name) or not _NAME.match(name):
        return None
    for key in _ARGUMENT_KEYS:
        usual = (name_key, key) in _STRONG or "jsonrpc" in value
        if usual and isinstance(value.get(key), dict):
            return arguments_of(value[key], name, tools)
    return None


def _by_key(value: dict[str, Any], tools: Tools) -> list[Candidate]:
    """Calls written as `{"tool": {arguments}}`."""
    found: list[Candidate] = []
    for key, given in value.items():
        name = tools.name(key)
        if name is None or not isinstance(given, dict) or is_schema({"parameters": given}):
            return []
        if not given.keys() <= tools.properties(name).keys():
            return []
        found.append(arguments_of(given, name, tools))
    return found


def is_schema(value: Any) -> bool:
    """Whether an object describes a tool instead of calling it."""
    if not isinstance(value, Mapping):
        return False
    for key in ("parameters", "arguments", "input_schema", "inputSchema"):
        if _is_json_schema(value.get(key)):
            return True
    return "description" in value and _is_json_schema(value)


def holds_schema(value: Any, depth: int = 4) -> bool:
    """Whether a tool's description stands anywhere near the top of `value`."""
    if depth == 0:
        return False
    if isinstance(value, list):
        return any(holds_schema(item, depth - 1) for item in value[:100])
    if not isinstance(value, dict):
        return False
    return is_schema(value) or any(
        holds_schema(value[key], depth - 1) for key in ("function", "tools", "functions", *_LISTS)
        if key in value
    )  # fmt: skip


def _is_json_schema(value: Any) -> bool:
    """Whether `value` is a JSON Schema of an object whose properties hold no values."""
    if not isinstance(value, Mapping) or not isinstance(value.get("properties"), Mapping):
        return False
    properties = value["properties"].values()
    return all(
        isinstance(item, Mapping)
        and "value" not in item
        and (not item or item.keys() & {"type", "enum", "description", "anyOf", "$ref", "items"})
        for item in properties
    )
