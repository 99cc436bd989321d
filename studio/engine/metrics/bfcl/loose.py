"""Values by value, and texts loosely: what the corrected modes of BFCL and ACEBench compare."""

import math
from typing import Any

_DROPPED = str.maketrans({**dict.fromkeys(",./-_*^"), "'": '"'})


def is_same(value: Any, answer: Any, *, is_loose: bool = False) -> bool:
    """Equal at any depth, a truth value being no number; `is_loose` standardizes texts."""
    if not isinstance(value, _NESTED):
        return not isinstance(answer, _NESTED) and _same_scalar(value, answer, is_loose=is_loose)
    pending = [(value, answer)]
    while pending:
        one, other = pending.pop()
        if isinstance(one, dict) and isinstance(other, dict):
            if one.keys() != other.keys():
                return False
            pending.extend((item, other[key]) for key, item in one.items())
        elif isinstance(one, list | tuple) and isinstance(other, list | tuple):
            if len(one) != len(other):
                return False
            pending.extend(zip(one, other, strict=True))
        elif not _same_scalar(one, other, is_loose=is_loose):
            return False
    return True


_NESTED = (dict, list, tuple)


def _same_scalar(one: Any, other: Any, *, is_loose: bool) -> bool:
    if isinstance(one, str) and isinstance(other, str):
        return one == other or (is_loose and standardized(one) == standardized(other))
    if isinstance(one, bool) or isinstance(other, bool):
        return one is other
    if isinstance(one, float) and isinstance(other, float) and math.isnan(one):
        return math.isnan(other)
    return bool(one == other)


def standardized(text: str) -> str:
    """As the published checker does it, but without white space of any kind."""
    return "".join(text.translate(_DROPPED).casefold().split())
