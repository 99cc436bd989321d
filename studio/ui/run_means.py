"""The means of stored runs, worked out a slice at a time, so that no run is too long to list."""

from collections import deque
from collections.abc import Sequence
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, QTimer, Signal

from studio.engine.analysis.judged import Counts, ScoredBy, Versions, scored_by
from studio.engine.analysis.noise import Noise, Pairs
from studio.engine.analysis.summary import Running, Summary
from studio.engine.errors import StoreError
from studio.engine.metrics import Metric
from studio.engine.store.rows import RunRow, TrialRow
from studio.ui.models.measures import metrics_of
from studio.ui.slices import Slice

if TYPE_CHECKING:
    from studio.engine.store.reader import RunReader

_AT_FIRST, _MOST = 30, 200
"""Rows that are read and added up at a time."""
Means = tuple[tuple[str, Summary], ...]


class RunMeans(QObject):
    """Reads the runs asked for one after the other.  An ended run is read once."""

    found = Signal(int)
    """The means of this run are known."""

    def __init__(self, parent: QObject) -> None:
        super().__init__(parent)
        self._reader: RunReader | None = None
        self._known: dict[int, Means] = {}
        self._final: set[int] = set()
        self._waiting: deque[RunRow] = deque()
        self._own = ""
        self._counts: dict[int, tuple[Sequence[Metric], Counts]] = {}
        self._versions: dict[int, tuple[ScoredBy, ...]] = {}
        self._metrics: Sequence[Metric] = ()
        self._counting = Versions()
        self._sums: dict[str, tuple[str, Running]] = {}
        self._pairs: dict[tuple[int, int], Pairs] = {}
        self._sides: list[tuple[Pairs, int]] = []
        self._seen = 0
        self._slice = Slice(_AT_FIRST, _MOST)
        self._next = QTimer(self, interval=0, singleShot=True)
        self._next.timeout.connect(self._read)

    def of(self, run: int) -> Means:
        """Label and summary of each metric; empty until `found`."""
        return self._known.get(run, ())

    def versions(self, run: int) -> tuple[ScoredBy, ...]:
        """Which versions of its metrics scored it; empty until `found`."""
        return self._versions.get(run, ())

    def noise(self, run: int) -> tuple[tuple[str, Noise], ...]:
        """How far a run is from the one that it repeats, by label; empty until both were read."""
        waiting = {each.id for each in self._waiting}
        for both, pairs in self._pairs.items():
            if both[1] == run and waiting.isdisjoint(both):
                metrics, _counts = self._counts[run]
                return tuple((each.label, pairs.noise(each.key)) for each in metrics)
        return ()

    def ask(self, reader: "RunReader | None", runs: list[RunRow], own: str = "") -> None:
        """Find the means of these runs in place of those asked for before.

        `own` is the digest of the project's `metrics.py` as it is now.
        """
        if reader is not self._reader:
            self._reader, self._known, self._final = reader, {}, set()
            self._counts, self._versions, self._pairs = {}, {}, {}
        if own != self._own:
            self._own = own
            self._versions = {run: scored_by(*known, own) for run, known in self._counts.items()}
        self._final -= {run.id for run in runs if run.ending is None}
        self._pair(runs)
        self._waiting = deque(run for run in runs if run.id not in self._final)
        self._begin()

    def _pair(self, runs: list[RunRow]) -> None:
        """Read both runs of a pair, once more if need be."""
        asked = {run.id for run in runs}
        for run in runs:
            both = (run.plan.repeats or 0, run.id)
            if both not in self._pairs and asked.issuperset(both):
                self._pairs[both] = Pairs()
                self._final -= {*both}

    def forget(self, run: int) -> None:
        """The run is judged otherwise by now: find its means again when asked for."""
        self._final.discard(run)

    def _begin(self) -> None:
        self._seen = 0
        if not self._waiting:
            self._next.stop()
            return
        self._metrics = metrics_of(self._waiting[0].criteria)
        self._sums = {each.key: (each.label, Running(each.scale)) for each in self._metrics}
        self._counting = Versions()
        run = self._waiting[0].id
        self._sides = [
            (pairs, both.index(run)) for both, pairs in self._pairs.items() if run in both
        ]
        for pairs, side in self._sides:
            pairs.restart(side)
        self._next.start()

    def _read(self) -> None:
        if self._reader is None or not self._waiting:
            return
        run, size = self._waiting[0], self._slice.size
        self._slice.begin()
        try:
            rows = self._reader.changed_trials(run.id, self._seen, size)
        except StoreError:
            # The session tells of a store that cannot be read; a list without means is enough here.
            self._waiting.clear()
            self._pairs.clear()
            return
        self._counting.take(rows)
        for row in rows:
            self._add(row)
            self._seen = row.changed
        self._slice.end(len(rows))
        if len(rows) < size:
            self._finish(run)
        else:
            self._next.start()

    def _add(self, row: TrialRow) -> None:
        for pairs, side in self._sides:
            pairs.take(side, row)
        for score in row.scores:
            if score.metric in self._sums:
                self._sums[score.metric][1].add(
                    score.value, row.query_id, is_excused=row.is_excused
                )

    def _finish(self, run: RunRow) -> None:
        self._known[run.id] = tuple(
            (label, running.summary(run.plan.planned)) for label, running in self._sums.values()
        )
        self._counts[run.id] = counted = self._metrics, self._counting.counts
        self._versions[run.id] = scored_by(*counted, self._own)
        if run.ending is not None:
            self._final.add(run.id)
        self._waiting.popleft()
        self.found.emit(run.id)
        self._begin()
