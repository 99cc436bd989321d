"""The decisions about calls: whether to call, which tool, with what."""

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from studio.engine.analysis.failure_map.faults import argument_faults, case_faults, schema_faults
from studio.engine.analysis.failure_map.grounds import Grounds
from studio.engine.analysis.failure_map.made import Made, last_reply
from studio.engine.analysis.failure_map.matching import MOST, Matched, matched
from studio.engine.analysis.failure_map.wanted import Wanted, forbidden_calls, wanted_calls
from studio.engine.events import ModelReplied
from studio.engine.metrics.arguments import shown, shown_call
from studio.engine.metrics.chain_spec import is_made
from studio.engine.outcomes import FailureMode, Outcome
from studio.engine.records import (
    Finding,
    Query,
)
from studio.engine.trace import Trace

BROKE_DOWN = ("time-out", "crash")
"""Errors that say that a tool broke down; what it raised itself may be meant for the agent."""


class Case(NamedTuple):
    """One trial, and the calls that it made.  `is_strict`: by the rules its calls are not right."""

    query: Query
    trace: Trace
    made: tuple[Made, ...]
    is_strict: bool


def call_findings(case: Case) -> Iterator[Finding]:
    """What was wrong with the calls of a trial that did not pass.

    Only what was stated can be missed: where a query says nothing of calls, a call is faulty only
    if its tool refused it, and the agent got nothing out of that tool afterwards.
    """
    yield from _forbidden(case)
    wanted = wanted_calls(case.query)
    if wanted is None:
        yield from _refused(case)
    elif not wanted:
        yield from _not_needed(case.made[:1], "no call was wanted")
    elif not case.made:
        yield from _no_call(case, wanted)
    else:
        yield from _compared(case, wanted)


def _forbidden(case: Case) -> Iterator[Finding]:
    for forbidden in forbidden_calls(case.query):
        calls = (each for each in case.made if is_made(forbidden, each))
        yield from _not_needed(list(calls)[:1], "this call is forbidden")


def _not_needed(calls: Sequence[Made], why: str) -> Iterator[Finding]:
    for call in calls:
        told = f"{shown_call(call.name, call.arguments)} was called, but {why}"
        yield Finding(FailureMode.CALL_NOT_NEEDED, told, call.place)


def _no_call(case: Case, wanted: Sequence[Wanted]) -> Iterator[Finding]:
    if case.trace.outcome is Outcome.FAILED:
        return  # the reply could not be read: nobody knows what was decided
    events = case.trace.outline
    place = next((n for n, each in enumerate(events) if isinstance(each, ModelReplied)), None)
    told = f"no tool was called; wanted: {', '.join(map(_told, wanted[:3]))}"
    yield Finding(FailureMode.NO_CALL, told, place)


def _compared(case: Case, wanted: Sequence[Wanted]) -> Iterator[Finding]:
    if max(len(wanted), len(case.made)) > MOST:
        return
    found = matched(wanted, case.made, ignores_case=True)
    faults = [
        *_arguments(case, found),
        *_broken_tools(case, found),
        *_missing(case, wanted, found),
    ]
    if not faults and not found.missing:
        faults = list(_beyond(case, wanted, found))
    yield from faults


def broken_tools(case: Case) -> Iterator[Finding]:
    """Right calls whose tool broke down: all that is left to find where the calls are right."""
    wanted = wanted_calls(case.query)
    if wanted and max(len(wanted), len(case.made)) <= MOST:
        yield from _broken_tools(case, matched(wanted, case.made, ignores_case=True))


def case_findings(case: Case) -> Iterator[Finding]:
    """Values that are right but for upper and lower case, where the rules find the calls wrong.

    To be told after all else: a tool that takes "Gold" for "gold" led nobody astray.
    """
    wanted = wanted_calls(case.query)
    if wanted and case.is_strict and max(len(wanted), len(case.made)) <= MOST:
        for one, call in matched(wanted, case.made, ignores_case=True).done:
            yield from case_faults(one, call)


def _arguments(case: Case, found: Matched) -> Iterator[Finding]:
    offered = case.trace.tools_offered
    for one, call in found.wrong:
        grounds = Grounds(case.query, case.trace, call.place)
        yield from argument_faults(one, call, offered.get(call.name), grounds, ignores_case=True)


def _broken_tools(case: Case, found: Matched) -> Iterator[Finding]:
    """Right calls whose tool broke down, and that were never answered by trying again."""
    for one, call in found.done:
        error = call.result.error if call.result else None
        again = any(each.succeeded for each in case.made if each.name == call.name)
        if error in BROKE_DOWN and not again:
            told = f"{one.name} was called rightly and broke down ({error})"
            yield Finding(FailureMode.NOT_THE_AGENT, told, call.returned)


def _missing(case: Case, wanted: Sequence[Wanted], found: Matched) -> Iterator[Finding]:
    """Another tool in place of a wanted one, or no call at all where the agent had its chance."""
    names = {one.name for one in wanted}
    instead = [call for call in found.beyond if call.name not in names]
    offered = case.trace.tools_offered
    for one, call in zip(found.missing, instead, strict=False):
        is_none = call.is_of_no_tool(offered)
        mode = FailureMode.HALLUCINATED_TOOL if is_none else FailureMode.WRONG_TOOL
        told = f"{shown(call.name)[1:-1]} was called where {_told(one)} was wanted"
        yield Finding(mode, f"{told}: there is no such tool" if is_none else told, call.place)
    if case.trace.answer is None or any(_broken_tools(case, found)):
        return
    place = last_reply(case.trace)
    for one in found.missing[len(instead) :]:
        told = f"the agent answered without {_told(one)}"
        yield Finding(FailureMode.MISSING_CALL, told, place)


def _beyond(case: Case, wanted: Sequence[Wanted], found: Matched) -> Iterator[Finding]:
    """Calls beyond the wanted ones, all of which were made.

    Of other tools, if they gave something or the rules find the calls wrong; of the wanted tools,
    if both: a call that failed was an attempt at what was wanted.
    """
    names = {one.name for one in wanted}
    is_strict = case.is_strict
    calls = [
        call
        for call in found.beyond
        if (call.succeeded and is_strict if call.name in names else call.succeeded or is_strict)
    ]
    yield from _not_needed(calls[:1], "all wanted calls were made without it")


def _refused(case: Case) -> Iterator[Finding]:
    """Calls to no tool, and calls that a schema refuses, unless the agent recovered from them."""
    offered = case.trace.tools_offered
    for place, call in enumerate(case.made[:MOST]):
        later = case.made[place + 1 :]
        if call.is_of_no_tool(offered):
            if not any(each.succeeded for each in later):
                told = f"{shown(call.name)[1:-1]} was called: there is no such tool"
                yield Finding(FailureMode.HALLUCINATED_TOOL, told, call.place)
        elif not call.succeeded and not _recovers(call, later):
            yield from schema_faults(call, offered.get(call.name))


def _recovers(call: Made, later: Sequence[Made]) -> bool:
    return any(each.succeeded for each in later if each.name == call.name)


def _told(wanted: Wanted) -> str:
    first = {key: values[0] for key, values in wanted.arguments.items() if values}
    return shown_call(wanted.name, first) if first else wanted.name
