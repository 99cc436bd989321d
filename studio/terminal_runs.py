"""The stored runs of a project, as the commands of a terminal read them."""

import contextlib
from collections.abc import Iterator
from pathlib import Path

from studio.engine.errors import RunError
from studio.engine.store import opening
from studio.engine.store.reader import RunReader
from studio.engine.store.writer import Store


@contextlib.contextmanager
def stored_runs(folder: Path) -> Iterator[RunReader]:
    """The runs; those of an older version of the studio are brought up to date first.

    Raises RunError if there is no such folder, StoreError if the runs cannot be read.
    """
    if not folder.is_dir():
        raise RunError(f"There is no folder {folder}.", "Check the path.")
    path = opening.runs_file(folder.resolve())
    if opening.is_older(path):
        Store.open(path).close()
    with contextlib.closing(RunReader(path)) as reader:
        yield reader
