"""A regular expression is found in the answer."""

from typing import Annotated, ClassVar

import msgspec
from typing_extensions import override

from studio.engine.metrics import patterns
from studio.engine.metrics.answers.base import first_of, given_in, shown, text_of
from studio.engine.metrics.base import Metric, Verdict, no_answer
from studio.engine.metrics.limited import TookTooLong
from studio.engine.metrics.patterns import BadPattern, Pattern
from studio.engine.records import JsonObject, Query
from studio.engine.trace import Trace

Seconds = Annotated[float, msgspec.Meta(gt=0, le=60)]


class AnswerPattern(Metric, frozen=True):
    """1 if the regular expression of the query is found in the answer, else 0.

    The expression is one of Python's `re`, searched anywhere in the answer; `ignore_case` as it
    says.  It runs in a process of its own that is ended after `time_limit` seconds, because an
    expression can take longer than anybody waits.  Not scored when the query states no pattern,
    when it is no regular expression, or when it took too long.  No answer scores 0.
    """

    name: ClassVar[str] = "answer_pattern"
    title: ClassVar[str] = "Answer pattern"
    tells_success: ClassVar[bool] = True
    is_binary: ClassVar[bool] = True
    known_by: ClassVar[tuple[str, ...]] = ("pattern", "regex", "regexp")

    ignore_case: bool = False
    time_limit: Seconds = 2.0

    @override
    def verdict(self, query: Query, trace: Trace) -> Verdict:
        pattern = query.expected.pattern
        if not pattern:
            return Verdict(None, "the query states no pattern (expected: pattern)")
        missed = no_answer(trace)
        if missed:
            return Verdict(0.0, missed)
        return self._found(pattern, trace.answer or "")

    def verdict_on(self, case: JsonObject) -> Verdict:
        """The verdict on a case that holds a `pattern` and the answer given."""
        pattern = first_of(case, self.known_by)
        if not isinstance(pattern, str) or not pattern:
            return Verdict(None, "the pattern must be a text that is not empty")
        given = given_in(case)
        if given is None:
            return Verdict(0.0, "the case gives no answer")
        return self._found(pattern, text_of(given))

    def _found(self, pattern: str, answer: str) -> Verdict:
        try:
            is_found = patterns.found(
                Pattern(pattern, ignore_case=self.ignore_case), answer, self.time_limit
            )
        except BadPattern as error:
            return Verdict(None, f"{shown(pattern)} is no regular expression ({error})")
        except TookTooLong as error:
            return Verdict(None, f"the search for {shown(pattern)} {error}")
        word = "is" if is_found else "is not"
        return Verdict(float(is_found), f"{shown(pattern)} {word} found in the answer")
