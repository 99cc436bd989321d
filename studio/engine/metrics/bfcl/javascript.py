"""JavaScript: values written as source text, read as BFCL's `js_type_converter` reads them.

What cannot be read stays text.  Raises ValueError for types it does not know, and TimeoutError
where one of the published patterns takes too long.
"""

import re
from collections.abc import Callable, Sequence
from typing import Any

from studio.engine.metrics.bfcl.java import by_comma, number_or_text
from studio.engine.metrics.bfcl.limited import found_all, found_at_start

TYPES: dict[str, type] = {
    "String": str,
    "integer": int,
    "float": float,
    "Bigint": int,
    "Boolean": bool,
    "dict": dict,
    "array": list,
    "any": str,
}

_INTEGER = re.compile(r"^-?\d+$")
_FLOAT = re.compile(r"^-?\d+(\.\d+)?$")
_BIGINT = re.compile(r"^-?\d+n$")
_BOOLEAN = re.compile(r"(true|false)\Z")

_ARRAYS = (
    r"\[\s*\[.*?\]\s*(,\s*\[.*?\]\s*)*\]"
    r"|\bnew\s+Array\(\s*\[.*?\]\s*(,\s*\[.*?\]\s*)*\)"
)
_INNER_ARRAY = r"\[(.*?)\]"
_ARRAY = r"\[(.*?)\]|\bnew\s+Array\((.*?)\)"
_OBJECT = r"\{(.*?)\}"
_PAIR = r"([^:]+):\s*(.*?)(?:,\s*(?=[^,]+:)|$)"

Split = Callable[[str], Sequence[str]]


_SIMPLE: dict[str, tuple[re.Pattern[str], Callable[[str], Any]]] = {
    "integer": (_INTEGER, int),
    "float": (_FLOAT, float),
    "Bigint": (_BIGINT, lambda text: int(text[:-1])),
    "Boolean": (_BOOLEAN, lambda text: text == "true"),
}


def read(text: str, kind: str, item_kind: str | None = None, split: Split = by_comma) -> Any:
    """The value that the source text writes, given its type."""
    simple = _SIMPLE.get(kind)
    if simple is not None:
        pattern, convert = simple
        return convert(text) if pattern.match(text) else text
    match kind:
        case "String":
            return text[1:-1] if _is_quoted(text) else text
        case "dict":
            return _read_object(text.strip())
        case "array":
            return _read_array(text.strip(), item_kind, split)
        case "any":
            return text
        case _:
            raise ValueError(f"Unsupported type: {kind}")


def _is_quoted(text: str) -> bool:
    return any(text.startswith(mark) and text.endswith(mark) for mark in "\"'")


def _read_array(text: str, item_kind: str | None, split: Split) -> Any:
    # The published converter takes whatever goes wrong below for "this is no array".
    try:
        arrays = found_at_start(_ARRAYS, text)
        if arrays is not None:
            return _read_arrays(arrays[0], split)
        array = found_at_start(_ARRAY, text)
        if array is None:
            return text
        inside = (array[2] if array[1] is None else array[1]).strip()
        parts = [part.strip() for part in split(inside)] if inside else []
        if item_kind:
            return [read(part, item_kind) for part in parts]
        return [_read_untyped(part) for part in parts]
    except (ValueError, AttributeError):
        return text


def _read_arrays(text: str, split: Split) -> list[list[Any]]:
    arrays = []
    for place, inner in enumerate(found_all(_INNER_ARRAY, text)):
        inside = inner.strip()
        if place == 0:
            inside = inside.removeprefix("[")
        arrays.append([_read_untyped(part.strip()) for part in split(inside)])
    return arrays


def _read_object(text: str) -> Any:
    if text == "{}":
        return {}
    inside = found_at_start(_OBJECT, text)
    if inside is None:
        return text
    try:
        pairs = found_all(_PAIR, inside[1])
        return {key.strip().strip("'\""): _read_member(value.strip()) for key, value in pairs}
    except (ValueError, AttributeError):
        return text


def _read_member(text: str) -> Any:
    if text.startswith("[") and text.endswith("]"):
        return _read_array(text, None, by_comma)
    if text.startswith("{") and text.endswith("}"):
        return _read_object(text)
    return _read_untyped(text.strip("'\""))


def _read_untyped(text: str) -> Any:
    text = text.strip()
    if text in ("true", "false"):
        return text == "true"
    return text[1:-1] if _is_quoted(text) else number_or_text(text)
