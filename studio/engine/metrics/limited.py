"""Runs a grader in a child process that is killed when it takes too long.

A regular expression from a query may backtrack for ever, holds the lock of the interpreter while it
does, and cannot be stopped from within.  So what may take long runs in a child: warm, one a
thread that waits for one, and started again after a kill.
"""

import atexit
import importlib
import json
import threading
from typing import Any

from studio.engine.interpreter import environment, running
from studio.engine.metrics.killable import Ended, Killable

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
        # ASCII, because half of a surrogate pair survives as an escape only.
        reply: dict[str, Any] = json.loads(child.ask(json.dumps(request).encode("ascii"), seconds))
    except TimeoutError:
        child.kill()
        raise TookTooLong(seconds) from None
    except Ended:
        raise Failed("the process of the grader ended") from None
    with _lock:
        _idle.append(child)
    return reply


def _child() -> Killable:
    """A new process that answers already: no grader is charged with its start."""
    try:
        child = Killable(running("studio.engine.metrics.limited_child"), env=environment())
    except OSError as error:
        raise Failed(f"no process could be started: {error}") from error
    try:
        child.reply(_START_LIMIT)
    except (TimeoutError, Ended):
        child.kill()
        raise Failed("the process of the grader did not start") from None
    return child


_idle: list[Killable] = []
_lock = threading.Lock()


def _idle_child() -> Killable:
    with _lock:
        while _idle:
            child = _idle.pop()
            if child.lives:
                return child
            child.kill()
    return _child()


@atexit.register
def _end() -> None:
    with _lock:
        while _idle:
            _idle.pop().kill()
