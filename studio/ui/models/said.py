"""What the trials of a run said of themselves, and what became of it; kept current."""

from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from typing import Generic, Protocol, TypeVar

from studio.engine.analysis.calibration import (
    Calibrating,
    Calibration,
    Claiming,
    Claims,
    Told,
    agreement,
    told_in,
)
from studio.engine.analysis.passing import Rule
from studio.engine.analysis.summary import SHARE, Running, Summary
from studio.engine.outcomes import Outcome
from studio.engine.records import MetricSpec
from studio.engine.store.rows import TrialRow
from studio.ui.models.measures import Measure
from studio.ui.models.verdicts import Place

CONFIDENCE, CLAIM = "stated_confidence", "claimed_success"
"""The metrics that read an answer for what it says of itself."""


class Said:
    """Confidence, claims of success and answers of the trials of one run.

    `confidence` and `claim` are the keys of the metrics that read them; None where the run has no
    such metric.
    """

    def __init__(
        self,
        rules: Sequence[Rule] = (),
        confidence: str | None = None,
        claim: str | None = None,
        planned: int = 0,
        queries: int = 0,
    ) -> None:
        self._confident = _Tellings(confidence, rules, Calibrating)
        self._claiming = _Tellings(claim, rules, Claiming)
        self._planned, self._queries = planned, queries
        self._answers: dict[int, dict[int, str | None]] = {}
        self._shares: dict[int, float | None] = {}

    def update(self, rows: Sequence[TrialRow]) -> None:
        """Take in new rows, each in place of the one before it."""
        self._confident.update(rows)
        self._claiming.update(rows)
        changed = set()
        for row in rows:
            if row.outcome is not None and not row.is_excused:
                given = row.answer if row.outcome is Outcome.FINISHED else None
                self._answers.setdefault(row.position, {})[row.number] = given
                changed.add(row.position)
        for position in changed:
            answers = list(self._answers[position].values())
            self._shares[position] = agreement(answers).share

    def calibration(self) -> Calibration | None:
        running = self._confident.running
        return None if running is None else running.calibration(self._planned)

    def claims(self) -> Claims | None:
        running = self._claiming.running
        return None if running is None else running.claims(self._planned)

    def agreement(self) -> Summary:
        """The mean over queries of how far the answers of their trials agree.

        A trial that was not the agent's doing gave no answer of its own.
        """
        running = Running(SHARE)
        for share, times in Counter(self._shares.values()).items():
            if share is not None:
                running.add_groups([share], times)
        return running.summary(self._queries)


class _Growing(Protocol):
    def add(self, told: Told) -> None: ...


G = TypeVar("G", bound=_Growing)


class _Tellings(Generic[G]):
    """What one metric read of each trial; `running` has taken all of it in, None without one."""

    def __init__(self, metric: str | None, rules: Sequence[Rule], make: Callable[[], G]) -> None:
        self._metric, self._rules, self._make = metric, tuple(rules), make
        self._taken: dict[Place, Told] = {}
        self.running = make() if metric is not None else None

    def update(self, rows: Iterable[TrialRow]) -> None:
        """Take in new rows; one that takes the place of a counted one has all counted again."""
        if self._metric is None or self.running is None:
            return
        is_stale = False
        for row in rows:
            place = (row.position, row.number)
            (told,) = told_in((row,), self._metric, self._rules)
            before = self._taken.get(place)
            if told == before or (before is None and not _is_whole(told)):
                continue
            self._taken[place] = told
            is_stale = is_stale or before is not None
            if not is_stale:
                self.running.add(told)
        if is_stale:
            self.running = self._make()
            for told in self._taken.values():
                self.running.add(told)


def key_of(specs: Sequence[MetricSpec], measures: Sequence[Measure], name: str) -> str | None:
    """The key of the first metric of this name; None if the run has none."""
    pairs = zip(specs, measures, strict=True)
    return next((measure.key for spec, measure in pairs if spec.name == name), None)


def _is_whole(told: Told) -> bool:
    return told.said is not None and told.is_right is not None
