"""Compares the arguments of tool calls by value, and says in words where they differ."""

import unicodedata
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import msgspec

from studio.engine.records import JsonObject

_LONGEST_SHOWN = 60


def same_value(left: Any, right: Any, *, ignore_case: bool = False) -> bool:
    """Whether two JSON values are the same, at any depth of nesting.

    Numbers are compared as numbers (5 is 5.0); a truth value is no number and text is no number.
    Texts are the same when their characters are, however these are encoded (Unicode NFC).
    Lists keep their order, the keys of objects have none; null is not the same as an absent key.
    """
    if left is right:
        return True
    pending = [(left, right)]
    while pending:
        one, other = pending.pop()
        if type(one) in _SCALARS:
            if not _same_scalar(one, other, ignore_case=ignore_case):
                return False
            continue
        inner = _inner(one, other)
        if inner is None:
            return False
        pending.extend(inner)
    return True


_SCALARS = frozenset((str, int, float, bool, type(None)))
# What JSON has comes first: asking for anything of a kind takes longer.
_OBJECTS = (dict, Mapping)
_LISTS = (list, Sequence)


def _inner(one: Any, other: Any) -> Iterable[tuple[Any, Any]] | None:
    """What is to be compared instead of two objects or lists; None if they differ outright."""
    if isinstance(one, _OBJECTS) and isinstance(other, _OBJECTS):
        if one.keys() != other.keys():
            return None
        return [(value, other[key]) for key, value in one.items()]
    if _is_list(one) and _is_list(other):
        return zip(one, other, strict=True) if len(one) == len(other) else None
    return () if type(one) is type(other) and one == other else None


def _is_list(value: Any) -> bool:
    return isinstance(value, _LISTS) and not isinstance(value, str | bytes)


def _same_scalar(one: Any, other: Any, *, ignore_case: bool) -> bool:
    if isinstance(one, str) and isinstance(other, str):
        same = one == other
        return same or _text(one, ignore_case=ignore_case) == _text(other, ignore_case=ignore_case)
    if isinstance(one, bool) or isinstance(other, bool):
        return one is other
    if isinstance(one, int | float) and isinstance(other, int | float):
        return one == other
    return type(one) is type(other) and bool(one == other)


def _text(text: str, *, ignore_case: bool) -> str:
    normal = text if text.isascii() else unicodedata.normalize("NFC", text)
    return normal.casefold() if ignore_case else normal


def difference(expected: JsonObject, made: JsonObject, *, ignore_case: bool = False) -> str:
    """Where the arguments of a call differ from the expected ones, in words; "" if nowhere."""
    parts = []
    for key, value in expected.items():
        if key not in made:
            parts.append(f"{key} is missing")
        elif not same_value(value, made[key], ignore_case=ignore_case):
            only_case = same_value(value, made[key], ignore_case=True)
            remark = " (only upper and lower case differ)" if only_case else ""
            parts.append(f"{key} is {shown(made[key])}, not {shown(value)}{remark}")
    parts += [f"{key} was not expected" for key in made if key not in expected]
    return "; ".join(parts)


def shown(value: Any) -> str:
    """A value as short JSON, for people."""
    try:
        text = msgspec.json.encode(value).decode()
    except (TypeError, ValueError, RecursionError):
        text = f"a {type(value).__name__} that is no JSON"
    return text if len(text) <= _LONGEST_SHOWN else f"{text[: _LONGEST_SHOWN - 1]}…"


def shown_call(name: str, arguments: JsonObject) -> str:
    """A call as `name(key=value, ...)`, for people."""
    inside = ", ".join(f"{key}={shown(value)}" for key, value in arguments.items())
    return f"{name}({inside})"
