"""Reads a confidence that stands in a text: "Confidence: 80 %", "I'm 90% sure", "8/10 confident".

Read is a number that stands behind "confidence" or "certainty", or before "sure", "certain",
"confident" and the like; never a number that stands alone.  Of several statements the last one
counts.
"""

import re
from collections.abc import Iterator, Mapping
from typing import Literal, NamedTuple

Numbers = Literal["auto", "share", "percent", "ten"]

_TOPS: Mapping[Numbers, float] = {"share": 1, "percent": 100, "ten": 10}
_LONGEST = 20_000
"""Characters; of a longer text the end is read, where confidence is stated."""

_NUMBER = r"(?P<{0}>\d{{1,4}}(?:[.,]\d{{1,6}})?|[.,]\d{{1,6}})"
_PERCENT = r"\s?(?:%|percent\b|per\s?cent\b|pct\b)"
_VALUE = (
    r"(?<![\w.,/-])" + _NUMBER.format("number")
    + r"(?:(?P<percent>" + _PERCENT + r")|\s?(?:/|out\sof)\s?" + _NUMBER.format("top") + r")?"
    + r"(?P<range>\s?(?:-|–|to\b)\s?\d[\d.,]*\s?%?)?(?!\s?(?:-|–|to\b)\s?\d)(?![\w/])"
)  # fmt: skip
_NAME = (
    r"\b(?:confidence|certainty)\b(?!\s(?:interval|limit|bound|band|region)s?\b)"
    r"(?:\s(?:level|score|rating|estimate))?"
)
_MARKS = r"[\s\"'*_`:=~≈-]"
_FILLING = (
    r"(?:in|of|is|at|about|around|this|my|the|answer|roughly|approximately|I|would|say|here|least|"
    r"over)\b"
)
_BETWEEN = rf"{_MARKS}{{0,6}}(?:{_FILLING}{_MARKS}{{1,6}}){{0,6}}"
_SCALE = r"(?:\s?[(\[](?P<scale>[^()\[\]\n]{1,40})[)\]])?"
_BEHIND = re.compile(_NAME + r"[\"'*_`]{0,4}" + _SCALE + _BETWEEN + _VALUE, re.IGNORECASE)
_BEFORE = re.compile(
    _VALUE + r"\s(?:sure|certain|confident|confidence|certainty)\b"
    r"(?!\s(?:interval|level|limit|bound|band|region)s?\b)",
    re.IGNORECASE,
)
_NEGATED = re.compile(r"(?:\bnot|n['’]t|\bnever|\bless than|\bwithout)\s(?:\w+\s){0,2}$", re.I)


class Stated(NamedTuple):
    """`value` is None where no one number from 0 to 1 is stated: `problem` says why."""

    value: float | None
    text: str
    problem: str = ""


def stated_in(
    text: str, numbers: Numbers = "auto", words: Mapping[str, float] | None = None
) -> Stated | None:
    """The last confidence that the text states; None if it states none.

    `words` are the values of words such as "high": one word counts beside "confidence" or before
    "sure", "certain" and "confident", several words ("fairly sure") wherever they stand.  A number
    without a sign is read as `numbers` says.
    """
    text = " ".join(text[-_LONGEST:].replace("\u00a0", " ").replace("\u202f", " ").split())
    found = [*_numbers(text, numbers), *_words(text, words or {})]
    return max(found, key=lambda each: each[0])[1] if found else None


def _numbers(text: str, numbers: Numbers) -> Iterator[tuple[int, Stated]]:
    for pattern in (_BEHIND, _BEFORE):
        for found in pattern.finditer(text):
            if not _NEGATED.search(text[max(0, found.start() - 40) : found.start()]):
                yield found.end(), _read(found, numbers)


def _read(found: re.Match[str], numbers: Numbers) -> Stated:
    parts = found.groupdict()
    if parts["range"]:
        return Stated(None, found[0], "it is a range")
    value = float(parts["number"].replace(",", "."))
    top = _top(parts, value, numbers)
    if top is None:
        return Stated(None, found[0], "the scale is not stated (the setting `numbers` names it)")
    if not top or not 0 <= value <= top:
        return Stated(None, found[0], "it is outside its scale")
    return Stated(value / top, found[0])


def _top(parts: Mapping[str, str | None], value: float, numbers: Numbers) -> float | None:
    """The end of the scale on which the value is stated; None where that cannot be told."""
    if parts["percent"]:
        return 100
    if parts["top"]:
        return float(parts["top"].replace(",", "."))
    told = _told(parts.get("scale") or "")
    if told or numbers != "auto":
        return told or _TOPS[numbers]
    if value <= 1:
        return 1
    return None if value <= 10 else 100


def _told(scale: str) -> float | None:
    """The end of a scale in brackets, as in "(0-100)", "(out of 10)" and "(%)"."""
    if "%" in scale or "percent" in scale.lower():
        return 100
    numbers = re.findall(r"\d+(?:\.\d+)?", scale)
    return float(numbers[-1]) if numbers else None


def _words(text: str, words: Mapping[str, float]) -> Iterator[tuple[int, Stated]]:
    for word, value in words.items():
        if not word.strip():
            continue
        escaped = r"\s".join(map(re.escape, word.split()))
        for found in re.finditer(_around(escaped), text, re.IGNORECASE):
            if not _NEGATED.search(text[max(0, found.start() - 40) : found.start()]):
                yield found.end(), Stated(value, found[0])


def _around(word: str) -> str:
    alone = rf"(?<!\w){word}(?!\w)"
    if r"\s" in word:
        return alone
    before = rf"{alone}\s(?:sure|certain|confident|confidence|certainty)\b"
    return rf"{_NAME}{_BETWEEN}{alone}|{before}"
