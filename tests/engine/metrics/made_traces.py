"""Makes traces for the tests of metrics: one question, the calls made, and how it ended."""

from collections.abc import Sequence
from typing import Any

from studio.engine.events import (
    CallMade,
    Event,
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
    Query,
)
from studio.engine.trace import Trace

Call = tuple[str, dict[str, Any]]


def query(text: str = "How much?", **expected: Any) -> Query:
    return Query("q1", text, Expected(**expected))


def calls(*made: Call) -> tuple[ExpectedCall, ...]:
    return tuple(ExpectedCall(name, arguments) for name, arguments in made)


def trace(
    answer: str | None = "It is 5.",
    made: Sequence[Call] = (),
    outcome: Outcome = Outcome.FINISHED,
    failure: FailureClass | None = None,
    tokens: tuple[int | None, int | None] = (100, 10),
) -> Trace:
    """One reply and one tool step a call, then one reply with the answer."""
    events: list[Event] = [
        TrialStarted(0.0, "q1", "How much?", "baseline", 1),
        StepStarted(0.0, "outer", None, "assistant", 1),
    ]
    for number, (name, arguments) in enumerate(made):
        call = f"call{number}"
        events += [
            StepStarted(1.0, f"ask{number}", "outer", "agent", 2),
            _reply("", (CallMade(call, name, arguments),), tokens),
            StepEnded(1.0, f"ask{number}"),
            StepStarted(1.0, f"act{number}", "outer", "tools", 3),
            ToolCalled(1.0, call, f"act{number}", name, arguments),
            ToolReturned(1.0, call, f"act{number}", "ok"),
            StepEnded(1.0, f"act{number}"),
        ]
    events += [StepStarted(2.0, "last", "outer", "agent", 9), _reply(answer or "", (), tokens)]
    events += [StepEnded(2.0, "last"), StepEnded(2.0, "outer")]
    events.append(TrialEnded(3.0, outcome, answer, failure, seconds=3.0))
    return Trace(events)


def _reply(
    text: str, made: tuple[CallMade, ...], tokens: tuple[int | None, int | None]
) -> ModelReplied:
    return ModelReplied(
        1.0, "m", "s", text, calls=made, prompt_tokens=tokens[0], reply_tokens=tokens[1]
    )
