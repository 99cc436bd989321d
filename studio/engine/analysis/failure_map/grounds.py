"""What the agent had to go by when it chose a value: was the value there, or derived from it?"""

import re
from collections.abc import Iterator
from itertools import product
from typing import Any

import msgspec

from studio.engine.events import ModelCalled, ToolReturned
from studio.engine.metrics.arguments import shown
from studio.engine.records import Query
from studio.engine.trace import Trace

_MOST_TEXT = 1_000_000
_MOST_NUMBERS = 60
_MOST_LEAVES = 100
_NUMBER = re.compile(r"(?<![\w.])[-−+]?\d{1,15}(?:,\d{3})*(?:\.\d{1,15})?(?:[eE][-+]?\d{1,2})?")
_DATE = re.compile(r"\d{4}-\d{1,2}-\d{1,2}|\d{1,2}[./]\d{1,2}[./]\d{2,4}")
_DIGITS = re.compile(r"\d+")
_THEIRS = ("system", "developer", "user", "tool", "function")
_WORDS = {
    word: float(value)
    for value, word in enumerate(
        "zero one two three four five six seven eight nine ten eleven twelve".split()
    )
} | {"dozen": 12.0, "half": 0.5, "quarter": 0.25, "hundred": 100.0, "thousand": 1000.0}
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
        self._numbers: frozenset[float] | None = None

    def lack(self, value: Any) -> bool:
        """Whether the value was invented: neither it nor anything it could be made from was there.

        In doubt it is not: truth values, null, 0 and 1 stand everywhere.
        """
        return self._is_whole and any(self._lack_leaf(leaf) for leaf in _leaves(value))

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
        text = " ".join(text.casefold().split())
        if not text or text in self._text:
            return True
        if any(self._has_part(date) for date in _DATE.findall(text)):
            return True
        words = text.split()
        if len(words) == 1:
            number = _number(text)
            return number is not None and self._has_number(number)
        # What the agent worded itself, such as a search, is made from words that were there.
        stripped = (word.strip(".,;:!?\"'()[]{}") for word in words)
        return any(len(word) > 1 and word in self._text for word in stripped)

    def _has_part(self, date: str) -> bool:
        """A date may be worked out from another one, or written in another way."""
        return any(float(part) in self._found() for part in _DIGITS.findall(date))

    def _has_number(self, value: float) -> bool:
        if value in (0, 1) or any(_is_near(value, each) for each in self._found()):
            return True
        few = list(self._found())[:_MOST_NUMBERS]
        return any(is_worked_out(value, one, other) for one, other in product(few, few))

    def _found(self) -> frozenset[float]:
        if self._numbers is None:
            words = set(re.findall(r"[a-z]+", self._text)) & _WORDS.keys()
            found = sorted(set(numbers_in(self._text)) | {_WORDS[word] for word in words})
            self._numbers = frozenset(found)
        return self._numbers


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
