"""The trials of one run for those who judge them again: a few in memory at a time."""

import contextlib
from collections import deque
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from studio.engine.errors import RunError
from studio.engine.records import Query
from studio.engine.store.chunks import expand, unpack_queries
from studio.engine.store.faults import damaged, told
from studio.engine.store.opening import open_for_reading
from studio.engine.store.reader import DICTIONARY, QUERY, TALLY
from studio.engine.store.rows import COUNTING
from studio.engine.trace import StoredTrace, Trace

_ENDED = f"run = ?1 AND superseded = 0 AND outcome IN ({COUNTING})"
COUNT = f"SELECT count(*) FROM trials WHERE {_ENDED}"
PAGE = f"""SELECT id, position, number FROM trials
           WHERE {_ENDED} AND (position, number) > (?2, ?3) ORDER BY position, number LIMIT ?4"""
BODIES = "SELECT body FROM chunks WHERE trial = ? ORDER BY first"


_PAGE = 128
_HELD = 2**20
"""Bytes of packed events that are held at a time, those of the last trial not counted."""


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

    def trials(self) -> Iterator[tuple[Place, Trace]]:
        """Those trials in the order of the plan, each with what happened."""
        for page in self._pages():
            while page:
                for place, bodies in self._read(page):
                    yield place, self._trace(bodies)

    def _trace(self, bodies: list[bytes]) -> Trace:
        with told(self._path):
            return StoredTrace([expand(body, self._dictionary) for body in bodies])

    def _pages(self) -> Iterator["deque[Place]"]:
        position = number = -1
        while True:
            with told(self._path):
                values = (self._run, position, number, _PAGE)
                page = deque(Place(*row) for row in self._connection.execute(PAGE, values))
            if not page:
                return
            _, position, number = page[-1]
            yield page

    def _read(self, page: "deque[Place]") -> list[tuple[Place, list[bytes]]]:
        """Take trials from the page, as many as may be held, and read what happened in them."""
        found: list[tuple[Place, list[bytes]]] = []
        size = 0
        with told(self._path):
            # One view for all of them: each statement alone would take its own.
            self._connection.execute("BEGIN")
            while page and size < _HELD:
                bodies = [body for (body,) in self._connection.execute(BODIES, (page[0].trial,))]
                size += sum(map(len, bodies))
                found.append((page.popleft(), bodies))
            self._connection.execute("ROLLBACK")
        return found

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
