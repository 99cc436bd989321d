"""The last decision: what is told, given all that was found out."""

import math
import re
from collections.abc import Iterator, Sequence
from itertools import combinations
from typing import NamedTuple

from studio.engine.analysis.failure_map.grounds import is_worked_out, numbers_in
from studio.engine.analysis.failure_map.made import Made
from studio.engine.outcomes import FailureMode
from studio.engine.records import (
    Finding,
    Query,
)

_TELLING_DIGITS = 3
_FEWER_NUMBERS = 3
"""A result with more numbers holds one of fewer digits by accident."""
_FEW_NUMBERS = 20
"""Two results with more numbers hold two that give any other by accident."""
_SHORTEST = 2
_REASON_SHOWN = 60


class _Result(NamedTuple):
    call: Made
    text: str
    numbers: list[float]


def ignored_result(query: Query, made: Sequence[Made], answer: str) -> Finding | None:
    """The result that a right answer needs and that this wrong answer does not use.

    Either an expected text or number stands in a result and not in the answer; or the expected
    number follows from two results (their sum, difference, product or quotient), and the answer
    gives one of the two as it is.
    """
    results = [
        _Result(call, call.result.content, numbers_in(call.result.content))
        for call in made
        if call.result is not None and call.succeeded
    ]
    given = numbers_in(answer)
    return (
        _untold_text(query, results, answer)
        or _untold_number(query, results, given)
        or _left_out(query, results, given)
    )


def _untold_text(query: Query, results: Sequence[_Result], answer: str) -> Finding | None:
    told, asked = answer.casefold(), query.text.casefold()
    for text in _needed(query, told):
        low = text.casefold().strip()
        if len(low) < _SHORTEST or low in asked:
            continue
        for result in results:
            if _stands_in(low, result.text.casefold()):
                return _ignored(result, f"{text[:_REASON_SHOWN]!r}")
    return None


def _stands_in(words: str, text: str) -> bool:
    """Whether the words are there as words: "no" does not stand in "another"."""
    return re.search(rf"(?<!\w){re.escape(words)}(?!\w)", text) is not None


def _needed(query: Query, told: str) -> Iterator[str]:
    """The expected texts that the answer does not hold."""
    expected = query.expected
    for every in (expected.contains, expected.outputs):
        yield from (text for text in every or () if text.casefold() not in told)
    any_of = expected.answers or ()
    if not any(text.casefold() in told for text in any_of):
        yield from any_of


def _untold_number(
    query: Query, results: Sequence[_Result], given: Sequence[float]
) -> Finding | None:
    wanted = _untold(query, given)
    if wanted is None:
        return None
    is_short = _is_short(wanted)
    for result in results:
        if is_short and len(result.numbers) > _FEWER_NUMBERS:
            continue
        if _is_among(wanted, result.numbers):
            return _ignored(result, f"{wanted:.12g}")
    return None


def _left_out(query: Query, results: Sequence[_Result], given: Sequence[float]) -> Finding | None:
    wanted = _untold(query, given)
    if wanted is None:
        return None
    for first, second in combinations(_telling(results, wanted), 2):
        for one in first.numbers:
            for other in second.numbers:
                if not (is_worked_out(wanted, one, other) or is_worked_out(wanted, other, one)):
                    continue
                has_one, has_other = _is_among(one, given), _is_among(other, given)
                if has_one != has_other:
                    left = second if has_one else first
                    return _ignored(left, f"{other if has_one else one:.12g}")
    return None


def _untold(query: Query, given: Sequence[float]) -> float | None:
    """The expected number, if the answer does not give it."""
    wanted = query.expected.number
    if wanted is None or not math.isfinite(wanted) or _is_among(wanted, given):
        return None
    return wanted


def _telling(results: Sequence[_Result], wanted: float) -> list[_Result]:
    most = _FEWER_NUMBERS if _is_short(wanted) else _FEW_NUMBERS
    return [result for result in results if 0 < len(result.numbers) <= most][:_FEW_NUMBERS]


def _is_short(number: float) -> bool:
    return len(f"{abs(number):.12f}".replace(".", "").strip("0")) < _TELLING_DIGITS


def _ignored(result: _Result, what: str) -> Finding:
    told = f"{result.call.name} gave {what}, which the answer does not use"
    return Finding(FailureMode.IGNORED_RESULT, told, result.call.returned)


def _is_among(wanted: float, numbers: Sequence[float]) -> bool:
    """Whether the number is there, as it is or rounded to what is shown."""
    return any(
        abs(wanted - each) <= 1e-9 * abs(wanted) or _is_rounded(each, wanted) for each in numbers
    )


def _is_rounded(number: float, wanted: float) -> bool:
    digits = len(f"{number:.12f}".rstrip("0").partition(".")[2])
    return digits > 1 and round(wanted, digits) == number
