"""The published converters' own patterns, searched with a time limit: some backtrack for ever.

`regex` is asked because, unlike `re`, it can be stopped; for these patterns both find the same.
"""

from functools import cache
from typing import Any

LIMIT = 2.0
"""Seconds that the search of one pattern may take."""


@cache
def _compiled(pattern: str) -> Any:
    import regex

    return regex.compile(pattern)


def found(pattern: str, text: str) -> Any:
    """The first match anywhere in the text, or None.  Raises TimeoutError."""
    return _compiled(pattern).search(text, timeout=LIMIT)


def found_at_start(pattern: str, text: str) -> Any:
    """The match at the beginning of the text, or None.  Raises TimeoutError."""
    return _compiled(pattern).match(text, timeout=LIMIT)


def found_all(pattern: str, text: str) -> list[Any]:
    """As `re.findall`.  Raises TimeoutError."""
    every: list[Any] = _compiled(pattern).findall(text, timeout=LIMIT)
    return every
