"""RAGAS' ToolCallAccuracy, to the letter of its release 0.4.3, without loading RAGAS."""

from collections.abc import Sequence
from typing import ClassVar, Literal

from typing_extensions import override

from studio.engine.metrics.base import Verdict
from studio.engine.metrics.ragas_cases import Call, RagasCalls
from studio.engine.records import JsonObject

Order = Literal["strict", "flexible"]

_MOST_TOLD = 20


class RagasToolCallAccuracy(RagasCalls, frozen=True):
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

    order: Order = "strict"

    @override
    def as_in(self, case: JsonObject) -> RagasCalls:
        is_strict = case.get("strict_order", self.order == "strict")
        return self if is_strict == (self.order == "strict") else _OTHER[self.order]

    @override
    def compared(self, made: list[Call], wanted: list[Call]) -> Verdict:
        return _compared(made, wanted, self.order)


_OTHER = {
    "strict": RagasToolCallAccuracy(order="flexible"),
    "flexible": RagasToolCallAccuracy(order="strict"),
}


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
