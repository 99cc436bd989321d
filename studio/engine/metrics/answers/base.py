"""An answer held against the right ones, any one of which is right."""

from collections.abc import Sequence
from typing import Any, ClassVar

from typing_extensions import override

from studio.engine.metrics.base import AnswerUnknown, Metric, Mode, Verdict, no_answer
from studio.engine.records import JsonObject, Query
from studio.engine.trace import Trace

GOLD = (
    "gold", "golds", "gold_answer", "answers", "ground_truth", "target", "ideal", "correct_answer",
    "expected_answer", "possible_answer", "possible_answers", "Final answer", "reference_answer",
    "expected_output", "reference", "references",
)  # fmt: skip
"""What public data call the right answer, or the list of right answers."""

GIVEN = (
    "response", "model_answer", "model_response", "prediction", "predicted_answer", "completion",
    "output", "answer", "final_answer", "final_response", "actual_output", "prediction_text",
    "predictions", "sampled", "Model answer",
)  # fmt: skip
"""What public data call the answer that was given."""

_TALKS = ("messages", "traj", "actions")
_SAY_ANSWER = frozenset((*GIVEN, *_TALKS))
_LONGEST_TOLD = 60


class AnswerMetric(Metric, frozen=True):
    """Base of metrics that compare the answer with the right ones; 1 if it is one, else 0."""

    is_binary: ClassVar[bool] = True
    tells_success: ClassVar[bool] = True
    known_by: ClassVar[tuple[str, ...]] = GOLD

    mode: Mode = "corrected"

    @override
    def verdict(self, query: Query, trace: Trace) -> Verdict:
        golds = [gold for gold in query.expected.answers or () if gold.strip()]
        if not golds:
            return Verdict(None, "the query states no right answer (expected: answers)")
        missed = no_answer(trace)
        if missed:
            return Verdict(0.0, missed)
        return self.compared(trace.answer or "", golds)

    def verdict_on(self, case: JsonObject) -> Verdict:
        """The verdict on a case that names the answer given and the right ones."""
        golds = right_answers_in(case)
        if not golds:
            return Verdict(None, "the case states no right answer: write gold, or answers")
        given = given_in(case)
        if given is None and isinstance(case.get("messages"), list):
            given = next(reversed(said_in(case["messages"])), None)
        answer = self.text_given(given)
        if answer is None:
            return Verdict(0.0, "the case gives no answer")
        return self.compared(answer, golds)

    def text_given(self, given: Any) -> str | None:
        """The answer as a text, None if there is none; a list of one text is that text."""
        if given is None:
            return None
        return text_of(given[0] if isinstance(given, list) and len(given) == 1 else given)

    def compared(self, answer: str, golds: Sequence[str]) -> Verdict:
        """The verdict on an answer; `golds` is not empty."""
        for gold in golds:
            if self.is_right(answer, gold):
                return Verdict(1.0, f"the answer is {shown(gold)}", {"right": gold})
        told = " or ".join(map(shown, golds[:3]))
        return Verdict(0.0, f"the answer is {shown(answer)}, not {told}")

    def is_right(self, answer: str, gold: str) -> bool:
        """Whether the answer is the right one `gold`.  Pure."""
        raise NotImplementedError


def first_of(case: JsonObject, names: Sequence[str]) -> Any:
    """The first of the names that the case has a value for; None where it has none."""
    for name in names:
        value = case.get(name)
        if value is not None:
            return value
    return None


def given_in(case: JsonObject) -> Any:
    """The answer that was given, by any of its names; None where one of them, or messages, say so.

    Raises AnswerUnknown.
    """
    given = first_of(case, GIVEN)
    if given is None:
        if _SAY_ANSWER.isdisjoint(case):
            raise AnswerUnknown
        for name in _TALKS:
            if not isinstance(case.get(name), list | dict | None):
                raise ValueError(f"{name} must be a list")
    return given


def right_answers_in(case: JsonObject) -> list[str]:
    """The right answers of a case, by any of their names; [] if it states none.

    Raises ValueError for what is no answer.
    """
    golds = first_of(case, GOLD)
    for gold in golds if isinstance(golds, list) else [golds]:
        if isinstance(gold, dict) and "text" not in gold:
            raise ValueError("a right answer must be a text or a number, not an object")
    return texts_of(golds)


def texts_of(value: Any) -> list[str]:
    """A text, or each of a list of texts; numbers as Python writes them.

    SQuAD keeps its answers under `text`, beside where they begin.
    """
    if isinstance(value, dict) and isinstance(value.get("text"), list):
        value = value["text"]
    if value is None:
        return []
    return [text_of(item) for item in value] if isinstance(value, list) else [text_of(value)]


def text_of(value: Any) -> str:
    """The text that a value is, or that it holds as its `text`."""
    if isinstance(value, dict) and isinstance(value.get("text"), str):
        value = value["text"]
    if isinstance(value, str):
        return value
    if isinstance(value, int) and value.bit_length() > 10_000:
        raise ValueError("a number of thousands of digits is no answer")
    return str(value)


def said_in(messages: Sequence[object]) -> list[str]:
    """What the assistant says in messages as OpenAI writes them, or in actions of tau-bench."""
    said = (message if isinstance(message, str) else _content(message) for message in messages)
    return [text for text in said if isinstance(text, str)]


def _content(message: object) -> Any:
    if not isinstance(message, dict):
        return None
    if message.get("name") == "respond" and isinstance(message.get("kwargs"), dict):
        return message["kwargs"].get("content")
    is_said = message.get("role") == "assistant" and not message.get("tool_calls")
    return message.get("content") if is_said else None


def shown(text: str) -> str:
    """A text as a person is told it."""
    return repr(text if len(text) <= _LONGEST_TOLD else f"{text[:_LONGEST_TOLD]}…")
