"""Reads what stands before a number: its sign, its currency, and words such as "about"."""

import re
from typing import NamedTuple

from studio.engine.metrics.numbers.number import Relation
from studio.engine.metrics.numbers.units import CURRENCY_MARKS, Unit, find

_REACH = 24
_MARKS = "|".join(re.escape(mark) for mark in sorted(CURRENCY_MARKS, key=len, reverse=True))
_CURRENCY = re.compile(rf"(?P<mark>{_MARKS})[ \u202f]?\Z")
_MARGIN = re.compile(r"(?:±|\+/-|\+-|\\pm)\s{0,2}\Z")
_TAG = re.compile(r"</?[A-Za-z][^<>]{0,20}>\Z")
_RELATIONS: tuple[tuple[Relation, str], ...] = (
    ("≥", r"≥|>=|\\geq?|\bat least"),
    ("≤", r"≤|<=|\\leq?|\bat most|\bup to"),
    ("≈", r"[≈~∼≃≅]|\\approx|\\sim|\b(?:about|approximately|approx\.?|around|roughly|circa|ca\.|"
          r"nearly|almost)"),
    (">", r"(?<!=)>|\b(?:more|greater|higher) than|\b(?:over|above)"),
    ("<", r"<|\b(?:less|fewer|lower) than|\b(?:under|below)"),
)  # fmt: skip
_RELATION = [
    (name, re.compile(rf"(?:{rule})\s{{0,2}}\Z", re.IGNORECASE)) for name, rule in _RELATIONS
]


class Before(NamedTuple):
    """`start` is where the number begins, sign and currency included."""

    start: int
    is_negative: bool
    currency: Unit | None
    relation: Relation
    is_margin: bool


def read_before(text: str, start: int, floor: int) -> Before:
    """What stands before `start`, not reaching back beyond `floor`."""
    begin, is_negative = _sign(text, start, floor)
    begin, currency = _currency(text, begin, floor)
    if currency is not None and not is_negative:
        begin, is_negative = _sign(text, begin, floor)
    left = text[max(floor, begin - _REACH) : begin]
    return Before(
        begin,
        is_negative,
        currency,
        _relation(left),
        _MARGIN.search(left) is not None,
    )


def _currency(text: str, start: int, floor: int) -> tuple[int, Unit | None]:
    left = text[max(floor, start - _REACH) : start]
    match = _CURRENCY.search(left)
    if match is None:
        return start, None
    is_word = match["mark"][0].isalpha()
    if is_word and match.start() and left[match.start() - 1].isalpha():
        return start, None
    begin = start - (len(left) - match.start())
    if text[max(0, begin - 1) : begin] == "\\":
        begin -= 1
    return begin, find(match["mark"])


def _sign(text: str, start: int, floor: int) -> tuple[int, bool]:
    """Where the number begins with its sign, and whether that makes it negative."""
    at = start - 1
    if at < floor or text[at] not in "+-–":
        return _distant_sign(text, start, floor)
    before = text[at - 1] if at else " "
    if before.isalnum() or before in ")]}%'\"+-–_²³":
        return start, False
    if text[at] == "–" and text[max(0, at - 2) : at - 1].isdigit():
        return start, False
    return at, text[at] != "+"


def _distant_sign(text: str, start: int, floor: int) -> tuple[int, bool]:
    """A minus with a space after it is a sign only where a value must follow: "= - 5"."""
    at = start - 2
    if at <= floor or text[at:start] != "- ":
        return start, False
    before = text[max(0, at - 2) : at].rstrip(" ")
    return (at, True) if before.endswith(("=", "≈", ":", "(")) else (start, False)


def _relation(left: str) -> Relation:
    if left.endswith(">") and _TAG.search(left):
        return "="
    return next((name for name, rule in _RELATION if rule.search(left)), "=")
