"""Java: values written as source text, read as BFCL's `java_type_converter` reads them.

What cannot be read stays text.  Raises NotImplementedError for the types that the published
converter does not know how to read, and TimeoutError where one of its patterns takes too long.
"""

import re
from collections.abc import Callable, Sequence
from typing import Any

from studio.engine.metrics.bfcl.limited import found, found_all

TYPES: dict[str, type] = {
    "byte": int,
    "short": int,
    "integer": int,
    "float": float,
    "double": float,
    "long": int,
    "boolean": bool,
    "char": str,
    "Array": list,
    "ArrayList": list,
    "Set": set,
    "HashMap": dict,
    "Hashtable": dict,
    "Queue": list,
    "Stack": list,
    "String": str,
    "any": str,
}

_INTEGER = re.compile(r"^-?\d+$")
_FLOAT = re.compile(r"^-?\d+(\.\d+)?([eE][+-]?\d+)?[fF]$")
_DOUBLE = re.compile(r"^-?\d+(\.\d+)?([eE][+-]?\d+)?$")
_LONG = re.compile(r"^-?\d+[lL]$")

_BOOLEAN = re.compile(r"(true|false)\Z")

_LIST_OF = r"new\s+ArrayList<\w*>\(Arrays\.asList\((.+?)\)\)"
_LIST_ADDING = r"(?s)new\s+ArrayList<\w*>\(\)\s*\{\{\s*(.+?)\s*\}\}"
_ADDED = r"add\((.+?)\)"
_EMPTY_LIST = r"new\s+ArrayList<\w*>\(\)"
_ARRAY = r"new\s+\w+\[\]\s*\{(.*?)\}"
_MAP = r"(?s)new\s+HashMap<.*?>\s*\(\)\s*\{\s*\{?\s*(.*?)\s*\}?\s*\}"
_PUT = r"put\(\"(.*?)\",\s*(.*?)\)"
_EMPTY_MAP = r"(?s)new\s+HashMap<.*?>\s*\(\)"

Split = Callable[[str], Sequence[str]]


def by_comma(text: str) -> Sequence[str]:
    """As the published converter parts the elements of a list: also within quotes."""
    return text.split(",")


def read(text: str, kind: str, item_kind: str | None = None, split: Split = by_comma) -> Any:
    """The value that the source text writes, given its type."""
    simple = _SIMPLE.get(kind)
    if simple is not None:
        pattern, convert = simple
        return convert(text) if pattern.match(text) else text
    match kind:
        case "ArrayList":
            return _read_list(text, item_kind, split)
        case "Array":
            return _read_array(text, item_kind, split)
        case "HashMap":
            return _read_map(text)
        case "String" | "any" | "char":
            return text
        case _:
            raise NotImplementedError(f"{kind} conversion is not implemented")


def _without_suffix(text: str) -> str:
    return text.removesuffix("\n")[:-1]


_SIMPLE: dict[str, tuple[re.Pattern[str], Callable[[str], Any]]] = {
    **dict.fromkeys(("byte", "short", "integer"), (_INTEGER, int)),
    "float": (_FLOAT, lambda text: float(_without_suffix(text))),
    "double": (_DOUBLE, float),
    "long": (_LONG, lambda text: int(_without_suffix(text))),
    "boolean": (_BOOLEAN, lambda text: text == "true"),
}


def _read_list(text: str, item_kind: str | None, split: Split) -> Any:
    inside = found(_LIST_OF, text)
    if inside is not None:
        return [_element(part.strip(), item_kind) for part in split(inside[1])]
    inside = found(_LIST_ADDING, text)
    if inside is not None:
        return [_element(part.strip(), item_kind) for part in found_all(_ADDED, inside[1])]
    return text if found(_EMPTY_LIST, text) is None else []


def _element(text: str, kind: str | None) -> Any:
    if kind in ("char", "String"):
        return text[1:-1]
    return read(text, kind) if kind else _read_untyped(text)


def _read_array(text: str, item_kind: str | None, split: Split) -> Any:
    inside = found(_ARRAY, text)
    if inside is None:
        return text
    parts = [part.strip() for part in split(inside[1]) if part.strip()]
    return [read(part, item_kind) if item_kind else _read_untyped(part) for part in parts]


def _read_map(text: str) -> Any:
    inside = found(_MAP, text)
    if inside is not None:
        return {key: _read_untyped(value.strip()) for key, value in found_all(_PUT, inside[1])}
    return text if found(_EMPTY_MAP, text) is None else {}


def _read_untyped(text: str) -> Any:
    if text in ("true", "false"):
        return text == "true"
    if text.startswith('"') and text.endswith('"'):
        return text[1:-1]
    if _LONG.match(text):
        return int(text[:-1])
    if _FLOAT.match(text):
        return float(_without_suffix(text))
    return number_or_text(text)


def number_or_text(text: str) -> Any:
    """What Python's `int`, then its `float`, make of the text; the text where neither can."""
    for reading in (int, float):
        try:
            return reading(text)
        except ValueError:
            pass
    return text
