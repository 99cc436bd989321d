"""What went wrong in a trial that did not pass: the decisions at which the agent left the way."""

from studio.engine.records import FailureMode, Finding, Outcome, Query
from studio.engine.trace import Trace


def findings(query: Query, trace: Trace, *, is_passed: bool | None) -> tuple[Finding, ...]:
    """The failure modes of a trial, each with the event that shows it; none if it passed."""
    end = trace.end
    if end is None or is_passed:
        return ()
    place = len(trace.events) - 1
    if end.failure is not None and not end.failure.is_agents_own:
        return (Finding(FailureMode.NOT_THE_AGENT, end.failure.value, place),)
    if query.expected.calls and not trace.tool_calls:
        return (Finding(FailureMode.NO_CALL, "the agent called no tool", place),)
    if end.outcome is Outcome.STEP_CAP:
        return (Finding(FailureMode.STEP_CAP, "the agent reached the step cap", place),)
    return ()
