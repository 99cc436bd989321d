"""The metrics of a project's own, read from the source of `metrics.py`, which may be missing."""

from pathlib import Path

from studio.engine.metrics.own.code import FILE
from studio.engine.metrics.own.source import read_metrics
from studio.engine.project import text_files
from studio.engine.project.located import Mistakes
from studio.engine.records import OwnMetric

__all__ = ["FILE", "read_own_metrics"]

_LIMIT = 5 * text_files.MEGABYTE


def read_own_metrics(folder: Path, mistakes: Mistakes) -> tuple[OwnMetric, ...]:
    """The metrics that the file defines; nothing of it is run."""
    if not text_files.exists(folder, FILE):
        return ()
    text = text_files.read(folder, FILE, mistakes, limit=_LIMIT)
    if text is None:
        return ()
    found = read_metrics(text)
    for problem in found.problems:
        mistakes.add(problem.line, problem.problem, problem.remedy)
    return found.metrics
