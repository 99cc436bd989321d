"""Whether the final message states the right decision."""

import re
from collections.abc import Iterable
from functools import lru_cache
from typing import Any


def is_stated_as_published(expected: Any, message: Any) -> bool:
    """The phrase is a part of the message: "No new case created" states "Case created"."""
    return bool(expected.lower() in message.lower())


def is_stated(expected: str, possible: Iterable[str], message: str) -> bool:
    """The phrase stands in the message as words of its own, and not within a longer outcome."""
    wanted = _words(expected)
    phrases = frozenset((wanted, *map(_words, possible))) - {""}
    return any(found == wanted for found in _any_of(phrases).findall(_words(message)))


@lru_cache(maxsize=256)
def _any_of(phrases: frozenset[str]) -> re.Pattern[str]:
    longest_first = sorted(phrases, key=lambda phrase: (-len(phrase), phrase))
    return re.compile(rf"(?<!\w)(?:{'|'.join(map(re.escape, longest_first))})(?!\w)")


def _words(text: str) -> str:
    return " ".join(text.casefold().split())
