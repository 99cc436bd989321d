"""Is the chain of tool calls as it should be: required, forbidden, in order, and at its end?"""

from collections.abc import Sequence
from typing import ClassVar, Literal

from typing_extensions import override

from studio.engine.events import ToolCalled
from studio.engine.metrics.argument_check import BadSchema, schema_problem
from studio.engine.metrics.base import Metric, Mode, Verdict, no_answer
from studio.engine.metrics.chain_spec import BadChain, Chain, chain_of, is_made, told
from studio.engine.metrics.pairing import TooMany, pairs
from studio.engine.records import ExpectedCall, Query
from studio.engine.trace import Trace

Part = Literal["required", "forbidden", "steps", "order", "outcome"]
_MOST_TOLD = 5


class ChainCheck(Metric, frozen=True):
    """1 if the chain of calls has no fault, else 0.

    `checks` restricts it to one kind: the calls that are required or forbidden, the number of
    steps (calls), the order, or the outcome.  Not scored: if the query states nothing of that.
    Source: the article's trajectory test; order and outcome after the course module's rubric.

    Published (the article's code): required tools as a set of names, and neither order nor
    outcome is checked, although an outcome can be stated.
    """

    name: ClassVar[str] = "chain_check"
    title: ClassVar[str] = "Chain check"
    tells_success: ClassVar[bool] = True
    is_binary: ClassVar[bool] = True
    reads: ClassVar[tuple[str, ...]] = ("chain",)

    mode: Mode = "corrected"
    checks: Literal["all", "required", "forbidden", "steps", "order", "outcome"] = "all"

    @override
    def verdict(self, query: Query, trace: Trace) -> Verdict:
        try:
            chain = chain_of(query)
        except BadChain as error:
            return Verdict(None, str(error))
        parts = [] if chain is None else self._parts(chain)
        if chain is None or not parts:
            what = "" if self.checks == "all" else f" with {self.checks}"
            return Verdict(None, f"the query states no chain{what} (expected: chain)")
        try:
            found = {part: self._issues(part, chain, trace) for part in parts}
        except TooMany as error:
            return Verdict(None, str(error))
        issues = [issue for each in found.values() for issue in each]
        if not issues:
            return Verdict(1.0, f"as wanted: {', '.join(parts)}")
        return Verdict(0.0, "; ".join(issues[:_MOST_TOLD]), {"issues": issues[:50]})

    def _parts(self, chain: Chain) -> list[Part]:
        """The kinds of checks that the chain states and that are asked for."""
        stated: dict[Part, bool] = {
            "required": chain.required is not None,
            "forbidden": chain.forbidden is not None,
            "steps": chain.min_steps is not None or chain.max_steps is not None,
            "order": bool(chain.order) and self.mode == "corrected",
            "outcome": chain.outcome is not None and self.mode == "corrected",
        }
        return [p for p, is_there in stated.items() if is_there and self.checks in ("all", p)]

    def _issues(self, part: Part, chain: Chain, trace: Trace) -> list[str]:
        made = trace.tool_calls
        match part:
            case "required":
                return [f"{told(call)} was not called" for call in self._missing(chain, made)]
            case "forbidden":
                return [f"{told(call)} was called" for call in _crossed(chain, made)]
            case "steps":
                return _steps(chain, len(made))
            case "order":
                return _disorder(chain, [call.name for call in made])
            case "outcome":
                return _outcome(chain, trace)

    def _missing(self, chain: Chain, made: Sequence[ToolCalled]) -> list[ExpectedCall]:
        required = chain.required or ()
        if self.mode == "published":
            called = {call.name for call in made}
            return [call for call in required if call.name not in called]
        places = pairs(required, made, is_made)
        return [call for call, place in zip(required, places, strict=True) if place is None]


def _crossed(chain: Chain, made: Sequence[ToolCalled]) -> list[ExpectedCall]:
    forbidden = chain.forbidden or ()
    return [call for call in forbidden if any(is_made(call, each) for each in made)]


def _steps(chain: Chain, count: int) -> list[str]:
    if chain.min_steps is not None and count < chain.min_steps:
        return [f"{count} steps, at least {chain.min_steps} wanted"]
    if chain.max_steps is not None and count > chain.max_steps:
        return [f"{count} steps, at most {chain.max_steps} wanted"]
    return []


def _disorder(chain: Chain, names: Sequence[str]) -> list[str]:
    """The pairs whose later call was made before any of the earlier one; uncalled is in order."""
    return [
        f"{later} was called without {earlier} before it"
        for earlier, later in chain.order or ()
        if later in names and earlier not in names[: names.index(later)]
    ]


def _outcome(chain: Chain, trace: Trace) -> list[str]:
    missed = no_answer(trace)
    if missed:
        return [f"{chain.outcome} was expected, but {missed}"]
    answer = (trace.answer or "").casefold().replace("’", "'")
    admitted = next((words for words in chain.says if words.casefold() in answer), None)
    if chain.outcome == "graceful_failure":
        return [] if admitted else ["the answer does not admit that the task was not done"]
    return [f"success was expected, but the answer says {admitted!r}"] if admitted else []


class ToolUseCorrectness(Metric, frozen=True):
    """1 if every expected tool was called, at most one other tool, and all arguments are valid.

    Tools are counted by name, however often they are called.  Arguments are valid if they fit the
    schemas that the model was offered; where none are recorded they are taken as valid.  Not
    scored: if the query states no tools, or if all else is right and a schema is none.  Source:
    the second guide.
    """

    name: ClassVar[str] = "tool_use_correctness"
    title: ClassVar[str] = "Tool-use correctness"
    version: ClassVar[str] = "3"
    tells_success: ClassVar[bool] = True
    is_binary: ClassVar[bool] = True
    reads: ClassVar[tuple[str, ...]] = ("chain",)

    @override
    def verdict(self, query: Query, trace: Trace) -> Verdict:
        try:
            chain = chain_of(query)
        except BadChain as error:
            return Verdict(None, str(error))
        stated = chain.required if chain and chain.required is not None else query.expected.calls
        if stated is None:
            return Verdict(None, "the query states no tools (expected: chain with required)")
        expected, called = {c.name for c in stated}, {c.name for c in trace.tool_calls}
        missing, extra = sorted(expected - called), sorted(called - expected)
        problems = [f"{name} was not called" for name in missing]
        if len(extra) > 1:
            problems.append(f"more than one other tool was called: {', '.join(extra)}")
        try:
            problems += _invalid(trace)
        except BadSchema as error:
            if not problems:
                return Verdict(None, str(error))
        if problems:
            return Verdict(0.0, "; ".join(problems), {"missing": missing, "extra": extra})
        return Verdict(1.0, "all expected tools were called, at most one other, arguments valid")


def _invalid(trace: Trace) -> list[str]:
    """What is wrong with the arguments of the first call that has invalid ones.  BadSchema."""
    for call in trace.tool_calls:
        schema = trace.tools_offered.get(call.name)
        problem = "" if schema is None else schema_problem(call, schema)
        if problem:
            return [f"invalid arguments of {call.name}: {problem}"]
    return []
