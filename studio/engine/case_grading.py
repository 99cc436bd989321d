"""Grading a file of cases for the window: the first verdicts to look at, the counts of all."""

import contextlib
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any, BinaryIO

import msgspec

from studio.engine.analysis.benchmark_figures import counts_for
from studio.engine.errors import StudioError
from studio.engine.grading import Graded, Tally, graded_lines
from studio.engine.grading.target import open_target
from studio.engine.metrics import Metric
from studio.engine.plain import plain_text
from studio.engine.scoring_messages import CaseVerdict

MOST_SHOWN = 1_000
_MOST_TEXT = 2_000
_MOST_EVIDENCE = 4_096
"""Bytes of JSON; longer evidence stands in the file of verdicts alone."""


class CaseGrading:
    """One file that is being graded.  `work` in a thread; the rest may be asked from any other."""

    def __init__(self, metric: Metric, cases: str, out: str = "") -> None:
        self._metric = metric
        self._cases = cases
        self._out = out
        self._tally = Tally(counts_for(metric))
        self._shown: list[CaseVerdict] = []

    @property
    def counts(self) -> tuple[int, int, float | None]:
        """How many are scored so far, how many not, and the mean."""
        return self._tally.scored, self._tally.not_scored, self._tally.mean

    @property
    def figures(self) -> tuple[str, ...]:
        """What the metric's benchmark reports, in words; to be asked once `work` has ended."""
        return tuple(figure.words for figure in self._tally.figures)

    def work(self, stopped: threading.Event) -> str:
        """Grade every line; returns "finished" or "stopped".

        Raises StudioError if a file cannot be read or written.
        """
        try:
            with Path(self._cases).open("rb") as source, self._target(source) as target:
                return self._copy(graded_lines(self._metric, source, self._tally), target, stopped)
        except OSError as error:
            raise StudioError(f"{error.filename or self._out}: {error.strerror}.") from error

    def verdicts(self, first: int) -> tuple[CaseVerdict, ...]:
        """The verdicts that are shown, from this place on, as far as there are any yet."""
        return tuple(self._shown[first:])

    def _target(self, source: BinaryIO) -> contextlib.AbstractContextManager[BinaryIO | None]:
        return open_target(Path(self._out), source) if self._out else contextlib.nullcontext()

    def _copy(
        self, lines: Iterator[bytes], target: BinaryIO | None, stopped: threading.Event
    ) -> str:
        for line in lines:
            if stopped.is_set():
                return "stopped"
            if len(self._shown) < MOST_SHOWN:
                self._shown.append(_shown(line))
            if target is not None:
                target.write(line)
        return "finished"


def _shown(line: bytes) -> CaseVerdict:
    graded = msgspec.json.decode(line, type=Graded)
    evidence = graded.evidence if len(line) <= _MOST_EVIDENCE else {}
    reason = plain_text(graded.reason, _MOST_TEXT)
    return CaseVerdict(graded.line, _short(graded.id), graded.score, reason, evidence)


def _short(id: Any) -> Any:
    if isinstance(id, str):
        return plain_text(id, _MOST_TEXT)
    return id if id is None or isinstance(id, int | float) else plain_text(str(id), _MOST_TEXT)
