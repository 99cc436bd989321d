"""What metrics said, to read: of a stored trial beside the run's own score, of a case of a file."""

from collections.abc import Mapping
from typing import Any

from studio.engine.records import Score
from studio.engine.scoring_messages import CasesGraded, CaseVerdict, MetricTried
from studio.ui.models.detail import Passage, Passages, heading, json_text, nothing
from studio.ui.models.tone import Tone
from studio.ui.text import count, counted, decimal

_NOT_SCORED = "not scored"


def tried(told: MetricTried, own: Score | None) -> Passages:
    """The verdict that was asked for, and the run's own score by the same metric."""
    said = [*heading("as it is set here"), *_tried(told)]
    return [*said, Passage("\n"), *run_score(own)]


def _tried(told: MetricTried) -> Passages:
    if told.score is None:
        return [Passage(f"{told.problem} {told.remedy}".rstrip() + "\n", Tone.BAD)]
    return verdict(told.score.value, told.score.reason, told.score.evidence)


def run_score(own: Score | None) -> Passages:
    """What the run's own score of the trial says."""
    passages = heading("the run's own score")
    if own is None:
        return [*passages, *nothing("The run was not judged by this metric as it is set here.\n")]
    passages += verdict(own.value, own.reason, own.evidence)
    return [*passages, Passage(f"version {own.version}\n", Tone.MUTED)]


def verdict(value: float | None, reason: str, evidence: Mapping[str, Any]) -> Passages:
    """A value or "not scored", why, and what shows it."""
    said = Passage(f"{_NOT_SCORED}\n", Tone.MARK) if value is None else Passage(figure(value, "\n"))
    passages = [said]
    if reason:
        passages.append(Passage(f"{reason}\n", Tone.MUTED))
    if evidence:
        passages += [Passage("\n"), *heading("evidence"), Passage(f"{json_text(evidence, 2)}\n")]
    return passages


def figure(value: float | None, after: str = "") -> str:
    """A verdict's value as it is, not rounded to look better."""
    return f"{_NOT_SCORED if value is None else decimal(value)}{after}"


def case(of: CaseVerdict, text: str) -> Passages:
    """All that is known of one case, and the case itself."""
    told = [Passage(f"line {count(of.line)}", Tone.MUTED)]
    if of.id is not None:
        told.append(Passage(f"   {id_text(of.id)}"))
    said = [*told, Passage("\n"), *verdict(of.score, of.reason, of.evidence)]
    return [*said, Passage("\n"), *heading("the case"), Passage(f"{text}\n")]


def id_text(id_: Any) -> str:
    return id_ if isinstance(id_, str) else "" if id_ is None else json_text(id_)


def counts_told(told: CasesGraded) -> str:
    """How many cases there were and what came of them: never a mean without its counts."""
    total = told.scored + told.not_scored
    scored = f"{count(told.scored)} scored of {counted(total, 'case')}"
    return scored if told.mean is None else f"mean {told.mean:.4f} · {scored}"
