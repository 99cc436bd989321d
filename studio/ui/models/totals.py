"""The summary of each metric over the trials of a run, kept current as they come in."""

from collections.abc import Iterable, Sequence
from typing import NamedTuple

from studio.engine.analysis.reasons import Reasons, Unscored
from studio.engine.analysis.summary import Running, Summary
from studio.engine.store.rows import TrialRow
from studio.ui.models.measures import Measure

Place = tuple[int, int]


class Total(NamedTuple):
    """One metric over the trials of a run, and why it gave some no value."""

    measure: Measure
    summary: Summary
    unscored: tuple[Unscored, ...] = ()


class Totals:
    """One running summary a metric.  A trial counts once it has a score, valued or not."""

    def __init__(self, measures: Sequence[Measure], planned: int) -> None:
        self.measures = tuple(measures)
        self._planned = planned
        self._taken: dict[Place, TrialRow] = {}
        self._running = {measure.key: Running(measure.scale) for measure in measures}
        self._reasons = {measure.key: Reasons() for measure in measures}

    def update(self, rows: Iterable[TrialRow]) -> None:
        """Take in new rows; the scores of a row that is replaced are taken back."""
        for row in rows:
            place = (row.position, row.number)
            before = self._taken.get(place)
            if before is not None and before.scores == row.scores:
                continue
            if before is not None:
                self._take_back(before)
            if row.scores:
                self._taken[place] = row
                self._add(row)
            else:
                self._taken.pop(place, None)

    def summaries(self) -> list[Total]:
        return [
            Total(
                measure,
                self._running[measure.key].summary(self._planned),
                self._reasons[measure.key].most_frequent(),
            )
            for measure in self.measures
        ]

    def _add(self, row: TrialRow) -> None:
        for score in row.scores:
            running = self._running.get(score.metric)
            if running is not None:
                # Trials of one query are no independent evidence.
                running.add(score.value, row.position, is_excused=row.is_excused)
                self._reasons[score.metric].add(score, is_excused=row.is_excused)

    def _take_back(self, row: TrialRow) -> None:
        for score in row.scores:
            if (running := self._running.get(score.metric)) is not None:
                running.remove(score.value, row.position, is_excused=row.is_excused)
                self._reasons[score.metric].remove(score, is_excused=row.is_excused)
