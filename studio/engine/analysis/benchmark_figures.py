"""The figures that a benchmark reports, from the verdicts of its metric on many cases or trials.

A mean is not what these benchmarks state.  SimpleQA (Wei and others, 2024): the shares correct,
incorrect and not attempted, the share correct of those attempted, and F, the harmonic mean of that
and of the share correct; beside them the mean where a wrong answer costs t/(1 - t).  IFEval (Zhou
and others, 2023) and IFBench: at prompt level the share of prompts whose instructions are all
followed, at instruction level the share of instructions followed, each strictly and loosely.
"""

from collections import Counter
from collections.abc import Iterable, Mapping
from typing import Any, NamedTuple, Protocol

from studio.engine.metrics.answers.simpleqa import (
    Grade,
    SimpleQAGrade,
    figures_of_counts,
    penalised,
)
from studio.engine.metrics.base import Metric
from studio.engine.metrics.ifeval import IFBench, IFEval

Evidence = Mapping[str, Any]
_READINGS = {"strictly": "strict", "loosely": "loose"}


class Figure(NamedTuple):
    """A figure by the benchmark's name for it; `value` is None where there is nothing to count.

    `counted` of `of` is what it is the share of; `counted` is None for what is no share.
    """

    name: str
    value: float | None
    counted: int | None
    of: int

    @property
    def words(self) -> str:
        """The figure with its counts, for people."""
        value = "none" if self.value is None else f"{self.value:.4f}"
        counted = "" if self.counted is None else f"{self.counted:,} "
        return f"{self.name} {value} ({counted}of {self.of:,})"


class BenchmarkCounts(Protocol):
    """What is counted of many verdicts; it takes one at a time and keeps none."""

    def add(self, evidence: Evidence) -> None:
        """Count one verdict by its evidence; one without evidence counts nowhere."""

    def figures(self) -> tuple[Figure, ...]:
        """The figures so far."""


def counts_for(metric: Metric) -> BenchmarkCounts | None:
    """Where to count the verdicts of the metric; None if its benchmark states a mean."""
    if isinstance(metric, SimpleQAGrade):
        return _Grades(metric.threshold)
    return _Followed() if isinstance(metric, IFEval | IFBench) else None


def benchmark_figures(metric: Metric, evidence: Iterable[Evidence]) -> tuple[Figure, ...]:
    """The figures of a metric's benchmark from the evidence of its verdicts; () if it has none."""
    counts = counts_for(metric)
    if counts is None:
        return ()
    for each in evidence:
        counts.add(each)
    return counts.figures()


class _Grades:
    def __init__(self, threshold: float) -> None:
        self._threshold = threshold
        self._grades: Counter[Grade] = Counter()

    def add(self, evidence: Evidence) -> None:
        if evidence.get("grade") in list(Grade):
            self._grades[Grade(evidence["grade"])] += 1

    def figures(self) -> tuple[Figure, ...]:
        count = self._grades.total()
        found = figures_of_counts(self._grades)
        right, wrong = self._grades[Grade.CORRECT], self._grades[Grade.INCORRECT]
        shares = [
            Figure(grade.value, n / count if count else None, n, count)
            for grade, n in ((grade, self._grades[grade]) for grade in Grade)
        ]
        given = found.correct_given_attempted if found and right + wrong else None
        loss = sum(penalised(grade, self._threshold) * n for grade, n in self._grades.items())
        return (
            *shares,
            Figure("correct given attempted", given, right, right + wrong),
            Figure("F", found.f if found else None, None, count),
            Figure(
                f"penalised at {self._threshold:g}", loss / count if count else None, None, count
            ),
        )


class _Followed:
    def __init__(self) -> None:
        self._followed: Counter[tuple[str, str]] = Counter()
        self._asked: Counter[tuple[str, str]] = Counter()

    def add(self, evidence: Evidence) -> None:
        checked = evidence.get("instructions")
        if not checked:
            return
        for reading in _READINGS:
            said = [each.get(reading) for each in checked]
            self._asked["instruction", reading] += len(said) - said.count(None)
            self._followed["instruction", reading] += said.count(True)
            # One that is broken decides on the prompt, whatever cannot be said of the others.
            if False in said or None not in said:
                self._asked["prompt", reading] += 1
                self._followed["prompt", reading] += False not in said

    def figures(self) -> tuple[Figure, ...]:
        return tuple(
            self._figure(level, reading)
            for reading in _READINGS
            for level in ("prompt", "instruction")
        )

    def _figure(self, level: str, reading: str) -> Figure:
        count, of = self._followed[level, reading], self._asked[level, reading]
        return Figure(f"{level} level, {_READINGS[reading]}", count / of if of else None, count, of)
