"""What a metric is: a frozen value with one pure question, and when it is not asked at all."""

import logging
import math
from collections.abc import Mapping, Sequence
from functools import cache, lru_cache
from typing import Any, ClassVar, Literal, Protocol

import msgspec
from typing_extensions import override

from studio.engine.analysis.summary import Average, Scale
from studio.engine.outcomes import Outcome
from studio.engine.records import (
    JsonObject,
    Query,
    Score,
)
from studio.engine.trace import Trace

Better = Literal["higher", "lower", "none"]
Mode = Literal["corrected", "published"]

_log = logging.getLogger(__name__)

_NO_FAULT_OF_THE_AGENT = {
    Outcome.TIMED_OUT: "the trial ran out of time",
    Outcome.TRUNCATED: "the prompt did not fit the model's window, so the trial is invalid",
    Outcome.CANCELLED: "the trial was cancelled",
    Outcome.SKIPPED: "the trial was skipped",
    Outcome.INTERRUPTED: "the engine ended before the trial did",
}
_NO_EVIDENCE: JsonObject = {}


class InWords(Protocol):
    """What can be put in words when somebody reads it."""

    @property
    def words(self) -> str: ...


class Verdict(msgspec.Struct, frozen=True, gc=False):
    """What a metric says: a value, or None for "not scored"; and why, in words.

    `evidence` is the same for programs: the class of an error, the places that it was seen at.
    """

    value: float | None
    told: str | InWords = ""
    evidence: Mapping[str, Any] = _NO_EVIDENCE

    @property
    def reason(self) -> str:
        """Why, in words."""
        return self.told if isinstance(self.told, str) else self.told.words


class Metric(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Base of all metrics.  Its fields are its settings; equal settings make equal metrics.

    A metric answers for trials whose outcome is the agent's own doing: finished, stopped at the
    step cap, or failed by the agent's or the model's own fault.  All others are not scored,
    whatever the metric: nothing can be said of an agent that was not given its chance.
    """

    name: ClassVar[str]
    title: ClassVar[str]
    version: ClassVar[str] = "1"
    """Changes whenever the same trial may get another value."""
    unit: ClassVar[str] = ""
    better: ClassVar[Better] = "higher"
    is_binary: ClassVar[bool] = False
    tells_success: ClassVar[bool] = False
    """Whether the highest value says that the agent did what was asked (see `analysis.passing`)."""
    average: ClassVar[Average] = "mean"
    """What a summary of many trials shows first."""
    lowest: ClassVar[float | None] = 0.0
    highest: ClassVar[float | None] = 1.0
    reads: ClassVar[tuple[str, ...]] = ()
    """The names below `expected:` of a query, kept in `Expected.more`, that this metric reads."""

    @property
    def key(self) -> str:
        """The name, followed by the settings that are not the default: `tokens(count=prompt)`."""
        return _key(self)

    @property
    def label(self) -> str:
        """The title as a person reads it, with the settings that are not the default."""
        changed = ", ".join(_in_words(field, value) for field, value in changed_settings(self))
        return f"{self.title} ({changed})" if changed else self.title

    def check(self) -> None:
        """Raises StudioError for settings that are each good, and together are not."""

    @property
    def revision(self) -> str:
        """The version that its scores carry: its own, and those of all that it is made of."""
        return self.version

    @property
    def range_in_words(self) -> str:
        """What values it has: "a number from 0 to 1"."""
        ends = (("from", self.lowest), ("to", self.highest))
        return " ".join(["a number", *(f"{word} {end:g}" for word, end in ends if end is not None)])

    @property
    def scale(self) -> Scale:
        """What `summarise` needs to know of the values."""
        return Scale(self.lowest, self.highest, self.is_binary, self.average)

    def score(self, query: Query, trace: Trace) -> Score:
        """The verdict on one trial.  Raises what the metric raises; see `score_all`."""
        excuse = not_scorable(trace)
        return self.scored(Verdict(None, excuse) if excuse else self.verdict(query, trace))

    def scored(self, verdict: Verdict) -> Score:
        """The verdict as a score of this metric; a value outside the range is none."""
        verdict = self.held_to_range(verdict)
        return Score(self.key, self.revision, verdict.value, verdict.reason, verdict.evidence)

    def held_to_range(self, verdict: Verdict) -> Verdict:
        """The verdict, or that its value is none of this metric's."""
        if verdict.value is None or self.holds(verdict.value):
            return verdict
        return Verdict(None, f"invalid: {verdict.value:g} is outside the metric's range")

    def verdict(self, query: Query, trace: Trace) -> Verdict:
        """The question this metric asks; pure, and asked only of trials that can be scored."""
        raise NotImplementedError

    def holds(self, value: float) -> bool:
        """Whether the value is in the range of this metric."""
        above = self.lowest is None or value >= self.lowest
        below = self.highest is None or value <= self.highest
        return math.isfinite(value) and above and below


def changed_settings(metric: Metric) -> list[tuple[str, Any]]:
    """The settings that differ from their default, in the order of declaration."""
    default = _default(type(metric))
    pairs = ((name, getattr(metric, name)) for name in metric.__struct_fields__)
    return [(name, value) for name, value in pairs if value != getattr(default, name)]


@cache
def _default(kind: type[Metric]) -> Metric:
    return kind()


@lru_cache(maxsize=1024)
def _key(metric: Metric) -> str:
    changed = [f"{field}={_plain(value)}" for field, value in changed_settings(metric)]
    return f"{metric.name}({','.join(changed)})" if changed else metric.name


def _plain(value: Any) -> str:
    return value if isinstance(value, str) else msgspec.json.encode(value).decode()


def _in_words(field: str, value: Any) -> str:
    words = field.replace("_", " ")
    match value:
        case True:
            return words
        case False:
            return f"no {words}"
        case str():
            return value
        case dict() | tuple():
            return f"{words} {', '.join(map(str, value))}"
        case _:
            return f"{words} {_plain(value)}"


def not_scorable(trace: Trace) -> str:
    """Why no metric can say anything of this trial; "" if one can."""
    end = trace.end
    if end is None:
        return "the trial has not ended"
    if end.outcome is not Outcome.FAILED:
        return _NO_FAULT_OF_THE_AGENT.get(end.outcome, "")
    if end.failure is not None and end.failure.is_agents_own:
        return ""
    fault = end.failure.value if end.failure else "unknown"
    return f"the trial failed by no fault of the agent ({fault}): {end.reason}".rstrip(": ")


class AnswerUnknown(ValueError):
    """Nothing says whether an answer was given: no answer can be held against the agent."""

    @override
    def __str__(self) -> str:
        return "it is not known whether an answer was given"


def no_answer(trace: Trace) -> str:
    """Why a trial that can be scored gave no answer, "" if it gave one.

    No answer is a wrong answer: a metric of answers gives it the lowest value.  What an agent
    wrote on the way to the step cap is not its answer.  Raises AnswerUnknown.
    """
    match trace.outcome:
        case Outcome.FINISHED:
            if not trace.is_answer_known:
                raise AnswerUnknown
            return "" if trace.answer and trace.answer.strip() else "the agent gave no answer"
        case Outcome.STEP_CAP:
            return "the agent reached the step cap before it gave an answer"
        case _:
            return "the agent failed before it gave an answer"


def score_all(metrics: Sequence[Metric], query: Query, trace: Trace) -> tuple[Score, ...]:
    """One score a metric, in their order.  Never raises: see `Score.reason`."""
    return tuple(_score(metric, query, trace) for metric in metrics)


def _score(metric: Metric, query: Query, trace: Trace) -> Score:
    try:
        return metric.score(query, trace)
    except Exception as error:  # a bug in one metric must not end the run or the other scores
        _log.warning("metric %s failed on query %s", metric.name, query.id, exc_info=True)
        reason = f"the metric failed: {type(error).__name__}: {error}"
        return Score(metric.key, metric.revision, None, reason)
