"""What AgentArch's `run_metrics` finds of one record, as published or corrected."""

from collections.abc import Sequence
from itertools import pairwise
from typing import Any, NamedTuple

from studio.engine.metrics.agentarch.arguments import Arguments, counted, counted_as_published
from studio.engine.metrics.agentarch.decision import is_stated, is_stated_as_published
from studio.engine.metrics.agentarch.done import THINKING, Call, Done
from studio.engine.metrics.agentarch.truth import Truth
from studio.engine.metrics.arguments import same_value


class Facts(NamedTuple):
    """None is what cannot be said, as the record states nothing to hold it against.

    `missing` are the required tools that were not called, `extraneous` those that were and that
    no accepted list holds, `invented` the tools and agents that do not exist.
    """

    strict: bool | None
    lenient: bool | None
    arguments: Arguments | None
    decision: bool | None
    is_optimal: bool | None
    is_missing: bool | None
    is_extraneous: bool | None
    is_orchestrated: bool | None
    missing: tuple[str, ...]
    extraneous: tuple[str, ...]
    invented: tuple[str, ...] | None
    repeated: tuple[str, ...]
    called: tuple[str, ...]


def found(truth: Truth, done: Done, *, is_single: bool, is_published: bool) -> Facts:
    """The facts of one record.  Published: raises whatever the published grader raises."""
    called = done.custom
    is_missing = is_extraneous = is_optimal = strict = lenient = None
    invented = _invented(done)
    if truth.tool_order is not None:
        strict = any(called == order for order in truth.tool_order)
        is_missing = not truth.required.issubset(called)
        is_extraneous = not set(called).issubset(truth.named)
        lenient = _is_lenient(truth, done, strict=strict, is_missing=is_missing)
        if not is_published and invented:
            strict = lenient = False
        elif not is_published and lenient is None:
            # Nobody says that what was called beside the expected only reads.
            lenient = False
    if truth.fewest is not None:
        is_optimal = len(called) == truth.fewest and (is_published or is_missing is not True)
    return Facts(
        strict,
        lenient,
        _arguments(truth, done, is_published=is_published),
        _decision(truth, done, is_published=is_published),
        is_optimal,
        is_missing,
        is_extraneous,
        None if is_single else _is_orchestrated(truth, done),
        _texts(tool for tool in truth.required if tool not in called),
        _texts(tool for tool in called if tool not in truth.named),
        invented,
        _repeated(done.calls, is_published=is_published),
        tuple(map(str, called)),
    )


def _texts(names: Any) -> tuple[str, ...]:
    return tuple(sorted(map(str, names)))


def _is_lenient(truth: Truth, done: Done, *, strict: bool, is_missing: bool) -> bool | None:
    """Whether the tools are right whatever their order; None where it is not known what they do.

    Beyond those of the accepted lists only tools may be called that change nothing.
    """
    if strict or is_missing:
        return strict
    extra = [name for name in done.custom if name not in truth.harmless]
    known = done.tools
    if known is None:
        return None if extra else True
    return not any(name in known and known[name]["tool_type"] != "query" for name in extra)


def _arguments(truth: Truth, done: Done, *, is_published: bool) -> Arguments | None:
    if truth.tool_args is None or (is_published and done.tools is None):
        return None
    return counted_as_published(truth, done) if is_published else counted(truth, done)


def _decision(truth: Truth, done: Done, *, is_published: bool) -> bool | None:
    if truth.final_response is None:
        return None
    if is_published:
        return is_stated_as_published(truth.final_response, done.final)
    outcomes = truth.possible_final_outcomes
    return isinstance(done.final, str) and is_stated(truth.final_response, outcomes, done.final)


def _is_orchestrated(truth: Truth, done: Done) -> bool | None:
    if truth.selections is None or done.selections is None:
        return None
    return any(done.selections == each for each in truth.selections)


def _invented(done: Done) -> tuple[str, ...] | None:
    """Tools and agents that do not exist; None where it is not known which do."""
    if done.tools is None:
        return None
    agents = []
    if done.agents is not None:
        agents = [agent for agent in done.selections or () if agent not in done.agents]
    known = done.tools
    tools = [call.name for call in done.calls if call.is_custom and call.name not in known]
    return tuple(map(str, [*tools, *agents]))


def _repeated(calls: Sequence[Call], *, is_published: bool) -> tuple[str, ...]:
    """The calls that equal the one just before them, also across agents."""
    same = _is_same_as_published if is_published else _is_same
    return tuple(str(call.name) for before, call in pairwise(calls) if same(before, call))


def _is_same_as_published(one: Call, other: Call) -> bool:
    return bool(one.name == other.name and one.arguments == other.arguments)


def _is_same(one: Call, other: Call) -> bool:
    return one.name == other.name and same_value(one.arguments, other.arguments)


def check_thinking(done: Done) -> None:
    """The published grader counts thinking tools in a text where the record allows none."""
    if not done.is_thinking_allowed and any(call.name in THINKING for call in done.calls):
        raise TypeError("a thinking tool was called in a record that allows none")
