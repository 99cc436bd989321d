"""The runs of the project that is open: their store, opened for writing when it is needed first."""

import asyncio
import contextlib
import os
from collections.abc import Callable
from pathlib import Path

from studio.engine.errors import StoreError, StoreTaken
from studio.engine.store.opening import is_held, runs_file
from studio.engine.store.writer import Store

_LOOK_EVERY = 1.0


class OpenRuns:
    """Owns the store.  Its methods are called in turn, never two at a time.

    `freed` hears of a folder whose runs another studio wrote to, once that has ended.
    """

    def __init__(self, freed: Callable[[Path], None] = lambda _folder: None) -> None:
        self._store: Store | None = None
        self._freed = freed
        self._watch: asyncio.Task[None] | None = None

    async def writable(self, folder: Path) -> Store:
        """The store of the folder's runs, opened or made.  Raises StoreError."""
        if self._store is not None and self._store.is_lost:
            with contextlib.suppress(StoreError):  # the run that wrote to it failed with this
                await self.close()
        if self._store is None:
            self._store = await asyncio.to_thread(Store.open, runs_file(folder))
        return self._store

    async def why_read_only(self, folder: Path) -> str:
        """Why no run can be written, "" if one can; runs that are there are opened for writing."""
        if not runs_file(folder).exists():
            is_open = os.access(folder, os.W_OK)
            return "" if is_open else f"The folder {folder} may not be written."
        try:
            await self.writable(folder)
        except StoreTaken as error:
            if self._watch is None:
                self._watch = asyncio.create_task(self._watch_for_its_end(folder))
            return str(error)
        except StoreError as error:
            return str(error)
        return ""

    async def _watch_for_its_end(self, folder: Path) -> None:
        while await asyncio.to_thread(is_held, runs_file(folder)):  # noqa: ASYNC110 (a process, not a task)
            await asyncio.sleep(_LOOK_EVERY)
        self._watch = None
        self._freed(folder)

    async def close(self) -> None:
        """Let go of the file.  Raises StoreError if something could not be written."""
        if self._watch is not None:
            self._watch.cancel()
            await asyncio.gather(self._watch, return_exceptions=True)
            self._watch = None
        store, self._store = self._store, None
        if store is not None:
            await asyncio.to_thread(store.close)
