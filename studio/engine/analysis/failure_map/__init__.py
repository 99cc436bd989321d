"""What went wrong in a trial that did not pass: the decisions at which the agent left the way.

The decisions are those of the course module's failure map: whether to call, which tool, with what
arguments, what to make of the result, when to stop.  One module a decision::

    wanted.py    the calls that a query states      made.py      the calls that were decided on
    matching.py  which stands for which             calls.py     what was wrong with the calls
    faults.py    what is wrong with arguments       grounds.py   was a value there, or invented
    loops.py     going round in circles             other_names.py  abbreviations, units, codes
    answer.py    a result that was ignored          judged.py    which of the rules failed

The rule of each bucket is on the help page `figures.md`.  What all share: nothing is found where
nothing was expected, and in doubt nothing is found.
"""

import logging
from collections.abc import Iterator, Sequence

from studio.engine.analysis.failure_map.answer import ignored_result
from studio.engine.analysis.failure_map.calls import (
    Case,
    broken_tools,
    call_findings,
    case_findings,
)
from studio.engine.analysis.failure_map.judged import Judged, judged
from studio.engine.analysis.failure_map.loops import loop
from studio.engine.analysis.failure_map.made import Made, last_reply, made_calls
from studio.engine.analysis.passing import Tried
from studio.engine.events import ModelFailed, TrialEnded
from studio.engine.metrics.confidence.claims import Kind, claim_in
from studio.engine.outcomes import FailureMode, Outcome
from studio.engine.records import (
    Finding,
    Query,
)
from studio.engine.trace import Trace

__all__ = ["findings"]

_log = logging.getLogger(__name__)
_SHOWN = 80


def findings(query: Query, trace: Trace, tried: Sequence[Tried]) -> tuple[Finding, ...]:
    """The failure modes of a trial, the earliest decision first, each with the event that shows it.

    `tried` says of each rule that the trial had to hold whether it does.  A trial that passed has
    none; one of which no rule tells is looked at only if it gave no answer.  Never raises.
    """
    try:
        return tuple(_findings(query, trace, tried))
    except Exception:  # a fault of one rule must not end the run: the trial is left unexplained
        _log.warning("the failure map failed on query %s", query.id, exc_info=True)
        return ()


def _findings(query: Query, trace: Trace, tried: Sequence[Tried]) -> list[Finding]:
    end = trace.end
    if end is None:
        return []
    if end.failure is not None and not end.failure.is_agents_own:
        return [_not_the_agent(trace, end)]
    if all(each.holds for each in tried) and (tried or _has_answer(trace)):
        return []
    verdict = judged(tried)
    made = made_calls(trace)
    case = Case(query, trace, made, is_strict=verdict.calls_hold is False)
    # However right the calls are, a tool that broke down may be why the answer is not.
    look_at_calls = broken_tools if verdict.calls_are_right else call_findings
    found = list(look_at_calls(case))
    circle = loop(made)
    if circle is not None:
        found.append(circle)
    last = len(trace.outline)
    # A stable sort: of two at one event the one that was looked for first goes first.
    found.sort(key=lambda each: last if each.event is None else each.event)
    return [*found, *_ending(query, trace, made, verdict, found), *case_findings(case)]


def _not_the_agent(trace: Trace, end: TrialEnded) -> Finding:
    last = len(trace.outline) - 1
    failed = [n for n, event in enumerate(trace.outline) if isinstance(event, ModelFailed)]
    reason = f"{end.failure}: {end.reason}".rstrip(": ")
    return Finding(FailureMode.NOT_THE_AGENT, reason, failed[-1] if failed else last)


def _has_answer(trace: Trace) -> bool:
    answer = trace.answer
    return trace.outcome is Outcome.FINISHED and bool(answer and answer.strip())


def _ending(
    query: Query, trace: Trace, made: Sequence[Made], verdict: Judged, found: Sequence[Finding]
) -> Iterator[Finding]:
    """What is wrong with how it ended: at the step cap, without an answer, or with a bad one."""
    last = len(trace.outline) - 1
    if trace.outcome is Outcome.STEP_CAP:
        yield Finding(FailureMode.STEP_CAP, "the agent reached the step cap", last)
    elif not _has_answer(trace):
        reason = trace.end.reason if trace.end else ""
        yield Finding(FailureMode.NO_ANSWER, reason or "the agent gave no answer", last)
    else:
        yield from _bad_answer(query, trace, made, verdict, found)


def _bad_answer(
    query: Query, trace: Trace, made: Sequence[Made], verdict: Judged, found: Sequence[Finding]
) -> Iterator[Finding]:
    answer = trace.answer or ""
    place = last_reply(trace)
    is_wrong = verdict.answer_holds is False
    ignored = ignored_result(query, made, answer) if is_wrong else None
    if ignored is not None:
        yield ignored
    if found or verdict.calls_hold is False or verdict.whole_holds is False:
        claim = claim_in(answer)
        if claim.kind is Kind.DONE:
            told = f"{claim.sentence[:_SHOWN]!r}, but the checks say no"
            yield Finding(FailureMode.FALSE_SUCCESS, told, place)
    if is_wrong and ignored is None:
        yield Finding(FailureMode.WRONG_ANSWER, f"the answer is {answer[:_SHOWN]!r}", place)
