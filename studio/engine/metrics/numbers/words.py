"""Reads numbers written as English words: "twenty-one", "a dozen", "two and a half million"."""

import re
from collections.abc import Iterator
from typing import NamedTuple

_UNITS = {
    "zero": 0, "one": 1, "two": 2, "three": 3, "four": 4, "five": 5, "six": 6, "seven": 7,
    "eight": 8, "nine": 9, "ten": 10, "eleven": 11, "twelve": 12, "thirteen": 13, "fourteen": 14,
    "fifteen": 15, "sixteen": 16, "seventeen": 17, "eighteen": 18, "nineteen": 19,
}  # fmt: skip
_TENS = {
    "twenty": 20, "thirty": 30, "forty": 40, "fifty": 50, "sixty": 60, "seventy": 70,
    "eighty": 80, "ninety": 90,
}  # fmt: skip
_POWERS = {"thousand": 1e3, "million": 1e6, "billion": 1e9, "trillion": 1e12}
_GROUPS = {"hundred": 100.0, "dozen": 12.0}
_PARTS = {"half": 2, "halves": 2, "third": 3, "thirds": 3, "quarter": 4, "quarters": 4}
_SMALL = {**_UNITS, **_TENS}
_SCALES = {**_GROUPS, **_POWERS}
_JOINED = {"hundred", *_POWERS}
_DIGITS = {word for word, value in _UNITS.items() if value < 10}
_WORD = "|".join(sorted((*_SMALL, *_SCALES, *_PARTS), key=len, reverse=True))
_RUN = re.compile(
    rf"\b(?P<sign>(?:minus|negative)\s{{1,2}})?(?P<words>(?:an?\s{{1,2}})?(?:{_WORD})"
    rf"(?:(?:\s{{1,2}}(?:and an?|and|an?|point))?(?:\s{{1,2}}|-)(?:{_WORD}))*)\b",
    re.IGNORECASE,
)
_VOCABULARY = frozenset((*_SMALL, *_SCALES, *_PARTS))
_LETTERS = re.compile(r"[a-z]+")
_TOKEN = re.compile(rf"{_WORD}|\ban?\b|\band\b|\bpoint\b", re.IGNORECASE)


class Worded(NamedTuple):
    """A number in words.  `is_loose` says that it may be no number at all: a lone "one"."""

    value: float
    start: int
    end: int
    is_loose: bool


def read_words(text: str) -> Iterator[Worded]:
    """The numbers in words, in the order of the text."""
    if _VOCABULARY.isdisjoint(_LETTERS.findall(text.lower())):
        return
    for match in _RUN.finditer(text):
        tokens = list(_TOKEN.finditer(text, match.start("words"), match.end("words")))
        words = _with_ones([token[0].lower() for token in tokens])
        at = 0
        while at < len(words):
            value, end = _number(words, at)
            if value is not None:
                is_first = at == 0
                is_loose = end == at + 1 and words[at] in ("one", "half")
                start = match.start() if is_first else tokens[at].start()
                sign = -1.0 if is_first and match["sign"] else 1.0
                yield Worded(sign * value, start, tokens[end - 1].end(), is_loose)
            at = end


def _with_ones(words: list[str]) -> list[str]:
    """The words with "a hundred" as "one hundred"."""
    following = [*words[1:], ""]
    return [
        "one" if word in ("a", "an") and after in _SCALES else word
        for word, after in zip(words, following, strict=True)
    ]


def _number(words: list[str], at: int) -> tuple[float | None, int]:
    """The number that begins with word `at` (None if none does), and where the next one may."""
    if words[at] in ("a", "an") and words[at + 1] in _PARTS:
        return 1 / _PARTS[words[at + 1]], at + 2
    if words[at] == "half":
        return _scaled(0.5, words, at + 2 if words[at + 1 : at + 2] == ["one"] else at + 1)
    value, end = _count(words, at)
    if end == at:
        return None, at + 1
    match words[end : end + 3]:
        case ["and", "a", "half" | "quarter" as part, *_]:
            return _scaled(value + 1 / _PARTS[part], words, end + 3)
        case ["point", digit, *_] if digit in _DIGITS:
            return _after_the_point(value, words, end + 1)
        case [part, *_] if part in _PARTS and value < 100:
            return value / _PARTS[part], end + 1
        case _:
            return value, end


def _count(words: list[str], at: int) -> tuple[float, int]:
    """The whole number that begins with word `at`, and where it ends (at once, if none does).

    `group` is what stands before the next thousand, million, ...; `room` is what a further small
    number must be below: 100 after a hundred, 10 after "twenty", 1 after "five".
    """
    total, group, room, power = 0.0, 0.0, 100, float("inf")
    end = at
    while end < len(words):
        step = end + 1 if _is_joint(words, end, at) else end
        word = words[step]
        if word in _SMALL and _SMALL[word] < room and (_SMALL[word] or end == at):
            group += _SMALL[word]
            room = 10 if word in _TENS else 1
        elif word in _GROUPS and 0 < group < 100:
            group *= _GROUPS[word]
            room = 100 if word == "hundred" else 1
        elif word in _POWERS and group and _POWERS[word] < power:
            power = _POWERS[word]
            total, group, room = total + group * power, 0.0, 100
        else:
            break
        end = step + 1
    return total + group, end


def _is_joint(words: list[str], at: int, first: int) -> bool:
    """Whether word `at` is an "and" within a number, as in "two hundred and five"."""
    return (
        words[at] == "and"
        and at > first
        and words[at - 1] in _JOINED
        and words[at + 1 : at + 2] != []
        and words[at + 1] in _SMALL
    )


def _scaled(value: float, words: list[str], end: int) -> tuple[float, int]:
    """`value` times the scale that follows: "half a million", "two and a half thousand"."""
    if end < len(words) and words[end] in _SCALES:
        return value * _SCALES[words[end]], end + 1
    return value, end


def _after_the_point(value: float, words: list[str], at: int) -> tuple[float, int]:
    end = at
    while end < len(words) and words[end] in _DIGITS:
        end += 1
    digits = "".join(str(_UNITS[word]) for word in words[at:end])
    return _scaled(float(f"{value:.0f}.{digits}"), words, end)
