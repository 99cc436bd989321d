"""The published converters' own patterns, searched with a time limit: some backtrack for ever.

`regex` is asked because, unlike `re`, it can be stopped; for these patterns both find the same.
"""

import threading
import time
from functools import cache
from typing import Any

LIMIT = 2.0
"""Seconds that all searches of one case may take together."""

_now = time.monotonic
_case = threading.local()


def begin_case() -> None:
    """From now on the searches of this thread are those of another case."""
    _case.end = _now() + LIMIT


def _left() -> float:
    return max(0.001, getattr(_case, "end", _now() + LIMIT) - _now())


@cache
def _compiled(pattern: str) -> Any:
    import regex

    return regex.compile(pattern)


def found(pattern: str, text: str) -> Any:
    """The first match anywhere in the text, or None.  Raises TimeoutError."""
    return _compiled(pattern).search(text, timeout=_left())


def found_at_start(pattern: str, text: str) -> Any:
    """The match at the beginning of the text, or None.  Raises TimeoutError."""
    return _compiled(pattern).match(text, timeout=_left())


def found_all(pattern: str, text: str) -> list[Any]:
    """As `re.findall`.  Raises TimeoutError."""
    every: list[Any] = _compiled(pattern).findall(text, timeout=_left())
    return every
