"""What the agent had to go by when it chose a value: was the value there, or derived from it?"""

import re
from collections.abc import Iterator
from functools import cached_property
from itertools import product
from typing import Any

import msgspec

from studio.engine.events import ModelCalled, ToolReturned
from studio.engine.metrics.arguments import same_value, shown
from studio.engine.records import Query
from studio.engine.trace import Trace

_MOST_TEXT = 1_000_000
_MOST_NUMBERS = 60
_MOST_LEAVES = 100
_NUMBER = re.compile(r"(?<![\w.])[-−+]?\d{1,15}(?:,\d{3})*(?:\.\d{1,15})?(?:[eE][-+]?\d{1,2})?")
_DATE = re.compile(r"\d{4}-\d{1,2}-\d{1,2}|\d{1,2}[./]\d{1,2}[./]\d{2,4}")
_NO_LETTER = re.compile(r"[\W_]+")
_DIGITS = re.compile(r"\d+")
_THEIRS = ("system", "developer", "user", "tool", "function")
_WORDS = {
    word: float(value)
    for value, word in enumerate(
        "zero one two three four five six seven eight nine ten eleven twelve".split()
    )
} | {"dozen": 12.0, "half": 0.5, "quarter": 0.25, "hundred": 100.0, "thousand": 1000.0}
_UNITS = (7.0, 10.0, 12.0, 24.0, 30.0, 60.0, 100.0, 365.0, 1e3, 3600.0, 1e6)
"""What a number is multiplied or divided by to say the same in another unit."""
_LISTED = re.compile(r"[,;|/_-]\s*")
_LONGEST_ITEM = 3
"""Words; between more of them a comma parts a sentence, and no list of values."""
_MARKS = " .,;:!?\"'()[]{}"
_FEWEST_LETTERS = 6
_SHORTEST_STEM = 4
_TOLERANCE = 1e-6


class Grounds:
    """Everything that stood before the agent at one place of its trace, its own words left out.

    The question, what the model was sent (system prompt, messages of others, tools with their
    schemas) and the tool results so far.  Where that is too long to be looked through, nothing is
    said to be invented.
    """

    def __init__(self, query: Query, trace: Trace, place: int) -> None:
        text = "\n".join(dict.fromkeys(_texts(query, trace, place))).casefold()
        self._is_whole = len(text) <= _MOST_TEXT
        self._text = " ".join(text.split()) if self._is_whole else ""

    def lack(self, value: Any, right: Any = ()) -> bool:
        """Whether the value was invented: neither it nor anything it could be made from was there.

        In doubt it is not: truth values, null, 0 and 1 stand everywhere.  Of a list or an object
        what is among the `right` values is not looked at.
        """
        if not self._is_whole:
            return False
        known = list(_leaves(right))
        others = (leaf for leaf in _leaves(value) if not any(same_value(leaf, k) for k in known))
        return any(map(self._lack_leaf, others))

    def _lack_leaf(self, leaf: Any) -> bool:
        match leaf:
            case bool() | None:
                return False
            case int() | float():
                return not self._has_number(leaf)
            case str():
                return not self._has_text(leaf)
            case _:
                return False

    def _has_text(self, text: str) -> bool:
        text = " ".join(text.casefold().split()).strip(_MARKS)
        if not text or text in self._text or self._has_letters(_letters(text)):
            return True
        if any(self._has_part(date) for date in _DATE.findall(text)):
            return True
        parts = [part for part in _LISTED.split(text) if part]
        if len(parts) > 1 and all(len(part.split()) <= _LONGEST_ITEM for part in parts):
            return all(map(self._has_text, parts))
        words = text.split()
        if len(words) == 1:
            return self._has_word(text)
        # What the agent worded itself, such as a search, is made from words that were there.
        stripped = (word.strip(_MARKS) for word in words)
        return any(len(word) > 1 and word in self._text for word in stripped)

    def _has_letters(self, letters: str) -> bool:
        # Fewer are found by accident where one word ends and the next begins.
        return len(letters) >= _FEWEST_LETTERS and letters in self._all_letters

    def _has_word(self, word: str) -> bool:
        """A number in digits or letters, or a word that begins like one that was there."""
        number = _WORDS.get(word, _number(word))
        if number is not None:
            return self._has_number(number)
        if not word.isalpha():
            return False
        return any(word[:length] in self._words for length in range(_SHORTEST_STEM, len(word)))

    @cached_property
    def _all_letters(self) -> str:
        return _letters(self._text)

    @cached_property
    def _words(self) -> frozenset[str]:
        return frozenset(re.findall(r"[^\W\d_]+", self._text))

    def _has_part(self, date: str) -> bool:
        """A date may be worked out from another one, or written in another way."""
        return any(float(part) in self._numbers for part in _DIGITS.findall(date))

    def _has_number(self, value: float) -> bool:
        if value in (0, 1) or any(_is_near(value, each) for each in self._numbers):
            return True
        few = sorted(self._numbers)[:_MOST_NUMBERS]
        return any(is_worked_out(value, one, other) for one, other in product(few, (*few, *_UNITS)))

    @cached_property
    def _numbers(self) -> frozenset[float]:
        return frozenset(numbers_in(self._text)) | {
            value for word, value in _WORDS.items() if word in self._words
        }


def numbers_in(text: str) -> list[float]:
    """The numbers of a text in the order in which they stand there."""
    found = (_number(match) for match in _NUMBER.findall(text[:_MOST_TEXT]))
    return [number for number in found if number is not None]


def is_worked_out(value: float, one: float, other: float) -> bool:
    """Whether the value is the sum, difference, product or quotient of the two, or a percentage."""
    results = [one + other, one - other, one * other, one * other / 100]
    if other:
        results.append(one / other)
    return any(_is_near(value, result) for result in results)


def _is_near(value: float, other: float) -> bool:
    # Python compares whole numbers of any size with floats, but cannot always subtract them.
    if value == other:
        return True
    if not abs(value) < 1e15:
        return False
    return abs(value - other) <= _TOLERANCE * max(abs(value), abs(other))


def _letters(text: str) -> str:
    """The letters and digits alone: "New York" is "new_york"."""
    return _NO_LETTER.sub("", text)


def _number(text: str) -> float | None:
    try:
        return float(text.replace(",", "").replace("−", "-"))
    except ValueError:
        return None


def _leaves(value: Any) -> Iterator[Any]:
    """The values inside lists and objects, as many as can be looked at."""
    pending, count = [value], 0
    while pending and count < _MOST_LEAVES:
        count += 1
        each = pending.pop()
        if isinstance(each, dict):
            pending.extend(each.values())
        elif isinstance(each, list | tuple):
            pending.extend(each)
        else:
            yield each


def _texts(query: Query, trace: Trace, place: int) -> Iterator[str]:
    yield query.text
    for event in trace.events[:place]:
        match event:
            case ModelCalled(sent=sent):
                yield from _sent(sent)
            case ToolReturned(content=content):
                yield content


def _sent(sent: Any) -> Iterator[str]:
    messages, tools = sent.get("messages"), sent.get("tools")
    for message in messages if isinstance(messages, list | tuple) else ():
        if isinstance(message, dict) and message.get("role") in _THEIRS:
            content = message.get("content")
            yield content if isinstance(content, str) else _written(content)
    if tools:
        yield _written(tools)


def _written(value: Any) -> str:
    try:
        return msgspec.json.encode(value).decode()
    except (TypeError, ValueError, RecursionError):
        return shown(value)
