"""By what a run was judged: its criteria, and the versions of the metrics that scored its trials.

A metric that has changed since may give the same trial another value.  So a figure over trials
that two versions scored mixes two graders, and two runs that two versions scored are compared by
two.  Both can be put right by scoring again, which runs nothing.
"""

from collections import Counter
from collections.abc import Iterable, Sequence
from functools import lru_cache
from typing import NamedTuple

import msgspec

from studio.engine.errors import StudioError
from studio.engine.metrics import CATALOGUE, Metric, build
from studio.engine.metrics.own.metric import Own
from studio.engine.records import Criteria, MetricSpec, Record
from studio.engine.store.rows import COUNTS, TrialRow

_FEW = 4
_LONG = 60
_Place = tuple[int, int]
Stamp = tuple[tuple[str, str], ...]
"""(metric, version) of each score of a trial."""
Counts = Counter[Stamp]


class ScoredBy(Record, frozen=True):
    """How many trials each version of a metric scored, the present version last.

    `now` is that version; "" where there is none, such as of a function that is gone.  Trials that
    no version could score, since it was not the agent's doing, are not counted.
    """

    metric: str
    label: str
    now: str
    trials: tuple[tuple[str, int], ...] = ()

    @property
    def has_changed(self) -> bool:
        """Whether another version than the present one scored any of them."""
        return bool(self.now) and any(version != self.now for version, _ in self.trials)

    @property
    def is_mixed(self) -> bool:
        return len(self.trials) > 1


class Versions:
    """Counts by which versions the trials of a run were scored, as rows come in, or come again."""

    def __init__(self, rows: Iterable[TrialRow] = ()) -> None:
        self.counts: Counts = Counter()
        self._known: dict[Stamp, Stamp] = {}
        self._stamps: dict[_Place, Stamp] = {}
        self.take(rows)

    def take(self, rows: Iterable[TrialRow]) -> None:
        """Take in new rows, each in place of the one before it."""
        for row in rows:
            place, stamp = (row.position, row.number), _stamp(row)
            if (before := self._stamps.get(place)) is not None:
                self.counts[before] -= 1
            # A run has few of them, and many trials.
            self._stamps[place] = stamp = self._known.setdefault(stamp, stamp)
            self.counts[stamp] += 1


def scored_by(metrics: Sequence[Metric], counts: Counts, own: str = "") -> tuple[ScoredBy, ...]:
    """By which versions each of the metrics scored the trials of a run.

    `own` is the digest of the project's `metrics.py` as it is now, "" if there is none.
    """
    by_metric: dict[str, Counter[str]] = {}
    for stamp, times in counts.items():
        for metric, version in stamp:
            by_metric.setdefault(metric, Counter())[version] += times
    return tuple(_scored_by(each, by_metric.get(each.key, Counter()), own) for each in metrics)


def _stamp(row: TrialRow) -> Stamp:
    if row.outcome not in COUNTS or row.is_excused:
        return ()
    return tuple((score.metric, score.version) for score in row.scores)


def _scored_by(metric: Metric, counts: Counter[str], own: str) -> ScoredBy:
    now = own if isinstance(metric, Own) else metric.revision
    known = ((version, times) for version, times in counts.items() if times > 0)
    rising = sorted(known, key=lambda each: (each[0] == now, each[0]))
    return ScoredBy(metric.key, metric.label, now, tuple(rising))


def told(scored: Sequence[ScoredBy]) -> str:
    """What there is to say of the versions behind the figures of a run; "" if they are present.

    `1 of 3 metrics has changed since (Steps) · Steps: trials 12 by version 1, 8 by version 2`.
    """
    old = [each for each in scored if each.has_changed]
    parts = []
    if old:
        of = f"{len(scored)} {'metric' if len(scored) == 1 else 'metrics'}"
        has = "has" if len(old) == 1 else "have"
        names = few([each.label for each in old])
        parts.append(f"{len(old)} of {of} {has} changed since ({names})")
    mixed = [_mixture(each) for each in scored if each.is_mixed]
    parts += mixed[:_FEW]
    if len(mixed) > _FEW:
        parts.append(f"{len(mixed) - _FEW} more by several versions")
    return " · ".join(parts)


def _mixture(scored: ScoredBy) -> str:
    versions = (f"{times:,} by version {version}" for version, times in scored.trials)
    return f"{cut(scored.label)}: trials {', '.join(versions)}"


class Judged(NamedTuple):
    """By what a run was judged."""

    criteria: Criteria
    versions: Sequence[ScoredBy]


def apart(ours: Judged, theirs: Judged, only: Iterable[str] | None = None) -> list[str]:
    """Why what differs between two runs may be how they were judged; none if both were alike.

    Of the metrics those with the keys `only` matter, as far as they judged both.
    """
    lines = []
    if other := otherwise(theirs.criteria, ours.criteria):
        lines.append(f"The other run was judged by other criteria: {other}.")
    known = {each.metric: each.trials for each in theirs.versions}
    wanted = known.keys() if only is None else known.keys() & set(only)
    both = (each for each in ours.versions if each.metric in wanted)
    names = [each.label for each in both if len(dict([*each.trials, *known[each.metric]])) > 1]
    if names:
        lines.append(f"Scored by different versions in the two runs: {few(names)}.")
    return lines


def otherwise(criteria: Criteria, than: Criteria) -> str:
    """How some criteria differ from others: `with Steps · without Tokens`; "" if they do not."""
    # The order of thresholds means nothing: a file has one, a form that of its metrics.
    if criteria.metrics == than.metrics and set(criteria.passed) == set(than.passed):
        return ""
    return difference(criteria.metrics, than.metrics) or "other settings or thresholds"


def difference(of: Sequence[MetricSpec], than: Sequence[MetricSpec]) -> str:
    """How one list of metrics differs from another: `with Steps · without Tokens`; "" if not."""
    mine, others = _labels(of), _labels(than)
    more = [label for name, label in mine.items() if name not in others]
    less = [label for name, label in others.items() if name not in mine]
    both = (("with", more), ("without", less))
    parts = [f"{word} {few(labels)}" for word, labels in both if labels]
    if not parts and list(mine) != list(others):
        return "in another order"
    return " · ".join(parts)


def _labels(specs: Sequence[MetricSpec]) -> dict[str, str]:
    """The label of each metric by its key; of one that cannot be built, by its name."""
    return dict(_named(msgspec.json.encode(spec)) for spec in specs)


@lru_cache(maxsize=1000)
def _named(spec: bytes) -> tuple[str, str]:
    """Key and label of a metric, whose spec is given as JSON: asked for with every change shown."""
    asked = msgspec.json.decode(spec, type=MetricSpec)
    try:
        [metric] = build((asked,))
        return metric.key, metric.label
    except StudioError:
        known = CATALOGUE.get(asked.name)
        return asked.name, asked.name if known is None else known.title


def few(names: Sequence[str], between: str = ", ") -> str:
    """The first of many, and how many there are besides."""
    shown = between.join(map(cut, names[:_FEW]))
    return shown if len(names) <= _FEW else f"{shown} and {len(names) - _FEW} more"


def cut(label: str) -> str:
    """Short enough to stand among others: settings may make a label as long as they like."""
    return label if len(label) <= _LONG else f"{label[:_LONG]}…"
