"""Judging the stored trials of a run again: nothing is run, no fact is touched."""

import threading
from collections.abc import Sequence
from contextlib import closing
from pathlib import Path

from studio.engine.errors import RunError
from studio.engine.records import Criteria, Query, Score
from studio.engine.scoring import Scorer
from studio.engine.shared_scoring import SharedScoring, Task
from studio.engine.store.operations import Judged
from studio.engine.store.opinions import judged
from studio.engine.store.reader import RunReader
from studio.engine.store.rows import RunRow
from studio.engine.store.stored_traces import Block, StoredTraces
from studio.engine.store.writer import Store
from studio.engine.trace import Trace

_BLOCK = 64
"""Trials that a process judges at a time."""


class Rescoring:
    """One run that is judged anew by other criteria (or by the same: a metric may have changed).

    The criteria reach the disk no later than the first score.  A trial that is older than they are
    (`RunRow.is_half_judged`) has not been judged by them yet: asking for the same again, or
    continuing the run, judges it.
    """

    def __init__(self, store: Store, run: int, criteria: Criteria, scorer: Scorer) -> None:
        self.planned = 0
        self.done = 0
        """How many trials' scores were handed to the store."""
        self._counting = threading.Lock()
        self._store = store
        self._run = run
        self._criteria = criteria
        self._scorer = scorer

    def work(self, stopped: threading.Event) -> str:
        """Judge every trial whose end stands; returns "finished" or "stopped".  In any thread.

        Raises RunError if there is no such run, StoreError if it cannot be read or written.
        """
        # What was thought of these trials before lies in an earlier commit than the new criteria.
        self._store.committed().result()
        with closing(StoredTraces(self._store.path, self._run)) as stored:
            self.planned = stored.count()
            if stopped.is_set():
                return "stopped"
            self._store.judge_by(self._run, self._criteria)
            task = Task(str(self._store.path.absolute()), self._run, self._criteria)
            blocks = stored.blocks(_BLOCK)
            # Code of the project is asked by this process alone, in children of its own.
            alone = self._scorer.runs_code
            with SharedScoring(task, blocks, self._take, alone=alone) as shared:
                for block in shared.blocks(stopped):
                    if not self._judge(stored, block, stopped):
                        return "stopped"
                return "finished" if shared.is_done else "stopped"

    def _judge(self, stored: StoredTraces, block: Block, stopped: threading.Event) -> bool:
        """Judge a block here; False if it was stopped before the end of it."""
        for place, trace in stored.trials(block):
            opinion = self._scorer.opinion(stored.query(place.position), trace)
            if stopped.is_set():
                return False
            self._take([judged(place.trial, *opinion, afresh=True)])
        return True

    def _take(self, opinions: Sequence[Judged]) -> None:
        for each in opinions:
            self._store.add_judged(each)
        with self._counting:
            self.done += len(opinions)


def score_the_rest(store: Store, folder: Path, row: RunRow, queries: Sequence[Query]) -> None:
    """Judge the trials whose end reached the disk, but no scores by the run's criteria."""
    with Scorer(row.criteria, folder) as scorer, closing(RunReader(store.path)) as reader:
        for id in store.unscored(row.id, [metric.key for metric in scorer.metrics]):
            trial = reader.trial(id)
            assert trial is not None, "the store named it"
            trace = Trace(reader.events(id))
            opinion = scorer.opinion(queries[trial.position], trace)
            store.add_scores(id, *opinion, afresh=True)


def tried(path: Path, trial: int, scorer: Scorer) -> Score:
    """What the first metric of `scorer` says of a stored trial; nothing is stored.

    Raises RunError if there is no such trial, StoreError if it cannot be read.
    """
    with closing(RunReader(path)) as reader:
        row = reader.trial(trial)
        query = None if row is None else reader.query(row.run, row.position)
        if query is None:
            raise RunError(f"There is no trial {trial} in this project.", "Choose another one.")
        return scorer.opinion(query, Trace(reader.events(trial))).scores[0]
