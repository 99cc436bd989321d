"""Keys that steer a run in a terminal: pause, finish, more or fewer trials at once."""

import asyncio
import contextlib
import os
import sys
from collections.abc import Callable, Iterator

from studio.engine.messages import (
    FinishRun,
    Notice,
    PauseRun,
    ResumeRun,
    RunAtOnce,
    RunProgressed,
    Steering,
)

HINT = "Keys: p pauses and resumes, f finishes early, + and - change how many trials run at once."


class Keys:
    """Turns keys into what is asked of the run under way, as it stands after the latest notice."""

    def __init__(self, take: Callable[[Steering], None]) -> None:
        self._take = take
        self._is_paused = False
        self._at_once = 1

    def hear(self, notice: Notice) -> None:
        if isinstance(notice, RunProgressed):
            self._is_paused, self._at_once = notice.is_paused, notice.at_once

    def press(self, key: str) -> None:
        """Do what the key stands for; any other does nothing."""
        match key:
            case "p" | "P" | " ":
                self._take(ResumeRun() if self._is_paused else PauseRun())
                self._is_paused = not self._is_paused
            case "f" | "F":
                self._take(FinishRun())
            case "+" | "=" | "-":
                self._at_once = max(1, self._at_once + (-1 if key == "-" else 1))
                self._take(RunAtOnce(self._at_once))


@contextlib.contextmanager
def pressed(press: Callable[[str], None]) -> Iterator[bool]:
    """Tell of each key as it is pressed; whether that is possible here.

    It is not where the input is no terminal, belongs to another program that is in front, or on
    Windows.  Ctrl+C stays what it is.
    """
    terminal = _terminal()
    if terminal is None:
        yield False
        return
    import termios
    import tty

    loop = asyncio.get_running_loop()
    before = termios.tcgetattr(terminal)
    tty.setcbreak(terminal)

    def read() -> None:
        for key in os.read(terminal, 64).decode("utf-8", "replace"):
            press(key)

    loop.add_reader(terminal, read)
    try:
        yield True
    finally:
        loop.remove_reader(terminal)
        termios.tcsetattr(terminal, termios.TCSADRAIN, before)


def _terminal() -> int | None:
    """The terminal that this program may read keys from."""
    if sys.platform == "win32" or not sys.stdin.isatty():
        return None
    terminal = sys.stdin.fileno()
    try:
        # Changing a terminal's mode from behind would stop the program.
        return terminal if os.tcgetpgrp(terminal) == os.getpgrp() else None
    except OSError:
        return None  # it has no program in front
