"""How a trial ended, and whose fault it was if it gave no answer."""

import logging

from langgraph.errors import GraphRecursionError

from studio.engine.agents.causes import behind
from studio.engine.agents.recorder import StepCapReached
from studio.engine.agents.setup import AgentSetup
from studio.engine.agents.trial import Trial
from studio.engine.errors import ToolHostError
from studio.engine.events import TrialEnded
from studio.engine.models.failures import PATIENCE
from studio.engine.outcomes import FailureClass, Outcome

_log = logging.getLogger(__name__)
_NO_MESSAGE = "The graph ended without a message of the model. Correct the project's graph."
_OUR_FAULT = "This is a fault of the studio and not of the agent: its log says more."
_OUTCOMES = {
    FailureClass.TRUNCATED: Outcome.TRUNCATED,
    FailureClass.TIME_OUT: Outcome.TIMED_OUT,
    FailureClass.STEP_CAP: Outcome.STEP_CAP,
    FailureClass.CANCELLED: Outcome.CANCELLED,
}


def failed(failure: FailureClass, reason: str) -> TrialEnded:
    """A trial without an answer; its time and duration are filled in where it is emitted.

    `reason` is a sentence on what happened and one on what to do about it.
    """
    return TrialEnded(0, _OUTCOMES.get(failure, Outcome.FAILED), failure=failure, reason=reason)


def timed_out(limit: float) -> TrialEnded:
    return failed(FailureClass.TIME_OUT, f"Not finished within {limit:g} s. {PATIENCE}")


def cancelled() -> TrialEnded:
    return failed(
        FailureClass.CANCELLED, "The run was stopped. Continuing it runs this trial again."
    )


def finished(trial: Trial) -> TrialEnded:
    """The graph came to its end: with an answer, or with the reason why there is none.

    No answer is the doing of the model, or of a project's graph that had all it needed for one.
    """
    last, is_own = trial.last, trial.setup.is_own_graph
    reason = last.blank_reason if last is not None and not last.answer.strip() else ""
    if trial.answer is None:
        blame = FailureClass.AGENT if is_own else FailureClass.MODEL_OUTPUT
        return TrialEnded(0, Outcome.FINISHED, failure=blame, reason=reason or _NO_MESSAGE)
    if reason and not is_own:
        reason = "The last reply was empty; the answer is the text of an earlier one."
    return TrialEnded(0, Outcome.FINISHED, trial.answer, reason=reason)


def of_error(error: BaseException, setup: AgentSetup) -> TrialEnded:
    """What was raised while the graph ran; the unexpected is shown with its type."""
    match error:
        case StepCapReached() | GraphRecursionError():
            steps = setup.variant.step_cap
            reason = f"Not finished within {steps} steps. Raise the step cap if it needs more."
            return failed(FailureClass.STEP_CAP, reason)
        case ToolHostError():
            return failed(FailureClass.TOOL, str(error))
    if (fault := behind(error)) is not None:
        return failed(fault.failure, str(fault))
    told = f"{type(error).__name__}: {error}"
    if setup.is_own_graph:
        return failed(FailureClass.AGENT, f"{told} Correct the project's graph.")
    _log.warning("a trial failed by a fault of the studio", exc_info=error)
    return failed(FailureClass.HARNESS, f"{told} {_OUR_FAULT}")
