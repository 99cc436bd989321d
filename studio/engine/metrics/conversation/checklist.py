"""Questions with yes or no about a whole conversation, whose answers are given."""

from collections.abc import Mapping, Sequence
from typing import Any, ClassVar, NamedTuple

from typing_extensions import override

from studio.engine.metrics.base import Metric, Verdict
from studio.engine.records import JsonObject, Query
from studio.engine.trace import Trace

_MOST_TOLD = 3
_MOST = 200
_WORDS = {"yes": True, "y": True, "true": True, "no": False, "n": False, "false": False}


class BadChecklist(ValueError):
    """What is stated is no checklist; says what is wrong."""


class Item(NamedTuple):
    """A question, the answer that is right, and the one that was given (None: none yet)."""

    question: str
    wanted: bool
    answer: bool | None


def read_items(stated: Any) -> list[Item]:
    """A checklist: a list of {question, answer, wanted}, or an object of answers by question.

    Raises BadChecklist.
    """
    if isinstance(stated, Mapping):
        stated = [{"question": text, "answer": answer} for text, answer in stated.items()]
    if not isinstance(stated, list | tuple) or len(stated) > _MOST:
        raise BadChecklist(f"a checklist must be a list of up to {_MOST} questions")
    return [_item(item, place) for place, item in enumerate(stated, 1)]


def _item(item: Any, place: int) -> Item:
    if not isinstance(item, Mapping) or not isinstance(item.get("question"), str):
        raise BadChecklist(f"question {place} must have a question and an answer")
    wanted = _yes_or_no(item.get("wanted", True), place)
    answer = item.get("answer")
    given = None if answer is None else _yes_or_no(answer, place)
    return Item(item["question"], wanted is True, given)


def _yes_or_no(value: Any, place: int) -> bool:
    read = _WORDS.get(value.strip().casefold()) if isinstance(value, str) else value
    if not isinstance(read, bool):
        raise BadChecklist(f"question {place} is answered with yes or no, not {value!r:.40}")
    return read


def verdict_of(items: Sequence[Item], *, must_hold_all: bool) -> Verdict:
    """Questions answered as wanted / questions; not scored while one has no answer."""
    if not items:
        return Verdict(None, "the checklist holds no question")
    open_ones = [item.question for item in items if item.answer is None]
    if open_ones:
        told = "; ".join(open_ones[:_MOST_TOLD])
        return Verdict(None, f"{len(open_ones)} of {len(items)} questions have no answer: {told}")
    wrong = [item.question for item in items if item.answer is not item.wanted]
    held = len(items) - len(wrong)
    words = f"{held} of {len(items)} questions answered as wanted"
    words += f"; not: {'; '.join(wrong[:_MOST_TOLD])}" if wrong else ""
    value = float(not wrong) if must_hold_all else held / len(items)
    return Verdict(value, words, {"failed": wrong})


class Checklist(Metric, frozen=True):
    """Questions answered as wanted / questions of the checklist; 0 to 1.

    `must_hold_all`: 1 if all are, else 0.  The answers are given with the questions.  Not scored:
    without questions, or while one of them has no answer.  Source: the course module,
    conversation-level grading.
    """

    name: ClassVar[str] = "checklist"
    title: ClassVar[str] = "Checklist"
    tells_success: ClassVar[bool] = True
    reads: ClassVar[tuple[str, ...]] = ("checklist",)
    known_by: ClassVar[tuple[str, ...]] = ("checklist",)

    must_hold_all: bool = False

    @override
    def verdict(self, query: Query, trace: Trace) -> Verdict:
        stated = query.expected.more.get("checklist")
        if stated is None:
            return Verdict(None, "the query states no checklist (expected: checklist)")
        return self._of(stated)

    def verdict_on(self, case: JsonObject) -> Verdict:
        """The verdict on a case that holds the checklist itself."""
        return self._of(case["checklist"])

    def _of(self, stated: Any) -> Verdict:
        try:
            return verdict_of(read_items(stated), must_hold_all=self.must_hold_all)
        except BadChecklist as error:
            return Verdict(None, str(error))
