"""Does the answer hold the texts that it must hold?"""

from typing import ClassVar

from typing_extensions import override

from studio.engine.metrics.base import Metric, Verdict, no_answer
from studio.engine.records import Query
from studio.engine.trace import Trace


class AnswerContains(Metric, frozen=True):
    """1 if every expected text stands in the answer, whatever its case; else 0.

    Not scored when the query states no text (blank texts stand in every answer and state
    nothing).  No answer scores 0.  The comparison is the thesis's own (sections 2.3.1, 3.2.4):
    lower-cased text inside lower-cased text, so there is no published mode.  Its trap stays:
    "10" stands in "1,100"; for figures use `number_in_answer`.
    """

    name: ClassVar[str] = "answer_contains"
    title: ClassVar[str] = "Answer contains"
    tells_success: ClassVar[bool] = True
    is_binary: ClassVar[bool] = True

    @override
    def verdict(self, query: Query, trace: Trace) -> Verdict:
        wanted = [text for text in query.expected.contains or () if text.strip()]
        if not wanted:
            return Verdict(
                None, "the query states no text that the answer must hold (expected: contains)"
            )
        missed = no_answer(trace)
        if missed:
            return Verdict(0.0, missed)
        answer = (trace.answer or "").lower()
        missing = [text for text in wanted if text.lower() not in answer]
        if missing:
            return Verdict(0.0, f"not in the answer: {', '.join(map(repr, missing))}")
        return Verdict(1.0, f"in the answer: {', '.join(map(repr, wanted))}")
