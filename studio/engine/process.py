"""The engine process of the window: commands in on standard input, notices out on standard output.

`python -m studio.engine.process`.  The main thread reads the pipe; one asyncio loop in a thread of
its own does the work; one more thread writes, so that a window that reads slowly never holds up a
run.  The process ends when its input ends, which is also what happens when the window dies.
"""

import asyncio
import faulthandler
import logging
import os
import queue
import signal
import sys
import threading
from typing import BinaryIO

from studio import __version__
from studio.engine.messages import Command, EngineReady, Frames, Notice, Shutdown, as_command, frame
from studio.engine.workbench import Workbench

_READ_AT_ONCE = 65_536


class _Outbox:
    """Writes notices in the order they were put, from a thread of its own."""

    def __init__(self, pipe: BinaryIO) -> None:
        self._pipe = pipe
        self._waiting: queue.SimpleQueue[Notice | None] = queue.SimpleQueue()
        self._thread = threading.Thread(target=self._write, name="notices")
        self._thread.start()

    def put(self, notice: Notice) -> None:
        self._waiting.put(notice)

    def close(self) -> None:
        self._waiting.put(None)
        self._thread.join()

    def _write(self) -> None:
        while (notice := self._waiting.get()) is not None:
            try:
                self._pipe.write(frame(notice))
                self._pipe.flush()
            except OSError:
                return  # the window is gone; the end of our input ends the process


async def _serve(commands: "asyncio.Queue[Command]", outbox: _Outbox) -> None:
    async with Workbench(outbox.put) as bench:
        outbox.put(EngineReady(os.getpid(), __version__))
        while not isinstance(command := await commands.get(), Shutdown):
            bench.take(command)


def _read(
    pipe: BinaryIO, loop: asyncio.AbstractEventLoop, commands: "asyncio.Queue[Command]"
) -> None:
    frames = Frames()
    while data := os.read(pipe.fileno(), _READ_AT_ONCE):
        for body in frames.feed(data):
            command = as_command(body)
            loop.call_soon_threadsafe(commands.put_nowait, command)
            if isinstance(command, Shutdown):
                return
    loop.call_soon_threadsafe(commands.put_nowait, Shutdown())


def _own_pipes() -> tuple[BinaryIO, BinaryIO]:
    """The pipe to the window, taken away from standard input and output.

    Whatever a library prints goes to standard error, which the window keeps as its log, and can
    neither break nor read the pipe.
    """
    reading = os.fdopen(os.dup(0), "rb", buffering=0)
    writing = os.fdopen(os.dup(1), "wb")
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
    # The terminal's Ctrl+C goes to the whole group: the window decides, by closing the pipe.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    reading, writing = _own_pipes()
    outbox = _Outbox(writing)
    commands: asyncio.Queue[Command] = asyncio.Queue()
    loop = asyncio.new_event_loop()
    served = threading.Thread(target=_run, args=(loop, commands, outbox), name="engine")
    served.start()
    _read(reading, loop, commands)
    served.join()
    outbox.close()


def _run(
    loop: asyncio.AbstractEventLoop, commands: "asyncio.Queue[Command]", outbox: _Outbox
) -> None:
    asyncio.set_event_loop(loop)
    try:
        loop.run_until_complete(_serve(commands, outbox))
        loop.run_until_complete(loop.shutdown_default_executor())
    except BaseException:
        # A bug in the engine: the window must see the process end, not wait for it.
        logging.exception("the engine failed")
        os._exit(70)
    finally:
        loop.close()


if __name__ == "__main__":
    main()
