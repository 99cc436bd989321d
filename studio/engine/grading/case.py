"""A case in the general shape, which any metric can grade: what was expected, what was done.

::

    {"id": "q1", "query": "What does gold cost?",
     "expected": {"calls": [{"name": "get_price", "arguments": {"metal": "gold"}}],
                  "contains": ["gold"], "number": 88.16},
     "calls": [{"name": "get_price", "arguments": {"metal": "gold"}, "result": "88.16"}],
     "answer": "Gold costs 88.16 USD."}

`expected` holds what a query of a project holds; `messages` (as OpenAI writes them) may stand in
place of `calls` and `answer`, and so may `turns`, each with what the `user` said, the `calls` and
the `answer`; `tools`, `outcome`, `seconds` and `tokens` may be added.
"""

from collections.abc import Iterable, Iterator, Mapping
from functools import cached_property
from typing import Any

from typing_extensions import override

from studio.engine.events import (
    CallMade,
    Event,
    ModelCalled,
    ModelReplied,
    StepStarted,
    ToolCalled,
    ToolReturned,
    TrialEnded,
    TrialStarted,
)
from studio.engine.grading.calls import Turn, turns_of
from studio.engine.grading.expected import read_expected
from studio.engine.grading.fields import BadCase, answer_of, number_of, read_tools, text_of
from studio.engine.grading.stated import (
    check_no_call_is_meant,
    check_something_is_said,
    says_answer,
)
from studio.engine.metrics.base import AnswerUnknown
from studio.engine.outcomes import FailureClass, Outcome
from studio.engine.records import JsonObject, Query
from studio.engine.trace import Trace

__all__ = ["BadCase", "answer_in", "read_case"]

MOST_CALLS = 2_000
"""Many metrics hold each call made against each that is expected."""

_QUERIES = ("query", "input", "question", "prompt")
_MOST_REQUESTS = 1_000
"""What the user says later is taken as said in the same turn: each request repeats all before."""


class _CaseTrace(Trace):
    """What a case says was done, which need not be all that a run records."""

    def __init__(self, events: Iterable[Event], case: JsonObject) -> None:
        super().__init__(events)
        self._case = case

    @property
    @override
    def is_answer_known(self) -> bool:
        return says_answer(self._case)

    @cached_property
    @override
    def tool_calls(self) -> tuple[ToolCalled, ...]:
        made = super().tool_calls
        if not made:
            check_no_call_is_meant(self._case)
        return made

    @property
    @override
    def seconds(self) -> float | None:
        return None if self._case.get("seconds") is None else super().seconds


def read_case(case: JsonObject, own: Iterable[str] = ()) -> tuple[Query, Trace]:
    """The query and the trace that the case stands for.  Raises BadCase.

    `own`: the keys of a benchmark whose shape the case does not have.
    """
    turns = turns_of(case)
    expected = read_expected(case)
    count = max(sum(len(turn.calls) for turn in turns), len(expected.calls or ()))
    if count > MOST_CALLS:
        raise BadCase(f"it has {count:,} calls, more than {MOST_CALLS:,}")
    check_something_is_said(case, own)
    id = case.get("id")
    asked = (text_of(case, key) for key in _QUERIES if isinstance(case.get(key), str))
    said = (turn.user for turn in turns if turn.user is not None)
    text = next(asked, None) or next(said, "")
    query = Query(id if isinstance(id, str) else "case", text, expected)
    return query, _CaseTrace(_events(case, query, turns), case)


def answer_in(case: JsonObject) -> str | None:
    """The answer that a case gives in whatever way.  Raises BadCase and AnswerUnknown."""
    if not says_answer(case):
        if _outcome(case) is Outcome.STEP_CAP:
            return None
        raise AnswerUnknown
    return _answer(case, turns_of(case))


def _events(case: JsonObject, query: Query, turns: list[Turn]) -> Iterator[Event]:
    yield TrialStarted(0.0, query.id, query.text, "case", 1)
    tools = read_tools(case)
    first = next((turn.user for turn in turns[:1] if turn.user is not None), query.text)
    said = [_as_user(first)]
    yield _request(tools, said)
    tokens = _tokens(case.get("tokens"))
    number = 0
    for place, turn in enumerate(turns):
        if place and turn.user is not None and len(said) < _MOST_REQUESTS:
            said.append(_as_user(turn.user))
            yield _request(tools, said)
        number += 1
        yield StepStarted(0.0, f"s{number}", None, "agent", number)
        yield _reply(f"s{number}", turn, tokens if number == 1 else {"prompt": 0, "reply": 0})
        if turn.calls:
            number += 1
            yield from _tool_step(f"s{number}", number, turn)
    answer = _answer(case, turns)
    seconds = case.get("seconds")
    yield TrialEnded(
        0.0,
        _outcome(case),
        answer,
        _failure(case),
        seconds=0.0 if seconds is None else float(number_of(seconds, "seconds")),
    )


def _request(tools: list[JsonObject], said: list[JsonObject]) -> ModelCalled:
    """A request of which is known what the user had said by then, and the tools offered."""
    return ModelCalled(0.0, "m0", "", "", {"tools": tools, "messages": tuple(said)})


def _as_user(text: str) -> JsonObject:
    return {"role": "user", "content": text}


def _tokens(stated: Any) -> Mapping[str, int] | None:
    if stated is None:
        return None
    if not isinstance(stated, Mapping):
        raise BadCase("tokens must be an object: prompt and reply")
    counted = {key: stated[key] for key in ("prompt", "reply") if stated.get(key) is not None}
    return {key: int(number_of(value, f"tokens: {key}")) for key, value in counted.items()}


def _reply(step: str, turn: Turn, tokens: Mapping[str, Any] | None) -> ModelReplied:
    counts = tokens or {}
    return ModelReplied(
        0.0,
        "m0",
        step,
        turn.text,
        calls=tuple(CallMade(call.id, call.name, call.arguments) for call in turn.calls),
        prompt_tokens=counts.get("prompt"),
        reply_tokens=counts.get("reply"),
    )


def _tool_step(step: str, number: int, turn: Turn) -> Iterator[Event]:
    yield StepStarted(0.0, step, None, "tools", number)
    for call in turn.calls:
        yield ToolCalled(0.0, call.id, step, call.name, call.arguments)
        if call.result is not None or call.error is not None:
            yield ToolReturned(0.0, call.id, step, call.result or "", call.error)


def _answer(case: JsonObject, turns: list[Turn]) -> str | None:
    answer = answer_of(case)
    if answer is not None:
        return answer
    return next((turn.text for turn in reversed(turns) if turn.text.strip()), None)


def _outcome(case: JsonObject) -> Outcome:
    stated = case.get("outcome")
    try:
        return Outcome.FINISHED if stated is None else Outcome(stated)
    except ValueError:
        known = ", ".join(outcome.value for outcome in Outcome)
        raise BadCase(f"the outcome {stated!r:.40} is none of: {known}") from None


def _failure(case: JsonObject) -> FailureClass | None:
    if _outcome(case) is not Outcome.FAILED:
        return None
    try:
        return FailureClass(case.get("failure", FailureClass.AGENT.value))
    except ValueError:
        known = ", ".join(failure.value for failure in FailureClass)
        raise BadCase(f"the failure {case['failure']!r:.40} is none of: {known}") from None
