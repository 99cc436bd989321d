"""A child process that is asked one thing at a time, and killed when that takes too long.

Requests and replies are lines: one on its standard input, one on its standard output.
"""

import contextlib
import os
import queue
import signal
import subprocess
import threading
from collections.abc import Sequence
from typing import Any

_PARTING = 1.0
"""Seconds that a child has to end once it says nothing more."""


class Ended(Exception):
    """The child ended before it replied.  `status` as in `subprocess`."""

    def __init__(self, status: int) -> None:
        super().__init__(status)
        self.status = status


class Killable:
    """A running child, killed together with whatever it has started.  For one thread at a time.

    `kill` alone may come from another thread: who waits for a reply then hears that it ended.
    """

    def __init__(self, command: Sequence[str], **how: Any) -> None:
        """Start it; `how` is for `subprocess.Popen`.  Raises OSError."""
        self._process = subprocess.Popen(
            command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, start_new_session=True, **how
        )
        self._is_killed = False
        self._replies: queue.SimpleQueue[bytes | None] = queue.SimpleQueue()
        self._reader = threading.Thread(target=self._read, name="killable child", daemon=True)
        self._reader.start()

    @property
    def lives(self) -> bool:
        return self._process.poll() is None

    def ask(self, request: bytes, seconds: float) -> bytes:
        """The reply to a request.  Raises TimeoutError or Ended; the child is then of no use."""
        self.tell(request)
        return self.reply(seconds)

    def tell(self, request: bytes) -> None:
        """Make a request whose reply is waited for later.  Raises Ended."""
        assert self._process.stdin is not None
        try:
            self._process.stdin.write(request + b"\n")
            self._process.stdin.flush()
        except (OSError, ValueError):  # ValueError: it was killed meanwhile, and the pipe closed
            raise Ended(self.kill()) from None

    def reply(self, seconds: float) -> bytes:
        """The next line that it says.  Raises as `ask` does."""
        try:
            reply = self._replies.get(timeout=seconds)
        except queue.Empty:
            raise TimeoutError from None
        if reply is None:
            # What closes its output is about to end by itself; killed first, it would not say how.
            with contextlib.suppress(subprocess.TimeoutExpired):
                self._process.wait(_PARTING)
            raise Ended(self.kill())
        return reply

    def kill(self) -> int:
        """End it, and what it has started; returns its exit status."""
        # Once, whether it lives or not: what it has started may have outlived it.
        if not self._is_killed:
            self._is_killed = True
            _kill_all(self._process)
        status = self._process.wait()
        assert self._process.stdin is not None
        # What it did not read any more can no longer be written.
        with contextlib.suppress(OSError):
            self._process.stdin.close()
        return status

    def _read(self) -> None:
        assert self._process.stdout is not None
        with self._process.stdout as stdout:
            for line in stdout:
                self._replies.put(line)
        self._replies.put(None)


def _kill_all(process: "subprocess.Popen[bytes]") -> None:
    # macOS does not permit it for a group that has ended already.
    with contextlib.suppress(ProcessLookupError, PermissionError):
        if os.name == "posix":
            os.killpg(process.pid, signal.SIGKILL)
        else:
            process.kill()
