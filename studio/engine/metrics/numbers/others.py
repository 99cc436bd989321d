"""Finds what has digits and is no quantity: dates, times, addresses, phone numbers, labels."""

import re
from collections.abc import Iterator
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

# The order matters: what stands first wins where two begin at the same place.  Every pattern has
# a bounded number of places to begin and of ways to go on, so that the search stays linear.
_PATTERNS: dict[str, tuple[Kind, str]] = {
    "web": ("address", r"\b[A-Za-z][A-Za-z0-9+.-]{1,15}://\S+|\bwww\.\S+"),
    "mail": ("address", r"(?<![\w.+-])[\w.+-]{1,64}@[\w-]{1,63}(?:\.[\w-]{1,63}){1,8}"),
    "entity": ("label", r"&#?\w{1,8};"),
    "uuid": ("label", r"\b[0-9a-fA-F]{8}(?:-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}\b"),
    "hardware": ("address", r"\b[0-9a-fA-F]{1,4}(?::[0-9a-fA-F]{0,4}){3,7}\b"),
    "iso": (
        "date",
        rf"(?<![\d.])\d{{4}}-\d\d-\d\d(?:[T ]{_CLOCK}(?:Z|[+-]\d\d:?\d\d)?)?(?!\d)",
    ),
    "numeric": (
        "date",
        r"(?<![\d.,/-])(?:\d{1,2}(?P<sign>[./-])\d{1,2}(?P=sign)(?:\d{4}|\d\d)|"
        r"\d{4}(?P<mark>[./-])\d{1,2}(?P=mark)\d{1,2})(?![\d./-]?\d)",
    ),
    "written": (
        "date",
        rf"(?:(?<![\d.,])\b{_DAY}(?: of)? )?\b{_MONTH}(?: {_DAY}\b(?![.,:]?\d)(?:,? \d{{4}}\b)?"
        r"|,? \d{4}\b)|(?<![\d.,])\b"
        rf"{_DAY}(?: of)? {_MONTH}",
    ),
    "clock": (
        "time",
        rf"(?<![\d.,:])(?:{_CLOCK}(?!:?\d)(?: ?[AaPp]\.?[Mm]\b\.?)?"
        r"|\d{1,2} ?(?:[ap]\.m\.|[ap]m\b|AM\b|PM\b))",
    ),
    "ratio": ("label", r"(?<![\d.,:])\d{1,9}:\d{1,9}(?![\d:])"),
    "foreign": ("phone", r"(?<![\w)+])\+\d{1,3}(?:[ ().-]{1,2}\d{1,5}){2,6}(?!\d)"),
    "area": (
        "phone",
        r"(?<![\w(])\(\d{3}\) ?\d{3}[-. ]\d{4}\b"
        r"|(?<![\d.-])\d{3}(?P<dash>[-.])\d{3}(?P=dash)\d{4}\b",
    ),
    "named": (
        "phone",
        r"\b(?i:tel|phone|telephone|fax|mobile)(?i: number| no)?[.:]{0,2} ?"
        r"(?:is )?\(?\d[\d ().-]{4,20}\d",
    ),
    "hyphened": ("label", r"(?<![\w-])\d{1,12}(?:-\d{1,12}){2,8}(?![\w-])"),
    "always": ("label", r"(?<![\d./])24/7(?![\d./])"),
    "decade": ("label", r"(?<![\d.,])(?:1[5-9]|20)\d0'?s\b|(?<!\w)'\d0s\b"),
    "citation": ("label", r"(?<=[\w.,;)\"])\[\d{1,3}(?:[,–-] ?\d{1,3}){0,8}\]"),
    "step": ("label", r"\b[Ss](?:tep|TEP) \d{1,3}\b(?!\.\d)"),
}
_ANY = re.compile("|".join(f"(?P<{name}>{rule})" for name, (_, rule) in _PATTERNS.items()))
_ITEM = re.compile(r"^[ \t>*_#-]{0,8}(\d{1,3})[.)](?=[ \t]+\S)", re.MULTILINE)
_FEWEST_PHONE_DIGITS = 8


def find_others(text: str) -> list[Other]:
    """What is no quantity, in the order of the text."""
    return sorted([*_matches(text), *_items(text)])


def _matches(text: str) -> Iterator[Other]:
    for match in _ANY.finditer(text):
        name = next(name for name in _PATTERNS if match[name] is not None)
        digits = sum(character.isdecimal() for character in match[0])
        if name == "foreign" and digits < _FEWEST_PHONE_DIGITS:
            continue
        if digits:
            yield Other(match.start(), match.end(), _PATTERNS[name][0])


def _items(text: str) -> Iterator[Other]:
    """The numbers of list items: lines that begin with 1, or with one more than the item before."""
    before = 0
    for match in _ITEM.finditer(text):
        number = int(match[1])
        if number in (1, before + 1):
            before = number
            yield Other(match.start(1), match.end(), "label")
