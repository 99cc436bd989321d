"""How a trial ends, whose fault it is where there is no answer, and what an agent does wrong."""

from enum import StrEnum


class Outcome(StrEnum):
    """How a trial ended.  Only FINISHED trials gave an answer."""

    FINISHED = "finished"
    STEP_CAP = "step cap"
    TIMED_OUT = "timed out"
    TRUNCATED = "prompt truncated"
    FAILED = "failed"
    CANCELLED = "cancelled"
    SKIPPED = "skipped"
    INTERRUPTED = "interrupted"
    """The engine ended before the trial did; continuing the run starts it again."""


class FailureClass(StrEnum):
    """Whose fault it was that a trial gave no answer.  Every such trial has exactly one."""

    AGENT = "agent"
    TOOL = "tool"
    MODEL_OUTPUT = "model output"
    TRUNCATED = "truncated"
    STEP_CAP = "step cap"
    TIME_OUT = "time-out"
    SERVER = "server"
    HARNESS = "harness"
    CANCELLED = "cancelled"

    @property
    def is_agents_own(self) -> bool:
        """The agent had its chance: model, prompt and graph make the agent.

        All others say nothing of it: what they befell is not scored.
        """
        return self in {self.AGENT, self.MODEL_OUTPUT, self.STEP_CAP}


class FailureMode(StrEnum):
    """What went wrong in a trial that did not pass, by the decisions that an agent takes."""

    CALL_NOT_NEEDED = "called when not needed"
    NO_CALL = "no call when needed"
    WRONG_TOOL = "wrong tool"
    HALLUCINATED_TOOL = "hallucinated tool"
    MISSING_CALL = "missing call"
    MISSING_ARGUMENT = "missing argument"
    HALLUCINATED_ARGUMENT = "hallucinated argument"
    INVENTED_VALUE = "invented value"
    WRONG_TYPE = "wrong type"
    WRONG_VALUE = "wrong value"
    IGNORED_RESULT = "ignored result"
    LOOP = "loop"
    STEP_CAP = "step cap"
    FALSE_SUCCESS = "false success"
    NO_ANSWER = "no answer"
    WRONG_ANSWER = "wrong answer"
    NOT_THE_AGENT = "not the agent's doing"
