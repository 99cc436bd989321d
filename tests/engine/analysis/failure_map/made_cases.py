"""Makes the traces of trials as our own agent records them: asked, called, given back, answered."""

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from studio.engine.analysis.failure_map import findings
from studio.engine.analysis.passing import Tried
from studio.engine.events import (
    CallMade,
    Event,
    ModelCalled,
    ModelReplied,
    StepEnded,
    StepStarted,
    ToolCalled,
    ToolReturned,
    TrialEnded,
    TrialStarted,
)
from studio.engine.outcomes import FailureClass, Outcome
from studio.engine.records import (
    Expected,
    ExpectedCall,
    Finding,
    Query,
)
from studio.engine.trace import Trace

PRICE = {
    "type": "object",
    "properties": {"metal": {"type": "string"}, "grams": {"type": "integer"}},
    "required": ["metal"],
    "additionalProperties": False,
}
RATE = {
    "type": "object",
    "properties": {"base": {"type": "string"}, "target": {"type": "string"}},
    "required": ["base", "target"],
}
TOOLS = {"price": PRICE, "rate": RATE, "mail": {"type": "object", "properties": {}}}

CALLS_WRONG = (Tried("tool_call_accuracy", holds=False),)
CALLS_RIGHT = (Tried("tool_call_accuracy", holds=True),)
ANSWER_WRONG = (Tried("number_in_answer", holds=False),)
WRONG = CALLS_WRONG + ANSWER_WRONG


class Call(NamedTuple):
    """A call and what came back; `error` is its kind."""

    name: str
    arguments: Mapping[str, Any] = {}
    result: str = "ok"
    error: str | None = None


def query(text: str = "What do 3 grams of gold cost in EUR?", **expected: Any) -> Query:
    return Query("q1", text, Expected(**expected))


def wants(*calls: tuple[str, dict[str, Any]]) -> tuple[ExpectedCall, ...]:
    return tuple(ExpectedCall(name, arguments) for name, arguments in calls)


def trace(
    *calls: Call,
    answer: str | None = "It costs 5 EUR.",
    outcome: Outcome = Outcome.FINISHED,
    failure: FailureClass | None = None,
    text: str = "What do 3 grams of gold cost in EUR?",
    prompt: str = "You know what metals cost.",
    tools: Mapping[str, Any] = TOOLS,
) -> Trace:
    messages = [{"role": "system", "content": prompt}, {"role": "user", "content": text}]
    offered = [{"function": {"name": name, "parameters": tools[name]}} for name in tools]
    sent = {"messages": messages, "tools": offered}
    events: list[Event] = [TrialStarted(0.0, "q1", text, "plain", 1)]
    for number, call in enumerate(calls):
        key = f"m{number}.1"
        made = CallMade(key, call.name, call.arguments)
        events += _asked(
            number, sent, ModelReplied(0.0, f"m{number}", f"a{number}", "", "", (made,))
        )
        events += [
            StepStarted(0.0, f"t{number}", None, "tools", 2),
            ToolCalled(0.0, key, f"t{number}", call.name, call.arguments),
            ToolReturned(0.0, key, f"t{number}", call.result, call.error),
            StepEnded(0.0, f"t{number}"),
        ]
    if outcome is Outcome.FINISHED:
        events += _asked(99, sent, ModelReplied(0.0, "m99", "a99", answer or ""))
    else:
        answer = None
    return Trace([*events, TrialEnded(0.0, outcome, answer, failure)])


def _asked(number: int, sent: dict[str, Any], reply: ModelReplied) -> list[Event]:
    step = f"a{number}"
    return [
        StepStarted(0.0, step, None, "agent", number),
        ModelCalled(0.0, reply.call, step, "small", sent),
        reply,
        StepEnded(0.0, step),
    ]


def found(trace: Trace, query: Query, tried: Sequence[Tried] = WRONG) -> tuple[Finding, ...]:
    return findings(query, trace, tried)


def modes(trace: Trace, query: Query, tried: Sequence[Tried] = WRONG) -> list[str]:
    return [each.mode.value for each in found(trace, query, tried)]


def first(trace: Trace, query: Query, tried: Sequence[Tried] = WRONG) -> tuple[str, str]:
    """The primary finding: its mode, and the kind of event that shows it."""
    primary = found(trace, query, tried)[0]
    assert primary.event is not None
    return primary.mode.value, type(trace.events[primary.event]).__name__
