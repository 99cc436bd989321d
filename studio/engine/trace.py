"""A trace: a fold over the events of one trial, and the questions that metrics ask of it."""

from collections.abc import Iterable, Mapping, Sequence
from functools import cached_property
from itertools import chain
from typing import Any

from typing_extensions import override

from studio.engine.events import (
    Event,
    ModelCalled,
    ModelFailed,
    ModelReplied,
    StepStarted,
    ToolCalled,
    ToolReturned,
    TrialEnded,
    TrialStarted,
    decode,
    decode_without_sent,
)
from studio.engine.outcomes import Outcome
from studio.engine.records import JsonObject


class Trace:
    """What happened in one trial.  Never changed once made; equal events give an equal trace."""

    def __init__(self, events: Iterable[Event]) -> None:
        self.outline: tuple[Event, ...] = tuple(events)
        """What happened, in order.  Where a stored trace is read, without what was sent: a thing
        that is no event keeps the place of each ModelCalled."""

    @property
    def events(self) -> tuple[Event, ...]:
        """The same with all that the model was sent, which takes several times as long to read."""
        return self.outline

    @cached_property
    def end(self) -> TrialEnded | None:
        """How the trial ended; None while it runs."""
        last = self.outline[-1] if self.outline else None
        return last if isinstance(last, TrialEnded) else None

    @property
    def server(self) -> str:
        """The server that was asked, as it is listed; "" where that is not known."""
        first = self.outline[0] if self.outline else None
        return first.server if isinstance(first, TrialStarted) else ""

    @property
    def outcome(self) -> Outcome | None:
        return self.end.outcome if self.end else None

    @property
    def answer(self) -> str | None:
        """The answer given; None when there is none (blank text is no answer)."""
        return self.end.answer if self.end else None

    @property
    def is_answer_known(self) -> bool:
        """Whether it is known if there was an answer: always, of what was recorded as it ran."""
        return True

    @property
    def seconds(self) -> float | None:
        """Wall-clock seconds of the trial, without waiting for a place or loading the model."""
        return self.end.seconds if self.end else None

    @cached_property
    def steps(self) -> tuple[StepStarted, ...]:
        """The leaf steps: node executions that hold no other step."""
        started = [event for event in self.outline if isinstance(event, StepStarted)]
        parents = {step.parent for step in started}
        return tuple(step for step in started if step.step not in parents)

    @cached_property
    def tool_calls(self) -> tuple[ToolCalled, ...]:
        """The calls that were made, in order; calls to unknown tools included."""
        return tuple([event for event in self.outline if type(event) is ToolCalled])

    @cached_property
    def tool_results(self) -> dict[str, ToolReturned]:
        """What came back, by the id of the call."""
        return {event.call: event for event in self.outline if isinstance(event, ToolReturned)}

    @cached_property
    def replies(self) -> tuple[ModelReplied, ...]:
        return tuple(event for event in self.outline if isinstance(event, ModelReplied))

    @cached_property
    def model_calls(self) -> tuple[ModelCalled, ...]:
        return tuple(event for event in self.events if isinstance(event, ModelCalled))

    @cached_property
    def failures(self) -> tuple[ModelFailed, ...]:
        return tuple(event for event in self.outline if isinstance(event, ModelFailed))

    @cached_property
    def tools_offered(self) -> dict[str, JsonObject]:
        """The JSON Schema of the parameters of each tool that the model was shown, by its name."""
        offered: dict[str, JsonObject] = {}
        for call in self.model_calls:
            tools = call.sent.get("tools")
            for tool in tools if isinstance(tools, list | tuple) else ():
                offered.update(_declared(tool))
        return offered

    @property
    def tokens(self) -> tuple[int | None, int | None]:
        """Prompt and reply tokens over all model calls; None where a server left one out."""
        return (
            _total(reply.prompt_tokens for reply in self.replies),
            _total(reply.reply_tokens for reply in self.replies),
        )

    @cached_property
    def message_count(self) -> int:
        """Messages of the conversation, counted as the thesis does (section 3.2.4).

        The question, each reply of the model (one a call it made, or one for its text), and each
        tool result.
        """
        replies = sum(max(1, len(reply.calls)) for reply in self.replies)
        return 1 + replies + len(self.tool_results)


class StoredTrace(Trace):
    """A trace that is read from its events' JSON.

    What the model was sent is by far the most of it, and few metrics ask for it: it is read once it
    is asked for.
    """

    def __init__(self, chunks: Sequence[bytes]) -> None:
        """`chunks` are JSON arrays.  Raises msgspec.DecodeError for anything that is no event."""
        super().__init__(chain.from_iterable(map(decode_without_sent, chunks)))
        self._chunks = tuple(chunks)

    @cached_property
    @override
    def events(self) -> tuple[Event, ...]:
        return tuple(chain.from_iterable(map(decode, self._chunks)))


def _declared(tool: Any) -> dict[str, JsonObject]:
    """The name and parameters of a tool as it was sent; nothing if it is no declaration."""
    function = tool.get("function", tool) if isinstance(tool, Mapping) else None
    name = function.get("name") if isinstance(function, Mapping) else None
    if not isinstance(name, str) or not isinstance(function, Mapping):
        return {}
    parameters = function.get("parameters")
    return {name: parameters if isinstance(parameters, Mapping) else {}}


def _total(counts: Iterable[int | None]) -> int | None:
    known = 0
    seen = False
    for count in counts:
        if count is None:
            return None
        known += count
        seen = True
    return known if seen else None
