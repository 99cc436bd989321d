"""The model and who may use it: one generation at a time, unloaded when nobody asks for long."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

from studio.engine.models.embedded.asked import Refusal
from studio.engine.models.embedded.card import Card
from studio.engine.models.embedded.llama import Llama

_MOST_WAITING = 512
_FOR_EVER = timedelta(days=36_500)


class Engine:
    """The one model of this server.  Owned by the server's event loop."""

    def __init__(self, weights: Path) -> None:
        self.card = Card(weights)
        self.llama = Llama(weights, self.card.trained_window)
        self._turn = asyncio.Lock()
        self._waiting = 0
        self._asked_window = 0
        self._expires = datetime.now(UTC)
        self._expiry: asyncio.TimerHandle | None = None
        self._unloading: asyncio.Task[None] | None = None

    @asynccontextmanager
    async def turn(self, window: int, keep_alive: float) -> AsyncIterator[Llama]:
        """The model, alone; afterwards it stays loaded for `keep_alive` seconds (negative: always).

        Raises Refusal 503 if too many wait already.
        """
        if self._waiting >= _MOST_WAITING:
            raise Refusal(503, "server busy, please try again.  maximum pending requests exceeded")
        self._waiting += 1
        try:
            await self._turn.acquire()
        finally:
            self._waiting -= 1
        try:
            self._stay()
            self._asked_window = window
            yield self.llama
        finally:
            self._turn.release()
            self._leave_after(keep_alive)

    async def unload(self) -> None:
        """Free the model's memory once nobody uses it."""
        async with self._turn:
            self._stay()
            await self.llama.unload()

    def loaded(self) -> list[dict[str, Any]]:
        """The items of /api/ps."""
        if not self.llama.window:
            return []
        return [self.card.loaded(self._asked_window, self._expires)]

    def _stay(self) -> None:
        if self._expiry is not None:
            self._expiry.cancel()
            self._expiry = None

    def _leave_after(self, seconds: float) -> None:
        self._stay()
        if seconds < 0:
            self._expires = datetime.now(UTC) + _FOR_EVER
            return
        seconds = min(seconds, _FOR_EVER.total_seconds())
        self._expires = datetime.now(UTC) + timedelta(seconds=seconds)
        self._expiry = asyncio.get_running_loop().call_later(seconds, self._expire)

    def _expire(self) -> None:
        if not self._turn.locked():
            self._unloading = asyncio.ensure_future(self.unload())
