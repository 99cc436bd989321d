"""What RAGAS' metrics of tool calls have in common: expected calls, and those that were made."""

from typing import Any, ClassVar

from typing_extensions import override

from studio.engine.metrics.base import Metric, Verdict
from studio.engine.metrics.cases import NoCalls, calls_of
from studio.engine.metrics.pairing import TooMany
from studio.engine.records import JsonObject, Query
from studio.engine.trace import Trace

Call = tuple[str, JsonObject]
"""A name and arguments."""

_CONVERSATIONS = ("messages", "outputs")
_CALLS = ("tool_calls", "calls", "predicted_tool_calls")
_AGENTS = ("ai", "assistant")


class RagasCalls(Metric, frozen=True):
    """Base of the metrics that hold calls against reference calls in RAGAS' shape."""

    tells_success: ClassVar[bool] = True
    known_by: ClassVar[tuple[str, ...]] = ("reference_tool_calls",)

    @override
    def verdict(self, query: Query, trace: Trace) -> Verdict:
        expected = query.expected.calls
        if expected is None:
            return Verdict(None, "the query states no expected calls (expected: calls)")
        wanted = [(call.name, call.arguments) for call in expected]
        return self._safely(_replied_calls(trace), wanted)

    def verdict_on(self, case: JsonObject) -> Verdict:
        """The verdict on a case in RAGAS' shape: user_input, reference_tool_calls."""
        stated = case.get("reference_tool_calls")
        if stated is None:
            return Verdict(None, "the case has no reference_tool_calls")
        try:
            made, wanted = _made_in(case), _read(stated)
        except NoCalls as error:
            return Verdict(None, f"the calls cannot be read: {error}")
        return self.as_in(case)._safely(made, wanted)

    def as_in(self, case: JsonObject) -> "RagasCalls":  # noqa: ARG002 - one of them reads its order
        """The metric with the settings that the case itself states."""
        return self

    def compared(self, made: list[Call], wanted: list[Call]) -> Verdict:
        """The verdict on the calls made; pure."""
        raise NotImplementedError

    def _safely(self, made: list[Call], wanted: list[Call]) -> Verdict:
        try:
            return self.compared(made, wanted)
        except TooMany as error:
            return Verdict(None, str(error))
        except (ValueError, RecursionError) as error:
            # Python writes no integer of more than 4,300 digits, and nothing nested too deeply.
            return Verdict(None, f"the arguments cannot be compared: {error}")


def _replied_calls(trace: Trace) -> list[Call]:
    """The calls of all replies, in order; those carried out, where no reply was recorded."""
    if not trace.replies:
        return [(call.name, call.arguments) for call in trace.tool_calls]
    return [(call.name, call.arguments) for reply in trace.replies for call in reply.calls]


def _made_in(case: JsonObject) -> list[Call]:
    """The calls of the agent's messages, or those listed for themselves."""
    messages = case.get("user_input")
    if messages is None:
        messages = next((case[key] for key in _CONVERSATIONS if key in case), None)
    if isinstance(messages, dict):
        messages = messages.get("messages")
    if not isinstance(messages, list):
        listed = next((case[key] for key in _CALLS if key in case), None)
        if listed is None and not isinstance(messages, str):
            raise NoCalls("the case has no user_input and no tool_calls")
        return _read(listed or [])
    found: list[Call] = []
    for message in messages:
        if type(message) is not dict:
            raise NoCalls(f"a {type(message).__name__} is no message")
        calls = message.get("tool_calls")
        if calls and message.get("type", message.get("role", "ai")) in _AGENTS:
            found += _read(calls)
    return found


def _read(calls: Any) -> list[Call]:
    """Calls as RAGAS writes them, `{"name", "args"}`, or in another of their usual shapes."""
    try:
        read = [(call["name"], call["args"]) for call in calls]
    except (LookupError, TypeError):
        read = [next(iter(call.items())) for call in calls_of(calls)]
    for name, arguments in read:
        if type(name) is not str or type(arguments) is not dict:
            raise NoCalls("a call must be a name and an object of arguments")
    return read
