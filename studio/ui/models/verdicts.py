"""Whether each trial of a run passed, in the words of the window."""

from collections.abc import Sequence
from enum import Enum

from studio.engine.analysis.passing import Rule, passed
from studio.engine.outcomes import FailureMode, Outcome
from studio.engine.records import Finding
from studio.engine.store.rows import TrialRow
from studio.ui.models.measures import Measure
from studio.ui.text import counted, decimal

Place = tuple[int, int]
_NEVER_RAN = (Outcome.SKIPPED, Outcome.INTERRUPTED)


class Verdict(Enum):
    """Excused: not the agent's doing.  Undecided: it has no score that tells."""

    RUNNING = "running"
    NOT_PASSED = "did not pass"
    UNDECIDED = "cannot be told"
    EXCUSED = "not the agent's doing"
    PASSED = "passed"


def verdict(trial: TrialRow, rules: Sequence[Rule]) -> Verdict:
    """By the rules of `analysis.pareto`: what has a finding did not pass, whatever its scores."""
    if trial.outcome is None:
        return Verdict.RUNNING
    first = primary(trial)
    if first is not None and first.mode is not FailureMode.NOT_THE_AGENT:
        return Verdict.NOT_PASSED
    if first is not None or trial.is_excused or trial.outcome in _NEVER_RAN:
        return Verdict.EXCUSED
    match passed(rules, trial.scores):
        case None:
            return Verdict.UNDECIDED
        case is_passed:
            return Verdict.PASSED if is_passed else Verdict.NOT_PASSED


def primary(trial: TrialRow) -> Finding | None:
    """What first went wrong in a trial; None where nothing was found."""
    return trial.findings[0] if trial.findings else None


def rules_text(rules: Sequence[Rule], measures: Sequence[Measure]) -> str:
    """When a trial passes, in one line."""
    if not rules:
        return "No metric of this run tells whether a trial passed: add one, and score again."
    labels = {measure.key: measure.label for measure in measures}
    asked: dict[str, list[str]] = {}
    for rule in rules:
        bound = f"at {'most' if rule.is_most else 'least'} {decimal(rule.at)}"
        asked.setdefault(bound, []).append(labels.get(rule.metric, rule.metric))
    parts = [f"{bound} in {_listed(names)}" for bound, names in asked.items()]
    return f"A trial passes with {', and with '.join(parts)}."


def _listed(names: Sequence[str]) -> str:
    """`a`, `a and b`, `a, b and c`."""
    return " and ".join(part for part in (", ".join(names[:-1]), names[-1]) if part)


def not_passed(failed: int, decided: int, undecided: int = 0) -> str:
    """`12 of 20 trials did not pass`; `undecided` have no score that tells."""
    if not decided:
        return "No score tells whether trials passed" if undecided else "No trial was judged yet"
    if decided == 1:
        return f"The trial {'did not pass' if failed else 'passed'}"
    if not failed:
        return f"All of {counted(decided, 'trial')} passed"
    return f"{failed:,} of {counted(decided, 'trial')} did not pass"
