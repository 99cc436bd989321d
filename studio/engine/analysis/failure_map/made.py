"""What calls the agent decided on, each with the place of the event that shows it."""

from collections.abc import Mapping
from typing import NamedTuple

from studio.engine.events import ModelReplied, ToolCalled, ToolReturned
from studio.engine.outcomes import Outcome
from studio.engine.records import JsonObject
from studio.engine.trace import Trace

_UNKNOWN = "unknown tool"


class Made(NamedTuple):
    """A call; `place` is that of its event in the trace, `returned` that of its result."""

    place: int
    name: str
    arguments: JsonObject
    result: ToolReturned | None = None
    returned: int | None = None

    @property
    def succeeded(self) -> bool:
        return self.result is not None and self.result.error is None

    def is_of_no_tool(self, offered: Mapping[str, JsonObject]) -> bool:
        """Whether there is no such tool: it was refused, or was never offered and gave nothing."""
        if self.result is not None and self.result.error == _UNKNOWN:
            return True
        return bool(offered) and self.name not in offered and not self.succeeded


def made_calls(trace: Trace) -> tuple[Made, ...]:
    """The calls in their order, also those that the step cap kept from being carried out."""
    calls: list[Made] = []
    waiting: dict[str, int] = {}
    replied: tuple[int, ModelReplied] | None = None
    for place, event in enumerate(trace.outline):
        match event:
            case ModelReplied():
                replied = place, event
            case ToolCalled(call=call, name=name, arguments=arguments):
                replied = None
                waiting[call] = len(calls)
                calls.append(Made(place, name, arguments))
            case ToolReturned(call=call) if call in waiting:
                # Ids may come again; a result belongs to the last call of its id.
                number = waiting.pop(call)
                calls[number] = calls[number]._replace(result=event, returned=place)
    if trace.outcome is Outcome.STEP_CAP and replied is not None:
        place, reply = replied
        calls += [Made(place, call.name, call.arguments) for call in reply.calls]
    return tuple(calls)


def last_reply(trace: Trace) -> int | None:
    """The place of the last reply of the model: there the agent answered instead of calling."""
    places = range(len(trace.outline) - 1, -1, -1)
    return next((n for n in places if isinstance(trace.outline[n], ModelReplied)), None)
