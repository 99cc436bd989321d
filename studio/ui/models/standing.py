"""How a trial of the results stands: the sign before it, the word and the badges beside it."""

from collections.abc import Sequence
from enum import Enum

from studio.engine.analysis.passing import Rule
from studio.engine.outcomes import FailureMode, Outcome
from studio.engine.store.rows import TrialRow
from studio.ui.models.tone import Badge, Tone
from studio.ui.models.verdicts import Verdict, primary, verdict
from studio.ui.text import one_line


class Standing(Enum):
    """What a row's sign says of a trial, best last: the order in which it sorts."""

    RUNNING = "running"
    NO_ANSWER = "gave no answer"
    EXCUSED = "not the agent's doing"
    NOT_PASSED = "did not pass"
    UNDECIDED = "no score tells whether it passed"
    PASSED = "passed"


_STANDINGS = {
    Verdict.RUNNING: Standing.RUNNING,
    Verdict.EXCUSED: Standing.EXCUSED,
    Verdict.NOT_PASSED: Standing.NOT_PASSED,
    Verdict.UNDECIDED: Standing.UNDECIDED,
    Verdict.PASSED: Standing.PASSED,
}


def standing(trial: TrialRow, rules: Sequence[Rule]) -> Standing:
    found = _STANDINGS[verdict(trial, rules)]
    decided = found not in {Standing.RUNNING, Standing.EXCUSED}
    return Standing.NO_ANSWER if decided and trial.outcome is not Outcome.FINISHED else found


def outcome(trial: TrialRow, rules: Sequence[Rule]) -> Badge:
    """What became of a trial: that it passed, or what went wrong first."""
    found, first = verdict(trial, rules), primary(trial)
    if found is Verdict.PASSED:
        return Badge("passed", Tone.GOOD)
    if found in {Verdict.RUNNING, Verdict.UNDECIDED} and trial.outcome is not Outcome.STEP_CAP:
        return Badge(_OPEN[found], Tone.MUTED)
    if first is not None and first.mode is not FailureMode.NOT_THE_AGENT:
        return Badge(first.mode.value, Tone.BAD)
    if trial.outcome is not Outcome.FINISHED:
        return Badge(ended(trial), Tone.MARK if found is Verdict.EXCUSED else Tone.BAD)
    return Badge("did not pass", Tone.BAD)


_OPEN = {Verdict.RUNNING: "running", Verdict.UNDECIDED: "not judged"}


def marks(trial: TrialRow) -> tuple[Badge, ...]:
    """The marks of its steps."""
    return tuple(Badge(one_line(mark, 40), Tone.MARK) for mark in trial.marks)


def badges(trial: TrialRow) -> tuple[Badge, ...]:
    """What there is to remark on a trial: that it gave no answer, and the marks of its steps."""
    found = list(marks(trial))
    if trial.outcome is not None and trial.outcome is not Outcome.FINISHED:
        found.insert(0, Badge(ended(trial), Tone.MARK if trial.is_excused else Tone.BAD))
    elif trial.outcome is not None and trial.answer is None:
        found.insert(0, Badge("no answer", Tone.BAD))
    return tuple(found)


def ended(trial: TrialRow) -> str:
    """How a trial ended, in two or three words; where it failed, by whose doing."""
    if trial.outcome is None:
        return "running"
    if trial.outcome is Outcome.FAILED and trial.failure is not None:
        return f"failed: {trial.failure.value}"
    if trial.outcome is Outcome.TRUNCATED:
        return "truncated"
    return trial.outcome.value
