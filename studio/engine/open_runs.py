"""The runs of the project that is open: their store, opened for writing when it is needed first."""

import asyncio
import contextlib
import os
from pathlib import Path

from studio.engine.errors import StoreError
from studio.engine.store.opening import runs_file
from studio.engine.store.writer import Store


class OpenRuns:
    """Owns the store.  Its methods are called in turn, never two at a time."""

    def __init__(self) -> None:
        self._store: Store | None = None

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
        except StoreError as error:
            return str(error)
        return ""

    async def close(self) -> None:
        """Let go of the file.  Raises StoreError if something could not be written."""
        store, self._store = self._store, None
        if store is not None:
            await asyncio.to_thread(store.close)
