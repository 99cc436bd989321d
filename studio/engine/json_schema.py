"""JSON Schema for the arguments of tools: without the network, and without endless patterns."""

from collections.abc import Iterator, Mapping
from typing import Any

import regex
from jsonschema import Draft202012Validator, validators
from jsonschema.exceptions import ValidationError
from referencing import Registry

_LIMIT = 1.0
"""Seconds that one pattern of a schema may search."""

_NAMES = {"dict": "object", "float": "number", "tuple": "array", "double": "number"}
_NOT_RESTRICTED = ("any",)


class PatternFault(Exception):
    """A pattern of a schema is none, or searches for too long: no value fits, or fails, by it."""


def _pattern(_validator: Any, pattern: str, value: Any, _schema: Any) -> Iterator[ValidationError]:
    if isinstance(value, str) and not _searched(pattern, value):
        yield ValidationError(f"{value!r} does not match {pattern!r}")


def _pattern_properties(
    validator: Any, patterns: Mapping[str, Any], value: Any, _schema: Any
) -> Iterator[ValidationError]:
    if not isinstance(value, dict):
        return
    for pattern, inner in patterns.items():
        for key, item in value.items():
            if _searched(pattern, key):
                yield from validator.descend(item, inner, path=key, schema_path=pattern)


def _searched(pattern: str, text: str) -> bool:
    try:
        return regex.search(pattern, text, timeout=_LIMIT) is not None
    except (TimeoutError, regex.error) as error:
        raise PatternFault(f"the pattern {pattern!r} takes too long or is none") from error


_Limited = validators.extend(  # type: ignore[no-untyped-call]  # its stub leaves this out
    Draft202012Validator, {"pattern": _pattern, "patternProperties": _pattern_properties}
)


def validator(schema: Mapping[str, Any]) -> Any:
    """A validator of the schema.  Its `iter_errors` fetches nothing and always ends.

    It raises PatternFault, and what jsonschema raises over a schema that is none.
    """
    # An empty registry: a reference to a web address is refused, never fetched.
    return _Limited(schema, registry=Registry())


def as_json_schema(parameters: Any) -> Any:
    """`parameters` with the type names of BFCL (dict, float, tuple, any) put into JSON Schema's."""
    if isinstance(parameters, list):
        return [as_json_schema(item) for item in parameters]
    if not isinstance(parameters, Mapping):
        return parameters
    kind = parameters.get("type")
    schema = {key: as_json_schema(value) for key, value in parameters.items()}
    if isinstance(kind, str):
        schema["type"] = _NAMES.get(kind, kind)
        if kind in _NOT_RESTRICTED:
            del schema["type"]
    return schema
