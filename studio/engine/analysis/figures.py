"""All figures of a run, from its row and the rows of its trials: the one way to come by them.

A live run and a stored one are the same here.  What a figure means, its estimator, its interval
and what is left out of it stands on the help page `figures.md`.
"""

from collections.abc import Iterable, Sequence

from studio.engine import metrics
from studio.engine.analysis import passing
from studio.engine.analysis.benchmark_figures import Figure, benchmark_figures
from studio.engine.analysis.calibration import (
    Calibration,
    Claims,
    calibration,
    claimed_success,
    mean_agreement,
    told_in,
)
from studio.engine.analysis.failures import Counts, failures
from studio.engine.analysis.judged import ScoredBy, Versions, scored_by
from studio.engine.analysis.pareto import FailureMap, failure_map
from studio.engine.analysis.reasons import Reasons, Unscored
from studio.engine.analysis.reliability import Reliability, reliability
from studio.engine.analysis.spread import Spread, rounds
from studio.engine.analysis.summary import VERDICT, Running, Scale, Summary
from studio.engine.metrics import Metric
from studio.engine.metrics.confidence import ClaimedSuccess, StatedConfidence
from studio.engine.outcomes import Outcome
from studio.engine.records import Record, Tally
from studio.engine.store.rows import RunRow, TrialRow


class Measured(Record, frozen=True):
    """One metric over the trials of a run; `unit` and `highest` say how to show its values.

    `falls` says that less is better.  `unscored` are the reasons why trials that are the agent's
    own doing have no value, the most frequent first.
    """

    metric: str
    label: str
    summary: Summary
    unit: str = ""
    highest: float | None = None
    falls: bool = False
    unscored: tuple[Unscored, ...] = ()


class Calibrated(Record, frozen=True):
    """How well one measure of confidence tells which trials passed."""

    metric: str
    label: str
    calibration: Calibration


class Claimed(Record, frozen=True):
    """What one measure of claimed success is worth."""

    metric: str
    label: str
    claims: Claims


class Benchmarked(Record, frozen=True):
    """The figures that the benchmark of one metric reports."""

    metric: str
    label: str
    figures: tuple[Figure, ...]


class RunFigures(Record, frozen=True):
    """Every figure of a run.

    `rules` decide what a trial has to hold to pass; without any nothing can be said of passing.
    `passed` is the share of trials that passed, over trials; `agreement` is how far the answers of
    several trials of one query are the same, None where no query is run twice.  `rounds` is the
    spread of the pass rate between the rounds of trials, `versions` who scored them.
    """

    run: int
    tally: Tally
    rules: tuple[passing.Rule, ...]
    measured: tuple[Measured, ...]
    passed: Summary
    failures: Counts
    reliability: Reliability
    failure_map: FailureMap
    calibrated: tuple[Calibrated, ...] = ()
    claimed: tuple[Claimed, ...] = ()
    benchmarked: tuple[Benchmarked, ...] = ()
    agreement: Summary | None = None
    rounds: Spread = Spread(0)
    versions: tuple[ScoredBy, ...] = ()


def run_figures(
    run: RunRow, trials: Iterable[TrialRow], measuring: Sequence[Metric], own: str = ""
) -> RunFigures:
    """The figures of a run by its criteria; `measuring` are the metrics built from these.

    `own` is the digest of the project's `metrics.py` as it is now, "" if there is none.
    """
    rows = sorted(trials, key=lambda row: (row.position, row.number))
    rules = rules_of(run, measuring)
    return RunFigures(
        run.id,
        run.tally,
        rules,
        tuple(_measured(metric, rows, run.tally.planned) for metric in measuring),
        _passed(rows, rules, run.tally.planned),
        failures(rows),
        reliability(rows, rules, len(run.plan.query_ids)),
        failure_map(rows, rules),
        tuple(_calibrated(rows, rules, measuring, run.tally.planned)),
        tuple(_claimed(rows, rules, measuring, run.tally.planned)),
        tuple(_benchmarked(rows, measuring)),
        _agreement(rows, run),
        rounds(rows, rules),
        scored_by(measuring, Versions(rows).counts, own),
    )


def rules_of(run: RunRow, measuring: Sequence[Metric]) -> tuple[passing.Rule, ...]:
    """What a trial of the run has to hold to pass, by the criteria that it was judged by last."""
    return passing.rules(measuring, run.criteria.passed)


def measure(run: RunRow) -> tuple[Metric, ...]:
    """The metrics that a run was judged by last, but those that are `unknown`."""
    known = [spec for spec in run.criteria.metrics if metrics.check_settings(spec) is None]
    return metrics.build(known)


def unknown(run: RunRow) -> tuple[str, ...]:
    """Why nothing is told of some metrics of a run: another version of the studio had them."""
    found = map(metrics.check_settings, run.criteria.metrics)
    return tuple(problem for problem in found if problem is not None)


def _measured(metric: Metric, rows: Sequence[TrialRow], planned: int) -> Measured:
    values = ((row, _value(row, metric.key)) for row in rows)
    summary = _summary(metric.scale, values, planned)
    falls = metric.better == "lower"
    return Measured(
        metric.key, metric.label, summary, metric.unit, metric.highest, falls,
        _unscored(metric.key, rows),
    )  # fmt: skip


def _unscored(metric: str, rows: Sequence[TrialRow]) -> tuple[Unscored, ...]:
    reasons = Reasons()
    for row in rows:
        for score in row.scores:
            if score.metric == metric:
                reasons.add(score, is_excused=row.is_excused)
    return reasons.most_frequent()


def _passed(rows: Sequence[TrialRow], rules: Sequence[passing.Rule], planned: int) -> Summary:
    verdicts = ((row, passing.passed(rules, row.scores)) for row in rows)
    values = ((row, None if verdict is None else float(verdict)) for row, verdict in verdicts)
    return _summary(VERDICT, values, planned)


def _summary(
    scale: Scale, values: Iterable[tuple[TrialRow, float | None]], planned: int
) -> Summary:
    running = Running(scale)
    for row, value in values:
        if row.outcome is not None:
            running.add(value, row.position, is_excused=row.is_excused)
    return running.summary(planned)


def _value(row: TrialRow, metric: str) -> float | None:
    return next((score.value for score in row.scores if score.metric == metric), None)


def _calibrated(
    rows: Sequence[TrialRow],
    rules: Sequence[passing.Rule],
    measuring: Sequence[Metric],
    planned: int,
) -> Iterable[Calibrated]:
    for metric in measuring:
        if isinstance(metric, StatedConfidence):
            told = told_in(rows, metric.key, rules)
            yield Calibrated(metric.key, metric.label, calibration(told, planned=planned))


def _claimed(
    rows: Sequence[TrialRow],
    rules: Sequence[passing.Rule],
    measuring: Sequence[Metric],
    planned: int,
) -> Iterable[Claimed]:
    for metric in measuring:
        if isinstance(metric, ClaimedSuccess):
            told = told_in(rows, metric.key, rules)
            yield Claimed(metric.key, metric.label, claimed_success(told, planned))


def _benchmarked(rows: Sequence[TrialRow], measuring: Sequence[Metric]) -> Iterable[Benchmarked]:
    for metric in measuring:
        scores = (score for row in rows for score in row.scores if score.metric == metric.key)
        found = benchmark_figures(metric, (score.evidence for score in scores))
        if found:
            yield Benchmarked(metric.key, metric.label, found)


def _agreement(rows: Sequence[TrialRow], run: RunRow) -> Summary | None:
    if run.plan.trials < 2:
        return None
    answers: dict[int, list[str | None]] = {place: [] for place in range(len(run.plan.query_ids))}
    for row in rows:
        if row.outcome is not None and not row.is_excused:
            given = row.answer if row.outcome is Outcome.FINISHED else None
            answers.setdefault(row.position, []).append(given)
    return mean_agreement(list(answers.values()))
