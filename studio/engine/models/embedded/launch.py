"""Starts the embedded server as a process of its own, and ends it."""

import asyncio
import contextlib
import os
import threading
from collections.abc import Callable
from pathlib import Path
from types import TracebackType
from typing import Self

from studio import folders
from studio.engine.errors import ServerError, WeightsError
from studio.engine.interpreter import PYTHON
from studio.engine.models.embedded.weights import ensure_weights

_START_SECONDS = 30.0
_END_SECONDS = 5.0


class EmbeddedServer:
    """The embedded server's process, started when its address is first asked for.

    One that died is started anew (at another address) when it is asked for the next time.  It
    ends with this object's `close`, and with this process however that ends.
    """

    def __init__(
        self,
        progress: Callable[[int, int], None] = lambda _done, _total: None,
        *,
        log: Path | None = None,
    ) -> None:
        """`progress(done, total)` is told of the weights' download, from another thread.

        The server's own output goes to the file `log`.
        """
        self._progress = progress
        self._log = log or folders.log_folder() / "embedded.log"
        self._starting = asyncio.Lock()
        self._process: asyncio.subprocess.Process | None = None
        self._address = ""

    @property
    def is_running(self) -> bool:
        """Whether it was started and has not ended."""
        return self._process is not None and self._process.returncode is None

    async def address(self) -> str:
        """The server's address, such as `http://127.0.0.1:40123`, once it answers.

        Raises WeightsError if the weights cannot be had, ServerError if the process does not come
        up.
        """
        async with self._starting:
            if not self.is_running:
                self._address = await self._start(await self._weights())
            return self._address

    async def close(self) -> None:
        """End the process.  Closing twice is allowed."""
        async with self._starting:
            process, self._process = self._process, None
            if process is None:
                return
            # The end of its input is the sign to end; the transport goes with it.
            if process.stdin is not None:
                process.stdin.close()
            try:
                await asyncio.wait_for(process.wait(), _END_SECONDS)
            except TimeoutError:
                process.kill()
                await process.wait()

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self,
        _kind: type[BaseException] | None,
        _error: BaseException | None,
        _trace: TracebackType | None,
    ) -> None:
        await self.close()

    async def _weights(self) -> Path:
        """The weights, fetched if need be; cancelling this gives the download up, to be resumed."""
        given_up = threading.Event()

        def progress(done: int, total: int) -> None:
            if given_up.is_set():
                raise WeightsError("The download of the embedded model was given up.")
            self._progress(done, total)

        try:
            return await asyncio.to_thread(ensure_weights, progress)
        finally:
            given_up.set()

    async def _start(self, weights: Path) -> str:
        try:
            process = await self._spawn(weights)
        except OSError as error:
            raise ServerError(f"The embedded model server did not start: {error}.") from error
        address = ""
        try:
            assert process.stdout is not None, "it was asked for"
            async with asyncio.timeout(_START_SECONDS):
                address = (await process.stdout.readline()).decode().strip()
        except TimeoutError:
            pass  # told below, as any other way not to say an address
        finally:
            if not address.startswith("http://"):
                with contextlib.suppress(ProcessLookupError):
                    process.kill()
                await process.wait()
        if not address.startswith("http://"):
            raise ServerError(
                "The embedded model server did not start.", f"Its log is {self._log}."
            )
        self._process = process
        return address

    async def _spawn(self, weights: Path) -> asyncio.subprocess.Process:
        self._log.parent.mkdir(parents=True, exist_ok=True)
        with self._log.open("wb") as log:
            return await asyncio.create_subprocess_exec(
                *PYTHON, "-m", "studio.engine.models.embedded", str(weights),
                stdin=asyncio.subprocess.PIPE,
                stdout=asyncio.subprocess.PIPE,
                stderr=log,
                env=os.environ | {"PYTHONUNBUFFERED": "1"},
                # A Ctrl+C in the terminal is for the one who asks: the trial that runs may end.
                start_new_session=True,
            )  # fmt: skip
