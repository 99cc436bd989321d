"""What the agent had to go by when it chose a value: was the value there, or derived from it?"""

import re
import unicodedata
from collections.abc import Iterator
from functools import cached_property
from itertools import product
from typing import Any

import msgspec

from studio.engine.analysis.failure_map.other_names import abbreviates, initials, other_names
from studio.engine.events import ModelCalled, ToolReturned
from studio.engine.metrics.arguments import same_value, shown
from studio.engine.metrics.numbers.words import read_words
from studio.engine.records import Query
from studio.engine.trace import Trace

_MOST_TEXT = 1_000_000
_MOST_NUMBERS = 60
_MOST_LEAVES = 100
_NUMBER = re.compile(r"(?<![\w.])[-−+]?\d{1,15}(?:,\d{3})*(?:\.\d{1,15})?(?:[eE][-+]?\d{1,2})?")
_TIME = re.compile(r"(\d{1,2}):\d{2}(?::\d{2})?(?: ?[ap]\.?m\.?)?")
_NOON, _MIDNIGHT = ("noon", "midday"), ("midnight",)
_DATE = re.compile(r"\d{4}-\d{1,2}-\d{1,2}|\d{1,2}[./]\d{1,2}[./]\d{2,4}")
_NO_LETTER = re.compile(r"[\W_]+")
_DIGITS = re.compile(r"\d+")
_THEIRS = ("system", "developer", "user", "tool", "function")
_WORDS = {
    "twice": 2.0, "double": 2.0, "both": 2.0, "couple": 2.0, "pair": 2.0, "triple": 3.0,
    "dozen": 12.0, "hundred": 100.0, "thousand": 1000.0, "half": 0.5, "quarter": 0.25,
}  # fmt: skip
"""Words that say a number without being one, or without another one before them."""
_MONTHS = """january february march april may june july august september october november
december""".split()
_UNITS = (7.0, 10.0, 12.0, 24.0, 30.0, 60.0, 100.0, 365.0, 1e3, 3600.0, 1e6)
"""What a number is multiplied or divided by to say the same in another unit."""
_LISTED = re.compile(r"[,;|/_-]\s*")
_LONGEST_ITEM = 3
"""Words; between more of them a comma parts a sentence, and no list of values."""
_LETTERS = re.compile(r"[^\W\d_]+")
_SHORT_NAME = 2
"""Letters: so few stand everywhere by accident."""
_MARKS = " .,;:!?\"'()[]{}"
_FEWEST_LETTERS = 6
_SHORTEST_STEM = 4
_SHORTEST_SINGULAR = 3
_TOLERANCE = 1e-6


class Grounds:
    """Everything that stood before the agent at one place of its trace, its own words left out.

    The question, what the model was sent (system prompt, messages of others, tools with their
    schemas) and the tool results so far.  Where that is too long to be looked through, nothing is
    said to be invented.
    """

    def __init__(self, query: Query, trace: Trace, place: int) -> None:
        text = "\n".join(dict.fromkeys(_texts(query, trace, place)))
        self._is_whole = len(text) <= _MOST_TEXT
        self._whole = text if self._is_whole else ""
        self._text = _folded(self._whole)
        self._question = query.text

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

    def _has_text(self, given: str) -> bool:
        text = _folded(given).strip(_MARKS)
        if not text or text in self._text or self._has_letters(_letters(text)):
            return True
        if self._has_other_name(text) or abbreviates(given.strip(_MARKS), self._question):
            return True
        if any(self._has_part(date) for date in _DATE.findall(text)) or self._has_time(text):
            return True
        if (worded := _worded(text)) is not None:
            return self._has_number(worded)
        parts = [part for part in _LISTED.split(given.strip(_MARKS)) if part]
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
        """A number, or a word that begins like one that was there, or is the plural of one."""
        number = _WORDS.get(word, _number(word))
        if number is not None:
            return self._has_number(number)
        if not word.isalpha():
            return False
        if any(one in self._words for one in _singulars(word)):
            return True
        return any(word[:length] in self._words for length in range(_SHORTEST_STEM, len(word)))

    @cached_property
    def _all_letters(self) -> str:
        return _letters(self._text)

    @cached_property
    def _words(self) -> frozenset[str]:
        return frozenset(_LETTERS.findall(self._text))

    def _has_other_name(self, text: str) -> bool:
        """Whether what it names was there by another name."""
        if len(short := initials(text)) > _SHORT_NAME and short in self._words:
            return True
        return any(map(self._has_name, other_names(text)))

    def _has_name(self, name: str) -> bool:
        if not name.isalpha():
            return name.casefold() in self._text
        if len(name) <= _SHORT_NAME:  # "us" is a word, "US" a country
            return name in self._as_written
        return not self._words.isdisjoint((name.casefold(), f"{name.casefold()}s"))

    def _has_part(self, date: str) -> bool:
        """A date may be worked out from another one, or written in another way."""
        parts = map(float, _DIGITS.findall(date))
        return any(part in self._numbers or part in self._months for part in parts)

    def _has_time(self, text: str) -> bool:
        """Whether a time of day was there in other words: its hour, or that which it is before."""
        found = _TIME.fullmatch(text)
        if found is None:
            return False
        hour = int(found[1])
        hours = {each % 24 for each in (hour, hour + 12, hour + 1, hour + 13)}
        named = (_NOON, 12), (_MIDNIGHT, 0)
        return not self._numbers.isdisjoint(hours) or any(
            not self._words.isdisjoint(words) for words, at in named if at in hours
        )

    def _has_number(self, value: float) -> bool:
        there = (*self._numbers, *self._months)
        if value in (0, 1) or any(_is_near(value, each) for each in there):
            return True
        few = sorted(self._numbers)[:_MOST_NUMBERS]
        return any(is_worked_out(value, one, other) for one, other in product(few, (*few, *_UNITS)))

    @cached_property
    def _numbers(self) -> frozenset[float]:
        return frozenset(
            (
                *numbers_in(self._text),
                *(worded.value for worded in read_words(self._text)),
                *(value for word, value in _WORDS.items() if word in self._words),
            )
        )

    @cached_property
    def _as_written(self) -> frozenset[str]:
        return frozenset(_LETTERS.findall(self._whole))

    @cached_property
    def _months(self) -> frozenset[float]:
        numbered = enumerate(_MONTHS, start=1)
        return frozenset(float(number) for number, month in numbered if month in self._words)


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


def _folded(text: str) -> str:
    """The text without upper case, accents and line breaks."""
    if not text.isascii():
        parts = unicodedata.normalize("NFKD", text)
        text = "".join(sign for sign in parts if not unicodedata.combining(sign))
    return " ".join(text.casefold().split())


def _worded(text: str) -> float | None:
    """The number that the text is, in words: "twenty-five"."""
    found = list(read_words(text))
    is_whole = len(found) == 1 and (found[0].start, found[0].end) == (0, len(text))
    return found[0].value if is_whole else None


def _singulars(word: str) -> Iterator[str]:
    """What the word may be the plural of."""
    for ending, instead in (("ies", "y"), ("es", ""), ("s", "")):
        if word.endswith(ending) and len(word) - len(ending) >= _SHORTEST_SINGULAR:
            yield word.removesuffix(ending) + instead


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
