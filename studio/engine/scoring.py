"""Opinions of a trial: its scores, whether it passed, and what went wrong.

The one way from criteria to opinions: of a live run, of one that is continued, and of a stored one
that is judged again.
"""

from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple, Self

from studio.engine import metrics, trust
from studio.engine.analysis import passing
from studio.engine.analysis.failure_map import findings
from studio.engine.metrics.own.code import OwnCode
from studio.engine.metrics.own.metric import Own, bound
from studio.engine.records import Criteria, Finding, Query, Score
from studio.engine.trace import Trace


class Opinion(NamedTuple):
    """What is thought of one trial."""

    scores: tuple[Score, ...]
    findings: tuple[Finding, ...]


class Scorer:
    """Judges trials by the criteria of a run.  May be asked from several threads."""

    def __init__(self, criteria: Criteria, folder: Path | None = None) -> None:
        """`folder` is the project's, whose code is run where the criteria name metrics of its own.

        Raises StudioError if a metric cannot be built, NotTrusted if that code may not run.
        """
        built = metrics.build(criteria.metrics)
        self._code = _code(built, folder)
        self.metrics = built if self._code is None else bound(built, self._code)
        self._rules = passing.rules(self.metrics, criteria.passed)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Leave no process behind.  What is being asked at this moment is not scored."""
        if self._code is not None:
            self._code.close()

    @property
    def runs_code(self) -> bool:
        """Whether code of the project is asked."""
        return self._code is not None

    def opinion(self, query: Query, trace: Trace) -> Opinion:
        """Score a trial that ended and say what went wrong in it.  Never raises."""
        scores = metrics.score_all(self.metrics, query, trace)
        return Opinion(scores, findings(query, trace, passing.tried(self._rules, scores)))


def _code(built: Sequence[metrics.Metric], folder: Path | None) -> OwnCode | None:
    """Who runs the project's own metrics, if there are any."""
    if folder is None or not any(isinstance(metric, Own) for metric in built):
        return None
    trust.require(folder)
    return OwnCode(folder)
