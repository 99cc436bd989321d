"""RAGAS' ToolCallAccuracy, to the letter of its release 0.4.3, without loading RAGAS."""

from collections.abc import Iterable
from typing import ClassVar, Literal

from typing_extensions import override

from studio.engine.events import CallMade, ToolCalled
from studio.engine.metrics.base import Metric, Verdict
from studio.engine.records import ExpectedCall, JsonObject, Query
from studio.engine.trace import Trace

Call = CallMade | ToolCalled | ExpectedCall


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

    order: Literal["strict", "flexible"] = "strict"

    @override
    def verdict(self, query: Query, trace: Trace) -> Verdict:
        expected = query.expected.calls
        if expected is None:
            return Verdict(None, "the query states no expected calls")
        made = replied_calls(trace)
        if not expected or not made:
            reason = f"{len(expected)} calls expected, {len(made)} made"
            return Verdict(float(not expected and not made), reason)
        wanted: list[Call] = [*expected]
        if self.order == "flexible":
            wanted, made = sorted(wanted, key=_sort_key), sorted(made, key=_sort_key)
        names = [call.name for call in made], [call.name for call in wanted]
        if names[0] != names[1]:
            return Verdict(0.0, _misaligned(*names))
        shares = [
            _share_of_arguments(mine.arguments, theirs.arguments)
            for theirs, mine in zip(wanted, made, strict=True)
        ]
        right = sum(share == 1.0 for share in shares)
        reason = f"same tools; arguments all right in {right} of {len(shares)} calls"
        return Verdict(sum(shares) / len(shares), reason)


def replied_calls(trace: Trace) -> list[Call]:
    """The calls of all replies, in order; those carried out, where no reply was recorded."""
    if not trace.replies:
        return list(trace.tool_calls)
    return [call for reply in trace.replies for call in reply.calls]


def _sort_key(call: Call) -> tuple[str, ...]:
    pairs = ((name, str(call.arguments[name])) for name in sorted(call.arguments))
    return (call.name, *(part for pair in pairs for part in pair))


def _share_of_arguments(made: JsonObject, expected: JsonObject) -> float:
    if not expected:
        return float(not made)
    right = sum(key in made and str(made[key]) == str(value) for key, value in expected.items())
    return right / len(expected)


def _misaligned(made: Iterable[str], expected: Iterable[str]) -> str:
    return f"tools called: {', '.join(made)}; expected: {', '.join(expected)}"
