"""Searches for patterns that an instruction brings along; what cannot be searched is unclear."""

from collections.abc import Callable

from studio.engine.metrics import patterns
from studio.engine.metrics.instructions.asked import Unclear
from studio.engine.metrics.limited import TookTooLong
from studio.engine.metrics.patterns import BadPattern, Pattern


def is_found(pattern: Pattern, text: str) -> bool:
    return bool(_tried(patterns.found, pattern, text))


def count(pattern: Pattern, text: str) -> int:
    return _tried(patterns.count, pattern, text)


def pieces(pattern: Pattern, text: str) -> int:
    return _tried(patterns.pieces, pattern, text)


def _tried(search: Callable[[Pattern, str], int], pattern: Pattern, text: str) -> int:
    try:
        return search(pattern, text)
    except BadPattern as error:
        raise Unclear(f"{pattern.text!r:.60} is no regular expression ({error})") from error
    except TookTooLong as error:
        raise Unclear(f"the search for {pattern.text!r:.60} {error}") from error
