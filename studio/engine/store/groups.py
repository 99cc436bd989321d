"""Many rows with one statement.

A statement lets go of the interpreter while it runs, and has to wait for it afterwards: with one
for each row, the writer and whoever computes beside it hold each other up.
"""

from collections.abc import Iterator, Sequence
from functools import lru_cache
from itertools import chain

_AT_ONCE = 100
"""Rows.  Older versions of SQLite take 999 values with a statement."""

Row = Sequence[object]


def in_groups(rows: Sequence[Row]) -> Iterator[tuple[str, list[object]]]:
    """What may stand behind VALUES for some of the rows, and their values; all rows in turn."""
    for first in range(0, len(rows), _AT_ONCE):
        some = rows[first : first + _AT_ONCE]
        yield _places(len(some), len(some[0])), [*chain.from_iterable(some)]


@lru_cache(maxsize=256)
def _places(rows: int, width: int) -> str:
    return ", ".join([f"({', '.join('?' * width)})"] * rows)
