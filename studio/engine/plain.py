"""Makes values that came from a model, a tool or a server fit for our own records.

JSON as models write it is wider than JSON as it can be stored: lone surrogates, NaN, integers of
thousands of digits, ten thousand levels of nesting.  What cannot be kept as it is becomes text, so
that nothing from outside can stop a trace from being written.
"""

import math
from typing import Any

MAX_DEPTH = 64
MAX_TEXT = 1_000_000
_INT64 = 2**63


def plain_text(text: str, limit: int = MAX_TEXT) -> str:
    """`text` without lone surrogates, cut at `limit` characters with a note that says so."""
    if not text.isascii():
        text = text.encode("utf-8", "replace").decode("utf-8")
    if len(text) <= limit:
        return text
    return f"{text[:limit]}\n[cut: {len(text):,} characters in all]"


def encodable(text: str) -> bool:
    """Whether UTF-8 can write the text: half of a surrogate pair, legal in JSON, it cannot."""
    if text.isascii():
        return True
    try:
        text.encode("utf-8")
    except UnicodeEncodeError:
        return False
    return True


def plain(value: Any, depth: int = 0) -> Any:
    """`value` as JSON that any reader accepts: string keys, finite floats, 64-bit integers."""
    match value:
        case None | bool():
            return value
        case str():
            return plain_text(value)
        case int():
            return value if -_INT64 <= value < _INT64 else plain_text(_digits(value))
        case float():
            return value if math.isfinite(value) else str(value)
        case dict() if depth < MAX_DEPTH:
            return {plain_text(str(key)): plain(item, depth + 1) for key, item in value.items()}
        case list() | tuple() if depth < MAX_DEPTH:
            return [plain(item, depth + 1) for item in value]
        case dict() | list() | tuple():
            return "[nested too deeply]"
        case _:
            return plain_text(str(value))


def _digits(value: int) -> str:
    # Python refuses to print integers of more than 4,300 digits.
    return str(value) if value.bit_length() < 13_000 else hex(value)
