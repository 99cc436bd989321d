"""The parts of a case in the general shape that are no calls, each checked."""

import json
from collections.abc import Mapping
from typing import Any

import msgspec

from studio.engine.metrics.answers.base import GIVEN, first_of
from studio.engine.records import JsonObject


class BadCase(ValueError):
    """The case is in no shape that can be read; says what is wrong."""


ANSWERS = tuple(dict.fromkeys(("answer", *GIVEN)))
"""What an answer may be called."""


def decoded(text: str | bytes) -> Any:
    """The JSON that stands in a text; raises ValueError, or RecursionError.

    Wider than the standard, as Python writes it: NaN, 1e999, half a surrogate pair.
    """
    try:
        return _DECODER.decode(text)
    except (msgspec.MsgspecError, UnicodeEncodeError):
        return json.loads(text)


_DECODER = msgspec.json.Decoder()


def number_of(value: Any, name: str) -> float:
    """A number that is finite and not below 0; raises BadCase."""
    if isinstance(value, int | float) and not isinstance(value, bool) and 0 <= value < 1e300:
        return value
    raise BadCase(f"{name} must be a number, 0 or more")


def text_of(case: JsonObject, key: str) -> str:
    value = case[key]
    if not isinstance(value, str):
        raise BadCase(f"{key} must be a text, not a {type(value).__name__}")
    return value


def answer_of(case: JsonObject) -> str | None:
    """The answer that was given, by whatever name; None if there is none.  Raises BadCase."""
    value = first_of(case, ANSWERS)
    if value is None:
        value = case.get("actual")
        if isinstance(value, bool) or not isinstance(value, str | int | float):
            # It may be the calls that were made, or one of them.
            return None
    if isinstance(value, list) and len(value) == 1:
        [value] = value
    if isinstance(value, dict) and isinstance(value.get("text"), str):
        value = value["text"]
    if isinstance(value, int | float) and not isinstance(value, bool):
        return str(value)
    if not isinstance(value, str):
        raise BadCase(f"the answer must be a text, not a {type(value).__name__}")
    return value


def read_tools(case: JsonObject) -> list[JsonObject]:
    """The tools that were offered, as OpenAI, BFCL or a tool set writes them."""
    tools = case.get("tools", case.get("function", case.get("functions")))
    if tools is None:
        return []
    if isinstance(tools, Mapping):
        is_one = "name" in tools
        tools = [tools] if is_one else [{"name": n, "parameters": p} for n, p in tools.items()]
    if not isinstance(tools, list):
        raise BadCase("tools must be a list")
    return [_tool(tool) for tool in tools]


def _tool(tool: Any) -> JsonObject:
    inner = tool.get("function", tool) if isinstance(tool, dict) else None
    if not isinstance(inner, dict) or not isinstance(inner.get("name"), str):
        raise BadCase("a tool must have a name")
    parameters = inner.get("parameters", inner.get("input_schema"))
    if parameters is not None and not isinstance(parameters, dict):
        raise BadCase(f"the parameters of {inner['name']} must be an object")
    return {"function": {"name": inner["name"], "parameters": parameters or {}}}
