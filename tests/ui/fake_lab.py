"""The small real engine's part for metrics: real verdicts, one thing at a time, in a thread."""

import contextlib
import os
import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import BinaryIO

import msgspec

from studio.engine.analysis.benchmark_figures import counts_for
from studio.engine.grading import Graded, Tally, graded_lines
from studio.engine.messages import Command, Notice
from studio.engine.metrics import build, score_all
from studio.engine.records import Criteria
from studio.engine.scoring_messages import (
    CasesGraded,
    CaseVerdict,
    GradeCases,
    MetricTried,
    ScoreAgain,
    ScoringEnded,
    ScoringMoved,
    StopGrading,
    StopScoring,
    TryMetric,
)
from studio.engine.store.reader import RunReader
from studio.engine.store.writer import Store
from studio.engine.trace import Trace

_MOST_SHOWN = 1_000


class FakeLab:
    """`pause` is how long each trial takes to be judged, in seconds."""

    def __init__(self, say: Callable[[Notice], None], pause: float = 0.0) -> None:
        self._say = say
        self._pause = pause
        self._stopped = threading.Event()
        self._worker: threading.Thread | None = None

    def take(self, command: Command, store: Store | None, path: Path) -> bool:
        match command:
            case TryMetric():
                self._try(command, path)
            case ScoreAgain():
                self._begin(self._score, command, store, path)
            case GradeCases():
                self._begin(self._grade, command)
            case StopScoring() | StopGrading():
                self._stopped.set()
            case _:
                return False
        return True

    def close(self) -> None:
        self._stopped.set()
        if self._worker is not None:
            self._worker.join()

    def _begin(self, work: Callable[..., None], *arguments: object) -> None:
        if self._worker is not None:
            self._worker.join()
        self._stopped.clear()
        self._worker = threading.Thread(target=work, args=arguments)
        self._worker.start()

    def _try(self, asked: TryMetric, path: Path) -> None:
        with contextlib.closing(RunReader(path)) as reader:
            row = reader.trial(asked.trial)
            query = reader.query(row.run, row.position) if row is not None else None
            if query is None:
                problem = f"There is no trial {asked.trial} in this project."
                self._say(MetricTried(asked.trial, asked.metric, None, problem, "Choose another."))
                return
            [score] = score_all(build((asked.metric,)), query, Trace(reader.events(asked.trial)))
        self._say(MetricTried(asked.trial, asked.metric, score))

    def _score(self, asked: ScoreAgain, store: Store | None, path: Path) -> None:
        assert store is not None
        with contextlib.closing(RunReader(path)) as reader:
            rows = list(reader.trials(asked.run))
            store.judge_by(asked.run, asked.criteria)
            done = self._judge(asked.run, asked.criteria, store, reader)
        ending = "stopped" if self._stopped.is_set() else "finished"
        self._say(ScoringEnded(asked.run, done, len(rows), ending))

    def _judge(self, run: int, criteria: Criteria, store: Store, reader: RunReader) -> int:
        metrics = build(criteria.metrics)
        rows = list(reader.trials(run))
        for done, row in enumerate(rows):
            if self._stopped.wait(self._pause):
                return done
            query = reader.query(run, row.position)
            assert query is not None
            scores = score_all(metrics, query, Trace(reader.events(row.id)))
            store.add_scores(row.id, scores, afresh=True)
            store.committed().result()
            self._say(ScoringMoved(run, done + 1, len(rows)))
        return len(rows)

    def _grade(self, asked: GradeCases) -> None:
        [metric] = build((asked.metric,))
        tally = Tally(counts_for(metric))
        try:
            out = Path(asked.out or os.devnull)
            with Path(asked.cases).open("rb") as source, out.open("wb") as target:
                lines = graded_lines(metric, source, tally)
                self._copy(asked, lines, target, tally)
        except OSError as error:
            problem = f"{error.filename}: {error.strerror}."
            self._say(CasesGraded(asked.cases, (), 0, 0, None, "failed", problem))

    def _copy(
        self, asked: GradeCases, lines: Iterator[bytes], target: BinaryIO, tally: Tally
    ) -> None:
        shown: list[CaseVerdict] = []
        for number, line in enumerate(lines):
            if self._stopped.wait(self._pause):
                break
            target.write(line)
            if number < _MOST_SHOWN:
                shown.append(_verdict(line))
            if len(shown) == 100:
                self._tell(asked, shown, tally)
                shown = []
        self._tell(asked, shown, tally, "stopped" if self._stopped.is_set() else "finished")

    def _tell(
        self, asked: GradeCases, shown: list[CaseVerdict], tally: Tally, ending: str = ""
    ) -> None:
        counts = (tally.scored, tally.not_scored, tally.mean)
        figures = tuple(each.words for each in tally.figures) if ending else ()
        self._say(CasesGraded(asked.cases, tuple(shown), *counts, ending, figures=figures))


def _verdict(line: bytes) -> CaseVerdict:
    graded = msgspec.json.decode(line, type=Graded)
    return CaseVerdict(graded.line, graded.id, graded.score, graded.reason, graded.evidence)
