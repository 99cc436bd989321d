"""Is the expected number among those that the answer gives?"""

import re
from collections.abc import Sequence
from typing import Annotated, ClassVar

import msgspec
from typing_extensions import override

from studio.engine.metrics.base import Metric, Mode, Verdict, no_answer
from studio.engine.metrics.numbers import (
    Match,
    Number,
    Tolerance,
    conclusion,
    matches,
    read_numbers,
    scan,
)
from studio.engine.records import Query
from studio.engine.trace import Trace

_PUBLISHED_TOLERANCE = 0.001
_PUBLISHED_NUMBER = re.compile(r"[-+]?\d*\.\d+|\d+")
_YEARS = range(1900, 2101)
_MOST_TOLD = 5

AtLeastZero = Annotated[float, msgspec.Meta(ge=0)]


class NumberInAnswer(Metric, frozen=True):
    r"""1 if a number that the answer gives is the expected one, within the tolerance; else 0.

    Not scored when the query states no number.  No answer scores 0.

    Corrected: numbers are read as people write them (groups and decimals of any country, units,
    currencies, fractions, powers of ten, words); of a marked answer or a calculation only what
    it ends with; dates, versions and the like are no numbers.  The expected unit may be left out
    and is converted, but no other may stand in its place.  Two readings of one number ("1,000")
    both count, and the reason says which one did.  `absolute` (default 0) and `relative` are the
    tolerance; `rounding` accepts the expected value rounded to the digits shown, `in_range` a
    range that holds it.  A number that the question itself holds counts only if it is the
    expected one exactly, or if the answer gives no other.

    Published (the thesis, sections 2.3.1 and 3.2.4, and its code): every match of
    `[-+]?\d*\.\d+|\d+` in the answer, right if closer than `absolute` (0.001 in the code, 0.01
    in the text; the other settings have no meaning).  It splits "3,452.60" in two, loses the sign
    of whole numbers, reads no exponent, and takes a number copied from the question.
    """

    name: ClassVar[str] = "number_in_answer"
    title: ClassVar[str] = "Number in answer"
    is_binary: ClassVar[bool] = True

    mode: Mode = "corrected"
    absolute: AtLeastZero | None = None
    relative: AtLeastZero = 1e-9
    rounding: bool = True
    in_range: bool = False

    @override
    def verdict(self, query: Query, trace: Trace) -> Verdict:
        expected = query.expected.number
        if expected is None:
            return Verdict(None, "the query states no number that the answer must give")
        missed = no_answer(trace)
        if missed:
            return Verdict(0.0, missed)
        answer = trace.answer or ""
        if self.mode == "published":
            tolerance = _PUBLISHED_TOLERANCE if self.absolute is None else self.absolute
            return _published(answer, expected, tolerance)
        return self._corrected(query, expected, answer)

    def _corrected(self, query: Query, expected: float, answer: str) -> Verdict:
        given = conclusion(answer, scan(answer))
        found = _candidates(given, expected)
        tolerance = Tolerance(self.absolute or 0.0, self.relative, self.rounding)
        tried = [matches(number, expected, tolerance, query.expected.unit) for number in found]
        right = [pair for pair in zip(found, tried, strict=True) if pair[1].is_match]
        own = _not_copied(right, found, expected, query.text)
        if own:
            return Verdict(1.0, own[0].reason)
        if right:
            return Verdict(0.0, f"only a number of the question is near: {right[0][1].reason}")
        holding = next((number for number in given if _holds(number, expected)), None)
        if holding is not None and self.in_range:
            return Verdict(1.0, f"the range “{holding.text}” holds {expected:.12g}")
        return Verdict(0.0, _told(tried, expected))


def _candidates(given: Sequence[Number], expected: float) -> list[Number]:
    """The numbers of the answer that can be meant as the expected one."""
    kinds = {"number", "year"} if expected in _YEARS else {"number"}
    found = [number for number in given if number.kind in kinds]
    return found or [number for number in given if number.kind == "ordinal"]


def _not_copied(
    right: Sequence[tuple[Number, Match]], found: Sequence[Number], expected: float, question: str
) -> list[Match]:
    """The matches that are no mere copies of a number that the question holds.

    Where the expected value itself stands in the question, or the answer has no number of its
    own, a copy cannot be told from an answer and counts.
    """
    if not right or any(number.value == expected for number, _ in right):
        return [match for _, match in right]
    asked = {number.value for number in read_numbers(question)}
    if expected in asked or all(number.value in asked for number in found):
        return [match for _, match in right]
    return [match for number, match in right if number.value not in asked]


def _holds(number: Number, expected: float) -> bool:
    return number.upper is not None and number.value <= expected <= number.upper


def _told(tried: list[Match], expected: float) -> str:
    if not tried:
        return f"the answer gives no number; {expected:.12g} was expected"
    nearest = sorted(tried, key=lambda match: (match.distance is None, match.distance or 0.0))
    rest = f"; {len(tried) - 1} more numbers are not either" if len(tried) > 1 else ""
    return f"{nearest[0].reason}{rest}"


def _published(answer: str, expected: float, tolerance: float) -> Verdict:
    found = [float(text) for text in _PUBLISHED_NUMBER.findall(answer)]
    right = [number for number in found if abs(number - expected) < tolerance]
    if right:
        return Verdict(1.0, f"{right[0]:.12g} is within {tolerance:g} of {expected:.12g}")
    read = ", ".join(f"{number:.12g}" for number in found[:_MOST_TOLD]) or "none"
    return Verdict(0.0, f"numbers read: {read}; {expected:.12g} was expected")
