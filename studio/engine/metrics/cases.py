"""Cases as public benchmarks write them: what is graded where no run is recorded.

A case is a JSON object.  A metric that has a public grader takes cases in that benchmark's own
shape (see `OwnCases`); all other cases are read as a query and a trace.
"""

import json
from collections.abc import Mapping
from typing import Any, ClassVar, Protocol, runtime_checkable

from studio.engine.metrics.base import Verdict
from studio.engine.records import JsonObject

_LONGEST_TOLD = 300


@runtime_checkable
class OwnCases(Protocol):
    """A metric that grades a case as its public benchmark writes it."""

    known_by: ClassVar[tuple[str, ...]]
    """A case that has one of these keys is in the benchmark's shape."""

    def verdict_on(self, case: JsonObject) -> Verdict:
        """The verdict.  Raises what a case that is no case of the benchmark makes it raise."""
        ...


def unread(error: Exception, *, is_published: bool) -> Verdict:
    """Not scored, since a grader raised this error over a case that is not as it should be.

    What the published grader raises is told as it is; of ours it says where to look, in words.
    """
    told = f"{type(error).__name__}: {error}"[:_LONGEST_TOLD]
    if is_published:
        return Verdict(None, f"the published grader fails on this case: {told}")
    match error:
        case KeyError():
            words = f"{error.args[0]!r:.60} is missing"
        case ValueError():
            words = str(error)[:_LONGEST_TOLD]
        case RecursionError():
            words = "it is nested too deeply"
        case _:
            words = "a part of it is of another kind than it should be"
    return Verdict(None, f"the case cannot be read: {words}", {"error": told})


class NoCalls(ValueError):
    """What a model gave is no list of calls."""


class UnreadArguments(NoCalls):
    """The arguments of a call are a text that is no JSON."""


def value_lists(stated: Mapping[str, Any]) -> dict[str, list[Any]]:
    """For each argument its acceptable values; a single one may stand without a list around it."""
    return {
        name: values if isinstance(values, list) else [values] for name, values in stated.items()
    }


def are_calls(output: Any) -> bool:
    """Whether this is a list of calls `{name: {argument: value}}`, to be taken as it stands."""
    if type(output) is not list:
        return False
    try:
        for call in output:
            [arguments] = call.values()
            if type(arguments) is not dict:
                return False
    except (AttributeError, ValueError):
        # No object, or one that has not one key.
        return False
    return True


def calls_of(output: Any) -> list[dict[str, Any]]:
    """The calls of an output that is a list, each as `{name: {argument: value}}`.

    A call may be written so, or as `{"name", "arguments"}`, or as OpenAI's `{"function": {"name",
    "arguments"}}`; arguments may be an object, or its JSON as text.  Raises NoCalls.
    """
    if not isinstance(output, list):
        raise NoCalls(f"a {type(output).__name__} is no list of calls")
    return [_call(item) for item in output]


def _call(item: Any) -> dict[str, Any]:
    if not isinstance(item, dict):
        raise NoCalls(f"a {type(item).__name__} is no call")
    function = item.get("function")
    if isinstance(function, Mapping) and "name" in function and "arguments" in function:
        item = function
    if len(item) == 1:
        [(name, arguments)] = item.items()
    else:
        name = item.get("name")
        arguments = item.get("arguments", item.get("args"))
    if isinstance(arguments, str):
        try:
            arguments = json.loads(arguments)
        except (ValueError, RecursionError):
            raise UnreadArguments("the arguments of a call are no JSON") from None
    if not isinstance(name, str) or not isinstance(arguments, dict):
        raise NoCalls("a call must be a name and an object of arguments")
    return {name: arguments}
