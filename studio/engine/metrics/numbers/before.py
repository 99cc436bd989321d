"""Reads what stands before a number: its sign, its currency, and words such as "about"."""

import re
from typing import NamedTuple

from studio.engine.metrics.numbers.number import Relation
from studio.engine.metrics.numbers.units import CURRENCY_MARKS, Unit, find

_REACH = 24
_MARKS = "|".join(re.escape(mark) for mark in sorted(CURRENCY_MARKS, key=len, reverse=True))
_CURRENCY = re.compile(rf"(?P<mark>{_MARKS})[ \u202f]?\Z")
_FORMULA = re.compile(r"\$[^$\n]{0,60}\\[^$\n]{0,60}\$")
_NEGATIVE = re.compile(
    r"(?:(?:\A|[=:(] ?|\b(?:is|are|was|of|at|to|about|equals|exactly) )minus|\bnegative) \Z",
    re.IGNORECASE,
)
_MARGIN = re.compile(r"(?:±|\+/-|\+-|\\pm)\s{0,2}\Z")
_TAG = re.compile(r"</?[A-Za-z][^<>]{0,20}>\Z")
_RELATIONS: dict[str, Relation] = {
    "least": "≥", "most": "≤", "near": "≈", "more": ">", "less": "<"
}  # fmt: skip
_RELATION = re.compile(
    r"(?:(?P<least>≥|>=|\\geq?|\bat least)"
    r"|(?P<most>≤|<=|\\leq?|\bat most|\bup to)"
    r"|(?P<near>[≈~∼≃≅]|\\approx|\\sim|\b(?:about|approximately|approx\.?|around|roughly|circa"
    r"|ca\.|nearly|almost))"
    r"|(?P<more>(?<![=-])>|\b(?:more|greater|higher) than|\b(?:over|above))"
    r"|(?P<less><|\b(?:less|fewer|lower) than|\b(?:under|below)))\s{0,2}\Z",
    re.IGNORECASE,
)


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
        return begin - 1, find(match["mark"])
    is_formula = match["mark"] == "$" and _FORMULA.match(text, begin)
    return begin, None if is_formula else find(match["mark"])


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
    """A minus that stands apart is a sign only where a value must follow: "= - 5", "is minus 5"."""
    at = start - 2
    if at > floor and text[at:start] == "- ":
        before = text[max(0, at - 2) : at].rstrip(" ")
        return (at, True) if before.endswith(("=", "≈", ":", "(")) else (start, False)
    word = _NEGATIVE.search(text[max(floor, start - _REACH) : start])
    return (start, True) if word else (start, False)


def _relation(left: str) -> Relation:
    if left.endswith(">") and _TAG.search(left):
        return "="
    match = _RELATION.search(left)
    return _RELATIONS[match.lastgroup or ""] if match else "="
