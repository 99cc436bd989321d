"""The engine process of the window: commands in on standard input, notices out on standard output.

`python -m studio.engine.process`.  The main thread reads the pipe; one asyncio loop in a thread of
its own does the work; one more thread writes, so that a window that reads slowly never holds up a
run.  The process ends when its input ends, which is also what happens when the window dies.
"""

import asyncio
import faulthandler
import logging
import os
import signal
import sys
import threading
from collections import deque
from collections.abc import Callable

import msgspec

from studio import __version__
from studio.engine.messages import (
    Command,
    EngineReady,
    Frames,
    Notice,
    Preparing,
    RunProgressed,
    Shutdown,
    as_command,
    frame,
)
from studio.engine.scoring_messages import ScoringMoved
from studio.engine.workbench import Workbench

_READ_AT_ONCE = 65_536
_LAST_WORDS_SECONDS = 5.0
_log = logging.getLogger(__name__)


class _Outbox:
    """Writes notices in the order they were put, from a thread of its own."""

    def __init__(self, pipe: int) -> None:
        self._pipe = pipe
        self._changed = threading.Condition()
        self._waiting: deque[Notice] = deque()
        self._is_closing = False
        # A daemon: a window that no longer reads must not keep the engine from ending.
        self._thread = threading.Thread(target=self._write, name="notices", daemon=True)
        self._thread.start()

    def put(self, notice: Notice) -> None:
        with self._changed:
            # However slowly the window reads, of how far a run is only the latest word waits.
            if self._waiting and _is_newer(notice, self._waiting[-1]):
                self._waiting.pop()
            self._waiting.append(notice)
            self._changed.notify()

    def close(self) -> None:
        """Write what waits, if the window reads it in time."""
        with self._changed:
            self._is_closing = True
            self._changed.notify()
        self._thread.join(_LAST_WORDS_SECONDS)

    def _write(self) -> None:
        while (notice := self._next()) is not None:
            left = memoryview(frame(notice))
            try:
                while left:
                    left = left[os.write(self._pipe, left) :]
            except OSError:
                return  # the window is gone; the end of our input ends the process

    def _next(self) -> Notice | None:
        with self._changed:
            self._changed.wait_for(lambda: self._waiting or self._is_closing)
            return self._waiting.popleft() if self._waiting else None


def _is_newer(notice: Notice, than: Notice) -> bool:
    match notice, than:
        case RunProgressed(run=run), RunProgressed(run=before):
            return run == before
        case ScoringMoved(run=run), ScoringMoved(run=before):
            return run == before
        case Preparing(), Preparing():
            return True
    return False


async def _serve(commands: "asyncio.Queue[Command]", outbox: _Outbox) -> None:
    async with Workbench(outbox.put) as bench:
        outbox.put(EngineReady(os.getpid(), __version__))
        while not isinstance(command := await commands.get(), Shutdown):
            bench.take(command)


def _read(pipe: int, take: Callable[[Command], None]) -> int:
    """Take commands until the pipe ends or the window says Shutdown; returns the exit code."""
    frames = Frames()
    code = 0
    try:
        while data := os.read(pipe, _READ_AT_ONCE):
            for body in frames.feed(data):
                command = as_command(body)
                take(command)
                if isinstance(command, Shutdown):
                    return code
    except (msgspec.DecodeError, OSError):
        _log.exception("the window said something that cannot be read")
        code = os.EX_DATAERR if os.name == "posix" else 1
    take(Shutdown())
    return code


def _own_pipes() -> tuple[int, int]:
    """The pipe to the window, taken away from standard input and output.

    Whatever a library prints goes to standard error, which the window keeps as its log, and can
    neither break nor read the pipe.
    """
    reading, writing = os.dup(0), os.dup(1)
    nothing = os.open(os.devnull, os.O_RDONLY)
    os.dup2(nothing, 0)
    os.close(nothing)
    os.dup2(2, 1)
    return reading, writing


def main() -> None:
    """Serve one window until its pipe closes or it says Shutdown."""
    faulthandler.enable()
    logging.basicConfig(
        stream=sys.stderr, level=logging.INFO, format="%(asctime)s engine %(levelname)s %(message)s"
    )
    # One line for every request would bury what matters.
    logging.getLogger("httpx").setLevel(logging.WARNING)
    # The terminal's Ctrl+C goes to the whole group: the window decides, by closing the pipe.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    reading, writing = _own_pipes()
    outbox = _Outbox(writing)
    commands: asyncio.Queue[Command] = asyncio.Queue()
    loop = asyncio.new_event_loop()

    def take(command: Command) -> None:
        loop.call_soon_threadsafe(commands.put_nowait, command)

    served = threading.Thread(target=_run, args=(loop, commands, outbox), name="engine")
    served.start()
    code = _read(reading, take)
    served.join()
    outbox.close()
    logging.shutdown()
    # All that was asked for is done and stored.  What may still go on in a thread (a download that
    # was given up, a project's code that hangs) must not hold the process up.
    os._exit(code)


def _run(
    loop: asyncio.AbstractEventLoop, commands: "asyncio.Queue[Command]", outbox: _Outbox
) -> None:
    asyncio.set_event_loop(loop)
    try:
        loop.run_until_complete(_serve(commands, outbox))
    except BaseException:
        # A bug in the engine: the window must see the process end, not wait for it.
        _log.exception("the engine failed")
        os._exit(70)


if __name__ == "__main__":
    main()
