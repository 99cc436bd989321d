"""How many of the expected arguments are right."""

import re
from collections.abc import Iterable, Sequence
from typing import Any, NamedTuple

from studio.engine.metrics.agentarch.done import Call, Done
from studio.engine.metrics.agentarch.truth import Truth
from studio.engine.metrics.arguments import same_value

_REFUSED = "is not a valid tool"
_PUBLISHED_TYPES: dict[Any, type] = {"bool": bool, "array": list, "object": dict, "int": int}


class Arguments(NamedTuple):
    """`right` of `counted` arguments; `wrong` names the others, `left_out` those not counted."""

    right: int
    counted: int
    wrong: tuple[str, ...] = ()
    left_out: tuple[str, ...] = ()


def counted_as_published(truth: Truth, done: Done) -> Arguments:
    """Over the calls that were made of tools with expected arguments; whatever that raises."""
    right = counted = 0
    wrong = []
    for call in done.calls:
        if call.name not in truth.tool_args:
            continue
        for name, expected in truth.tool_args[call.name].items():
            value = call.arguments.get(name)
            counted += 1
            # The type is looked up only for a value that matches.
            if _matches_as_published(value, expected) and isinstance(
                value, _PUBLISHED_TYPES.get(_type_of(done, call, name), str)
            ):
                right += 1
            else:
                wrong.append(f"{call.name}.{name}")
    return Arguments(right, counted, tuple(wrong))


def _type_of(done: Done, call: Call, name: str) -> Any:
    tools = done.tools or {}
    return tools[call.name]["input_parameters"][name]["type"]


def _matches_as_published(value: Any, expected: Any) -> bool:
    if isinstance(value, bool) or isinstance(expected, bool):
        return str(value).lower() == str(expected).lower()
    if isinstance(value, dict) and isinstance(expected, dict):
        return value == expected
    if isinstance(value, list) and isinstance(expected, list):
        return {_words(item) for item in value} == {_words(item) for item in expected}
    return _words(value) == _words(expected)


def counted(truth: Truth, done: Done) -> Arguments:
    """Over the calls made of tools with expected arguments, and the required tools not called.

    Left out is what could not be known: after a tool of the use case was refused as none, a value
    that neither the user nor a tool has told.
    """
    by_tool = truth.tool_args or {}
    right, wrong, left_out = 0, [], []
    for place, call in enumerate(done.calls):
        for name, expected in by_tool.get(call.name, {}).items():
            if _is_right(call, name, expected, done):
                right += 1
            elif _is_withheld(expected, done, done.calls[:place]):
                left_out.append(f"{call.name}.{name}")
            else:
                wrong.append(f"{call.name}.{name}")
    called = {call.name for call in done.calls}
    for tool in sorted(truth.required - called):
        wrong += [f"{tool}.{name}" for name in by_tool.get(tool, ())]
    return Arguments(right, right + len(wrong), tuple(wrong), tuple(left_out))


def _is_right(call: Call, name: str, expected: Any, done: Done) -> bool:
    if not isinstance(call.arguments, dict) or name not in call.arguments:
        return False
    value = call.arguments[name]
    tool = (done.tools or {}).get(call.name) or {}
    schema = (tool.get("input_parameters") or {}).get(name)
    kind = schema.get("type") if isinstance(schema, dict) else None
    return _is_of_type(value, kind) and _matches(value, expected)


def _is_of_type(value: Any, kind: Any) -> bool:
    """Whether the value is of a type of JSON Schema; the short names of Python are known, too."""
    is_number = isinstance(value, int | float) and not isinstance(value, bool)
    match kind:
        case "string" | "str":
            return isinstance(value, str)
        case "boolean" | "bool":
            return isinstance(value, bool)
        case "integer" | "int":
            return is_number and value == value // 1
        case "number" | "float":
            return is_number
        case "array" | "list":
            return isinstance(value, list)
        case "object" | "dict":
            return isinstance(value, dict)
        case _:
            return True


def _matches(value: Any, expected: Any) -> bool:
    if isinstance(value, list) and isinstance(expected, list):
        return {_canonical(item) for item in value} == {_canonical(item) for item in expected}
    if isinstance(value, dict) and isinstance(expected, dict):
        return same_value(value, expected)
    return _matches_as_published(value, expected)


def _canonical(value: Any) -> Any:
    """A value such that what differs in case, blanks or the order of keys alone is equal."""
    if isinstance(value, dict):
        return frozenset((key, _canonical(inner)) for key, inner in value.items())
    if isinstance(value, list):
        return tuple(map(_canonical, value))
    return _words(value)


def _is_withheld(expected: Any, done: Done, before: Sequence[Call]) -> bool:
    if not any(_was_refused(call, done) for call in before):
        return False
    told = _words(" ".join([done.said, *_texts(call.result for call in before)]))
    return isinstance(expected, str) and _words(expected) not in told


def _was_refused(call: Call, done: Done) -> bool:
    is_known = done.tools is not None and call.name in done.tools
    return is_known and isinstance(call.result, str) and _REFUSED in call.result


def _texts(values: Iterable[Any]) -> Iterable[str]:
    return (value if isinstance(value, str) else str(value) for value in values)


def _words(value: Any) -> str:
    return re.sub(r"\s+", " ", str(value).lower()).strip()
