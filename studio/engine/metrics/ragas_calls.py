"""RAGAS' ToolCallAccuracy, to the letter of its release 0.4.3, without loading RAGAS."""

from collections.abc import Iterator, Sequence
from typing import Any, ClassVar, Literal

from typing_extensions import override

from studio.engine.metrics.base import Metric, Verdict
from studio.engine.metrics.cases import NoCalls, calls_of
from studio.engine.records import JsonObject, Query
from studio.engine.trace import Trace

Order = Literal["strict", "flexible"]
Call = tuple[str, JsonObject]

_CONVERSATIONS = ("user_input", "messages", "outputs")
_CALLS = ("tool_calls", "calls", "predicted_tool_calls")
_AGENTS = ("ai", "assistant")
_MOST_TOLD = 20


class RagasToolCallAccuracy(Metric, frozen=True):
    """Mean share of right arguments over the expected calls, if the called tools line up; else 0.

    `order` "strict": the tools called must be the expected ones in the same order; "flexible":
    the same ones in any order, calls being paired after sorting by name and arguments.
    Any call too many or too few therefore scores 0.  Arguments are compared as Python's `str`
    writes them: "5" is 5, 5 is not 5.0, True is not 1, a nested object with its keys in another
    order differs; arguments beyond the expected ones are ignored, unless none is expected.

    Range 0 to 1.  Not scored when the query states no expected calls.  An empty list of expected
    calls scores 1 if no call was made, else 0.  Counted are the calls in the model's replies,
    carried out or not.  Source: `ragas.metrics.collections.ToolCallAccuracy`, ragas 0.4.3.
    """

    name: ClassVar[str] = "ragas_tool_call_accuracy"
    title: ClassVar[str] = "RAGAS ToolCallAccuracy"
    tells_success: ClassVar[bool] = True
    known_by: ClassVar[tuple[str, ...]] = ("reference_tool_calls", "user_input")

    order: Order = "strict"

    @override
    def verdict(self, query: Query, trace: Trace) -> Verdict:
        expected = query.expected.calls
        if expected is None:
            return Verdict(None, "the query states no expected calls")
        wanted = [(call.name, call.arguments) for call in expected]
        return _compared(_replied_calls(trace), wanted, self.order)

    def verdict_on(self, case: JsonObject) -> Verdict:
        """The verdict on a case in RAGAS' shape: user_input, reference_tool_calls."""
        stated = case.get("reference_tool_calls")
        if stated is None:
            return Verdict(None, "the case has no reference_tool_calls")
        try:
            made, wanted = list(_made_in(case)), _read(stated)
            is_strict = case.get("strict_order", self.order == "strict")
            return _compared(made, wanted, "strict" if is_strict else "flexible")
        except NoCalls as error:
            return Verdict(None, f"the calls cannot be read: {error}")
        except (ValueError, RecursionError) as error:
            # Python writes no integer of more than 4,300 digits, and nothing nested too deeply.
            return Verdict(None, f"the arguments cannot be compared: {error}")


def _replied_calls(trace: Trace) -> list[Call]:
    """The calls of all replies, in order; those carried out, where no reply was recorded."""
    if not trace.replies:
        return [(call.name, call.arguments) for call in trace.tool_calls]
    return [(call.name, call.arguments) for reply in trace.replies for call in reply.calls]


def _made_in(case: JsonObject) -> Iterator[Call]:
    """The calls of the agent's messages, or those listed for themselves."""
    messages = next((case[key] for key in _CONVERSATIONS if key in case), None)
    if isinstance(messages, dict):
        messages = messages.get("messages")
    if not isinstance(messages, list):
        listed = next((case[key] for key in _CALLS if key in case), None)
        if listed is None and not isinstance(messages, str):
            raise NoCalls("the case has no user_input and no tool_calls")
        yield from _read(listed or [])
        return
    for message in messages:
        if not isinstance(message, dict):
            raise NoCalls(f"a {type(message).__name__} is no message")
        calls = message.get("tool_calls")
        if calls and message.get("type", message.get("role", "ai")) in _AGENTS:
            yield from _read(calls)


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


def _compared(made: list[Call], wanted: list[Call], order: Order) -> Verdict:
    if not wanted or not made:
        reason = f"{len(wanted)} calls expected, {len(made)} made"
        return Verdict(float(not wanted and not made), reason)
    if order == "flexible":
        wanted, made = sorted(wanted, key=_sort_key), sorted(made, key=_sort_key)
    if len(made) != len(wanted):
        return Verdict(0.0, _misaligned(made, wanted))
    total, right = 0.0, 0
    for (name, expected), (called, arguments) in zip(wanted, made, strict=True):
        if name != called:
            return Verdict(0.0, _misaligned(made, wanted))
        share = _share_of_arguments(arguments, expected)
        total += share
        right += share == 1.0
    reason = f"same tools; arguments all right in {right} of {len(wanted)} calls"
    return Verdict(total / len(wanted), reason)


def _sort_key(call: Call) -> tuple[str, ...]:
    name, arguments = call
    pairs = ((key, str(arguments[key])) for key in sorted(arguments))
    return (name, *(part for pair in pairs for part in pair))


def _share_of_arguments(made: JsonObject, expected: JsonObject) -> float:
    if not expected:
        return float(not made)
    right = 0
    for key, value in expected.items():
        if key in made:
            given = made[key]
            # Equal texts need not be written out; equal numbers may be written otherwise (-0.0).
            right += (
                given == value if type(given) is type(value) is str else str(given) == str(value)
            )
    return right / len(expected)


def _misaligned(made: Sequence[Call], wanted: Sequence[Call]) -> str:
    return f"tools called: {_named(made)}; expected: {_named(wanted)}"


def _named(calls: Sequence[Call]) -> str:
    more = ", …" if len(calls) > _MOST_TOLD else ""
    return ", ".join(name for name, _ in calls[:_MOST_TOLD]) + more
