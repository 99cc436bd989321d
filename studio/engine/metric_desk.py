"""The desk for metrics: scores runs again, tries a metric, grades cases; all off the loop."""

import asyncio
import logging
import threading
from collections.abc import Awaitable, Callable, Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import Any, TypeVar, assert_never

from studio.engine import trust
from studio.engine.case_grading import CaseGrading
from studio.engine.errors import NotTrusted, RunError, StudioError
from studio.engine.messages import Notice, TrustNeeded
from studio.engine.records import Criteria
from studio.engine.rescoring import Rescoring, tried
from studio.engine.scoring import Scorer
from studio.engine.scoring_messages import (
    CasesGraded,
    GradeCases,
    MetricTried,
    ScoreAgain,
    ScoringEnded,
    ScoringMoved,
    StopGrading,
    StopScoring,
    TryMetric,
)
from studio.engine.store.opening import runs_file
from studio.engine.store.writer import Store

MetricErrand = ScoreAgain | StopScoring | TryMetric | GradeCases | StopGrading

_TELL_EVERY = 0.1
_T = TypeVar("_T")
_log = logging.getLogger(__name__)


class _Line:
    """What is asked for of one kind: one at a time, in order; all of it can be stopped."""

    def __init__(self) -> None:
        self.turn = asyncio.Lock()
        self.begun: set[threading.Event] = set()
        """Those that know already what is open."""
        self._asked: list[threading.Event] = []

    @contextmanager
    def asked(self) -> Iterator[threading.Event]:
        """What is asked for now; the event is set once it has to end."""
        stopped = threading.Event()
        self._asked.append(stopped)
        try:
            yield stopped
        finally:
            self._asked.remove(stopped)
            self.begun.discard(stopped)

    def stop(self) -> None:
        for stopped in self._asked:
            stopped.set()

    async def end(self) -> None:
        """Stop what was begun, and wait until it has ended; what is still to begin goes on."""
        for stopped in self.begun:
            stopped.set()
        async with self.turn:
            pass


class MetricDesk:
    """Carries out what is asked of metrics; what comes of it is told as in `scoring_messages`."""

    def __init__(
        self,
        tell: Callable[[Notice], None],
        folder: Callable[[], Awaitable[Path]],
        runs: Callable[[], Awaitable[tuple[Path, Store]]],
        live: Callable[[], int | None],
    ) -> None:
        """`folder` and `runs` wait for what is open; they may raise StudioError.

        `live` names the run that is under way, whose trials are scored as they end.
        """
        self.run: int | None = None
        """The run that is being scored again."""
        self._tell = tell
        self._folder = folder
        self._runs = runs
        self._live = live
        self._scoring, self._trying, self._grading = _Line(), _Line(), _Line()

    async def carry_out(self, errand: MetricErrand) -> None:
        match errand:
            case ScoreAgain():
                await self._score_again(errand)
            case TryMetric():
                await self._try(errand)
            case GradeCases():
                await self._grade(errand)
            case StopScoring():
                self._scoring.stop()
            case StopGrading():
                self._grading.stop()
            case _:
                assert_never(errand)

    def stop(self) -> None:
        """End what goes on, and what waits for its turn."""
        for line in (self._scoring, self._trying, self._grading):
            line.stop()

    async def end(self) -> None:
        """Stop scoring again what is open now; nothing is written to its store any more."""
        await self._scoring.end()

    async def _score_again(self, asked: ScoreAgain) -> None:
        told = ScoringMoved(asked.run, 0, 0)

        def moved(done: int, planned: int) -> None:
            nonlocal told
            if told != (now := ScoringMoved(asked.run, done, planned)):
                self._tell(now)
                told = now

        ending, wrong = "failed", {}
        try:
            ending = await self._scored(asked, moved)
        except Exception as error:
            wrong = self._what_is_wrong(error)
        self._tell(ScoringEnded(asked.run, told.done, told.planned, ending, **wrong))

    async def _scored(self, asked: ScoreAgain, moved: Callable[[int, int], None]) -> str:
        with self._scoring.asked() as stopped:
            folder, store = await self._runs()
            self._scoring.begun.add(stopped)
            async with self._scoring.turn:
                if stopped.is_set():
                    return "stopped"
                self._require_ended(asked.run)
                self.run = asked.run
                try:
                    return await self._score(folder, store, asked, stopped, moved)
                finally:
                    self.run = None

    def _require_ended(self, run: int) -> None:
        if self._live() == run:
            problem = f"Run {run} is under way: its trials are scored as they end."
            raise RunError(problem, "Wait for its end, or stop it.")

    async def _score(
        self, folder: Path, store: Store, asked: ScoreAgain,
        stopped: threading.Event, moved: Callable[[int, int], None],
    ) -> str:  # fmt: skip
        with Scorer(asked.criteria, folder) as scorer:
            rescoring = Rescoring(store, asked.run, asked.criteria, scorer)

            async def tell() -> None:
                done, planned = rescoring.done, rescoring.planned
                await asyncio.wrap_future(store.committed())
                moved(done, planned)

            return await _watched(partial(rescoring.work, stopped), stopped, scorer, tell)

    async def _try(self, asked: TryMetric) -> None:
        score, wrong = None, {}
        try:
            with self._trying.asked() as stopped:
                folder = await self._folder()
                async with self._trying.turn:
                    with Scorer(Criteria((asked.metric,)), folder) as scorer:
                        work = partial(tried, runs_file(folder), asked.trial, scorer)
                        score = await _watched(work, stopped, scorer)
        except Exception as error:
            wrong = self._what_is_wrong(error)
        self._tell(MetricTried(asked.trial, asked.metric, score, **wrong))

    async def _grade(self, asked: GradeCases) -> None:
        shown, grading = 0, None

        async def tell(ending: str = "", problem: str = "", remedy: str = "") -> None:
            nonlocal shown
            verdicts = () if grading is None else grading.verdicts(shown)
            counts = (0, 0, None) if grading is None else grading.counts
            figures = grading.figures if grading is not None and ending else ()
            shown += len(verdicts)
            self._tell(
                CasesGraded(asked.cases, verdicts, *counts, ending, problem, remedy, figures)
            )

        ending, wrong = "failed", {}
        try:
            with self._grading.asked() as stopped:
                folder = await self._folder()
                async with self._grading.turn:
                    with Scorer(Criteria((asked.metric,)), folder) as scorer:
                        grading = CaseGrading(scorer.metrics[0], asked.cases, asked.out)
                        work = partial(grading.work, stopped)
                        ending = await _watched(work, stopped, scorer, tell)
        except Exception as error:
            wrong = self._what_is_wrong(error)
        await tell(ending, **wrong)

    def _what_is_wrong(self, error: Exception) -> dict[str, Any]:
        """The words for what failed; where trust was missing, it is asked for."""
        if isinstance(error, NotTrusted):
            self._tell(TrustNeeded(str(error.folder), trust.code_files(error.folder)))
        if isinstance(error, StudioError):
            return {"problem": error.problem, "remedy": error.remedy}
        # A bug of ours: the window must hear of the end all the same.
        _log.error("what was asked of a metric failed", exc_info=error)
        return {"problem": f"The engine made a mistake: {type(error).__name__}: {error}"}


async def _nothing_to_tell() -> None:
    pass


async def _watched(
    work: Callable[[], _T],
    stopped: threading.Event,
    scorer: Scorer,
    tell: Callable[[], Awaitable[None]] = _nothing_to_tell,
) -> _T:
    """Do the work in a thread, telling how far it is until it has ended."""
    working = asyncio.create_task(asyncio.to_thread(work))
    try:
        while not working.done():
            await asyncio.wait([working], timeout=_TELL_EVERY)
            if stopped.is_set():
                scorer.close()  # it may be waiting for code of the project
            await tell()
        await tell()  # what was done while the last word was being told
        return working.result()
    finally:
        stopped.set()
        scorer.close()
        await asyncio.wait([working])
