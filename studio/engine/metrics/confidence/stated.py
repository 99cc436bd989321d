"""Reads a confidence that stands in a text: "Confidence: 80 %", "I'm 90% sure", "8/10 confident".

Read is a number that stands behind "confidence" or "certainty", or before "sure", "certain",
"confident" and the like; never a number that stands alone.  Of several statements the last one
counts.
"""

import re
from collections.abc import Iterator, Mapping
from decimal import Decimal
from typing import Literal, NamedTuple

Numbers = Literal["auto", "share", "percent", "ten"]

_TOPS = {"share": Decimal(1), "percent": Decimal(100), "ten": Decimal(10)}
_HALF_OF_BOTH = 50
"""Fifty-fifty is an idiom, and no 50 of 50."""
_LONGEST = 20_000
"""Characters; of a longer text the end is read, where confidence is stated."""

_NUMBER = r"(?P<{0}>\d{{1,4}}(?:[.,]\d{{1,6}})?|[.,]\d{{1,6}})"
_PERCENT = r"\s?(?:%|percent\b|per\s?cent\b|pct\b)"
_VALUE = (
    r"(?<![\w.,/-])" + _NUMBER.format("number")
    + r"(?:(?P<percent>" + _PERCENT + r")|\s?(?:/|out\sof)\s?" + _NUMBER.format("top") + r")?"
    + r"(?P<range>\s?(?:-|–|to\b)\s?\d[\d.,]*\s?%?)?(?!\s?(?:-|–|to\b)\s?\d)(?![\w/])"
)  # fmt: skip
_NO_STATISTICS = r"(?!\s(?:ci|interval|limit|bound|band|region)s?\b)"
_NAME = (
    rf"(?:\b(?:confidence|certainty)(?:\b|(?=_)){_NO_STATISTICS}"
    r"(?:[\s_](?:level|score|rating|estimate)\b)?"
    r"|\bprobability\s(?:that|of)\s[^.:]{0,60}\b(?:correct|right|true)\b|\bp\((?:correct|true)\))"
)
_MARKS = r"[\s\"'*_`:=~≈>()[\]—–-]"
_FILLING = (
    r"(?:in|of|is|at|about|around|this|my|the|answer|roughly|approximately|I|would|say|here|least|"
    r"over|very|high|higher|low|medium|moderate|fairly|quite|pretty|maybe)\b"
)
_BETWEEN = rf"{_MARKS}{{0,6}}(?:{_FILLING},?{_MARKS}{{1,6}}){{0,6}}"
_STATES = re.compile(r"[:=>≈~(\[—–-]|\bis\b")
_SCALE = r"(?:\s?[(\[](?P<scale>[^()\[\]\n]{1,40})[)\]])?"
_SURE = r"(?:sure|certain|confident)\b"
_BEHIND = re.compile(_NAME + r"[\"'*_`]{0,4}" + _SCALE + rf"(?P<between>{_BETWEEN})" + _VALUE, re.I)
_BEFORE = re.compile(
    _VALUE + rf"\s(?:{_SURE}|(?:confidence|certainty)\b{_NO_STATISTICS}(?!\slevel\b))",
    re.IGNORECASE,
)
_AFTER_SURE = re.compile(
    rf"\b{_SURE}\s?[,:;(\[—–-]\s?(?:(?:around|about|at|roughly|say)\s)?{_VALUE}"
    r"(?!\s(?:of|ci|confidence)\b)",
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
    for pattern in (_BEHIND, _BEFORE, _AFTER_SURE):
        for found in pattern.finditer(text):
            # "80 confident drivers" are no confidence, and "confidence in 95 countries" is none.
            if not _has_sign(found) and not _is_told(found):
                continue
            if not _NEGATED.search(text[max(0, found.start() - 40) : found.start()]):
                yield found.end(), _read(found, numbers)


def _has_sign(found: re.Match[str]) -> bool:
    """Whether the number shows that it is a share: by its sign, its scale, or its point."""
    number, percent, top = found.group("number", "percent", "top")
    return bool(percent or top or found["range"]) or number[0] in "0.,"


def _is_told(found: re.Match[str]) -> bool:
    """Whether a number without a sign is told as the confidence: behind a mark, or an "is"."""
    parts = found.groupdict()
    return bool(parts.get("scale")) or _STATES.search(parts.get("between") or "") is not None


def _read(found: re.Match[str], numbers: Numbers) -> Stated:
    parts = found.groupdict()
    if parts["range"]:
        return Stated(None, found[0], "it is a range")
    value = Decimal(parts["number"].replace(",", "."))
    top = _top(parts, value, numbers)
    if top is None:
        return Stated(None, found[0], "the scale is not stated (the setting `numbers` names it)")
    if not top or not 0 <= value <= top:
        return Stated(None, found[0], "it is outside its scale")
    if value == top == _HALF_OF_BOTH:
        return Stated(0.5, found[0])
    # Of decimals, so that 99.9 % is the number that is written 0.999.
    return Stated(float(value / top), found[0])


def _top(parts: Mapping[str, str | None], value: Decimal, numbers: Numbers) -> Decimal | None:
    """The end of the scale on which the value is stated; None where that cannot be told."""
    if parts["percent"]:
        return Decimal(100)
    if parts["top"]:
        return Decimal(parts["top"].replace(",", "."))
    told = _told(parts.get("scale") or "")
    if told or numbers != "auto":
        return told or _TOPS[numbers]
    if value <= 1:
        return Decimal(1)
    return None if value <= 10 else Decimal(100)


def _told(scale: str) -> Decimal | None:
    """The end of a scale in brackets, as in "(0-100)", "(out of 10)" and "(%)"."""
    if "%" in scale or "percent" in scale.lower():
        return Decimal(100)
    numbers = re.findall(r"\d+(?:\.\d+)?", scale)
    return Decimal(numbers[-1]) if numbers else None


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
