"""Values in arguments and texts: whether they are used, stated, or of the same kind."""

import re
from collections.abc import Iterable, Iterator, Mapping
from functools import lru_cache
from typing import Any

_LONGEST = 20_000
"""Characters of a text that are looked at."""

_SHAPES: Mapping[str, re.Pattern[str]] = {
    "address": re.compile(r"[\w.+-]+@[\w-]+(?:\.[\w-]+)+"),
    "date": re.compile(r"(?<![\w-])\d{4}-\d{2}-\d{2}(?![\w-])"),
    "time": re.compile(r"(?<![\w:])\d{1,2}:\d{2}(?![\w:])"),
    "code": re.compile(r"(?<![\w-])(?=[\w-]*[A-Za-z])(?=[\w-]*\d)\w[\w-]{2,}(?![\w-])"),
    "number": re.compile(r"(?<![\w.,-])\d+(?:[.,]\d+)?(?![\w-])(?![.,]\d)"),
}
"""Kinds of values that can be told in a text by their looks."""
_EARLY = re.compile(r"(?<![\w:.-])0(\d:\d{2}(?![\w:]))")


def leaves(arguments: Mapping[str, Any]) -> Iterator[tuple[str, Any]]:
    """Each text and number within the arguments, with the key that it stands below."""
    pending: list[tuple[str, Any]] = list(arguments.items())
    while pending:
        key, value = pending.pop()
        if isinstance(value, Mapping):
            pending += value.items()
        elif isinstance(value, list | tuple):
            pending += ((key, item) for item in value)
        elif isinstance(value, str | int | float) and not _is_empty(value):
            yield key, value


def _is_empty(value: str | float) -> bool:
    """A truth value says nothing that could be remembered, and neither do blanks."""
    return isinstance(value, bool) or (isinstance(value, str) and not value.strip())


def is_same(one: Any, other: Any) -> bool:
    """Whether two values are the same; "30" is 30, and case does not count."""
    return plain(one) == plain(other)


def is_used(value: Any, arguments: Mapping[str, Any]) -> bool:
    """Whether the value stands in the arguments, alone or as words of a longer text."""
    return any(
        is_same(value, leaf) or (isinstance(leaf, str) and is_stated(value, leaf))
        for _, leaf in leaves(arguments)
    )


def is_stated(value: Any, text: str) -> bool:
    """Whether the value stands in the text as words of its own, whatever its case."""
    words, whole = plain(value), _plain_text(text)
    # Looking for words is a hundred times as slow as looking for characters.
    return bool(words) and words in whole and _as_words(words).search(whole) is not None


@lru_cache(maxsize=1024)
def _as_words(words: str) -> re.Pattern[str]:
    return re.compile(rf"(?<![\w@.-]){re.escape(words)}(?![\w@-])(?!\.\w)")


@lru_cache(maxsize=256)
def _plain_text(text: str) -> str:
    return plain(text[:_LONGEST])


def plain(value: Any) -> str:
    """A value as it is compared: 5.0 as "5", 08:00 as "8:00", texts without case."""
    if isinstance(value, float) and value.is_integer():
        value = int(value)
    return _EARLY.sub(r"\1", " ".join(str(value).casefold().split()))


def shape_of(value: Any) -> str | None:
    """The kind of a value by its looks; None where a text does not show it."""
    text = str(value).strip()
    return next((name for name, looks in _SHAPES.items() if looks.fullmatch(text)), None)


def alike_in(text: str, shape: str) -> Iterable[str]:
    """The values of a kind that stand in the text, in their order."""
    return (found[0] for found in _SHAPES[shape].finditer(text[:_LONGEST]))
