"""Reads one run of digits and separators, such as "1.234,56", whatever the country.

Marks of a group that are never decimal (thin space, apostrophe, underscore, LaTeX's {,}) come as
one character here, GROUP.  A run that can be read two ways ("1,000", "1.000") is settled by the
other numbers of the text, or keeps both readings.
"""

import math
import re
from typing import Literal, NamedTuple

GROUP = "'"
DecimalMark = Literal[".", ","]

_WHOLE = re.compile(r"\d+")
_GROUPED = {
    ".": re.compile(r"\d{1,3}(?:\.\d{3})+"),
    GROUP: re.compile(r"\d{1,3}(?:'\d{3})+"),
    # Groups of three, or as in India groups of two and a last one of three.
    ",": re.compile(r"\d{1,3}(?:,\d{3})+|\d{1,2}(?:,\d\d)+,\d{3}"),
}


class Reading(NamedTuple):
    """A number as plain digits ("1234.5"), and how many of them stand after the decimal mark."""

    digits: str
    decimals: int = 0

    @property
    def value(self) -> float:
        return float(self.digits)


class Digits(NamedTuple):
    """One number of the run, from `start` to `end` in it.

    `readings` has the likelier first; none at all says that the run is no quantity (a version, an
    address).  `mark` is the decimal mark it proves ("" if it proves none); where there are two
    readings, `marks` holds the decimal mark that each supposes.
    """

    start: int
    end: int
    readings: tuple[Reading, ...]
    mark: DecimalMark | Literal[""] = ""
    marks: tuple[DecimalMark, ...] = ()


def read_digits(run: str) -> tuple[Digits, ...]:
    """The numbers of a run that starts and ends with a digit.

    More than one where commas only separate: "1,2,3".
    """
    one = _one(run)
    if one is not None:
        return (one,)
    separator = "," if "," in run else GROUP if GROUP in run else ""
    if not separator:
        return (Digits(0, len(run), ()),)
    found = []
    start = 0
    for part in run.split(separator):
        inner = _one(part) or Digits(0, len(part), ())
        found.append(inner._replace(start=start, end=start + len(part)))
        start += len(part) + 1
    return tuple(found)


def _one(run: str) -> Digits | None:
    """The run as one number; None if it is none."""
    dots, commas = run.count("."), run.count(",")
    if not dots and not commas:
        return _whole(run)
    if dots and commas:
        mark: DecimalMark = "." if run.rfind(".") > run.rfind(",") else ","
        return _decimal(run, mark) if run.count(mark) == 1 else None
    only: DecimalMark = "." if dots else ","
    other: DecimalMark = "," if dots else "."
    if dots + commas > 1:
        is_grouped = GROUP not in run and _GROUPED[only].fullmatch(run) and not _is_address(run)
        return _settled(run, _plain(run, only), mark=other) if is_grouped else None
    decimal = _decimal(run, only)
    if decimal is None or not _may_be_a_group(run, only):
        return decimal
    grouped = Reading(_plain(run, only))
    readings = (grouped, *decimal.readings), (other, only)
    if only == ".":
        readings = readings[0][::-1], readings[1][::-1]
    return Digits(0, len(run), readings[0], marks=readings[1])


def _whole(run: str) -> Digits | None:
    if not _WHOLE.fullmatch(run) and not _GROUPED[GROUP].fullmatch(run):
        return None
    return _settled(run, _plain(run))


def _decimal(run: str, mark: DecimalMark) -> Digits | None:
    """The run with `mark` as its one decimal mark, everything before it whole or grouped."""
    whole, _, fraction = run.partition(mark)
    group = next((sign for sign in ".,'" if sign in whole), GROUP)
    if not _WHOLE.fullmatch(fraction):
        return None
    if not _WHOLE.fullmatch(whole) and not _GROUPED[group].fullmatch(whole):
        return None
    return _settled(run, _plain(run, group, mark), len(fraction), mark)


def _may_be_a_group(run: str, mark: str) -> bool:
    whole, _, fraction = run.partition(mark)
    return len(fraction) == 3 and len(whole) <= 3 and not whole.startswith("0")


def _is_address(run: str) -> bool:
    """Four numbers below 256 with dots: an Internet address that looks like a grouped number."""
    parts = run.split(".")
    return len(parts) == 4 and all(
        int(part) < 256 and (part == "0" or not part.startswith("0")) for part in parts
    )


def _plain(run: str, group: str = GROUP, mark: str = "") -> str:
    digits = run.replace(group, "").replace(GROUP, "")
    return digits.replace(mark, ".") if mark else digits


def _settled(
    run: str, digits: str, decimals: int = 0, mark: DecimalMark | Literal[""] = ""
) -> Digits:
    reading = Reading(digits, decimals)
    readings = (reading,) if math.isfinite(reading.value) else ()
    return Digits(0, len(run), readings, mark)
