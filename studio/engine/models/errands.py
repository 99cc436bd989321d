"""Long errands at a model server, told as they move: a pull, a probe."""

import asyncio
import time
from collections.abc import Awaitable, Callable
from typing import Any, Generic, Self, TypeVar

from msgspec.structs import replace

from studio.engine.errors import StudioError
from studio.engine.model_messages import ProbeMoved, PullMoved

Moved = TypeVar("Moved", PullMoved, ProbeMoved)
_TELL_EVERY = 0.1


class Errand(Generic[Moved]):
    """One errand.  `moved` is how far it is, told at most ten times a second; its end at once."""

    def __init__(self, moved: Moved, tell: Callable[[Moved], None]) -> None:
        self.moved: Moved = moved
        self._tell: Callable[[Moved], None] = tell
        self._told = 0.0

    async def run(self, work: Callable[[Self], Awaitable[None]]) -> bool:
        """Do the work and tell of its end, whatever that is; whether it came to a good one."""
        self._tell(self.moved)
        try:
            await work(self)
        except StudioError as error:
            self._end("failed", problem=error.problem, remedy=error.remedy)
            return False
        except BaseException as error:
            is_cancelled = isinstance(error, asyncio.CancelledError)
            self._end("cancelled" if is_cancelled else "failed")
            raise
        self._end("finished")
        return True

    def move(self, *, at_once: bool = False, **changes: Any) -> None:
        """It is further now; fields of `moved` change."""
        self.moved = replace(self.moved, **changes)
        now = time.monotonic()
        if at_once or now - self._told >= _TELL_EVERY:
            self._told = now
            self._tell(self.moved)

    def _end(self, ending: str, **changes: Any) -> None:
        self.move(at_once=True, ending=ending, **changes)
