"""Is the expected number among those that the answer gives?"""

import re
from typing import Annotated, ClassVar

import msgspec
from typing_extensions import override

from studio.engine.metrics.base import Metric, Mode, Verdict, no_answer
from studio.engine.records import Query
from studio.engine.trace import Trace

_PUBLISHED_TOLERANCE = 0.001
_PUBLISHED_NUMBER = re.compile(r"[-+]?\d*\.\d+|\d+")
_MOST_TOLD = 5

AtLeastZero = Annotated[float, msgspec.Meta(ge=0)]


class NumberInAnswer(Metric, frozen=True):
    r"""1 if a number that the answer gives is the expected one, within the tolerance; else 0.

    Not scored when the query states no number.  No answer scores 0.

    Corrected: numbers are read as people write them (groups and decimals of any country, units,
    currencies, fractions, powers of ten, words); of a marked answer or a calculation only what
    it ends with; dates, versions and the like are no numbers, but a date's year may be what was
    expected.  The expected unit may be left out and is converted, but no other may stand in its
    place.  Two readings of one number ("1,000")
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
    version: ClassVar[str] = "3"
    tells_success: ClassVar[bool] = True
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
            return Verdict(
                None, "the query states no number that the answer must give (expected: number)"
            )
        missed = no_answer(trace)
        if missed:
            return Verdict(0.0, missed)
        answer = trace.answer or ""
        if self.mode == "published":
            tolerance = _PUBLISHED_TOLERANCE if self.absolute is None else self.absolute
            return _published(answer, expected, tolerance)
        return self._corrected(query, expected, answer)

    def _corrected(self, query: Query, expected: float, answer: str) -> Verdict:
        # The window's process lists metrics and reads no numbers: it need not compile the patterns.
        from studio.engine.metrics.numbers import Search, Tolerance, search

        tolerance = Tolerance(self.absolute or 0.0, self.relative, self.rounding)
        wanted = Search(expected, query.expected.unit, tolerance, query.text, self.in_range)
        return Verdict(*search(answer, wanted))


def _published(answer: str, expected: float, tolerance: float) -> Verdict:
    found = [float(text) for text in _PUBLISHED_NUMBER.findall(answer)]
    right = [number for number in found if abs(number - expected) < tolerance]
    if right:
        return Verdict(1.0, f"{right[0]:.12g} is within {tolerance:g} of {expected:.12g}")
    read = ", ".join(f"{number:.12g}" for number in found[:_MOST_TOLD]) or "none"
    return Verdict(0.0, f"numbers read: {read}; {expected:.12g} was expected")
