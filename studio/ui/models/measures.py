"""What the metrics of a run are called and how their figures are shown."""

import contextlib
from collections.abc import Sequence

import msgspec

from studio.engine.analysis.passing import Rule, rules
from studio.engine.analysis.summary import SHARE, Scale
from studio.engine.errors import StudioError
from studio.engine.metrics import Metric, build
from studio.engine.records import Criteria, MetricSpec, Score
from studio.engine.store.rows import TrialRow


class Measure(msgspec.Struct, frozen=True):
    """A metric as the window shows it.  `is_share`: values go from 0 to 1, and 1 is best.

    `falls`: less is better.
    """

    key: str
    label: str
    unit: str = ""
    about: str = ""
    is_share: bool = True
    scale: Scale = SHARE
    falls: bool = False

    @property
    def is_binary(self) -> bool:
        return self.scale.is_binary


def measures(specs: Sequence[MetricSpec]) -> tuple[Measure, ...]:
    """The metrics of a plan, in order; one that this version does not know keeps its name."""
    known: list[Measure] = []
    for spec in specs:
        try:
            known.append(_known(spec))
        except StudioError:
            about = "This version of the studio does not know this metric."
            known.append(Measure(spec.name, spec.name, about=about))
    return tuple(known)


def _known(spec: MetricSpec) -> Measure:
    metric = build((spec,))[0]
    return Measure(
        key=metric.key,
        label=metric.label,
        unit=metric.unit,
        about=(type(metric).__doc__ or "").strip(),
        is_share=metric.highest == 1.0 and metric.better == "higher",
        scale=Scale(metric.lowest, metric.highest, metric.is_binary, metric.average),
        falls=metric.better == "lower",
    )


def metrics_of(criteria: Criteria) -> list[Metric]:
    """The metrics of a run, but for those that this version does not know."""
    known: list[Metric] = []
    for spec in criteria.metrics:
        with contextlib.suppress(StudioError):
            known += build((spec,))
    return known


def rules_of(criteria: Criteria) -> tuple[Rule, ...]:
    """What a trial has to hold to pass; a metric that is not known asks nothing."""
    return rules(metrics_of(criteria), criteria.passed)


def short_names(labels: Sequence[str]) -> list[str]:
    """Names for narrow columns: as many first words of each label as tell it from the others."""
    return [_short(label, [other for other in labels if other != label]) for label in labels]


def _short(label: str, others: Sequence[str]) -> str:
    words = label.split()
    for length in range(1, len(words)):
        short = " ".join(words[:length])
        if not any(f"{other} ".startswith(f"{short} ") for other in others):
            return short
    return label


def score_of(trial: TrialRow, key: str) -> Score | None:
    """The trial's score by this metric; None while there is none."""
    return next((score for score in trial.scores if score.metric == key), None)


def value_of(trial: TrialRow, key: str) -> float | None:
    found = score_of(trial, key)
    return None if found is None else found.value
