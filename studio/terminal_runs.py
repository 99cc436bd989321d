"""The stored runs of a project, as the commands of a terminal read them."""

import contextlib
import shlex
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

from studio.engine.analysis.figures import measure
from studio.engine.analysis.judged import Counts, Judged, few, scored_by, told
from studio.engine.errors import RunError, no_run
from studio.engine.metrics.own.code import digest_in
from studio.engine.store import opening
from studio.engine.store.reader import RunReader
from studio.engine.store.rows import RunRow
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


def run_of(reader: RunReader, run: int | None) -> RunRow:
    """The run of this number, the newest if none is named.  Raises RunError if there is none."""
    if run is None:
        newest = reader.runs(limit=1)
        if not newest:
            raise RunError("This project has no runs yet.", "`studio run` makes one.")
        return newest[0]
    row = reader.run(run)
    if row is None:
        raise no_run(run)
    return row


def judged(reader: RunReader, folder: Path, run: RunRow) -> Judged:
    """By what a run was judged, as against the metrics as they are now."""
    counts: Counts = Counter({(scored,): n for scored, n in reader.versions(run.id).items()})
    return Judged(run.criteria, scored_by(measure(run), counts, digest_in(folder)))


def changed_since(reader: RunReader, folder: Path) -> str:
    """Which runs were scored by other versions of their metrics; "" if none was."""
    runs = [run.id for run in reader.runs() if told(judged(reader, folder, run).versions)]
    if not runs:
        return ""
    which = f"run {runs[0]} was" if len(runs) == 1 else f"runs {few([*map(str, runs)])} were"
    again = rescoring(folder, runs[0] if len(runs) == 1 else "RUN")
    return f"Metrics have changed since {which} scored. Score again: {again}"


def rescoring(folder: Path, run: int | str) -> str:
    """The command that scores a run again."""
    return f"studio rescore {shlex.quote(str(folder))} {run}"
