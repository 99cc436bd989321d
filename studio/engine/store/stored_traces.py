"""The trials of one run for those who judge them again: a few in memory at a time."""

import contextlib
import sys
from collections.abc import Iterator
from itertools import islice, pairwise
from pathlib import Path
from typing import NamedTuple

from studio.engine.errors import no_run
from studio.engine.records import Query
from studio.engine.store.chunks import expand, unpack_queries
from studio.engine.store.faults import damaged, told
from studio.engine.store.opening import open_for_reading
from studio.engine.store.reader import DICTIONARY, QUERY, TALLY
from studio.engine.store.rows import COUNTING
from studio.engine.trace import StoredTrace, Trace

_ENDED = f"run = ?1 AND superseded = 0 AND outcome IN ({COUNTING})"
COUNT = f"SELECT count(*) FROM trials WHERE {_ENDED}"
PLACES = f"SELECT position, number FROM trials WHERE {_ENDED} ORDER BY position, number"
BODIES = f"""SELECT id, position, number, body FROM trials LEFT JOIN chunks ON trial = id
             WHERE {_ENDED} AND (position, number) > (?2, ?3) AND (position, number) <= (?4, ?5)
             ORDER BY position, number, first"""

_HELD = 2**20
"""Bytes of packed events that are held at a time, those of the last trial not counted."""

_MOST_HELD = 256
"""Trials that are held at a time."""


class Place(NamedTuple):
    """A trial that ended, and which one of the plan it is."""

    trial: int
    position: int
    number: int


class Block(NamedTuple):
    """Trials that follow one another in the plan: after one (position, number), up to another."""

    after: tuple[int, int]
    last: tuple[int, int]


ALL = Block((-1, -1), (sys.maxsize, 0))


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
                raise no_run(run)
            undo.callback(connection.close)
            if not connection.execute(TALLY, (run,)).fetchone():
                raise no_run(run)
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

    def blocks(self, size: int) -> list[Block]:
        """Those trials in parts of this many, the last one of fewer."""
        with told(self._path):
            places = self._connection.execute(PLACES, (self._run,))
            lasts = list(islice(places, size - 1, None, size))
        return [Block(*each) for each in pairwise([ALL.after, *lasts, ALL.last])]

    def trials(self, block: Block = ALL) -> Iterator[tuple[Place, Trace]]:
        """Those of a block in the order of the plan, each with what happened."""
        after = block.after
        while found := self._read(block._replace(after=after)):
            with told(self._path):
                for place, bodies in found:
                    chunks = [expand(body, self._dictionary) for body in bodies]
                    yield place, StoredTrace(chunks)
            after = found[-1][0][1:]

    def _read(self, block: Block) -> list[tuple[Place, list[bytes]]]:
        """The first trials of a block, as many as may be held, and what happened in them."""
        found: list[tuple[Place, list[bytes]]] = []
        size = 0
        with told(self._path):
            rows = self._connection.execute(BODIES, (self._run, *block.after, *block.last))
            with contextlib.closing(rows):
                for *place, body in rows:
                    if not found or found[-1][0].trial != place[0]:
                        if size >= _HELD or len(found) >= _MOST_HELD:
                            break
                        found.append((Place(*place), []))
                    if body is not None:
                        found[-1][1].append(body)
                        size += len(body)
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
