"""The summary of each metric over the trials of a run, kept current as they come in."""

from collections.abc import Iterable, Sequence

from studio.engine.analysis.summary import Running, Summary
from studio.engine.store.rows import TrialRow
from studio.ui.models.measures import Measure

Place = tuple[int, int]


class Totals:
    """One running summary a metric.  A trial counts once it has a score, valued or not."""

    def __init__(self, measures: Sequence[Measure], planned: int) -> None:
        self.measures = tuple(measures)
        self._planned = planned
        self._taken: dict[Place, TrialRow] = {}
        self._running = self._fresh()

    def update(self, rows: Iterable[TrialRow]) -> None:
        """Take in new rows; a row that replaces a scored one has everything added up again."""
        is_stale = False
        added: list[TrialRow] = []
        for row in rows:
            place = (row.position, row.number)
            before = self._taken.get(place)
            if before is not None and before.scores == row.scores:
                continue
            is_stale = is_stale or before is not None
            if row.scores:
                self._taken[place] = row
                added.append(row)
            else:
                self._taken.pop(place, None)
        if is_stale:
            self._running = self._fresh()
            added = list(self._taken.values())
        for row in added:
            self._add(row)

    def summaries(self) -> list[tuple[Measure, Summary]]:
        return [
            (measure, self._running[measure.key].summary(self._planned))
            for measure in self.measures
        ]

    def _fresh(self) -> dict[str, Running]:
        return {measure.key: Running(measure.scale) for measure in self.measures}

    def _add(self, row: TrialRow) -> None:
        for score in row.scores:
            running = self._running.get(score.metric)
            if running is not None:
                # Trials of one query are no independent evidence.
                running.add(score.value, row.position, is_excused=row.is_excused)
