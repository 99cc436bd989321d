"""Was the way efficient: calls made again, repetitions, loops, and the step cap."""

from collections import Counter
from collections.abc import Sequence
from typing import Annotated, Any, ClassVar

import msgspec
from typing_extensions import override

from studio.engine.events import ToolCalled
from studio.engine.metrics.arguments import same_value, shown_call
from studio.engine.metrics.base import Better, Metric, Mode, Verdict
from studio.engine.metrics.chain_spec import BadChain, chain_of
from studio.engine.outcomes import Outcome
from studio.engine.records import Query
from studio.engine.trace import Trace

_MOST_ALIKE = 200

Positive = Annotated[int, msgspec.Meta(ge=1)]


def redundant(calls: Sequence[ToolCalled], mode: Mode) -> int:
    """How many calls were made in vain.

    Corrected: calls with the name and the arguments of an earlier one.  Published (the guide):
    for each tool that was called more than twice, all its calls but one, whatever the arguments.
    """
    if mode == "published":
        return sum(n - 1 for n in Counter(call.name for call in calls).values() if n > 2)
    seen: dict[Any, list[ToolCalled]] = {}
    count = 0
    for call in calls:
        alike = seen.setdefault((call.name, frozenset(call.arguments)), [])
        if any(same_value(call.arguments, other.arguments) for other in alike[:_MOST_ALIKE]):
            count += 1
        else:
            alike.append(call)
    return count


class RedundantCalls(Metric, frozen=True):
    """Number of calls made in vain (see `redundant`).  Range 0 and up."""

    name: ClassVar[str] = "redundant_calls"
    title: ClassVar[str] = "Redundant calls"
    unit: ClassVar[str] = "calls"
    better: ClassVar[Better] = "lower"
    highest: ClassVar[float | None] = None

    mode: Mode = "corrected"

    @override
    def verdict(self, query: Query, trace: Trace) -> Verdict:
        count = redundant(trace.tool_calls, self.mode)
        return Verdict(float(count), f"{count} of {len(trace.tool_calls)} calls")


class CostScore(Metric, frozen=True):
    """max(0, 1 - redundant calls / `max_iterations`).  Range 0 to 1.

    `max_iterations` of the query's chain goes before the setting.  Published: rounded to two
    digits, as in the second guide.
    """

    name: ClassVar[str] = "cost_score"
    title: ClassVar[str] = "Cost score"
    reads: ClassVar[tuple[str, ...]] = ("chain",)

    mode: Mode = "corrected"
    max_iterations: Positive = 10

    @override
    def verdict(self, query: Query, trace: Trace) -> Verdict:
        limit, problem = _limit(query, self.max_iterations)
        if problem:
            return Verdict(None, problem)
        count = redundant(trace.tool_calls, self.mode)
        score = max(0.0, 1.0 - count / limit)
        value = round(score, 2) if self.mode == "published" else score
        return Verdict(value, f"{count} redundant calls, {limit} iterations allowed")


class EfficientTrajectory(Metric, frozen=True):
    """1 if at most `max_iterations` calls were made and none in vain, else 0.

    `max_iterations` of the query's chain goes before the setting.  Source: the second guide.
    """

    name: ClassVar[str] = "efficient_trajectory"
    title: ClassVar[str] = "Efficient trajectory"
    is_binary: ClassVar[bool] = True
    reads: ClassVar[tuple[str, ...]] = ("chain",)

    mode: Mode = "corrected"
    max_iterations: Positive = 10

    @override
    def verdict(self, query: Query, trace: Trace) -> Verdict:
        limit, problem = _limit(query, self.max_iterations)
        if problem:
            return Verdict(None, problem)
        made, count = len(trace.tool_calls), redundant(trace.tool_calls, self.mode)
        reason = f"{made} calls of at most {limit}, {count} redundant"
        return Verdict(float(made <= limit and count == 0), reason)


def _limit(query: Query, setting: int) -> tuple[int, str]:
    try:
        chain = chain_of(query)
    except BadChain as error:
        return 0, str(error)
    stated = chain.max_iterations if chain else None
    if stated is None:
        return setting, ""
    return stated, "" if stated > 0 else "max_iterations must be above 0"


class RepeatedCall(Metric, frozen=True):
    """1 if a call was made that equals the one just before it, else 0.

    Equal are name and arguments.  Source: AgentArch's tool repetition rate.
    """

    name: ClassVar[str] = "repeated_call"
    title: ClassVar[str] = "Repeated call"
    is_binary: ClassVar[bool] = True
    better: ClassVar[Better] = "lower"

    @override
    def verdict(self, query: Query, trace: Trace) -> Verdict:
        made = trace.tool_calls
        place = _repeated(made, period=1, times=2)
        if place is None:
            return Verdict(0.0, "no call equals the one before it")
        told = shown_call(made[place].name, made[place].arguments)
        return Verdict(1.0, f"call {place + 1} repeats {told}", {"call": place + 1})


class Loop(Metric, frozen=True):
    """1 if a sequence of up to `longest` calls was made `times` times in a row, else 0."""

    name: ClassVar[str] = "loop"
    title: ClassVar[str] = "Loop"
    is_binary: ClassVar[bool] = True
    better: ClassVar[Better] = "lower"

    times: Annotated[int, msgspec.Meta(ge=2)] = 3
    longest: Positive = 4

    @override
    def verdict(self, query: Query, trace: Trace) -> Verdict:
        made = trace.tool_calls
        for period in range(1, min(self.longest, len(made) // self.times) + 1):
            place = _repeated(made, period, self.times)
            if place is not None:
                first = place - period * self.times + 2
                names = ", ".join(call.name for call in made[place - period + 1 : place + 1])
                reason = f"{names} made {self.times} times in a row from call {first} on"
                return Verdict(1.0, reason, {"call": first, "period": period})
        return Verdict(0.0, "no loop")


class StepCap(Metric, frozen=True):
    """1 if the trial was stopped at the step cap, else 0."""

    name: ClassVar[str] = "step_cap"
    title: ClassVar[str] = "Step cap"
    is_binary: ClassVar[bool] = True
    better: ClassVar[Better] = "lower"

    @override
    def verdict(self, query: Query, trace: Trace) -> Verdict:
        is_hit = trace.outcome is Outcome.STEP_CAP
        return Verdict(
            float(is_hit), "the step cap was reached" if is_hit else "it ended by itself"
        )


def _repeated(made: Sequence[ToolCalled], period: int, times: int) -> int | None:
    """Where the first sequence of `period` calls ends that was made so often in a row, or None."""
    run = 0
    for place in range(period, len(made)):
        one, other = made[place], made[place - period]
        is_same = one.name == other.name and same_value(one.arguments, other.arguments)
        run = run + 1 if is_same else 0
        if run == period * (times - 1):
            return place
    return None
