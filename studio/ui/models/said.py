"""What the trials of a run said of themselves, and what became of it; kept current."""

from collections import Counter
from collections.abc import Iterable, Sequence

from studio.engine.analysis.calibration import (
    Calibration,
    Claims,
    Told,
    agreement,
    calibration,
    claimed_success,
    told_in,
)
from studio.engine.analysis.passing import Rule
from studio.engine.analysis.summary import SHARE, Running, Summary
from studio.engine.records import MetricSpec, Outcome
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
        self._rules = tuple(rules)
        self.confidence, self.claim = confidence, claim
        self._planned, self._queries = planned, queries
        self._confident: dict[Place, Told] = {}
        self._claiming: dict[Place, Told] = {}
        self._answers: dict[int, dict[int, str | None]] = {}
        self._shares: dict[int, float | None] = {}

    def update(self, rows: Iterable[TrialRow]) -> None:
        """Take in new rows, each in place of the one before it."""
        changed = set()
        for row in rows:
            place = (row.position, row.number)
            for key, kept in ((self.confidence, self._confident), (self.claim, self._claiming)):
                kept.pop(place, None)
                if key is not None:
                    kept[place] = told_in((row,), key, self._rules)[0]
            if row.outcome is not None and not row.is_excused:
                given = row.answer if row.outcome is Outcome.FINISHED else None
                self._answers.setdefault(row.position, {})[row.number] = given
                changed.add(row.position)
        for position in changed:
            answers = list(self._answers[position].values())
            self._shares[position] = agreement(answers).share

    def calibration(self) -> Calibration | None:
        if self.confidence is None:
            return None
        return calibration(self._confident.values(), planned=self._planned)

    def claims(self) -> Claims | None:
        if self.claim is None:
            return None
        return claimed_success(self._claiming.values(), self._planned)

    def agreement(self) -> Summary:
        """The mean over queries of how far the answers of their trials agree.

        A trial that was not the agent's doing gave no answer of its own.
        """
        running = Running(SHARE)
        for share, times in Counter(self._shares.values()).items():
            if share is not None:
                running.add_groups([share], times)
        return running.summary(self._queries)


def key_of(specs: Sequence[MetricSpec], measures: Sequence[Measure], name: str) -> str | None:
    """The key of the first metric of this name; None if the run has none."""
    pairs = zip(specs, measures, strict=True)
    return next((measure.key for spec, measure in pairs if spec.name == name), None)
