"""What is wrong with the arguments of one call that was wanted, or that its tool refused."""

import math
from collections.abc import Iterator, Mapping
from typing import Any

from studio.engine.analysis.failure_map.grounds import Grounds
from studio.engine.analysis.failure_map.made import Made
from studio.engine.analysis.failure_map.wanted import Wanted
from studio.engine.metrics.arguments import shown
from studio.engine.outcomes import FailureMode
from studio.engine.records import (
    Finding,
    JsonObject,
)

_ELSEWHERE = ("$ref", "allOf", "anyOf", "oneOf", "patternProperties", "if")
"""With these a schema may know more arguments, or types, than stand in it at first sight."""

_KINDS: Mapping[str, str] = {
    "string": "string", "integer": "integer", "number": "number", "float": "number",
    "double": "number", "boolean": "boolean", "array": "array", "tuple": "array",
    "object": "object", "dict": "object", "null": "null",
}  # fmt: skip
_PLAIN_KINDS = ("string", "boolean", "number", "array", "object", "null")


def argument_faults(
    wanted: Wanted, call: Made, schema: JsonObject | None, grounds: Grounds, *, ignores_case: bool
) -> Iterator[Finding]:
    """What is wrong with a call of the right tool, by the schema and by what was wanted."""
    given = call.arguments
    unknown = unknown_arguments(schema, given)
    yield from _unknown(call, unknown)
    for key in wanted.arguments:
        if key not in given and wanted.is_needed(key):
            yield _fault(FailureMode.MISSING_ARGUMENT, call, f"{key} is not given")
    for key, value in given.items():
        if key in wanted.arguments:
            if not wanted.accepts(key, value, ignores_case=ignores_case):
                yield _wrong(wanted, call, key, schema, grounds)
        elif key not in unknown and not wanted.is_open:
            told = f"{key} is {shown(value)}, and was not wanted"
            yield _fault(FailureMode.WRONG_VALUE, call, told)


def schema_faults(call: Made, schema: JsonObject | None) -> Iterator[Finding]:
    """What is wrong with a call by the schema alone."""
    yield from _unknown(call, unknown_arguments(schema, call.arguments))
    required = schema.get("required") if schema else None
    for key in required if isinstance(required, list | tuple) else ():
        if isinstance(key, str) and key not in call.arguments:
            yield _fault(FailureMode.MISSING_ARGUMENT, call, f"{key} is not given")
    for key, value in call.arguments.items():
        kinds = _kinds(schema, key)
        if kinds and not any(_is_of(value, kind) for kind in kinds):
            told = f"{key} is {shown(value)}, which is no {' or '.join(kinds)}"
            yield _fault(FailureMode.WRONG_TYPE, call, told)


def unknown_arguments(schema: JsonObject | None, given: JsonObject) -> list[str]:
    """The arguments that the schema does not know; none where it leaves that open."""
    properties = schema.get("properties") if schema else None
    if schema is None or not isinstance(properties, Mapping):
        return []
    is_open = schema.get("additionalProperties") not in (None, False)
    if is_open or any(word in schema for word in _ELSEWHERE):
        return []
    return [key for key in given if key not in properties]


def _unknown(call: Made, keys: list[str]) -> Iterator[Finding]:
    for key in keys:
        yield _fault(FailureMode.HALLUCINATED_ARGUMENT, call, f"there is no argument {key}")


def _wrong(
    wanted: Wanted, call: Made, key: str, schema: JsonObject | None, grounds: Grounds
) -> Finding:
    value, acceptable = call.arguments[key], wanted.arguments[key]
    told = f"{key} is {shown(value)}, not {' or '.join(map(shown, acceptable[:3]))}"
    kinds = _kinds(schema, key) or {_kind(each) for each in acceptable}
    if not any(_is_of(value, kind) for kind in kinds):
        return _fault(FailureMode.WRONG_TYPE, call, told)
    if grounds.lack(value, acceptable):
        told += "; neither the question nor the prompt, a schema or a result has it"
        return _fault(FailureMode.INVENTED_VALUE, call, told)
    return _fault(FailureMode.WRONG_VALUE, call, told)


def case_faults(wanted: Wanted, call: Made) -> Iterator[Finding]:
    """The values of a call that are right but for upper and lower case."""
    for key, value in call.arguments.items():
        if key in wanted.arguments and not wanted.accepts(key, value, ignores_case=False):
            right = shown(wanted.arguments[key][0])
            told = f"{key} is {shown(value)}, not {right} (only upper and lower case differ)"
            yield _fault(FailureMode.WRONG_VALUE, call, told)


def _fault(mode: FailureMode, call: Made, told: str) -> Finding:
    return Finding(mode, f"{call.name}: {told}", call.place)


def _kinds(schema: JsonObject | None, key: str) -> list[str]:
    """The JSON types that the schema allows for an argument; none where it does not say."""
    properties = schema.get("properties") if schema else None
    stated = properties.get(key) if isinstance(properties, Mapping) else None
    if not isinstance(stated, Mapping) or any(word in stated for word in _ELSEWHERE):
        return []
    kinds = stated.get("type")
    listed = kinds if isinstance(kinds, list | tuple) else [kinds]
    known = [_KINDS.get(kind, "") if isinstance(kind, str) else "" for kind in listed]
    return [] if "" in known else known


def _kind(value: Any) -> str:
    return next((kind for kind in _PLAIN_KINDS if _is_of(value, kind)), "")


def _is_of(value: Any, kind: str) -> bool:
    match kind:
        case "string":
            return isinstance(value, str)
        case "boolean":
            return isinstance(value, bool)
        case "integer":
            return _is_number(value) and value == math.floor(value)
        case "number":
            return _is_number(value)
        case "array":
            return isinstance(value, list | tuple)
        case "object":
            return isinstance(value, Mapping)
        case "null":
            return value is None
        case _:
            return True


def _is_number(value: Any) -> bool:
    is_one = isinstance(value, int | float) and not isinstance(value, bool)
    return is_one and (isinstance(value, int) or math.isfinite(value))
