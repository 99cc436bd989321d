"""Joins two numbers that are the ends of one range: "3-5", "10–12 %", "between 3 and 5"."""

import re
from collections.abc import Sequence

import msgspec

from studio.engine.metrics.numbers.number import Number

_DASH = re.compile(r"[-–—]| [–—] ")
_BETWEEN = re.compile(r"\bbetween (?:about |roughly )?\Z", re.IGNORECASE)


def with_ranges(text: str, numbers: Sequence[Number]) -> tuple[Number, ...]:
    """`numbers`, in the order of `text`, with the two ends of a range as one."""
    joined: list[Number] = []
    for number in numbers:
        if joined and _is_range(text, joined[-1], number):
            joined[-1] = _joined(text, joined[-1], number)
        else:
            joined.append(number)
    return tuple(joined)


def _is_range(text: str, low: Number, high: Number) -> bool:
    ends = ("number", "year")
    if low.kind not in ends or high.kind not in ends or low.value > high.value:
        return False
    link = text[low.end : high.start]
    if link == " and ":
        return _BETWEEN.search(text[max(0, low.start - 20) : low.start]) is not None
    return _DASH.fullmatch(link) is not None


def _joined(text: str, low: Number, high: Number) -> Number:
    return msgspec.structs.replace(
        low,
        text=text[low.start : high.end],
        end=high.end,
        kind="range",
        alternatives=(),
        unit=high.unit or low.unit,
        upper=high.value,
        counted=high.counted,
    )
