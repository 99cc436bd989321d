"""The servers of a run while it goes on: which one is asked next, and which is not asked.

Each trial is asked of one server from its beginning to its end, the one on which the fewest run
just now: a slow server gets fewer trials and holds no fast one up.  One that is gone is asked
again once it is back.
"""

import asyncio
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

import msgspec

from studio.engine.errors import ServerError
from studio.engine.events import TrialEnded
from studio.engine.models.names import pick
from studio.engine.models.ollama import OllamaServer
from studio.engine.models.returning import pauses, returned
from studio.engine.outcomes import FailureClass
from studio.engine.records import ModelSpec
from studio.engine.runner import Job, Tried
from studio.engine.server_facts import Absence, ServerFacts
from studio.engine.trace import Trace

if TYPE_CHECKING:
    from studio.engine.models.chat import OllamaChat

_LAST_SECONDS = 3.0
_ELSEWHERE = "What it failed is run on another server."
_FAULTS_IN_A_ROW = 3
"""A server that fails so many trials, one after another, is no use, though it answers.

It would fail all that are left of them, and be done with each at once: it is always free.
"""

_IDLE_SECONDS = 60.0
"""After so long a server may have freed the model, as during a pause of the run."""


@dataclass(eq=False)
class Lane:
    """A server of the run; `gate` lets as many requests through as it works on at a time."""

    facts: ServerFacts
    model: "OllamaChat"
    gate: asyncio.Semaphore
    running: int = 0
    faults: int = 0
    waiting: Iterator[float] = field(default_factory=pauses)

    @property
    def is_gone(self) -> bool:
        """Whether it is asked no more only until it is back."""
        absences = self.facts.absences
        return bool(absences) and absences[-1].until is None

    used: float = field(default_factory=time.monotonic)


class Pool:
    """The lanes of one run, on which the model `spec` is asked.  `close()` when the run is over.

    `tell` hears that a server was left out or is back: what to say of it ("" for nothing), and all
    facts as they are then.
    """

    def __init__(
        self,
        spec: ModelSpec,
        lanes: Iterable[Lane],
        others: Sequence[ServerFacts],
        tell: Callable[[str, tuple[ServerFacts, ...]], None],
    ) -> None:
        self._spec = spec
        self._lanes = tuple(lanes)
        self._others = tuple(others)
        self._tell = tell
        self._awaited: list[asyncio.Task[None]] = []

    @property
    def in_use(self) -> tuple[ServerFacts, ...]:
        """Those that are asked, or will be once they are back."""
        return tuple(lane.facts for lane in self._lanes if not lane.facts.left_out or lane.is_gone)

    @property
    def size(self) -> int:
        return len(self._open())

    def take(self, job: Job) -> Lane:
        """The server to ask for this trial: one on which it was not tried, while there is one."""
        tried = {each.server for each in job.tried}
        lanes = self._open() or list(self._lanes)
        untried = [lane for lane in lanes if lane.facts.name not in tried]
        lane = min(untried or lanes, key=_running)
        lane.running += 1
        return lane

    async def wake(self, lane: Lane) -> None:
        """Load the model again where it lay idle: that takes none of the next trial's time."""
        if lane.running > 1 or time.monotonic() - lane.used < _IDLE_SECONDS:
            return
        with suppress(ServerError):  # the trial will meet it, and tell
            async with OllamaServer(lane.facts.address) as server:
                await server.load(self._spec)

    def give_back(self, lane: Lane, end: TrialEnded | None) -> None:
        """The trial ended, `end` is how; None if it was broken off."""
        lane.running -= 1
        lane.used = time.monotonic()
        if end is None or end.failure is FailureClass.TIME_OUT:
            return
        lane.faults = lane.faults + 1 if end.failure is FailureClass.SERVER else 0

    async def after_fault(self, job: Job, trace: Trace) -> Job | None:
        """The job to be run again on another server after this; None if there is no other.

        A time-out is the server's fault only if it went away, which is asked where others are
        there to go on.  Raises ServerError when none is left.
        """
        end = trace.end
        lane = next((each for each in self._lanes if each.facts.name == trace.server), None)
        if end is None or lane is None:
            return None
        is_late = end.failure is FailureClass.TIME_OUT
        if is_late and self._open() == [lane]:
            return None
        if not lane.facts.left_out:
            await self._judge(lane, end)
        if is_late and not lane.facts.left_out:
            return None
        tried = (*job.tried, Tried(trace.server, end.outcome, end.reason))
        left = {each.facts.name for each in self._open()} - {each.server for each in tried}
        return replace(job, tried=tried) if left else None

    async def look_for_replaced(self) -> None:
        """Leave out the servers whose model has become another one since the run began."""
        model = self._spec.name
        for lane in self._open():
            try:
                async with OllamaServer(lane.facts.address, seconds=_LAST_SECONDS) as server:
                    found = pick(model, await server.models())
            except ServerError:
                continue  # the run is over: what cannot be asked any more is left as it was
            if found is not None and found.digest != lane.facts.model_digest:
                was, now = lane.facts.model_digest[:12], found.digest[:12]
                why = f"{model} was replaced there while the run went on ({was} by {now})."
                why = f"{why} Its trials may be of two models."
                self._leave_out(lane, why, f"{lane.facts.name}: {why}")

    async def close(self) -> None:
        """Wait for no server any more."""
        for task in self._awaited:
            task.cancel()
        for error in await asyncio.gather(*self._awaited, return_exceptions=True):
            if isinstance(error, Exception):
                raise error

    async def _judge(self, lane: Lane, end: TrialEnded) -> None:
        """Leave the server out if it is gone, or is of no use; raises if it is the last one."""
        gone = await _why_gone(lane.facts)
        if lane.facts.left_out:
            return  # another trial's end showed it meanwhile
        if gone is not None:
            is_last = self._open() == [lane]
            told = f"{lane.facts.name} is not asked while it is gone. {gone.problem} {_ELSEWHERE}"
            # That of the last one is told as the end of the run.
            self._leave_out(lane, gone.problem, "" if is_last else told, Absence(time.time()))
            if is_last:
                raise gone
            self._awaited.append(asyncio.create_task(self._take_back(lane)))
        elif lane.faults >= _FAULTS_IN_A_ROW and self.size > 1:
            why = f"It failed {lane.faults} trials in a row, the last one so: {end.reason}"
            told = f"{lane.facts.name} is asked no more in this run. {why}"
            self._leave_out(lane, why, f"{told} {_ELSEWHERE}")

    async def _take_back(self, lane: Lane) -> None:
        """Ask the server again once it is back, and has the very model."""
        facts = lane.facts
        back = await returned(self._spec, facts, lane.waiting)
        *before, gone = facts.absences
        version = back.version if back.version != facts.version else ""
        absences = (*before, Absence(gone.since, time.time(), version))
        lane.faults = 0
        lane.facts = msgspec.structs.replace(
            facts, left_out=back.left_out, window=back.window, absences=absences
        )
        told = "is asked no more in this run" if back.left_out else "is back, and asked again"
        self._tell(f"{facts.name} {told}. {back.left_out}".rstrip(), self._facts())

    def _leave_out(self, lane: Lane, why: str, told: str = "", *absences: Absence) -> None:
        absences = (*lane.facts.absences, *absences)
        lane.facts = msgspec.structs.replace(lane.facts, left_out=why, absences=absences)
        self._tell(told, self._facts())

    def _facts(self) -> tuple[ServerFacts, ...]:
        return (*(each.facts for each in self._lanes), *self._others)

    def _open(self) -> list[Lane]:
        return [lane for lane in self._lanes if not lane.facts.left_out]


async def _why_gone(facts: ServerFacts) -> ServerError | None:
    """Why nobody answers there; None if the server does."""
    try:
        async with OllamaServer(facts.address) as server:
            await server.version()
    except ServerError as error:
        return error
    return None


def _running(lane: Lane) -> int:
    return lane.running
