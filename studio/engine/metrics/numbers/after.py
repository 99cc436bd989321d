"""Reads what stands after the digits of a number: powers of ten, scales, units, what is counted."""

import re
from typing import NamedTuple

from studio.engine.metrics.numbers.units import Unit, find

_E = re.compile(r"[eE]([+-]?\d{1,4})(?!\w|\.\d)")
_TIMES_TEN = re.compile(
    r"[ \u202f]?(?:[×xX*·⋅]|\\times|\\cdot)[ \u202f]?10(?:"
    r"[ ]?(?:\^|\*\*)[ ]?[{(]?[ ]?(?P<plain>[+-]?\d{1,4})[ ]?[})]?|(?P<raised>[⁺⁻]?[⁰¹²³⁴-⁹]{1,4}))"
)
_POWER = re.compile(
    r"[ ]?(?:\^|\*\*)[ ]?[{(]?(?P<plain>[+-]?\d{1,4})[})]?|(?P<raised>[⁺⁻]?[⁰¹²³⁴-⁹]{1,4})"
)
_RAISED = str.maketrans("⁺⁻⁰¹²³⁴⁵⁶⁷⁸⁹", "+-0123456789")
_ORDINAL = re.compile(r"(?:st|nd|rd|th)\b", re.IGNORECASE)
_AND_PART = re.compile(r" and an? (half|quarter)\b", re.IGNORECASE)

_SCALES = {
    "hundred": 2, "thousand": 3, "million": 6, "mn": 6, "mln": 6, "mio": 6, "billion": 9, "bn": 9,
    "bln": 9, "mrd": 9, "trillion": 12, "tn": 12, "trn": 12, "lakh": 5, "crore": 7,
    "thousands": 3, "millions": 6, "billions": 9, "trillions": 12, "lakhs": 5, "crores": 7,
    "tausend": 3, "millionen": 6, "milliarde": 9, "milliarden": 9, "millones": 6, "milliards": 9,
}  # fmt: skip
_LETTERS = {"k": 3, "K": 3, "M": 6, "B": 9, "T": 12}
_LETTERS_OF_MONEY = {**_LETTERS, "m": 6, "b": 9}
_BEYOND_ALPHABETS = 0x0590
"""Scripts from here on set no spaces between words, or are not mixed with digits in one word."""
_SIGNS_OF_MONEY = ("€", "$", "£")
_UNITS_TOO = ("K", "B", "M", "T")
_SCALE = re.compile(
    rf"[ \u202f-]?(?P<name>{'|'.join(sorted((*_SCALES, 'dozen'), key=len, reverse=True))})"
    r"(?!\w)\.?|(?P<space>[ \u202f]?)(?P<letter>[kKMBTmb])(?![\w/²³])",
    re.IGNORECASE,
)
_GAP = r"(?:[ \u202f]|\\[,;: ]|\*\*? ?)?(?:\\(?:text|mathrm|rm)\{ ?)?"
_UNIT = (
    r"°[ ]?[CFcf](?!\w)|[°%‰€£¥₹₽₩₺₪฿₫₴₦₿¢℃℉′″]|\\%|[A-Z]{0,3}\$"
    r"|[^\W\d_]{1,14}(?:[²³]|\^\{?[23]\}?|[23](?!\w))?"
)
_ONE = re.compile(rf"(?P<gap>{_GAP})(?P<unit>{_UNIT})")
_TWO = re.compile(rf"{_GAP}(?P<unit>[^\W\d_]{{2,14}}[ -][^\W\d_]{{1,14}})(?!\w)")
_PER = re.compile(
    rf"(?:[ ]?/[ ]?| per (?:an? )?)(?P<unit>[^\W\d_]{{2,14}} [^\W\d_]{{2,14}}(?!\w)|{_UNIT})"
)
_BRACKETED = re.compile(rf" ?\((?P<unit>{_UNIT})(?=\))")
_HYPHENED = re.compile(r"-(?P<unit>[^\W\d_]{1,14})(?!\w)")
_ONE_WORD = (_ONE, _BRACKETED, _HYPHENED)
_NOUN = re.compile(r"[ \u202f](?P<noun>[^\W\d_]{2,20}s)\b", re.IGNORECASE)
_INCH = re.compile(r"(?: ?[.,;:)!?*\n]|\Z)")
_NO_NOUNS = frozenset(
    {
        "across",
        "always",
        "as",
        "besides",
        "costs",
        "does",
        "equals",
        "gives",
        "has",
        "hers",
        "his",
        "is",
        "its",
        "less",
        "makes",
        "means",
        "minus",
        "nevertheless",
        "nowadays",
        "ours",
        "perhaps",
        "plus",
        "regards",
        "remains",
        "sometimes",
        "theirs",
        "this",
        "thus",
        "times",
        "towards",
        "unless",
        "us",
        "versus",
        "was",
        "yes",
        "yours",
    }
)


class After(NamedTuple):
    """`end` is where all of it ends.  The value is `digits * 10**exponent * factor + part`."""

    end: int
    exponent: int = 0
    factor: float = 1.0
    part: float = 0.0
    power: int | None = None
    """The number is a base that is raised to this power."""
    unit: Unit | None = None
    counted: str = ""
    is_ordinal: bool = False
    is_scaled: bool = False
    """A power of ten was written, so that the digits are few on purpose."""
    may_be_unscaled: bool = False
    """The letter of the scale may be a unit instead: "300K"."""
    is_label: bool = False
    """Letters follow that make no unit: "3D", "2nd2"."""


def read_after(text: str, end: int, currency: Unit | None = None) -> After:
    """What stands after a number that ends at `end`, `currency` being what stood before it."""
    found = _powers(text, end)
    if _ORDINAL.match(text, end):
        return After(end + 2, is_ordinal=True)
    found = _scale(text, found, currency)
    found = _measure(text, found, currency)
    follows = text[found.end : found.end + 2].removeprefix("_")[:1]
    touches = text[found.end - 1].isalnum() and is_letter_or_digit(follows)
    return found._replace(is_label=touches)


def is_letter_or_digit(character: str) -> bool:
    """Whether it joins with digits to one word, as the letters of alphabets do ("" does not)."""
    return character.isalnum() and ord(character) < _BEYOND_ALPHABETS


def _powers(text: str, end: int) -> After:
    match = _E.match(text, end)
    if match:
        return After(match.end(), exponent=int(match[1]), is_scaled=True)
    match = _TIMES_TEN.match(text, end)
    if match:
        return After(match.end(), exponent=_exponent(match), is_scaled=True)
    match = _POWER.match(text, end)
    if match:
        return After(match.end(), power=_exponent(match))
    match = _AND_PART.match(text, end)
    if match:
        return After(match.end(), part={"half": 0.5, "quarter": 0.25}[match[1].lower()])
    return After(end)


def _exponent(match: re.Match[str]) -> int:
    written = match["plain"] or match["raised"].translate(_RAISED)
    return int(written) if written.strip("+-") else 0


def _scale(text: str, found: After, currency: Unit | None) -> After:
    match = _SCALE.match(text, found.end)
    if match is None:
        return found
    if match["name"]:
        name = match["name"].lower()
        if name == "dozen":
            return found._replace(end=match.end(), factor=12.0)
        exponent = found.exponent + _SCALES[name]
        return found._replace(end=match.end(), exponent=exponent, is_scaled=True)
    letter = match["letter"]
    known = _LETTERS_OF_MONEY if currency else _LETTERS
    is_money = currency is not None or text[match.end() : match.end() + 1] in _SIGNS_OF_MONEY
    if letter not in known or (match["space"] and not is_money):
        return found
    return found._replace(
        end=match.end(),
        exponent=found.exponent + known[letter],
        is_scaled=True,
        may_be_unscaled=letter in _UNITS_TOO and currency is None,
    )


def _measure(text: str, found: After, currency: Unit | None) -> After:
    """Adds the unit, or what is counted, to what was found."""
    at = found.end
    if text.startswith("$", at) and (currency is not None or _closes_a_formula(text, at)):
        at, currency = at + 1, None
    end, unit = _unit(text, at, currency)
    if unit and currency and unit.factor != 1:
        end, unit = at, currency  # the p of "£5.50p"
    unit = unit or currency
    if unit:
        end, unit = _per(text, end, unit)
        return found._replace(end=max(end, found.end), unit=unit)
    noun = _NOUN.match(text, at)
    is_noun = noun is not None and noun["noun"].lower() not in _NO_NOUNS
    return found._replace(counted=noun["noun"] if noun and is_noun else "")


def _per(text: str, end: int, unit: Unit) -> tuple[int, Unit]:
    """The unit with what it is counted per, if that follows: "/g", " per troy ounce"."""
    match = _PER.match(text, end)
    if match is None:
        return end, unit
    for words in (match["unit"], match["unit"].partition(" ")[0]):
        below = find(words)
        if below:
            return match.start("unit") + len(words), unit.per(below)
    return end, unit


def _closes_a_formula(text: str, at: int) -> bool:
    """Whether the $ at `at` ends a formula of TeX rather than naming a currency."""
    return text.startswith("$$", at) or text.count("$", max(0, at - 80), at) % 2 == 1


def _unit(text: str, end: int, currency: Unit | None) -> tuple[int, Unit | None]:
    """The unit at `end` and where it ends; `end` itself if there is none."""
    two = _TWO.match(text, end)
    unit = find(two["unit"]) if two else None
    if two and unit:
        return two.end("unit"), unit
    one = next((m for rule in _ONE_WORD if (m := rule.match(text, end))), None)
    if one is None:
        return end, None
    unit, stop = find(one["unit"]), one.end("unit")
    is_whole = not text[stop : stop + 1].isalnum() or not one["unit"][-1].isalpha()
    is_meant = _is_meant(text, one["unit"], stop, is_apart=one.start("unit") > end)
    if unit is None or not is_whole or not is_meant or (currency and not unit.is_money):
        return end, None
    return stop, unit


def _is_meant(text: str, written: str, stop: int, *, is_apart: bool) -> bool:
    """Whether what looks like a unit is one: not the "in" of "17 in all"."""
    if written == "in" and is_apart:
        return _INCH.match(text, stop) is not None
    return written not in ("x", "p") or not is_apart
