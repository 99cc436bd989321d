"""How a trial ended, and whose fault it was if it gave no answer."""

from langgraph.errors import GraphRecursionError

from studio.engine.agents.recorder import StepCapReached
from studio.engine.agents.setup import AgentSetup
from studio.engine.agents.trial import Trial
from studio.engine.errors import ToolHostError
from studio.engine.events import TrialEnded
from studio.engine.models.failures import ModelFault
from studio.engine.records import FailureClass, Outcome

_OUTCOMES = {
    FailureClass.TRUNCATED: Outcome.TRUNCATED,
    FailureClass.TIME_OUT: Outcome.TIMED_OUT,
    FailureClass.STEP_CAP: Outcome.STEP_CAP,
    FailureClass.CANCELLED: Outcome.CANCELLED,
}


def failed(failure: FailureClass, reason: str = "") -> TrialEnded:
    """A trial without an answer; its time and duration are filled in where it is emitted."""
    return TrialEnded(0, _OUTCOMES.get(failure, Outcome.FAILED), failure=failure, reason=reason)


def timed_out(limit: float) -> TrialEnded:
    return failed(FailureClass.TIME_OUT, f"Not finished within {limit:g} s.")


def finished(trial: Trial) -> TrialEnded:
    """The graph came to its end: with an answer, or with the reason why there is none."""
    reason = ""
    if trial.last is not None and not trial.last.answer.strip():
        reason = trial.last.blank_reason
        if trial.answer is not None and not trial.setup.is_own_graph:
            reason = "The last reply was empty; the answer is the text of an earlier one."
    return TrialEnded(0, Outcome.FINISHED, trial.answer, reason=reason)


def of_error(error: BaseException, setup: AgentSetup) -> TrialEnded:
    """What was raised while the graph ran; the unexpected is shown with its type."""
    match error:
        case StepCapReached() | GraphRecursionError():
            steps = setup.variant.step_cap
            return failed(FailureClass.STEP_CAP, f"Not finished within {steps} steps.")
        case ModelFault():
            return failed(error.failure, str(error))
        case ToolHostError():
            return failed(FailureClass.TOOL, str(error))
        case _:
            blame = FailureClass.AGENT if setup.is_own_graph else FailureClass.HARNESS
            return failed(blame, f"{type(error).__name__}: {error}")
