"""The catalogue's entry for metrics that a project brings."""

from collections.abc import Sequence
from typing import Annotated, ClassVar

import msgspec
from msgspec.structs import asdict, replace
from typing_extensions import override

from studio.engine.errors import StudioError
from studio.engine.metrics.base import Better, Metric, Verdict, not_scorable
from studio.engine.metrics.own.code import OwnCode
from studio.engine.records import Query, Score
from studio.engine.trace import Trace

NAME = "own"


class Own(Metric, frozen=True):
    """A public function of the project's `metrics.py`.

    The key holds the function alone: what else is set says how its values are read, not what they
    are.  Only a metric that is `bound` to the project's code gives values.
    """

    name: ClassVar[str] = NAME
    title: ClassVar[str] = "Own metric"

    function: str = ""
    # Constants of every other kind of metric: here the user says what the values are.
    lowest: float | None = 0.0  # type: ignore[misc] # see above
    highest: float | None = 1.0  # type: ignore[misc] # see above
    better: Better = "higher"  # type: ignore[misc] # see above
    time_limit: Annotated[float, msgspec.Meta(gt=0, le=3600)] = 10.0

    @property
    @override
    def key(self) -> str:
        return f"{self.name}(function={self.function})" if self.function else self.name

    @property
    @override
    def label(self) -> str:
        words = self.function.strip("_").replace("_", " ")
        return f"{words.capitalize()} (own)" if words else self.title

    @override
    def check(self) -> None:
        low, high = self.lowest, self.highest
        if low is not None and high is not None and low >= high:
            problem = f"The values of the metric {self.key!r} cannot go from {low:g} to {high:g}."
            raise StudioError(problem, "`lowest` must be below `highest`.")

    @override
    def verdict(self, query: Query, trace: Trace) -> Verdict:
        return Verdict(None, "the project's code was not asked")


class Bound(Own, frozen=True):
    """The same metric with somebody to ask.

    Its version is the digest of the file, so that scores of two versions of it are told apart.
    """

    code: OwnCode | None = None
    version: str = ""  # type: ignore[misc] # a constant of every other kind of metric

    @override
    def score(self, query: Query, trace: Trace) -> Score:
        assert self.code is not None, "a metric is bound to code"
        if excuse := not_scorable(trace):
            return self.scored(Verdict(None, excuse))
        answer = self.code.ask(self.function, query, trace, self.time_limit)
        score = self.scored(answer.verdict)
        # A process that was started later may have read another version than the first one did.
        return replace(score, version=answer.version or self.version)

    @override
    def verdict(self, query: Query, trace: Trace) -> Verdict:
        assert self.code is not None, "a metric is bound to code"
        return self.code.ask(self.function, query, trace, self.time_limit).verdict


def bound(metrics: Sequence[Metric], code: OwnCode) -> tuple[Metric, ...]:
    """The metrics, those of the project's own with the code that they ask."""
    digest = code.digest
    return tuple(
        Bound(**asdict(metric), code=code, version=digest) if isinstance(metric, Own) else metric
        for metric in metrics
    )
