"""What a single value of a file means: YAML 1.2's core schema, and what can be kept of it."""

import json
import math
import re
from typing import Any

from studio.engine.plain import encodable

_INT = re.compile(r"-?(?:0|[1-9][0-9]*)")
_FLOAT = re.compile(r"[-+]?(?:\.[0-9]+|[0-9]+(?:\.[0-9]*)?)(?:[eE][-+]?[0-9]+)?")
_SPECIAL_FLOAT = re.compile(r"[-+]?\.(?:inf|Inf|INF)|\.(?:nan|NaN|NAN)")
_LEADING_ZERO = re.compile(r"[-+]?0[0-9]+")
_WORDS = {
    "": None, "~": None, "null": None, "Null": None, "NULL": None,
    "true": True, "True": True, "TRUE": True, "false": False, "False": False, "FALSE": False,
}  # fmt: skip


def resolve(text: str) -> Any:
    """The value of a YAML scalar written without quotes.

    Departs from YAML 1.2 where a number would lose how it was written: `007`, `0x1F` and `0o17`
    stay text, so that an id survives; a field that wants a number then says so.
    """
    if text in _WORDS:
        return _WORDS[text]
    if not text.isascii() or text[0] not in "+-.0123456789":
        return text
    if _INT.fullmatch(text) and len(text) < 300:
        return int(text)
    if _LEADING_ZERO.fullmatch(text):
        return text
    if _FLOAT.fullmatch(text):
        return float(text)
    if _SPECIAL_FLOAT.fullmatch(text):
        return math.nan if text.lower() == ".nan" else math.inf
    return text


def why_not_kept(value: Any) -> str | None:
    """What keeps a single value from being stored as JSON, or None if nothing does."""
    if isinstance(value, bool):
        return None
    if isinstance(value, float) and not math.isfinite(value):
        return "This number is infinite, too large or not a number."
    if isinstance(value, int) and not -(2**63) <= value < 2**63:
        return "This number has more than 64 bits."
    if isinstance(value, str) and not encodable(value):
        return "This text holds half of a surrogate pair, which UTF-8 cannot write."
    return None


def shown(value: Any) -> str:
    """A value as it would be written, short and on one line, for a message."""
    text = json.dumps(value, ensure_ascii=False, default=str)
    return text if len(text) <= 60 else f"{text[:57]}..."
