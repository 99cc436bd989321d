"""Looks for an expected number among those that an answer gives, and says what was found."""

from collections.abc import Sequence

from studio.engine.metrics.numbers.conclusion import conclusion, marked_part
from studio.engine.metrics.numbers.match import Match, Tolerance, matches
from studio.engine.metrics.numbers.number import Number
from studio.engine.metrics.numbers.others import years_of_dates
from studio.engine.metrics.numbers.scan import scan
from studio.engine.records import Record

_YEARS = range(1900, 2101)


class Search(Record, frozen=True):
    """What is looked for: a number in a unit, as the answer to a question.

    `in_range`: whether a range that holds the number will do.
    """

    expected: float
    unit: str | None = None
    tolerance: Tolerance = Tolerance()
    question: str = ""
    in_range: bool = False


def search(answer: str, wanted: Search) -> tuple[float, str]:
    """1 if the answer gives the number, else 0; and the reason in words."""
    expected = wanted.expected
    given = conclusion(answer, scan(answer))
    found = _candidates(given, expected)
    tried = [matches(number, expected, wanted.tolerance, wanted.unit) for number in found]
    right = [pair for pair in zip(found, tried, strict=True) if pair[1].is_match]
    own = _not_copied(right, found, wanted)
    if own:
        return 1.0, own[0].reason
    if right:
        return 0.0, f"only a number of the question is near: {right[0][1].reason}"
    holding = next((number for number in given if _holds(number, expected)), None)
    if holding is not None and wanted.in_range:
        return 1.0, f"the range “{holding.text}” holds {expected:.12g}"
    date = _date_of_the_year(answer, wanted)
    if date:
        return 1.0, f"“{date}” is in {expected:.12g}"
    return 0.0, _told(tried, expected)


def _date_of_the_year(answer: str, wanted: Search) -> str:
    """The date of the answer whose year is the expected number; "" if the question has it, too."""
    year = wanted.expected
    if wanted.unit is not None or year in years_of_dates(wanted.question):
        return ""
    dates = years_of_dates(marked_part(answer))
    return next((date for each, date in dates.items() if each == year), "")


def _candidates(given: Sequence[Number], expected: float) -> list[Number]:
    """The numbers of the answer that can be meant as the expected one."""
    kinds = {"number", "year"} if expected in _YEARS else {"number"}
    found = [number for number in given if number.kind in kinds]
    return found or [number for number in given if number.kind == "ordinal"]


def _not_copied(
    right: Sequence[tuple[Number, Match]], found: Sequence[Number], wanted: Search
) -> list[Match]:
    """The matches that are no mere copies of a number that the question holds.

    Where the expected value itself stands in the question, or the answer has no number of its
    own, a copy cannot be told from an answer and counts.
    """
    if not right or any(number.value == wanted.expected for number, _ in right):
        return [match for _, match in right]
    asked = {number.value for number in scan(wanted.question)}
    if wanted.expected in asked or all(number.value in asked for number in found):
        return [match for _, match in right]
    return [match for number, match in right if number.value not in asked]


def _holds(number: Number, expected: float) -> bool:
    return number.upper is not None and number.value <= expected <= number.upper


def _told(tried: Sequence[Match], expected: float) -> str:
    if not tried:
        return f"the answer gives no number; {expected:.12g} was expected"
    nearest = min(tried, key=lambda match: (match.distance is None, match.distance or 0.0))
    rest = f"; {len(tried) - 1} more numbers are not either" if len(tried) > 1 else ""
    return f"{nearest.reason}{rest}"
