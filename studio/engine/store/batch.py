"""What the next commit writes: operations folded into rows, so that a commit can be tried again."""

import sqlite3

import msgspec

from studio.engine.events import Event, TrialEnded
from studio.engine.outcomes import Outcome
from studio.engine.plain import plain_text
from studio.engine.store.chunks import Chunk, pack_queries
from studio.engine.store.groups import in_groups
from studio.engine.store.operations import (
    Judged,
    NewRun,
    NewTrial,
    Operation,
    Rejudged,
    RunClosed,
    ServersSet,
)
from studio.engine.store.opinions import Opinions
from studio.engine.store.progress import Progress
from studio.engine.store.rows import tallied

MAX_SHOWN = 2_000
"""Characters of a query, answer or reason in a row; the events hold the whole."""

_MAX_INTEGER = 2**63 - 1
_ROW = 100
"""About what a row holds beside its texts, in bytes."""


class _Running(msgspec.Struct):
    run: int
    progress: Progress
    chunk: Chunk


class Batch:
    """Folds operations into rows and writes them in one transaction.

    `add` each operation once, then `write` until it succeeds; more may be added in between.
    """

    def __init__(self, connection: sqlite3.Connection, changed: int) -> None:
        """`changed` is the highest value in the file."""
        self._connection = connection
        self._changed = changed
        self._running: dict[int, _Running] = {}
        self._dictionaries: dict[int, bytes] = {}
        self._clear()

    def _clear(self) -> None:
        self._runs: list[NewRun] = []
        self._trials: list[NewTrial] = []
        self._progress: dict[int, tuple[int, Progress]] = {}
        self._unpacked: dict[int, _Running] = {}
        self._chunks: dict[tuple[int, int], tuple[int, bytes]] = {}
        self._opinions = Opinions()
        self._touched: dict[int, None] = {}
        self._closed: dict[int, RunClosed] = {}
        self._learned: dict[int, bytes] = {}
        self._queries: dict[int, list[tuple[int, bytes]]] = {}
        self._servers: dict[int, tuple[str, ...]] = {}
        self._size = 0

    @property
    def size(self) -> int:
        """About how many bytes wait to be written."""
        return self._size

    @property
    def is_empty(self) -> bool:
        waiting = (self._runs, self._touched, self._closed, self._servers, self._opinions.criteria)
        return not any(waiting)

    def add(self, operation: Operation) -> None:
        match operation:
            case (trial, event):
                self._add_event(trial, event)
            case NewTrial():
                self._begin(operation)
            case Judged():
                self._touched[operation.trial] = None
                self._size += self._opinions.add(operation)
            case Rejudged():
                self._opinions.criteria[operation.run] = operation.criteria
            case NewRun():
                self._runs.append(operation)
                self._dictionaries[operation.run] = b""
                self._queries[operation.run] = pack_queries(operation.queries)
                self._servers[operation.run] = operation.servers
                self._size += _ROW + len(operation.plan)
            case ServersSet():
                self._servers[operation.run] = operation.servers
            case RunClosed():
                self._closed[operation.run] = operation

    def _begin(self, new: NewTrial) -> None:
        self._trials.append(new)
        self._touched[new.trial] = None
        self._size += _ROW + len(new.query)
        self._running[new.trial] = _Running(run=new.run, progress=Progress(), chunk=Chunk())
        if new.run not in self._dictionaries:
            found = self._connection.execute(
                "SELECT body FROM dictionaries WHERE run = ?", (new.run,)
            ).fetchone()
            self._dictionaries[new.run] = found[0] if found else b""

    def _add_event(self, trial: int, event: Event) -> None:
        running = self._running[trial]
        running.progress.add(event)
        running.chunk.add(event)
        self._progress[trial] = (running.run, running.progress)
        self._unpacked[trial] = running
        self._touched[trial] = None
        if isinstance(event, TrialEnded):
            del self._running[trial]
            self._learn(running, event)
        if running.chunk.is_full:
            self._pack(trial, running)
            running.chunk = running.chunk.next()
            del self._unpacked[trial]

    def _learn(self, running: _Running, end: TrialEnded) -> None:
        """Take the first good trace of a run as the dictionary for those that follow."""
        if self._dictionaries[running.run] or end.outcome is not Outcome.FINISHED:
            return
        if dictionary := running.chunk.as_dictionary():
            self._dictionaries[running.run] = self._learned[running.run] = dictionary
            self._size += len(dictionary)

    def _pack(self, trial: int, running: _Running) -> None:
        chunk = running.chunk
        _, before = self._chunks.get((trial, chunk.first), (0, b""))
        body = chunk.body(self._dictionaries[running.run])
        self._chunks[trial, chunk.first] = (len(chunk), body)
        self._size += len(body) - len(before)

    def write(self) -> None:
        """Write and sync all of it or, raising the error, nothing: then it can be tried again."""
        for trial, running in self._unpacked.items():
            self._pack(trial, running)
        self._unpacked.clear()
        self._connection.execute("BEGIN IMMEDIATE")
        try:
            self._write_runs()
            before = self._changed
            self._write_trials()
            self._write_traces()
            self._opinions.write(self._connection, before)
            self._write_counts()
            self._connection.execute("COMMIT")
        except BaseException:
            if self._connection.in_transaction:
                self._connection.execute("ROLLBACK")
            raise
        self._clear()

    def _write_runs(self) -> None:
        write = self._connection.executemany
        write(
            "INSERT INTO runs (id, created, planned) VALUES (?, ?, ?)",
            [(new.run, new.created, new.planned) for new in self._runs],
        )
        write(
            "INSERT INTO plans (run, plan) VALUES (?, ?)",
            [(new.run, new.plan) for new in self._runs],
        )
        write("DELETE FROM servers WHERE run = ?", [(run,) for run in self._servers])
        write(
            "INSERT INTO servers (run, place, facts) VALUES (?, ?, ?)",
            [
                (run, place, facts)
                for run, servers in self._servers.items()
                for place, facts in enumerate(servers)
            ],
        )
        write(
            "INSERT INTO queries (run, first, body) VALUES (?, ?, ?)",
            [(run, *chunk) for run, chunks in self._queries.items() for chunk in chunks],
        )
        write(
            "INSERT INTO dictionaries (run, body) VALUES (?, ?)",
            list(self._learned.items()),
        )
        write(
            "UPDATE runs SET ended = ?, ending = ? WHERE id = ?",
            [(closed.ended, closed.ending, closed.run) for closed in self._closed.values()],
        )

    def _write_trials(self) -> None:
        changes = {trial: self._changed + n for n, trial in enumerate(self._touched, 1)}
        self._changed += len(changes)
        write = self._connection.executemany
        for new in self._trials:
            self._supersede(new)
            self._connection.execute(
                """INSERT INTO trials (id, run, position, number, query_id, query, started, changed)
                   VALUES (?, ?, ?, ?, ?, ?, ?, ?)""",
                (*_new_row(new), changes.pop(new.trial)),
            )
        write(
            """UPDATE trials SET outcome = ?, failure = ?, answer = ?, reason = ?, seconds = ?,
               steps = ?, prompt_tokens = ?, reply_tokens = ?, marks = ?, server = ?
               WHERE id = ?""",
            [(*_figures(progress), trial) for trial, (_, progress) in self._progress.items()],
        )
        for places, values in in_groups(list(changes.items())):
            self._connection.execute(
                f"""WITH new (id, changed) AS (VALUES {places})
                    UPDATE trials SET changed = new.changed FROM new WHERE new.id = trials.id""",
                values,
            )

    def _supersede(self, new: NewTrial) -> None:
        place = (new.run, new.position, new.number)
        found = self._connection.execute(
            """SELECT id, outcome FROM trials
               WHERE run = ? AND position = ? AND number = ? AND superseded = 0""",
            place,
        ).fetchone()
        if found is None:
            return
        trial, outcome = found
        self._connection.execute("UPDATE trials SET superseded = 1 WHERE id = ?", (trial,))
        if outcome is not None and (count := tallied(Outcome(outcome))):
            self._connection.execute(
                f"UPDATE runs SET {count} = {count} - 1 WHERE id = ?", (new.run,)
            )

    def _write_traces(self) -> None:
        self._connection.executemany(
            """INSERT INTO chunks (trial, first, count, body) VALUES (?, ?, ?, ?)
               ON CONFLICT (trial, first) DO UPDATE SET count = excluded.count,
               body = excluded.body""",
            [(*place, *chunk) for place, chunk in self._chunks.items()],
        )

    def _write_counts(self) -> None:
        for trial, (run, progress) in self._progress.items():
            if progress.end and (count := tallied(progress.end.outcome)):
                self._connection.execute(
                    f"""UPDATE runs SET {count} = {count} + 1 WHERE id = ?
                        AND (SELECT superseded FROM trials WHERE id = ?) = 0""",
                    (run, trial),
                )


def _new_row(new: NewTrial) -> tuple[object, ...]:
    place = (new.trial, new.run, new.position, new.number)
    return (*place, plain_text(new.query_id), _shown(new.query), new.started)


def _figures(progress: Progress) -> tuple[object, ...]:
    figures = (
        progress.steps,
        _integer(progress.prompt_tokens),
        _integer(progress.reply_tokens),
        msgspec.json.encode(progress.marks).decode() if progress.marks else None,
        _shown(progress.server),
    )
    end = progress.end
    if end is None:
        return (None, None, None, None, None, *figures)
    failure = end.failure.value if end.failure else None
    return (
        end.outcome.value, failure, _shown(end.answer), _shown(end.reason), end.seconds, *figures,
    )  # fmt: skip


def _shown(text: str | None) -> str | None:
    return None if text is None else plain_text(text, MAX_SHOWN)


def _integer(count: int | None) -> int | None:
    """What SQLite can hold: a server may claim any number."""
    return None if count is None or not -_MAX_INTEGER <= count <= _MAX_INTEGER else count
