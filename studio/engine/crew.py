"""Workers that go through one list of items, and can be steered while they do."""

import asyncio
from collections import deque
from collections.abc import AsyncIterator, Callable, Coroutine, Iterable
from typing import Any, Generic, TypeVar

T = TypeVar("T")


class Crew(Generic[T]):
    """A number of workers, each a coroutine that takes items until it is given no more.

    All methods are called on the loop that the workers run on.
    """

    def __init__(
        self,
        items: Iterable[T],
        work: Callable[[AsyncIterator[T]], Coroutine[Any, Any, None]],
        size: int,
    ) -> None:
        self.size = size
        self._items = iter(items)
        self._returned: deque[T] = deque()
        self._work = work
        self._workers: set[asyncio.Task[None]] = set()
        self._staying = 0
        self._going = asyncio.Event()
        self._going.set()
        self._is_finishing = False
        self._is_cancelled = False
        self._is_used_up = False

    @property
    def is_paused(self) -> bool:
        return not self._going.is_set()

    async def run(self) -> None:
        """Work until all items are taken and done; raises the first thing that a worker raises.

        However it ends, no worker is left.
        """
        self._fill()
        try:
            while self._workers:
                done, _ = await asyncio.wait(self._workers, return_when=asyncio.FIRST_COMPLETED)
                self._workers -= done
                for worker in done:
                    if not worker.cancelled():
                        worker.result()
        finally:
            self.cancel()
            # What a second worker raises is of no use: the first was told.
            await asyncio.gather(*self._workers, return_exceptions=True)

    def put_back(self, item: T) -> None:
        """Hand this item out once more, before all others.  To be called by who was given it."""
        self._returned.append(item)
        self._is_used_up = False

    def pause(self) -> None:
        """Hand out no more items until `resume`; what was begun goes on."""
        self._going.clear()

    def resume(self) -> None:
        self._going.set()

    def finish(self) -> None:
        """Hand out no more items: what was begun is done to its end, then `run` returns."""
        self._is_finishing = True
        self._going.set()

    def resize(self, size: int) -> None:
        """Go on with so many workers: more begin at once, fewer as they come to an item's end."""
        self.size = max(1, size)
        self._fill()

    def cancel(self) -> None:
        """End what was begun, and begin nothing more.

        Asked again it does nothing: what puts its things away must not be cancelled in that.
        """
        if not self._is_cancelled:
            self._is_cancelled = self._is_finishing = True
            for worker in self._workers:
                worker.cancel()

    def _fill(self) -> None:
        while self._staying < self.size and not (self._is_finishing or self._is_used_up):
            self._staying += 1
            self._workers.add(asyncio.create_task(self._work(self._taken())))

    async def _taken(self) -> AsyncIterator[T]:
        while await self._is_wanted():
            if self._returned:
                yield self._returned.popleft()
                continue
            for item in self._items:
                yield item
                break
            else:
                self._is_used_up = True
                self._staying -= 1
                return

    async def _is_wanted(self) -> bool:
        await self._going.wait()
        if self._is_finishing or self._staying > self.size:
            self._staying -= 1
            return False
        return True
