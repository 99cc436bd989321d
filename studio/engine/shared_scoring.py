"""Stored trials that several processes judge: this one, and children where these are worth it.

This process judges from the start, and starts children once it is seen how long the rest takes.
Each block is judged by one of them.  Whatever becomes of a child, the blocks that it was given come
back: no error needs to be handed over, since who judges such a block meets the same one.
"""

import logging
import math
import os
import threading
import time
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from typing import Self

import msgspec

from studio.engine.interpreter import environment, running
from studio.engine.metrics.killable import Killable
from studio.engine.records import Criteria
from studio.engine.store.chunks import encode
from studio.engine.store.operations import Judged
from studio.engine.store.stored_traces import Block

MOST = min((os.cpu_count() or 1) - 1, 4)
"""Children: this process needs a core too.  Each takes 50 MiB, or 200 with data on languages."""

WORTH = 2.0
"""A child is started where there is work for so many times as long as its start takes."""

_START = 0.2
"""Seconds until a child can judge, if it has nothing to load."""

_AHEAD = 2
"""Blocks that a child has at a time: it need not wait for the next one."""

_LOOK_EVERY = 0.05
_JUDGED = msgspec.json.Decoder(list[Judged])
_log = logging.getLogger(__name__)


class Task(msgspec.Struct, frozen=True):
    """What a child is told first; then it is sent one block a line."""

    path: str
    run: int
    criteria: Criteria


class SharedScoring:
    """The blocks of a run on their way to those who judge them.  Leaves no process behind."""

    def __init__(
        self,
        task: Task,
        blocks: Iterable[Block],
        take: Callable[[Sequence[Judged]], None],
        *,
        alone: bool = False,
    ) -> None:
        """`take` is called, from several threads, with what a child thinks of a block.

        `alone`: no children are started.
        """
        self._task = encode(task)
        self._left = deque(blocks)
        self._take = take
        self._children: list[Killable] = []
        self._most = 0 if alone else MOST
        self._threads = ThreadPoolExecutor(max(self._most, 1), "scoring child")
        self._busy: set[Future[None]] = set()
        self._first = self._quickest = math.inf

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        for child in self._children:
            child.kill()
        self._threads.shutdown()

    @property
    def is_done(self) -> bool:
        """Whether nothing is left to judge, here or in a child."""
        return not self._left and not self._busy

    def blocks(self, stopped: threading.Event) -> Iterator[Block]:
        """Those that this process is to judge, until all are judged or it is stopped."""
        while not (stopped.is_set() or self.is_done):
            block = self._next()
            if block is not None:
                began = time.monotonic()
                yield block
                self._start_children(time.monotonic() - began)
            else:
                done, self._busy = wait(self._busy, _LOOK_EVERY, FIRST_COMPLETED)
                for error in filter(None, map(Future.exception, done)):
                    _log.warning("a process that scored is of no use any more", exc_info=error)

    def _next(self) -> Block | None:
        try:
            return self._left.popleft()
        except IndexError:
            return None

    def _start_children(self, seconds: float) -> None:
        """Start as many as the rest is worth; `seconds` is what the last block took."""
        if self._first == math.inf:
            self._first = seconds
            return
        if self._children:
            return
        self._quickest = min(self._quickest, seconds)
        # What the first one took longer was for loading, and each child has to load it too.
        worth = WORTH * (_START + max(self._first - self._quickest, 0.0))
        for _ in range(min(self._most, int(self._quickest * len(self._left) / worth))):
            try:
                child = Killable(running("studio.engine.scoring_child"), env=environment())
            except OSError:
                _log.warning("no process could be started to score in", exc_info=True)
                return
            self._children.append(child)
            self._busy.add(self._threads.submit(self._share, child))

    def _share(self, child: Killable) -> None:
        """Have a child judge blocks until none is left.  Raises Ended, and what `take` raises."""
        given: deque[Block] = deque()
        try:
            child.tell(self._task)
            while self._give(child, given):
                self._take(_JUDGED.decode(child.reply(threading.TIMEOUT_MAX)))
                given.popleft()
        finally:
            self._left.extendleft(reversed(given))
            child.kill()

    def _give(self, child: Killable, given: deque[Block]) -> bool:
        """Give it work; whether it has any."""
        while len(given) < _AHEAD and (block := self._next()) is not None:
            given.append(block)
            child.tell(msgspec.json.encode(block))
        return bool(given)
