"""What the window and the engine process say about metrics: choosing, trying, scoring again."""

from typing import Any

import msgspec

from studio.engine.model_messages import Message
from studio.engine.records import Criteria, JsonObject, MetricSpec, Score


class SaveCriteria(Message, frozen=True):
    """Write the project's metrics, and what passes, to `project.yaml`."""

    criteria: Criteria


class ScoreAgain(Message, frozen=True):
    """Judge the stored trials of a run by these criteria from now on; nothing is run.

    Answered by ScoringMoved and, once, by ScoringEnded.
    """

    run: int
    criteria: Criteria


class StopScoring(Message, frozen=True):
    """Stop scoring again; the trials that were judged keep their new scores."""


class TryMetric(Message, frozen=True):
    """Ask a metric for its verdict on one stored trial, storing nothing: MetricTried answers."""

    trial: int
    metric: MetricSpec


class GradeCases(Message, frozen=True):
    """Grade a file of cases, one JSON object a line: CasesGraded answers, once a part.

    `out` is a file for all verdicts, "" for none.
    """

    metric: MetricSpec
    cases: str
    out: str = ""


class StopGrading(Message, frozen=True):
    """Stop grading cases."""


MetricCommand = SaveCriteria | ScoreAgain | StopScoring | TryMetric | GradeCases | StopGrading


class ScoringMoved(Message, frozen=True):
    """How many trials of a run have been scored again, and are on disk."""

    run: int
    done: int
    planned: int


class ScoringEnded(Message, frozen=True):
    """Scoring again is over: `ending` is "finished", "stopped" or "failed" (`problem` says why)."""

    run: int
    done: int
    planned: int
    ending: str
    problem: str = ""
    remedy: str = ""


class MetricTried(Message, frozen=True):
    """The verdict asked for; `score` is None where the metric could not be asked (`problem`)."""

    trial: int
    metric: MetricSpec
    score: Score | None
    problem: str = ""
    remedy: str = ""


class CaseVerdict(Message, frozen=True):
    """The verdict on one line of cases; `score` None says "not scored", with the reason."""

    line: int
    id: Any
    score: float | None
    reason: str
    evidence: JsonObject = msgspec.field(default_factory=dict)


class CasesGraded(Message, frozen=True):
    """More verdicts of a file that is being graded (the first thousand; the counts are of all).

    `ending` is "" while it goes on, then "finished", "stopped" or "failed"; with it come the
    `figures` that the metric's benchmark reports beside the mean, in words.
    """

    cases: str
    verdicts: tuple[CaseVerdict, ...]
    scored: int
    not_scored: int
    mean: float | None
    ending: str = ""
    problem: str = ""
    remedy: str = ""
    figures: tuple[str, ...] = ()


MetricNotice = ScoringMoved | ScoringEnded | MetricTried | CasesGraded
