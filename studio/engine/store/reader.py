"""Reads runs: what the window, the command line and exports see of the store.

Every call is one short transaction of indexed reads, fit for the GUI thread.  Light to import.
"""

import contextlib
import json
import sqlite3
from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, Protocol

import msgspec

from studio.engine.events import Event
from studio.engine.outcomes import FailureClass
from studio.engine.records import Query, RunPlan, Tally
from studio.engine.server_facts import ServerFacts
from studio.engine.store.chunks import unpack, unpack_queries
from studio.engine.store.faults import told
from studio.engine.store.opening import identity, open_for_reading, runs_file
from studio.engine.store.rows import AGENTS_OWN, COUNTING, RunRow, TrialRow

_COUNTS = ("planned", "done", "failed", "skipped", "cancelled", "invalid")
_RUN = f"SELECT id, created, ended, ending, {', '.join(_COUNTS)} FROM runs"
RUNS = f"{_RUN} WHERE id < ? ORDER BY id DESC LIMIT ?"
RUN = f"{_RUN} WHERE id = ?"
TALLY = f"SELECT {', '.join(_COUNTS)} FROM runs WHERE id = ?"
PLAN = "SELECT plan FROM plans WHERE run = ?"
SERVERS = "SELECT facts FROM servers WHERE run = ? ORDER BY place"
CRITERIA = "SELECT body, changed FROM criteria WHERE run = ?"
BEHIND = f"""SELECT id FROM trials
             WHERE run = ? AND superseded = 0 AND changed <= ? AND outcome IN ({COUNTING})
             LIMIT 1"""
LOST = f"""SELECT count(*) FROM trials
           WHERE run = ? AND superseded = 0 AND failure = '{FailureClass.SERVER.value}'
           AND outcome IN ({COUNTING})"""
QUERY = "SELECT first, body FROM queries WHERE run = ? AND first <= ? ORDER BY first DESC LIMIT 1"
QUERIES = "SELECT body FROM queries WHERE run = ? ORDER BY first"
_COLUMNS = (
    "id", "run", "query_id", "query", "number", "position", "changed", "started", "outcome",
    "failure", "answer", "seconds", "steps", "prompt_tokens", "reply_tokens", "reason", "marks",
    "server",
)  # fmt: skip
_SCORE = ("metric", "version", "value", "reason", "evidence")
_FINDING = ("mode", "reason", "event")
_TRIAL = (
    f"SELECT {', '.join(_COLUMNS[:-3])}, coalesce(reason, ''), coalesce(marks, '[]'), "
    "coalesce(server, '') FROM trials"
)
TRIAL = f"{_TRIAL} WHERE id = ?"
CHANGED = f"{_TRIAL} WHERE run = ? AND superseded = 0 AND changed > ? ORDER BY changed LIMIT ?"
SCORES = f"""SELECT trial, {", ".join(_SCORE)} FROM scores
            WHERE trial IN (SELECT value FROM json_each(?)) ORDER BY trial, metric"""
FINDINGS = f"""SELECT trial, {", ".join(_FINDING)} FROM findings
            WHERE trial IN (SELECT value FROM json_each(?)) ORDER BY trial, place"""
VERSIONS = f"""SELECT metric, version FROM trials JOIN scores ON scores.trial = trials.id
               WHERE run = ? AND superseded = 0 AND outcome IN ({COUNTING})
               AND (failure IS NULL OR failure IN ({AGENTS_OWN}))"""
RUN_OF_TRIAL = "SELECT run FROM trials WHERE id = ?"
DICTIONARY = "SELECT body FROM dictionaries WHERE run = ?"
CHUNKS = """SELECT first, body FROM chunks WHERE trial = ?1 AND first < ?3 AND first >= coalesce(
                (SELECT max(first) FROM chunks WHERE trial = ?1 AND first <= ?2), 0
            ) ORDER BY first"""
COUNT = "SELECT first + count FROM chunks WHERE trial = ? ORDER BY first DESC LIMIT 1"

_MAX_ID = 2**63 - 1
_Row = tuple[Any, ...]


class _Query(Protocol):
    """Runs a statement and returns all its rows."""

    def __call__(self, sql: str, /, *values: object) -> Sequence[_Row]: ...


class RunReader:
    """The runs of a project folder (or of a `.sqlite` file), read-only.

    The file need not exist yet: then there are no runs; it is found when it appears.  Every call
    may raise StoreError.  To be used and closed in the thread that made it.
    """

    def __init__(self, place: Path) -> None:
        self._path = runs_file(place)
        self._connection: sqlite3.Connection | None = None
        self._identity: tuple[int, int] | None = None
        self._plans: dict[int, RunPlan] = {}
        self._dictionaries: dict[int, bytes] = {}

    def runs(self, limit: int = 1_000, before: int = _MAX_ID) -> list[RunRow]:
        """The newest runs first: `limit` of those with an id below `before`."""
        with self._reading() as query:
            return [self._run_row(query, row) for row in query(RUNS, before, limit)]

    def run(self, run: int) -> RunRow | None:
        """The run with this id, which may be any number that a person wrote."""
        if not 0 < run <= _MAX_ID:
            return None
        with self._reading() as query:
            rows = [self._run_row(query, row) for row in query(RUN, run)]
        return rows[0] if rows else None

    def query(self, run: int, position: int) -> Query | None:
        """The query at this place of a run's plan, as it stood when the run began."""
        with self._reading() as query:
            for first, body in query(QUERY, run, position):
                return next(iter(unpack_queries(body)[position - first :]), None)
        return None

    def queries(self, run: int) -> list[Query]:
        """All queries of a run in the order of its plan (many, perhaps: not for the window)."""
        with self._reading() as query:
            return [item for (body,) in query(QUERIES, run) for item in unpack_queries(body)]

    def tally(self, run: int) -> Tally:
        """How far a run is; nothing planned if there is no such run."""
        with self._reading() as query:
            for counts in query(TALLY, run):
                return msgspec.convert(_tally(counts), Tally)
        return Tally(planned=0)

    def versions(self, run: int) -> Counter[tuple[str, str]]:
        """How many trials each (metric, version) scored, the excused aside (not for the window)."""
        with self._reading() as query:
            return Counter((metric, version) for metric, version in query(VERSIONS, run))

    def changed_trials(self, run: int, after: int = 0, limit: int = 500) -> list[TrialRow]:
        """The trials whose `changed` is above `after`, in its order, with their scores.

        Fewer than `limit` means that there are no more for now.
        """
        with self._reading() as query:
            return self._trial_rows(query, query(CHANGED, run, after, limit))

    def trials(self, run: int) -> Iterator[TrialRow]:
        """All trials of a run in the order in which they changed (many, perhaps), each once.

        They are as they were when the first was read, whatever is written meanwhile; so is all
        else that is read before the last.
        """
        after = 0
        with self._reading():
            while rows := self.changed_trials(run, after):
                yield from rows
                after = rows[-1].changed

    def trial(self, trial: int) -> TrialRow | None:
        with self._reading() as query:
            rows = self._trial_rows(query, query(TRIAL, trial))
        return rows[0] if rows else None

    def event_count(self, trial: int) -> int:
        with self._reading() as query:
            rows = query(COUNT, trial)
        return int(rows[0][0]) if rows else 0

    def events(self, trial: int, first: int = 0, limit: int | None = None) -> list[Event]:
        """The events of a trial from place `first` (counted from 0) on, `limit` at most."""
        end = _MAX_ID if limit is None else first + limit
        found: list[Event] = []
        with self._reading() as query:
            for (run,) in query(RUN_OF_TRIAL, trial):
                dictionary = self._dictionary(query, run)
                for start, body in query(CHUNKS, trial, first, end):
                    found += unpack(body, dictionary)[max(0, first - start) : end - start]
        return found

    def close(self) -> None:
        if self._connection is not None:
            self._connection.close()
        self._connection = None
        self._identity = None
        self._plans.clear()
        self._dictionaries.clear()

    @contextlib.contextmanager
    def _reading(self) -> Iterator[_Query]:
        """One consistent view of the file, for as long as the block lasts."""
        with told(self._path):
            connection = self._connected()
            if connection is None:
                yield lambda _sql, *_values: []
                return
            if connection.in_transaction:  # a view within a view: the outer one
                yield lambda sql, *values: connection.execute(sql, values).fetchall()
                return
            connection.execute("BEGIN")
            try:
                yield lambda sql, *values: connection.execute(sql, values).fetchall()
            finally:
                if connection.in_transaction:
                    connection.execute("ROLLBACK")

    def _connected(self) -> sqlite3.Connection | None:
        """The connection to the file that is there now: it may have come, gone or been replaced."""
        there = identity(self._path)
        if there != self._identity:
            self.close()
        if self._connection is None and there is not None:
            self._connection = open_for_reading(self._path)
            self._identity = there if self._connection else None
        return self._connection

    def _run_row(self, query: _Query, row: _Row) -> RunRow:
        run, created, ended, ending, *counts = row
        if run not in self._plans:
            # A plan never changes, and may be long.
            ((plan,),) = query(PLAN, run)
            self._plans[run] = msgspec.json.decode(plan, type=RunPlan)
        servers = [msgspec.json.decode(facts, type=ServerFacts) for (facts,) in query(SERVERS, run)]
        ((lost,),) = query(LOST, run)
        fields = {"id": run, "created": created, "ended": ended, "ending": ending, "lost": lost}
        for criteria, changed in query(CRITERIA, run):
            fields["rejudged"] = msgspec.json.decode(criteria)
            fields["is_half_judged"] = bool(query(BEHIND, run, changed))
        return msgspec.convert(
            {**fields, "plan": self._plans[run], "servers": servers, "tally": _tally(counts)},
            RunRow,
        )

    def _trial_rows(self, query: _Query, rows: Sequence[_Row]) -> list[TrialRow]:
        wanted = json.dumps([row[0] for row in rows])
        scores: dict[int, list[dict[str, Any]]] = {}
        for trial, *score in query(SCORES, wanted):
            scores.setdefault(trial, []).append(_score(score))
        findings: dict[int, list[dict[str, Any]]] = {}
        for trial, *finding in query(FINDINGS, wanted):
            findings.setdefault(trial, []).append(dict(zip(_FINDING, finding, strict=True)))
        return [_trial_row(row, scores.get(row[0], []), findings.get(row[0], [])) for row in rows]

    def _dictionary(self, query: _Query, run: int) -> bytes:
        if run not in self._dictionaries:
            self._dictionaries.update((run, body) for (body,) in query(DICTIONARY, run))
        return self._dictionaries.get(run, b"")


def _tally(counts: Sequence[Any]) -> dict[str, Any]:
    return dict(zip(_COUNTS, counts, strict=True))


def _score(row: Sequence[Any]) -> dict[str, Any]:
    fields = dict(zip(_SCORE, row, strict=True))
    written = fields.pop("evidence")
    return fields if written is None else {**fields, "evidence": msgspec.json.decode(written)}


def _trial_row(
    row: _Row, scores: Sequence[dict[str, Any]], findings: Sequence[dict[str, Any]]
) -> TrialRow:
    fields: dict[str, Any] = dict(zip(_COLUMNS, row, strict=True))
    fields["scores"] = scores
    fields["findings"] = findings
    fields["marks"] = msgspec.json.decode(fields["marks"])
    return msgspec.convert(fields, TrialRow)
