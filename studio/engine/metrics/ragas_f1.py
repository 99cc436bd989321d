"""RAGAS' ToolCallF1, to the letter of its release 0.4.3 or without its defects."""

from typing import Any, ClassVar

from typing_extensions import override

from studio.engine.metrics.arguments import same_value
from studio.engine.metrics.base import Mode, Verdict
from studio.engine.metrics.pairing import MOST, TooMany
from studio.engine.metrics.ragas_cases import Call, RagasCalls


class RagasToolCallF1(RagasCalls, frozen=True):
    """The harmonic mean of the share of calls made that are expected, and of those expected made.

    A call is an expected one if its name and all its arguments are.  The order does not count.
    Range 0 to 1.  Not scored when the query states no expected calls.

    Published (`ragas.metrics.ToolCallF1`, ragas 0.4.3): calls are sets, so one that is made or
    expected twice counts once; True is 1; rounded to four digits; 0 where no call is expected and
    none made.  Corrected: each call counts, true is not 1, and 1 where none is expected nor made.
    """

    name: ClassVar[str] = "ragas_tool_call_f1"
    title: ClassVar[str] = "RAGAS ToolCallF1"

    mode: Mode = "corrected"

    @override
    def compared(self, made: list[Call], wanted: list[Call]) -> Verdict:
        if self.mode == "published":
            done, expected = set(map(_key, made)), set(map(_key, wanted))
            right = len(done & expected)
            value = round(_f1(right, len(done), len(expected)), 4)
            return _verdict(value, right, len(done), len(expected))
        if not made and not wanted:
            return Verdict(1.0, "no call was expected and none was made")
        right = _paired(made, wanted)
        value = _f1(right, len(made), len(wanted))
        return _verdict(value, right, len(made), len(wanted))


def _verdict(value: float, right: int, made: int, wanted: int) -> Verdict:
    return Verdict(value, f"{right} right calls; {made} made, {wanted} expected")


def _f1(right: int, made: int, wanted: int) -> float:
    precision = right / made if made else 0.0
    recall = right / wanted if wanted else 0.0
    both = precision + recall
    return 2 * precision * recall / both if both else 0.0


def _key(call: Call) -> Any:
    """Equal for calls that are equal; a member of a set."""
    name, arguments = call
    try:
        return name, frozenset(arguments.items())
    except TypeError:  # some of the values are lists or objects
        return name, _hashable(arguments)


def _hashable(value: Any) -> Any:
    match value:
        case dict():
            return frozenset((key, _hashable(item)) for key, item in value.items())
        case list() | tuple():
            return tuple(_hashable(item) for item in value)
        case _:
            return value


def _paired(made: list[Call], wanted: list[Call]) -> int:
    """How many expected calls were made, each call counting once.  Raises TooMany."""
    if max(len(made), len(wanted)) > MOST:
        raise TooMany(max(len(made), len(wanted)))
    left = list(made)
    for name, arguments in wanted:
        for place, (called, given) in enumerate(left):
            # Being the same is an equivalence, so the first is as good as any other.
            if called == name and same_value(given, arguments):
                del left[place]
                break
    return len(made) - len(left)
