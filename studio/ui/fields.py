"""Records as the texts of a form, and back: what is wrong is said field by field.

Every record that is shown and read again is the same record.
"""

import json
import math
from collections.abc import Callable, Container, Mapping, Sequence
from typing import Any, NoReturn, TypeVar

import msgspec
from msgspec.structs import replace

from studio.engine.records import Expected, ExpectedCall, JsonObject, Query, ToolSet, ToolSpec
from studio.engine.unfit import unfit

YES = "yes"
"""A flag that is set; one that is not is an empty text."""
T = TypeVar("T")
_OWN_BOXES = frozenset({"calls", "contains", "number", "unit", "answers", "pattern"})


class FieldError(Exception):
    """What is wrong with a field, as one sentence."""


def tool_fields(tool: ToolSpec) -> dict[str, str]:
    return {
        "description": tool.description,
        "time_limit": _number_text(tool.time_limit),
        "retrieval": YES if tool.is_retrieval else "",
        "parameters": json.dumps(tool.parameters, indent=2, ensure_ascii=False),
    }


def read_tool(name: str, fields: Mapping[str, str]) -> tuple[ToolSpec | None, dict[str, str]]:
    """The tool that the fields describe, or None and what is wrong with which field."""
    wrong: dict[str, str] = {}
    description = _try(wrong, "description", _required, fields["description"])
    limit = _try(wrong, "time_limit", _time_limit, fields["time_limit"])
    parameters = _try(wrong, "parameters", _parameters, fields["parameters"])
    if description is None or limit is None or parameters is None:
        return None, wrong
    return ToolSpec(name, description, parameters, limit, fields["retrieval"] == YES), {}


def tool_set_fields(tool_set: ToolSet) -> dict[str, str]:
    return {"tools": "\n".join(tool.name for tool in tool_set.tools)}


def read_tool_names(
    fields: Mapping[str, str], known: Container[str]
) -> tuple[tuple[str, ...] | None, dict[str, str]]:
    """The names of a set's tools, or None and what is wrong: a draft may name one that is gone."""
    names = tuple(fields["tools"].split("\n")) if fields["tools"] else ()
    gone = [name for name in names if name not in known]
    if gone:
        return None, {"tools": f"There is no tool {gone[0]!r} any more; take its tick away."}
    return names, {}


def query_fields(query: Query) -> dict[str, str]:
    expected = query.expected
    return {
        "id": query.id,
        "text": query.text,
        "contains": "" if expected.contains is None else _list_text(expected.contains, "\n"),
        "number": "" if expected.number is None else _number_text(expected.number),
        "unit": expected.unit or "",
        "answers": "" if expected.answers is None else _list_text(expected.answers, "\n"),
        "pattern": expected.pattern or "",
        "calls": "" if expected.calls is None else _calls_text(expected.calls),
        "other": _other_text(expected),
        "tags": _list_text(query.tags, ", ") if query.tags else "",
    }


def read_query(
    fields: Mapping[str, str], taken: Callable[[str], bool]
) -> tuple[Query | None, dict[str, str]]:
    """The query that the fields describe, or None and what is wrong with which field.

    `taken` says of an id whether another query has it.
    """
    wrong: dict[str, str] = {}
    id_ = _try(wrong, "id", _required, fields["id"])
    if id_ is not None and taken(id_):
        wrong["id"] = "Another query has this id."
    text = _try(wrong, "text", _required, fields["text"])
    number = _try(wrong, "number", _number, fields["number"]) if fields["number"].strip() else None
    calls = _try(wrong, "calls", _calls, fields["calls"]) if fields["calls"].strip() else None
    other = _try(wrong, "other", _other, fields["other"])
    if wrong or id_ is None or text is None or other is None:
        return None, wrong
    expected = replace(
        other,
        calls=calls,
        contains=_stated_items(fields["contains"]),
        number=number,
        unit=fields["unit"] or None,
        answers=_stated_items(fields["answers"]),
        pattern=fields["pattern"] or None,
    )
    return Query(id_, text, expected, _items(fields["tags"], ",")), {}


def _try(wrong: dict[str, str], field: str, read: Callable[[str], T], text: str) -> T | None:
    try:
        return read(text)
    except FieldError as error:
        wrong[field] = str(error)
        return None


def _required(text: str) -> str:
    if not text.strip():
        raise FieldError("This cannot be empty.")
    return text


def _number(text: str) -> float:
    try:
        value = float(text)
    except ValueError:
        raise FieldError("Write a plain number, such as 1234.5.") from None
    if not math.isfinite(value) or "_" in text:
        raise FieldError("Write a plain number, such as 1234.5.")
    return value


def _time_limit(text: str) -> float:
    value = _number(text)
    if not 0 < value <= 86_400:
        raise FieldError("Write the seconds that one call may take, above 0.")
    return value


def _parameters(text: str) -> JsonObject:
    schema = _json(text)
    if not isinstance(schema, dict) or schema.get("type") != "object":
        raise FieldError('Write a JSON Schema of an object: {"type": "object", "properties": {…}}.')
    properties = schema.get("properties", {})
    if not isinstance(properties, dict):
        raise FieldError("“properties” has to be an object: a schema for each parameter.")
    required = schema.get("required", [])
    if not isinstance(required, list) or not all(isinstance(name, str) for name in required):
        raise FieldError("“required” has to be a list of names.")
    for name in required:
        if name not in properties:
            raise FieldError(f"“required” names {name!r}, which is not among the properties.")
    return schema


def _calls(text: str) -> tuple[ExpectedCall, ...]:
    calls = _json(text)
    if not isinstance(calls, list):
        raise FieldError("Write a list of calls; [] says that no call is wanted.")
    return tuple(map(_call, calls))


def _call(call: object) -> ExpectedCall:
    if not isinstance(call, dict) or not isinstance(call.get("name"), str) or not call["name"]:
        raise FieldError('Write each call as {"name": "…", "arguments": {…}}.')
    arguments = call.get("arguments", {})
    if not isinstance(arguments, dict):
        raise FieldError(f"The arguments of {call['name']} have to be an object.")
    if unknown := sorted(call.keys() - {"name", "arguments"}):
        raise FieldError(f"A call has a name and arguments, nothing called {unknown[0]!r}.")
    return ExpectedCall(call["name"], arguments)


def _other_text(expected: Expected) -> str:
    stated = msgspec.to_builtins(expected)
    other = {name: value for name, value in stated.items() if name not in _OWN_BOXES}
    return json.dumps(other, indent=1, ensure_ascii=False) if other else ""


def _other(text: str) -> Expected:
    """What a query may expect besides what has a box of its own."""
    stated = _json(text) if text.strip() else {}
    names = [name for name in Expected.__struct_fields__ if name not in _OWN_BOXES]
    if not isinstance(stated, dict) or not stated.keys() <= set(names):
        raise FieldError(f"Write a JSON object; it may hold {', '.join(names)}.")
    try:
        return msgspec.convert(stated, Expected)
    except msgspec.ValidationError as error:
        raise FieldError(f"{unfit(error)}.") from None


def _stated_items(text: str) -> tuple[str, ...] | None:
    return _items(text, "\n") if text.strip() else None


def _json(text: str) -> Any:
    try:
        return json.loads(text, parse_constant=_refuse, object_pairs_hook=_unique)
    except json.JSONDecodeError as error:
        raise FieldError(
            f"Line {error.lineno}, column {error.colno}: this is not JSON ({error.msg})."
        ) from None
    except RecursionError:
        raise FieldError("This is nested too deeply.") from None
    except ValueError as error:
        raise FieldError(f"This is not JSON ({error}).") from None


def _refuse(name: str) -> NoReturn:
    raise FieldError(f"{name} is not a JSON number.")


def _unique(pairs: Sequence[tuple[str, Any]]) -> dict[str, Any]:
    made = dict(pairs)
    if len(made) < len(pairs):
        names = [name for name, _ in pairs]
        twice = next(name for name in names if names.count(name) > 1)
        raise FieldError(f"{twice!r} stands twice in one object.")
    return made


def _number_text(value: float) -> str:
    return repr(float(value)).removesuffix(".0")


def _calls_text(calls: Sequence[ExpectedCall]) -> str:
    if not calls:
        return "[]"
    lines = (
        json.dumps({"name": call.name, "arguments": call.arguments}, ensure_ascii=False)
        for call in calls
    )
    return "[\n  " + ",\n  ".join(lines) + "\n]"


def _list_text(items: Sequence[str], between: str) -> str:
    """The items with a plain separator where that reads back the same, else as a JSON list."""
    text = between.join(items)
    if text.strip() and _items(text, between.strip(" ")) == tuple(items):
        return text
    return json.dumps(list(items), ensure_ascii=False)


def _items(text: str, between: str) -> tuple[str, ...]:
    try:
        listed = json.loads(text) if text.lstrip().startswith("[") else None
    except (ValueError, RecursionError):
        listed = None
    if isinstance(listed, list) and all(isinstance(item, str) for item in listed):
        return tuple(listed)
    return tuple(item.strip() for item in text.split(between) if item.strip())
