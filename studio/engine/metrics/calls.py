"""Tool-call accuracy as the thesis defines it: expected calls that were made, of those expected."""

from collections.abc import Callable, Sequence
from typing import ClassVar

from typing_extensions import override

from studio.engine.events import ToolCalled
from studio.engine.metrics.arguments import difference, same_value, shown_call
from studio.engine.metrics.base import Metric, Mode, Verdict
from studio.engine.records import ExpectedCall, JsonObject, Query
from studio.engine.trace import Trace

_MOST_TOLD = 3

Same = Callable[[ExpectedCall, ToolCalled], bool]


class ToolCallAccuracy(Metric, frozen=True):
    """Correct expected calls / expected calls; a call is correct when name and arguments match.

    Range 0 to 1.  Not scored when the query states no expected calls.  Calls count when they were
    made, also to an unknown tool or with an error as result.  Source: the thesis, section 2.3.1.

    Corrected: each call made satisfies one expected call at most, arguments are compared by value
    (see `same_value`; `ignore_case` relaxes text), and where no call is expected the score is 1
    only if none was made.  Calls beyond the expected ones cost nothing, as in the formula, and
    are told in the reason.

    Published (its code): keys and values are compared as lower-cased text, so "5" is 5, True is
    "true" but 5 is not 5.0; one call may satisfy any number of expected ones; where no call is
    expected the score is 1 whatever was made.
    """

    name: ClassVar[str] = "tool_call_accuracy"
    title: ClassVar[str] = "Tool-call accuracy"
    tells_success: ClassVar[bool] = True

    mode: Mode = "corrected"
    ignore_case: bool = False

    @override
    def verdict(self, query: Query, trace: Trace) -> Verdict:
        expected, made = query.expected.calls, trace.tool_calls
        if expected is None:
            return Verdict(None, "the query states no expected calls (expected: calls)")
        if self.mode == "published":
            return _published(expected, made)
        if not expected:
            return Verdict(float(not made), _where_none_is_wanted(made))
        missing, extra = _pair(expected, made, self._same)
        found = len(expected) - len(missing)
        reason = f"{found} of {len(expected)} expected calls made{self._told(missing, extra)}"
        return Verdict(found / len(expected), reason)

    def _same(self, expected: ExpectedCall, made: ToolCalled) -> bool:
        return expected.name == made.name and same_value(
            expected.arguments, made.arguments, ignore_case=self.ignore_case
        )

    def _told(self, missing: Sequence[ExpectedCall], extra: Sequence[ToolCalled]) -> str:
        parts = [self._missing(call, extra) for call in missing[:_MOST_TOLD]]
        if extra:
            calls = ", ".join(shown_call(c.name, c.arguments) for c in extra[:_MOST_TOLD])
            more = " and others" if len(extra) > _MOST_TOLD else ""
            parts.append(f"{len(extra)} beyond the expected: {calls}{more}")
        return "".join(f"; {part}" for part in parts)

    def _missing(self, call: ExpectedCall, extra: Sequence[ToolCalled]) -> str:
        told = f"missing {shown_call(call.name, call.arguments)}"
        namesakes = (made.arguments for made in extra if made.name == call.name)
        differences = [
            difference(call.arguments, arguments, ignore_case=self.ignore_case)
            for arguments in namesakes
        ]
        return f"{told} (made: {min(differences, key=len)})" if differences else told


def _where_none_is_wanted(made: Sequence[ToolCalled]) -> str:
    if not made:
        return "no call was expected and none was made"
    calls = ", ".join(shown_call(call.name, call.arguments) for call in made[:_MOST_TOLD])
    return f"no call was expected, {len(made)} made: {calls}"


def _pair(
    expected: Sequence[ExpectedCall], made: Sequence[ToolCalled], same: Same
) -> tuple[list[ExpectedCall], list[ToolCalled]]:
    """The expected calls nobody made, and the calls made that nobody expected.

    Being the same call is an equivalence, so taking the first match is an optimal assignment.
    """
    left = list(made)
    missing = []
    for call in expected:
        match = next((index for index, other in enumerate(left) if same(call, other)), None)
        if match is None:
            missing.append(call)
        else:
            del left[match]
    return missing, left


def _published(expected: Sequence[ExpectedCall], made: Sequence[ToolCalled]) -> Verdict:
    if not expected:
        return Verdict(1.0, "no call was expected")
    done = [(call.name, _lowered(call.arguments)) for call in made]
    found = sum((call.name, _lowered(call.arguments)) in done for call in expected)
    return Verdict(found / len(expected), f"{found} of {len(expected)} expected calls made")


def _lowered(arguments: JsonObject) -> dict[str, str]:
    return {key.lower(): str(value).lower() for key, value in arguments.items()}
