"""The trials of one run for those who judge them again: one trace in memory at a time."""

import contextlib
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from studio.engine.errors import RunError
from studio.engine.records import Query
from studio.engine.store.chunks import unpack, unpack_queries
from studio.engine.store.faults import damaged, told
from studio.engine.store.opening import open_for_reading
from studio.engine.store.reader import DICTIONARY, QUERY, TALLY
from studio.engine.store.rows import COUNTING
from studio.engine.trace import Trace

_ENDED = f"run = ?1 AND superseded = 0 AND outcome IN ({COUNTING})"
COUNT = f"SELECT count(*) FROM trials WHERE {_ENDED}"
PAGE = f"""SELECT id, position, number FROM trials
           WHERE {_ENDED} AND (position, number) > (?2, ?3) ORDER BY position, number LIMIT ?4"""
BODIES = "SELECT body FROM chunks WHERE trial = ? ORDER BY first"


class Place(NamedTuple):
    """A trial that ended, and which one of the plan it is."""

    trial: int
    position: int
    number: int


class StoredTraces:
    """Reads what was asked and what happened.  To be used and closed in the thread that made it.

    Every method may raise StoreError.
    """

    def __init__(self, path: Path, run: int) -> None:
        """Raises RunError if there is no such run."""
        self._path = path
        self._run = run
        with told(path), contextlib.ExitStack() as undo:
            connection = open_for_reading(path)
            if connection is None:
                raise _no_run(run)
            undo.callback(connection.close)
            if not connection.execute(TALLY, (run,)).fetchone():
                raise _no_run(run)
            found = connection.execute(DICTIONARY, (run,)).fetchone()
            undo.pop_all()
        self._connection = connection
        self._dictionary: bytes = found[0] if found else b""
        self._first = 0
        self._queries: list[Query] = []

    def count(self) -> int:
        """How many trials of the run ended in a way that stands."""
        with told(self._path):
            (count,) = self._connection.execute(COUNT, (self._run,)).fetchone()
        return int(count)

    def places(self, at_once: int = 256) -> Iterator[Place]:
        """Those trials in the order of the plan."""
        position = number = -1
        while True:
            with told(self._path):
                values = (self._run, position, number, at_once)
                page = [Place(*row) for row in self._connection.execute(PAGE, values)]
            yield from page
            if len(page) < at_once:
                return
            _, position, number = page[-1]

    def trace(self, trial: int) -> Trace:
        with told(self._path):
            bodies = self._connection.execute(BODIES, (trial,)).fetchall()
            return Trace(event for (body,) in bodies for event in unpack(body, self._dictionary))

    def query(self, position: int) -> Query:
        """The query at this place of the plan, as it stood when the run began."""
        if not self._first <= position < self._first + len(self._queries):
            with told(self._path):
                row = self._connection.execute(QUERY, (self._run, position)).fetchone()
                self._first, self._queries = (row[0], unpack_queries(row[1])) if row else (0, [])
        if not self._first <= position < self._first + len(self._queries):
            raise damaged(self._path, f"run {self._run} holds no query at {position}")
        return self._queries[position - self._first]

    def close(self) -> None:
        self._connection.close()


def _no_run(run: int) -> RunError:
    return RunError(f"There is no run {run} in this project.", "`studio runs` lists them.")
