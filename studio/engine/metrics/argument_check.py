"""Do the arguments of the calls fit the schemas of the tools, and are they the expected ones?"""

from collections.abc import Mapping, Sequence
from functools import lru_cache
from typing import Any, ClassVar, Literal

import msgspec
from typing_extensions import override

from studio.engine.events import ToolCalled
from studio.engine.metrics.arguments import same_value, shown
from studio.engine.metrics.base import Metric, Verdict
from studio.engine.records import ExpectedCall, Query
from studio.engine.trace import Trace

_MOST_TOLD = 3
_MOST_CALLS = 1_000


class BadSchema(Exception):
    """The schema of a tool is none: nothing can be said of any arguments.  Says what is wrong."""


class ArgumentsValid(Metric, frozen=True):
    """Calls whose arguments fit the schema of their tool / calls made.

    A call to a tool that was not offered does not fit.  Range 0 to 1.  Not scored: if no call was
    made, the schemas that the model was shown are not recorded, or one that is needed is none.
    """

    name: ClassVar[str] = "arguments_valid"
    title: ClassVar[str] = "Arguments valid"
    version: ClassVar[str] = "3"

    @override
    def verdict(self, query: Query, trace: Trace) -> Verdict:
        calls, offered = trace.tool_calls, trace.tools_offered
        if not calls:
            return Verdict(None, "no call was made")
        if not offered:
            return Verdict(None, "the tools that were offered are not recorded")
        wrong = {}
        try:
            for number, call in enumerate(calls, 1):
                problem = _problem(call, offered)
                if problem:
                    wrong[f"call {number}"] = problem
        except BadSchema as error:
            return Verdict(None, str(error))
        told = [f"{where}: {problem}" for where, problem in list(wrong.items())[:_MOST_TOLD]]
        right = len(calls) - len(wrong)
        reason = "; ".join([f"{right} of {len(calls)} calls have valid arguments", *told])
        return Verdict(right / len(calls), reason, wrong)


def _problem(call: ToolCalled, offered: Mapping[str, Any]) -> str:
    if call.name not in offered:
        return f"there is no tool {call.name}"
    return schema_problem(call, offered[call.name])


def schema_problem(call: ToolCalled, schema: Mapping[str, Any]) -> str:
    """What is wrong with the arguments in the eyes of the schema; "" if nothing.

    Raises BadSchema.
    """
    arguments = call.arguments
    try:
        validator = _validator(msgspec.json.encode(schema))
        error = next(iter(validator.iter_errors(dict(arguments))), None)
    except Exception as problem:  # a schema that is none makes the library raise whatever it likes
        raise BadSchema(f"the schema of {call.name} cannot be followed") from problem
    if error is None:
        return ""
    place = ".".join(map(str, error.absolute_path))
    return f"{place}: {error.message}"[:300] if place else error.message[:300]


@lru_cache(maxsize=256)
def _validator(schema: bytes) -> Any:
    # Loaded with the first schema: the window lists metrics and checks none.
    from studio.engine.json_schema import as_json_schema, validator

    return validator(as_json_schema(msgspec.json.decode(schema)))


class ArgumentAccuracy(Metric, frozen=True):
    """Right arguments / expected arguments (or made ones, or F1 of the two).

    Each expected call is paired with the call of the same name that has most of its arguments
    right.  An argument is right if it has the expected value (5 is 5.0, "5" is not 5).
    Range 0 to 1.  Not scored: if no expected call has arguments (`of` made: if no call has).
    """

    name: ClassVar[str] = "argument_accuracy"
    title: ClassVar[str] = "Argument accuracy"

    of: Literal["expected", "made", "both"] = "expected"
    ignore_case: bool = False

    @override
    def verdict(self, query: Query, trace: Trace) -> Verdict:
        expected, made = query.expected.calls, trace.tool_calls
        if expected is None:
            return Verdict(None, "the query states no expected calls (expected: calls)")
        if max(len(expected), len(made)) > _MOST_CALLS:
            return Verdict(None, f"more than {_MOST_CALLS:,} calls")
        right = sum(count for count, _, _ in self._pairs(expected, made))
        wanted = sum(len(call.arguments) for call in expected)
        given = sum(len(call.arguments) for call in made)
        counted = {"expected": (wanted,), "made": (given,), "both": (wanted, given)}[self.of]
        if not sum(counted):
            return Verdict(None, "no call has arguments")
        reason = f"{right} arguments right; {wanted} expected, {given} made"
        return Verdict(len(counted) * right / sum(counted), reason, self._wrong(expected, made))

    def _pairs(
        self, expected: Sequence[ExpectedCall], made: Sequence[ToolCalled]
    ) -> list[tuple[int, int, int]]:
        """(arguments right, place among the expected, place among those made), each place once."""
        by_name: dict[str, list[int]] = {}
        for place, call in enumerate(made):
            by_name.setdefault(call.name, []).append(place)
        options = [
            (self._right(call, made[other]), place, other)
            for place, call in enumerate(expected)
            for other in by_name.get(call.name, ())
        ]
        options.sort(key=lambda option: (-option[0], option[1], option[2]))
        taken: tuple[set[int], set[int]] = (set(), set())
        pairs = []
        for count, place, other in options:
            if place not in taken[0] and other not in taken[1]:
                taken[0].add(place)
                taken[1].add(other)
                pairs.append((count, place, other))
        return pairs

    def _right(self, expected: ExpectedCall, made: ToolCalled) -> int:
        return sum(self._is_right(made, key, value) for key, value in expected.arguments.items())

    def _is_right(self, made: ToolCalled, key: str, value: Any) -> bool:
        given = made.arguments
        return key in given and same_value(value, given[key], ignore_case=self.ignore_case)

    def _wrong(
        self, expected: Sequence[ExpectedCall], made: Sequence[ToolCalled]
    ) -> dict[str, list[str]]:
        partner = {place: made[other] for _, place, other in self._pairs(expected, made)}
        wrong = []
        for place, call in enumerate(expected):
            for key, value in call.arguments.items():
                other = partner.get(place)
                if other is None or not self._is_right(other, key, value):
                    given = "absent" if other is None else shown(other.arguments.get(key))
                    wrong.append(f"{call.name}.{key} is {given}, not {shown(value)}")
        return {"wrong": wrong[:50]} if wrong else {}
