"""Waiting for the server, and for the model to be loaded: none of it counts against a trial."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager


class Waiting:
    """The turns of one trial at `gate`, which lets so many requests through at a time.

    A server that works on one request at a time only queues the others, and whoever is queued
    looks slow.  So requests wait here, where the trial's time stands still.  A model that another
    program had put out of memory is loaded again: that time is given back.
    """

    def __init__(self, gate: asyncio.Semaphore | None) -> None:
        self.seconds = 0.0
        """How much of the trial's time so far is not its own."""
        self.limit: asyncio.Timeout | None = None
        """The trial's time limit, once that runs."""
        self._gate = gate
        self._waiting = 0
        self._since = 0.0
        self._deadline: float | None = None

    @asynccontextmanager
    async def turn(self) -> AsyncIterator[None]:
        """Hold one of the places at the server."""
        if self._gate is None:
            yield
            return
        self._begin()
        try:
            await self._gate.acquire()
        finally:
            self._end()
        try:
            yield
        finally:
            self._gate.release()

    def _begin(self) -> None:
        self._waiting += 1
        if self._waiting > 1:
            return
        self._since = asyncio.get_running_loop().time()
        if self.limit is not None:
            self._deadline = self.limit.when()
            self.limit.reschedule(None)

    def _end(self) -> None:
        self._waiting -= 1
        if self._waiting:
            return
        waited = asyncio.get_running_loop().time() - self._since
        self.seconds += waited
        if self.limit is not None and self._deadline is not None:
            self.limit.reschedule(self._deadline + waited)

    def give_back(self, seconds: float) -> None:
        """So much of a reply's time, now that it is here, was spent on loading the model."""
        self.seconds += seconds
        if self._waiting and self._deadline is not None:
            self._deadline += seconds  # another request of the trial waits just now
        elif self.limit is not None and (until := self.limit.when()) is not None:
            self.limit.reschedule(until + seconds)
