"""Runs a grader in a child process that is killed when it takes too long.

A regular expression from a query may backtrack for ever, holds the lock of the interpreter while it
does, and cannot be stopped from within.  So what may take long runs in a child: warm, one a
thread that waits for one, and started again after a kill.
"""

import atexit
import contextlib
import importlib
import json
import os
import queue
import subprocess
import sys
import threading
from typing import Any

GRADERS = {
    "pattern": "studio.engine.metrics.patterns",
    "instructions": "studio.engine.metrics.instructions.following",
}
"""What a child can be asked: the module whose function `carry_out` answers."""

_START_LIMIT = 60.0
_is_child = False


class TookTooLong(Exception):
    """The grader did not answer in time and was ended."""

    def __init__(self, seconds: float) -> None:
        super().__init__(f"took longer than {seconds:g} s and was stopped")


class Failed(Exception):
    """The grader answered with an error, or its process ended (out of memory, say)."""


def ask(grader: str, request: dict[str, Any], seconds: float) -> Any:
    """What `carry_out` of the grader says to the request: JSON both ways.

    Raises TookTooLong after `seconds`, and Failed where the grader could not answer.
    """
    whole = {"grader": grader, "seconds": seconds, **request}
    reply = answer(whole) if _is_child else _asked(whole, seconds)
    if "error" in reply:
        raise Failed(reply["error"])
    return reply["answer"]


def become_child() -> None:
    """From now on this process answers itself: it is the one that is ended."""
    global _is_child
    _is_child = True


def answer(request: dict[str, Any]) -> dict[str, Any]:
    """In the child: the reply to one request."""
    try:
        grader = importlib.import_module(GRADERS[request.pop("grader")])
        return {"answer": grader.carry_out(request)}
    except Exception as error:  # whatever it is, the parent says it beside the case
        return {"error": f"{type(error).__name__}: {error}"[:1000]}


def _asked(request: dict[str, Any], seconds: float) -> dict[str, Any]:
    child = _idle_child()
    try:
        child.send(request)
        reply = child.receive(seconds)
    except queue.Empty:
        child.kill()
        raise TookTooLong(seconds) from None
    except OSError as error:
        child.kill()
        raise Failed(str(error)) from error
    if reply is None:
        child.kill()
        raise Failed("the process of the grader ended")
    with _lock:
        _idle.append(child)
    return reply


def _process() -> "subprocess.Popen[bytes]":
    return subprocess.Popen(
        [sys.executable, "-m", "studio.engine.metrics.limited_child"],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        # It finds the same modules, also where the studio is not installed.
        env={**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, sys.path))},
    )


class _Child:
    def __init__(self) -> None:
        """Start the process and wait until it answers: no grader is charged with that."""
        try:
            self._process = _process()
        except OSError as error:
            raise Failed(f"no process could be started: {error}") from error
        self._replies: queue.SimpleQueue[dict[str, Any] | None] = queue.SimpleQueue()
        threading.Thread(target=self._read, name="limited grader", daemon=True).start()
        try:
            has_started = self.receive(_START_LIMIT) is not None
        except queue.Empty:
            has_started = False
        if not has_started:
            self.kill()
            raise Failed("the process of the grader did not start")

    @property
    def lives(self) -> bool:
        return self._process.poll() is None

    def send(self, request: dict[str, Any]) -> None:
        assert self._process.stdin is not None
        # ASCII, because half of a surrogate pair survives as an escape only.
        self._process.stdin.write(json.dumps(request).encode("ascii") + b"\n")
        self._process.stdin.flush()

    def receive(self, seconds: float) -> dict[str, Any] | None:
        return self._replies.get(timeout=seconds)

    def kill(self) -> None:
        self._process.kill()
        self._process.wait()
        assert self._process.stdin is not None
        # What it did not read any more can no longer be written.
        with contextlib.suppress(OSError):
            self._process.stdin.close()

    def _read(self) -> None:
        assert self._process.stdout is not None
        with self._process.stdout as stdout:
            for line in stdout:
                self._replies.put(json.loads(line))
        self._replies.put(None)


_idle: list[_Child] = []
_lock = threading.Lock()


def _idle_child() -> _Child:
    with _lock:
        while _idle:
            child = _idle.pop()
            if child.lives:
                return child
            child.kill()
    return _Child()


@atexit.register
def _end() -> None:
    with _lock:
        while _idle:
            _idle.pop().kill()
