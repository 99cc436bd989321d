"""One figure from several metrics: the weighted mean of parts that are all shares."""

import math
from collections.abc import Mapping
from functools import lru_cache
from typing import Annotated, Any, ClassVar, Literal, NamedTuple

import msgspec
from typing_extensions import override

from studio.engine.errors import StudioError
from studio.engine.metrics.base import Metric, Mode, Verdict
from studio.engine.metrics.own.metric import Own
from studio.engine.records import JsonObject, MetricSpec, Query
from studio.engine.trace import Trace

Share = Annotated[float, msgspec.Meta(ge=0, le=1)]
Weight = Annotated[float, msgspec.Meta(gt=0, le=1e6)]  # more cannot be added up

_LEAVES_OUT = "unscored: reweigh leaves them out"
_ROUNDING = 1e-9
_HUGE = 1e300

_GUIDES_NAMES: Mapping[str, tuple[str, ...]] = {
    "tool_use_correctness": ("tool_use", "tool_use_correctness", "tool_correctness", "tool"),
    "cost_score": ("trajectory", "cost_score", "trajectory_cost", "cost"),
    "memory_score": ("multi_turn", "memory_score", "memory"),
    "reflection_score": ("reflection", "reflection_score"),
    "agentic_match": ("final_answer", "agentic_match", "final", "answer"),
}
"""What the second guide, and who follows it, call the scores of the parts."""


class Part(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A metric of the catalogue with its weight and its settings.

    `metric` is its name, where the part has another; below `at_least` the whole does not pass.
    """

    weight: Weight
    settings: dict[str, Any] = {}
    metric: str | None = None
    at_least: Share | None = None


def guides_parts() -> dict[str, Weight | Part]:
    """The weights of the second guide: tool use, cost, memory, reflection, final answer."""
    return {
        "tool_use_correctness": 0.25,
        "cost_score": 0.20,
        "memory_score": 0.20,
        "reflection_score": 0.15,
        "agentic_match": 0.20,
    }


class _Found(NamedTuple):
    """What a part came to, as a share of which 1 is best; None with the reason why not."""

    name: str
    part: Part
    value: float | None
    reason: str = ""


class Composite(Metric, frozen=True):
    """The sum of weight x part / the sum of the weights; each part a metric from 0 to 1.

    A part of which less is better counts as 1 - its value.  Not scored: if a part is not scored;
    `unscored: reweigh` leaves such parts out, and says on how many the value stands.  Range 0 to 1.

    Published (the second guide): rounded to three digits, and the weights are taken to sum to 1.
    """

    name: ClassVar[str] = "composite"
    title: ClassVar[str] = "Composite"
    known_by: ClassVar[tuple[str, ...]] = ("scores", "evaluations")

    mode: Mode = "corrected"
    parts: dict[str, Weight | Part] = msgspec.field(default_factory=guides_parts)
    passes_at: Share = 0.7
    unscored: Literal["not_scored", "reweigh"] = "not_scored"

    @override
    def __hash__(self) -> int:
        return hash((self.mode, self.passes_at, self.unscored, msgspec.json.encode(self.parts)))

    @override
    def check(self) -> None:
        if not self.parts:
            raise StudioError("A composite needs parts.", "Write metrics and their weights.")
        _metrics_of(self)

    @override
    def holds(self, value: float) -> bool:
        """The published sum of a part that is no share, such as a memory score of 2, may pass 1."""
        return super().holds(value) or (self.mode == "published" and 1.0 < value < math.inf)

    @property
    @override
    def revision(self) -> str:
        """Its own version and those of the parts: each may change the value."""
        parts = ".".join(metric.revision for metric in _metrics_of(self).values())
        return f"{self.version}/{parts}"

    @override
    def verdict(self, query: Query, trace: Trace) -> Verdict:
        found = []
        for name, metric in _metrics_of(self).items():
            score = metric.score(query, trace)
            value = score.value
            if value is not None and metric.better == "lower":
                value = 1 - value
            found.append(self._checked(_Found(name, self.part(name), value, score.reason)))
        return self._of(found)

    def verdict_on(self, case: JsonObject) -> Verdict:
        """The verdict on a case that holds the scores of the parts, by name or as in the guide."""
        scores = case.get("scores", case.get("evaluations"))
        if not isinstance(scores, Mapping):
            return Verdict(None, "scores must be an object of the parts' values")
        return self._of([self._stated(name, scores) for name in self.parts])

    def part(self, name: str) -> Part:
        """The part of that name, also where only its weight is stated."""
        part = self.parts[name]
        return part if isinstance(part, Part) else Part(part)

    def _stated(self, name: str, scores: JsonObject) -> _Found:
        part = self.part(name)
        for key in _GUIDES_NAMES.get(name, (name,)):
            value = scores.get(key)
            if isinstance(value, Mapping):
                inner = ("score", key, name, "value")
                value = next((value[each] for each in inner if each in value), None)
            if isinstance(value, int | float) and abs(value) < _HUGE:
                return self._checked(_Found(name, part, float(value)))
        return _Found(name, part, None, "no number is stated")

    def _checked(self, found: _Found) -> _Found:
        """A part that is no share spoils the whole; the guide's own code adds it all the same."""
        if self.mode == "published" or 0 <= (found.value or 0) <= 1:
            return found
        return found._replace(value=None, reason=f"{found.value:g} is no share from 0 to 1")

    def _of(self, found: list[_Found]) -> Verdict:
        scored = [each for each in found if each.value is not None]
        missing = [each for each in found if each.value is None]
        told = "; ".join(f"{each.name}: {each.reason}" for each in missing)
        evidence: dict[str, Any] = {
            "parts": {each.name: each.value for each in found},
            "stands_on": f"{len(scored)} of {len(found)} parts",
        }
        if not scored:
            return Verdict(None, f"none of the {len(found)} parts is scored: {told}", evidence)
        if missing and self.unscored == "not_scored":
            words = f"{len(missing)} of {len(found)} parts not scored ({_LEAVES_OUT}): {told}"
            return Verdict(None, words, evidence)
        total = sum(each.part.weight for each in scored)
        # In the order of the guide's sum, whose last digits depend on it.
        weighted = 0.0
        for each in scored:
            weighted += each.part.weight * (each.value or 0.0)
        exact = weighted if self.mode == "published" and not missing else weighted / total
        low = [each.name for each in scored if (each.value or 0.0) < (each.part.at_least or 0.0)]
        words = ", ".join(f"{each.name} {each.value:.3g} x {each.part.weight:g}" for each in scored)
        if missing:
            words = f"on {evidence['stands_on']}: {words}; re-weighted without {told}"
        words += f"; too low: {', '.join(low)}" if low else ""
        evidence["passed"] = exact >= self.passes_at - self._slack and not low
        return self._told(exact, words, evidence)

    @property
    def _slack(self) -> float:
        return 0.0 if self.mode == "published" else _ROUNDING

    def _told(self, exact: float, words: str, evidence: JsonObject) -> Verdict:
        value = round(exact, 3) if self.mode == "published" else min(exact, 1.0)
        does = "passed" if evidence["passed"] else "not passed"
        return Verdict(value, f"{does}: {words}", evidence)


@lru_cache(maxsize=64)
def _metrics_of(composite: Composite) -> dict[str, Metric]:
    """The parts as metrics.  Raises StudioError for one that is no share, or does not exist."""
    # The catalogue holds this metric, so it can be asked only once it is there.
    from studio.engine.metrics.catalogue import build

    built = {}
    for name in composite.parts:
        part = composite.part(name)
        [metric] = build([MetricSpec(part.metric or name, part.settings)])
        if not _can_be_part(metric):
            problem = f"{metric.title} cannot be part of a composite."
            raise StudioError(problem, "Parts are the studio's, from 0 to 1, one end the better.")
        built[name] = metric
    return built


def _can_be_part(metric: Metric) -> bool:
    is_share = (metric.lowest, metric.highest) == (0.0, 1.0) and metric.better != "none"
    return is_share and not isinstance(metric, Composite | Own)


def possible_parts() -> tuple[str, ...]:
    """The names of the metrics that can be parts, by the alphabet."""
    from studio.engine.metrics.catalogue import CATALOGUE

    return tuple(sorted(name for name, kind in CATALOGUE.items() if _can_be_part(kind())))


class CompositePassed(Composite, frozen=True):
    """1 if the composite is `passes_at` or more and no part below its `at_least`, else 0."""

    name: ClassVar[str] = "composite_passed"
    title: ClassVar[str] = "Composite passed"
    is_binary: ClassVar[bool] = True
    tells_success: ClassVar[bool] = True

    @override
    def _told(self, exact: float, words: str, evidence: JsonObject) -> Verdict:
        return Verdict(float(evidence["passed"]), f"{exact:.3f}: {words}", evidence)
