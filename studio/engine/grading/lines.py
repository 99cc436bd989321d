"""Grades a stream of lines: one JSON object in, one verdict out, whatever the line holds."""

import itertools
from collections.abc import Callable, Iterator, Sequence
from typing import Any, BinaryIO

import msgspec

from studio.engine.analysis.benchmark_figures import BenchmarkCounts, Figure
from studio.engine.grading.case import answer_in, read_case
from studio.engine.grading.fields import decoded
from studio.engine.grading.stated import unsaid_answer
from studio.engine.metrics.base import AnswerUnknown, Metric, Verdict, not_scorable
from studio.engine.metrics.cases import OwnCases
from studio.engine.plain import plain
from studio.engine.records import JsonObject

LONGEST_LINE = 16 * 1024 * 1024
"""Bytes; a longer line is not read."""

_BLOCK = 1 << 18
_ENCODER = msgspec.json.Encoder()


class Graded(msgspec.Struct, frozen=True, gc=False):
    """The verdict on one line.  `score` is None when the case is not scored: `reason` says why."""

    line: int
    id: Any
    metric: str
    version: str
    score: float | None
    reason: str
    evidence: JsonObject


class Tally:
    """What came of the lines so far; `counts` are for the figures of the metric's benchmark."""

    def __init__(self, counts: BenchmarkCounts | None = None) -> None:
        self._counts = counts
        self.scored = 0
        self.not_scored = 0
        self.total = 0.0

    def add(self, verdict: Verdict) -> None:
        score = verdict.value
        if score is None:
            self.not_scored += 1
        else:
            self.scored += 1
            self.total += score
        if self._counts is not None:
            self._counts.add(verdict.evidence)

    @property
    def figures(self) -> tuple[Figure, ...]:
        """The figures that the benchmark states; () where that is the mean."""
        return () if self._counts is None else self._counts.figures()

    @property
    def mean(self) -> float | None:
        return self.total / self.scored if self.scored else None


def graded_lines(metric: Metric, source: BinaryIO, tally: Tally) -> Iterator[bytes]:
    """The verdicts on the lines of a file, each a line of JSON; blank lines are passed over.

    No more than one block and one line are held at a time.
    """
    return itertools.chain.from_iterable(graded_blocks(metric, source, tally))


def graded_blocks(metric: Metric, source: BinaryIO, tally: Tally) -> Iterator[Iterator[bytes]]:
    """As `graded_lines`, parted where nothing more was there to be read for the moment."""
    key, version, judge = metric.key, metric.revision, _judge(metric)

    def graded(first: int, lines: Sequence[bytes | None]) -> Iterator[bytes]:
        for number, line in enumerate(lines, first):
            if line is None:
                id, verdict = None, _TOO_LONG
            elif not line or line.isspace():
                continue
            else:
                id, verdict = _graded(line, judge)
            tally.add(verdict)
            value, reason, evidence = verdict.value, verdict.reason, verdict.evidence
            yield _written(Graded(number, id, key, version, value, reason, evidence))

    number = 1
    for lines in _blocks(source):
        yield graded(number, lines)
        number += len(lines)


_TOO_LONG = Verdict(None, f"the line is longer than {LONGEST_LINE:,} bytes")


def _blocks(source: BinaryIO) -> Iterator[list[bytes | None]]:
    """The lines of a file as they come, without their ends; None for one that is too long."""
    parts: list[bytes] = []
    size = 0
    while block := source.read1(_BLOCK):  # type: ignore[attr-defined]  # all that we open have it
        first, *others = block.split(b"\n")
        size += len(first)
        if size <= LONGEST_LINE:
            parts.append(first)
        if others:
            begun = b"".join(parts) if size <= LONGEST_LINE else None
            parts = [others.pop()]
            size = len(parts[0])
            yield [begun, *others]
        elif size > LONGEST_LINE:
            parts.clear()
    if size:
        yield [b"".join(parts) if size <= LONGEST_LINE else None]


def grade(metric: Metric, case: JsonObject) -> Verdict:
    """The verdict on one case.  Never raises."""
    return _safely(_judge(metric), case)


Judge = Callable[[JsonObject], Verdict]


def _judge(metric: Metric) -> Judge:
    """How the metric grades a case: in its benchmark's own shape, or as a query and a trace."""
    keys = metric.known_by if isinstance(metric, OwnCases) else ()

    def as_trial(case: JsonObject) -> Verdict:
        query, trace = read_case(case, keys)
        excuse = not_scorable(trace)
        return (
            Verdict(None, excuse) if excuse else metric.held_to_range(metric.verdict(query, trace))
        )

    if not isinstance(metric, OwnCases):
        return as_trial
    own, known_by = metric.verdict_on, frozenset(keys)

    def as_it_stands(case: JsonObject) -> Verdict:
        if known_by.isdisjoint(case):
            return as_trial(case)
        try:
            verdict = own(case)
        except AnswerUnknown:
            # It may stand in a conversation, which few benchmarks know.
            verdict = own({**case, "answer": answer_in(case)})
        return metric.held_to_range(verdict)

    return as_it_stands


def _graded(line: bytes, judge: Judge) -> tuple[Any, Verdict]:
    try:
        case = decoded(line)
    except ValueError as error:
        return None, Verdict(None, f"the line is no JSON{_of_a_list(line)}: {error}")
    except RecursionError:
        return None, Verdict(None, "the line is nested too deeply to be read")
    if not isinstance(case, dict):
        return None, Verdict(None, f"the line is no JSON object{_of_a_list(line)}")
    return case.get("id"), _safely(judge, case)


def _of_a_list(line: bytes) -> str:
    """What to do where the cases are the items of one list, written over many lines."""
    bare = line.strip()
    is_part = bare.startswith((b"[", b"]")) or bare.endswith(b",")
    return " (write one object a line, no list around them)" if is_part else ""


def _safely(judge: Judge, case: JsonObject) -> Verdict:
    try:
        return judge(case)
    except AnswerUnknown:
        return Verdict(None, unsaid_answer(case))
    except UnicodeEncodeError:
        return Verdict(None, "the case cannot be read: a text in it holds half a surrogate pair")
    except ValueError as error:
        return Verdict(None, f"the case cannot be read: {error}")
    except RecursionError:
        return Verdict(None, "the case is nested too deeply to be graded")
    except Exception as error:  # one odd case must not end the grading of all others
        return Verdict(None, f"the grader failed on this case: {type(error).__name__}: {error}")


def _written(graded: Graded) -> bytes:
    try:
        return _ENCODER.encode(graded) + b"\n"
    except (UnicodeEncodeError, TypeError, RecursionError, OverflowError, ValueError):
        return _ENCODER.encode(plain(msgspec.structs.asdict(graded))) + b"\n"
