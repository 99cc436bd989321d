"""Runs the trials of one run: order, concurrency, cancelling, scoring as they end.

The runner takes live objects and knows no files, names or servers (`launch` builds what it needs).
It runs on one asyncio loop; metrics are computed in threads beside it; the store writes in a
thread of its own.  A trial is acknowledged, which is to say counted, when its events and scores
were handed to the store, and reported when the store says that they are on disk.
"""

import asyncio
import time
from collections import deque
from collections.abc import AsyncIterator, Awaitable, Callable, Iterable, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass
from typing import Protocol

from studio.engine.crew import Crew
from studio.engine.errors import StoreError
from studio.engine.events import Event, TrialEnded
from studio.engine.outcomes import FailureClass, Outcome
from studio.engine.plain import plain_text
from studio.engine.progress import count, seconds_left, uncount
from studio.engine.records import (
    Finding,
    Query,
    Score,
    Tally,
)
from studio.engine.scoring import Opinion
from studio.engine.store.rows import COUNTS
from studio.engine.trace import Trace

_REPORT_EVERY = 0.033
_SERVERS_FAULT = {FailureClass.SERVER, FailureClass.TIME_OUT}
"""A server that went away without a word only looks slow: whether it did is found out."""


class Record(Protocol):
    """The part of the store that a running run writes to."""

    def begin_trial(self, run: int, query: Query, number: int, position: int) -> int: ...
    def append(self, trial: int, event: Event) -> None: ...
    def add_scores(
        self, trial: int, scores: Sequence[Score], findings: Sequence[Finding]
    ) -> None: ...
    def committed(self) -> "Future[None]": ...


@dataclass(frozen=True, slots=True)
class Tried:
    """A server by whose fault a trial failed, how it ended and why."""

    server: str
    outcome: Outcome
    reason: str


@dataclass(frozen=True, slots=True)
class Job:
    """One trial to be run: the query, which of its trials, and its place in the plan.

    `tried` are the servers on which it failed by no fault of its own, the latest last.
    """

    query: Query
    number: int
    position: int
    tried: tuple[Tried, ...] = ()


Emit = Callable[[Event], None]


class Place(Protocol):
    """Where trials are run, one after another; a run has one for each that it runs at a time."""

    async def run(self, job: Job, emit: Emit) -> TrialEnded:
        """Run the trial and emit what happens, TrialEnded last.  Failures are outcomes.

        What is raised ends the run: the runner then ends the trial, unless that was emitted.
        """
        ...

    async def close(self) -> None: ...


@dataclass(frozen=True, slots=True)
class Progress:
    """What there is to say while a run goes on."""

    tally: Tally
    running: tuple[str, ...]
    seconds_left: tuple[float, float] | None
    is_paused: bool = False
    at_once: int = 1
    servers: int = 1


@dataclass(frozen=True, slots=True)
class Means:
    """What a run works with: places for its trials, and who judges them (in any thread).

    `after_fault` is asked after a trial ended by what may be its server's fault: it gives the job
    to be run again on another server, or None, and raises a StudioError when going on makes no
    sense.  `servers` is how many share the trials just now.
    """

    new_place: Callable[[], Place]
    opinion: Callable[[Query, Trace], Opinion]
    after_fault: Callable[[Job, Trace], Awaitable[Job | None]]
    servers: Callable[[], int]


class Runner:
    """One run under way.  `run()` once; `stop()` at any time from the same loop."""

    def __init__(
        self, run: int, means: Means, record: Record, tally: Tally, *, at_once: int = 1
    ) -> None:
        self.tally = tally
        self._run = run
        self._means = means
        self._record = record
        self._at_once = at_once
        self._crew: Crew[Job] | None = None
        self._durations: deque[float] = deque(maxlen=200)
        """How long each trial kept its place, its waiting for a busy server included."""
        self._running: dict[int, str] = {}
        self._scorers = ThreadPoolExecutor(2, thread_name_prefix="scoring")
        self._is_stopped = False
        self._is_finishing = False

    def stop(self) -> None:
        """Cancel what runs.  Trials that ended keep their scores; `run` returns "stopped"."""
        self._is_stopped = True
        if self._crew is not None:
            self._crew.cancel()

    def finish(self) -> None:
        """Begin no more trials; `run` returns when those that run have ended."""
        self._is_finishing = True
        if self._crew is not None:
            self._crew.finish()

    def pause(self) -> None:
        """Begin no more trials until `resume`; those that run go on to their end."""
        if self._crew is not None:
            self._crew.pause()

    def resume(self) -> None:
        if self._crew is not None:
            self._crew.resume()

    def run_at_once(self, trials: int) -> None:
        """Run so many trials together on each server; those that run go on to their end."""
        self._at_once = max(1, trials)
        self.fit()

    def fit(self) -> None:
        """Run as many trials together as the servers that there are now can take.

        How long trials took at another width tells nothing of how long they take now.
        """
        if self._crew is not None and self._width != self._crew.size:
            self._crew.resize(self._width)
            self._durations.clear()

    @property
    def _width(self) -> int:
        """How many trials run together on all servers."""
        return self._at_once * self._means.servers()

    async def run(self, jobs: Iterable[Job], report: Callable[[Progress], None]) -> str:
        """Run the jobs in order and return "finished" or "stopped".

        Raises StoreError when results can no longer be written, and what `after_fault` or a place
        raises.
        """
        self._crew = Crew(jobs, self._work, self._width)
        working = asyncio.create_task(self._crew.run())
        reporting = asyncio.create_task(self._report(report))
        try:
            done, _ = await asyncio.wait({working, reporting}, return_when=asyncio.FIRST_COMPLETED)
            for task in done:
                task.result()
            await asyncio.wrap_future(self._record.committed())
            report(self._progress())
        finally:
            await _cancelled([working, reporting])
            self._scorers.shutdown()
        is_whole = self.tally.left == 0 and self.tally.cancelled == 0
        ends_early = self._is_stopped or self._is_finishing
        return "finished" if is_whole or not ends_early else "stopped"

    async def _work(self, jobs: AsyncIterator[Job]) -> None:
        place = self._means.new_place()
        try:
            async for job in jobs:
                trace = await self._trial(job, place)
                if trace.end is not None and trace.end.failure in _SERVERS_FAULT:
                    await self._after_fault(job, trace)
        finally:
            await place.close()

    async def _after_fault(self, job: Job, trace: Trace) -> None:
        """Let the trial be run again where it can be.

        It is begun in its turn: a run that is paused or finishing begins nothing.
        """
        again = await self._means.after_fault(job, trace)
        assert self._crew is not None, "it handed the job out"
        if again is not None:
            self._crew.put_back(again)
        self.fit()

    async def _trial(self, job: Job, place: Place) -> Trace:
        if job.tried:  # what that came to is no outcome any more
            self.tally = uncount(self.tally, job.tried[-1].outcome)
        trial = self._record.begin_trial(self._run, job.query, job.number, job.position)
        events: list[Event] = []

        def emit(event: Event) -> None:
            events.append(event)
            self._record.append(trial, event)

        self._running[trial] = job.query.id
        began = time.monotonic()
        try:
            await place.run(job, emit)
        except StoreError:
            raise  # whatever is emitted now is refused as well
        except BaseException as error:
            if not (events and isinstance(events[-1], TrialEnded)):
                emit(_broken_off(error))
            await self._settle(trial, job.query, Trace(events))
            raise
        finally:
            del self._running[trial]
        trace = Trace(events)
        scoring = asyncio.create_task(self._settle(trial, job.query, trace))
        try:
            await asyncio.shield(scoring)
        except asyncio.CancelledError:
            await scoring  # a trial that ended keeps its scores
            raise
        self._durations.append(time.monotonic() - began)
        return trace

    async def _settle(self, trial: int, query: Query, trace: Trace) -> None:
        """Score a trial that ended, if its end stands, and count it."""
        assert trace.outcome is not None, "it has ended"
        if trace.outcome in COUNTS:
            loop = asyncio.get_running_loop()
            opinion = await loop.run_in_executor(self._scorers, self._means.opinion, query, trace)
            self._record.add_scores(trial, *opinion)
        self.tally = count(self.tally, trace.outcome)

    def _progress(self) -> Progress:
        left = self.tally.left
        return Progress(
            self.tally,
            tuple(self._running.values()),
            seconds_left(tuple(self._durations), left, self._width),
            is_paused=self._crew is not None and self._crew.is_paused,
            at_once=self._at_once,
            servers=self._means.servers(),
        )

    async def _report(self, report: Callable[[Progress], None]) -> None:
        """Tell how far the run is, each time after what it tells of is on disk."""
        told: Progress | None = None
        while True:
            progress = self._progress()
            await asyncio.wrap_future(self._record.committed())
            if progress != told:
                report(progress)
                told = progress
            await asyncio.sleep(_REPORT_EVERY)


def _broken_off(error: BaseException) -> TrialEnded:
    """The end of a trial whose place could not tell one; a trial without an end runs for ever."""
    now, told = time.time(), plain_text(str(error), 2_000)
    if isinstance(error, asyncio.CancelledError):
        return TrialEnded(now, Outcome.CANCELLED, failure=FailureClass.CANCELLED)
    return TrialEnded(now, Outcome.INTERRUPTED, failure=FailureClass.HARNESS, reason=told)


async def _cancelled(tasks: Iterable["asyncio.Task[None]"]) -> None:
    """Cancel the tasks and wait for their end; the first thing that one raised was told already."""
    tasks = list(tasks)
    for task in tasks:
        task.cancel()
    await asyncio.gather(*tasks, return_exceptions=True)
