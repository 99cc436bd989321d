"""The store as its only writer sees it (in the engine process)."""

import contextlib
import sqlite3
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Future
from pathlib import Path
from types import TracebackType
from typing import Self

import msgspec

from studio.engine.errors import StoreError
from studio.engine.events import Event, TrialEnded
from studio.engine.records import Criteria, Finding, Query, RunPlan, Score
from studio.engine.server_facts import ServerFacts
from studio.engine.store import opening, resume
from studio.engine.store.batch import Batch
from studio.engine.store.chunks import encode
from studio.engine.store.committer import Committer
from studio.engine.store.faults import told
from studio.engine.store.operations import (
    Judged,
    NewRun,
    NewTrial,
    Rejudged,
    RunClosed,
    ServersSet,
)
from studio.engine.store.opinions import judged
from studio.engine.store.reader import PLAN


class Store:
    """Takes runs, trials, events and scores; writes them in groups, each synced to the disk.

    Every method may be called from any thread and returns at once; what it was given is on disk
    a quarter of a second later at the latest, and for sure when a future of `committed` says so.
    When the disk refuses, nothing is dropped: what waits is kept and written as soon as that works
    again, `on_failure` is told once (in the writing thread), the futures fail, and when too much
    waits, the methods raise StoreError.
    """

    @classmethod
    def open(
        cls, place: Path, on_failure: Callable[[StoreError], None] = lambda _failure: None
    ) -> Self:
        """Open (or make) the runs of a project folder, or of a `.sqlite` file.

        Trials that a killed engine left running are ended as INTERRUPTED.  Raises StoreError when
        another studio has it open, or it cannot be written, is damaged, foreign or newer.
        """
        path = opening.runs_file(place)
        with contextlib.ExitStack() as undo:
            opening.make_folder(path)
            lock = undo.enter_context(contextlib.closing(opening.lock(path)))
            connection = undo.enter_context(contextlib.closing(opening.open_for_writing(path)))
            with told(path):
                store = cls(path, lock, connection, on_failure)
            undo.pop_all()
            return store

    def __init__(
        self,
        path: Path,
        lock: sqlite3.Connection,
        connection: sqlite3.Connection,
        on_failure: Callable[[StoreError], None],
    ) -> None:
        """Use `open`."""
        self.path = path
        self._lock = lock
        self._connection = connection
        changed = resume.end_interrupted(connection, _highest_change(connection))
        self._runs = {run for (run,) in connection.execute("SELECT id FROM runs")}
        (last,) = connection.execute("SELECT coalesce(max(id), 0) FROM trials").fetchone()
        self._last_run = max(self._runs, default=0)
        self._last_trial: int = last
        self._ids = threading.Lock()
        self._running: set[int] = set()
        self._committer = Committer(Batch(connection, changed), path, on_failure)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()

    @property
    def failure(self) -> StoreError | None:
        """Why nothing can be written at the moment; None while all is well."""
        return self._committer.failure

    @property
    def is_lost(self) -> bool:
        """Whether the file was deleted, moved or replaced: then nothing more can be written."""
        return self._committer.is_lost

    def create_run(
        self, plan: RunPlan, servers: Sequence[ServerFacts], queries: Sequence[Query] = ()
    ) -> int:
        """Record that a run begins; returns its id.

        `queries` are those of the plan in its order, kept as they are now: the run can then be
        continued and scored again whatever becomes of the project's list.
        """
        with self._ids:
            run = self._last_run = self._last_run + 1
        self._committer.put(
            NewRun(
                run=run,
                created=time.time(),
                planned=plan.planned,
                plan=encode(plan).decode(),
                servers=_as_json(servers),
                queries=tuple(queries),
            )
        )
        self._runs.add(run)
        return run

    def set_servers(self, run: int, servers: Sequence[ServerFacts]) -> None:
        """Record which servers a run has now."""
        self._require_run(run)
        self._committer.put(ServersSet(run=run, servers=_as_json(servers)))

    def begin_trial(self, run: int, query: Query, number: int, position: int) -> int:
        """Record that a trial begins; returns its id.

        An earlier trial of the run with this number and position is superseded: it stays in the
        file and out of rows and tallies.
        """
        self._require_run(run)
        with self._ids:
            trial = self._last_trial = self._last_trial + 1
        self._committer.put(
            NewTrial(
                trial=trial, run=run, position=position, number=number,
                query_id=query.id, query=query.text, started=time.time(),
            )
        )  # fmt: skip
        self._running.add(trial)
        return trial

    def append(self, trial: int, event: Event) -> None:
        """Record what happened in a trial; a TrialEnded is the last event that it takes."""
        if trial not in self._running:
            raise ValueError(f"trial {trial} is not running")
        self._committer.put((trial, event))
        if type(event) is TrialEnded:
            self._running.discard(trial)

    def add_scores(
        self,
        trial: int,
        scores: Sequence[Score],
        findings: Sequence[Finding] = (),
        *,
        afresh: bool = False,
    ) -> None:
        """Record what is thought of a trial.

        A score replaces the earlier one of its metric, the findings replace all earlier ones; with
        `afresh`, scores of all other metrics are dropped too.
        """
        self.add_judged(judged(trial, scores, findings, afresh=afresh))

    def add_judged(self, judged: Judged) -> None:
        """Record what is thought of a trial, as `opinions.judged` says it."""
        if not 0 < judged.trial <= self._last_trial:
            raise ValueError(f"there is no trial {judged.trial}")
        self._committer.put(judged)

    def judge_by(self, run: int, criteria: Criteria) -> None:
        """Record by what a run is judged from now on; its trials' scores are added apart."""
        self._require_run(run)
        self._committer.put(Rejudged(run=run, criteria=encode(criteria).decode()))

    def end_run(self, run: int, ending: str) -> None:
        """Record how a run ended: "finished", "stopped" or "failed"."""
        self._require_run(run)
        self._committer.put(RunClosed(run=run, ended=time.time(), ending=ending))

    def resume_run(self, run: int) -> None:
        """Record that a run that ended goes on."""
        self._require_run(run)
        self._committer.put(RunClosed(run=run, ended=None, ending=None))

    def committed(self) -> Future[None]:
        """Resolved as soon as all that was recorded before is on disk, fails if that failed."""
        return self._committer.committed()

    def missing(self, run: int) -> list[tuple[str, int, int]]:
        """What continuing the run has to do: (query id, number, position) of each trial.

        These are the planned trials that never ended, were cancelled, skipped or interrupted, or
        failed by the server's fault.
        """
        self._require_run(run)
        with self._settled() as connection:
            (plan,) = connection.execute(PLAN, (run,)).fetchone()
            return resume.missing(connection, run, msgspec.json.decode(plan, type=RunPlan))

    def unscored(self, run: int, metrics: Sequence[str]) -> list[int]:
        """The ended trials of a run that lack a score of one of these metrics (by their keys)."""
        with self._settled() as connection:
            return resume.unscored(connection, run, metrics)

    def close(self) -> None:
        """Write what waits and let go of the file.

        Raises StoreError if something could not be written; the file is let go all the same.
        """
        try:
            self._committer.close()
        finally:
            with contextlib.suppress(sqlite3.Error):
                # An empty log says that the file was closed cleanly, also while others read it.
                self._connection.execute("PRAGMA wal_checkpoint (TRUNCATE)")
            self._connection.close()
            self._lock.close()

    def _require_run(self, run: int) -> None:
        if run not in self._runs:
            raise ValueError(f"there is no run {run}")

    @contextlib.contextmanager
    def _settled(self) -> Iterator[sqlite3.Connection]:
        """A reading connection that sees all that was recorded so far."""
        self.committed().result()
        connection = opening.open_for_reading(self.path)
        assert connection is not None, "the writer has it open"
        with contextlib.closing(connection), told(self.path):
            yield connection


def _highest_change(connection: sqlite3.Connection) -> int:
    (changed,) = connection.execute(
        """SELECT coalesce(max((SELECT max(changed) FROM trials
                                WHERE run = runs.id AND superseded = 0)), 0) FROM runs"""
    ).fetchone()
    return int(changed)


def _as_json(servers: Sequence[ServerFacts]) -> tuple[str, ...]:
    return tuple(encode(each).decode() for each in servers)
