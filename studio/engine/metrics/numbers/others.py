"""Finds what has digits and is no quantity: dates, times, addresses, phone numbers, labels."""

import re
from collections.abc import Iterator
from functools import lru_cache
from typing import Literal, NamedTuple

Kind = Literal["date", "time", "address", "phone", "label"]


class Other(NamedTuple):
    """A "label" is a version, an identifier, the number of a list item or of a footnote."""

    start: int
    end: int
    kind: Kind


_MONTH = (
    r"(?:Jan(?:uary)?|Feb(?:ruary)?|Mar(?:ch)?|Apr(?:il)?|May|June?|July?|Aug(?:ust)?|"
    r"Sept?(?:ember)?|Oct(?:ober)?|Nov(?:ember)?|Dec(?:ember)?)\b\.?"
)
_DAY = r"\d{1,2}(?:st|nd|rd|th)?"
_CLOCK = r"\d{1,2}:\d\d(?::\d\d(?:\.\d{1,9})?)?"

_MONTHS = ("Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec")


class _Rule(NamedTuple):
    """`hints`: the pattern is tried only on texts that hold one of these."""

    kind: Kind
    pattern: str
    hints: tuple[str, ...] = ()


# The order matters: what stands first wins where two begin at the same place.  Every pattern has
# a bounded number of places to begin and of ways to go on, so that the search stays linear.
_FROM_A_DIGIT = {
    "uuid": _Rule("label", r"\b[0-9a-fA-F]{8}(?:-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}\b"),
    "iso": _Rule(
        "date", rf"(?<![\d.])\d{{4}}-\d\d-\d\d(?:[T ]{_CLOCK}(?:Z|[+-]\d\d:?\d\d)?)?(?!\d)"
    ),
    "numeric": _Rule(
        "date",
        r"(?<![\d.,/-])(?:\d{1,2}(?P<sign>[./-])\d{1,2}(?P=sign)(?:\d{4}|\d\d)|"
        r"\d{4}(?P<mark>[./-])\d{1,2}(?P=mark)\d{1,2})(?![\d./-]?\d)",
    ),
    "day": _Rule("date", rf"(?<![\d.,])\b{_DAY}(?: of)? {_MONTH}(?:,? \d{{4}}\b)?"),
    "clock": _Rule(
        "time",
        rf"(?<![\d.,:])(?:{_CLOCK}(?!:?\d)(?: ?[AaPp]\.?[Mm]\b\.?)?"
        r"|\d{1,2} ?(?:[ap]\.m\.|[ap]m\b|AM\b|PM\b))",
    ),
    "ratio": _Rule("label", r"(?<![\d.,:])\d{1,9}:\d{1,9}(?![\d:])"),
    "local": _Rule("phone", r"(?<![\d.-])\d{3}(?P<dash>[-.])\d{3}(?P=dash)\d{4}\b"),
    "hyphened": _Rule("label", r"(?<![\w-])\d{1,12}(?:-\d{1,12}){2,8}(?![\w-])"),
    "port": _Rule("address", r"(?<![\d.])\d{1,3}(?:\.\d{1,3}){3}(?::\d{1,5}|/\d\d?)(?![\d.])"),
    "always": _Rule("label", r"(?<![\d./])24/7(?![\d./])"),
    "decade": _Rule("label", r"(?<![\d.,])(?:1[5-9]|20)\d0'?s\b"),
}
_HINTED = {
    "web": _Rule("address", r"\b[A-Za-z][A-Za-z0-9+.-]{1,15}://\S+|\bwww\.\S+", ("://", "www.")),
    "mail": _Rule(
        "address", r"(?<![\w.+-])[\w.+-]{1,64}@[\w-]{1,63}(?:\.[\w-]{1,63}){1,8}", ("@",)
    ),
    "entity": _Rule("label", r"&#?\w{1,8};", ("&",)),
    "lettered": _Rule("label", r"\b[a-fA-F][0-9a-fA-F]{7}(?:-[0-9a-fA-F]{4}){3}-\w{12}\b", ("-",)),
    "hardware": _Rule("address", r"\b[0-9a-fA-F]{1,4}(?::[0-9a-fA-F]{0,4}){3,7}\b", (":",)),
    "month": _Rule(
        "date",
        rf"\b{_MONTH}(?: {_DAY}\b(?![.,:]?\d)(?:,? \d{{4}}\b)?|,? \d{{4}}\b)",
        _MONTHS,
    ),
    "foreign": _Rule("phone", r"(?<![\w)+])\+\d{1,3}(?:[ ().-]{1,2}\d{1,5}){2,6}(?!\d)", ("+",)),
    "area": _Rule("phone", r"(?<![\w(])\(\d{3}\) ?\d{3}[-. ]\d{4}\b", ("(",)),
    "named": _Rule(
        "phone",
        r"\b(?i:tel|phone|telephone|fax|mobile)(?i: number| no)?[.:]{0,2} ?"
        r"(?:is )?\(?\d[\d ().-]{4,20}\d",
        ("el", "one", "ax", "obile", "EL", "ONE", "AX", "OBILE"),
    ),
    "version": _Rule(
        "label",
        r"\b(?:[Vv]ersion|[Rr]elease|[Vv]er\.?|[Vv]\.?) ?\d{1,9}(?:\.\d{1,9}){0,5}\b",
        ("ersion", "elease", "er ", "er.", "v", "V"),
    ),
    "years": _Rule("label", r"(?<!\w)'\d0s\b", ("0s",)),
    "citation": _Rule("label", r"(?<=[\w.,;)\"])\[\d{1,3}(?:[,–-] ?\d{1,3}){0,8}\]", ("[",)),
    "step": _Rule("label", r"\b[Ss](?:tep|TEP) \d{1,3}\b(?!\.\d)", ("tep ", "TEP ")),
}
_RULES = {**_HINTED, **_FROM_A_DIGIT}
_ITEM = re.compile(r"^[ \t>*_#-]{0,8}(\d{1,3})[.)](?=[ \t]+\S)", re.MULTILINE)
_DIGIT = re.compile(r"\d")
_YEAR = re.compile(r"(?<!\d)\d{4}(?!\d)")
_FEWEST_PHONE_DIGITS = 8


def find_others(text: str) -> list[Other]:
    """What is no quantity, in the order of the text."""
    if not _DIGIT.search(text):
        return []
    return sorted([*_matches(text), *_items(text)])


def years_of_dates(text: str) -> dict[int, str]:
    """The year of each date that states one in full, with the date: 1969 of "July 20, 1969"."""
    dates = [text[each.start : each.end] for each in find_others(text) if each.kind == "date"]
    return {int(year[0]): date for date in dates if (year := _YEAR.search(date))}


@lru_cache(maxsize=256)
def _pattern(hinted: tuple[str, ...]) -> re.Pattern[str]:
    """One pattern for the rules `hinted` and all those that begin with a digit."""
    rules = [f"(?P<{name}>{_HINTED[name].pattern})" for name in hinted]
    digits = [f"(?P<{name}>{rule.pattern})" for name, rule in _FROM_A_DIGIT.items()]
    return re.compile("|".join([*rules, rf"(?=\d)(?:{'|'.join(digits)})"]))


def _matches(text: str) -> Iterator[Other]:
    hinted = tuple(
        name for name, rule in _HINTED.items() if any(hint in text for hint in rule.hints)
    )
    for match in _pattern(hinted).finditer(text):
        name = next(name for name in (*hinted, *_FROM_A_DIGIT) if match[name] is not None)
        digits = sum(character.isdecimal() for character in match[0])
        if digits and (name != "foreign" or digits >= _FEWEST_PHONE_DIGITS):
            yield Other(match.start(), match.end(), _RULES[name].kind)


def _items(text: str) -> Iterator[Other]:
    """The numbers of list items: lines that begin with 1, or with one more than the item before."""
    before = 0
    for match in _ITEM.finditer(text):
        number = int(match[1])
        if number in (1, before + 1):
            before = number
            yield Other(match.start(1), match.end(), "label")
