"""The one thread that writes: a queue, group commit, and what to do when the disk refuses.

An operation that finds the thread idle is committed at once; what comes while a commit goes on
makes the next group, at most one group each `INTERVAL` unless somebody waits for it.  So a busy run
pays one sync for many events, and nothing waits long.
"""

import logging
import threading
import time
from collections import deque
from collections.abc import Callable
from concurrent.futures import Future
from pathlib import Path

from studio.engine.errors import StoreError
from studio.engine.store.batch import Batch
from studio.engine.store.faults import as_store_error
from studio.engine.store.opening import identity
from studio.engine.store.operations import Operation

INTERVAL = 0.05
"""Seconds between the starts of two commits."""

RETRY = 0.5
"""Seconds until a commit that failed is tried again."""

MAX_WAITING = 10_000
"""Operations in the queue: beyond it those who bring more have to wait."""

MAX_BACKLOG = 32 * 2**20
"""Bytes that are kept while the disk refuses them; beyond it more is refused."""

_log = logging.getLogger(__name__)


class Committer:
    """Owns the writing connection's thread.  `failure` is why nothing can be written now."""

    def __init__(self, batch: Batch, path: Path, on_failure: Callable[[StoreError], None]) -> None:
        self.failure: StoreError | None = None
        self._batch = batch
        self._path = path
        self._identity = identity(path)
        self._on_failure = on_failure
        self._changed = threading.Condition()
        self._waiting: deque[Operation | Future[None]] = deque()
        self._promises: list[Future[None]] = []
        self._is_urgent = False
        self._is_closing = False
        self._next = 0.0
        # A daemon: a program that forgets to close the store must still be able to end.
        self._thread = threading.Thread(target=self._work, name="store writer", daemon=True)
        self._thread.start()

    @property
    def is_lost(self) -> bool:
        """Whether what stands at the path now is not the file that is written to."""
        return identity(self._path) != self._identity

    def put(self, operation: Operation) -> None:
        """Queue an operation.  Waits only if the queue is full.

        Raises StoreError when the disk refuses to write and no more can be kept meanwhile.
        """
        with self._changed:
            if self._is_closing:
                raise StoreError("The store of runs was closed already.")
            if not self._has_room():
                self._changed.wait_for(lambda: self._has_room() or self.failure)
                self._raise_if_full()
            self._waiting.append(operation)
            if len(self._waiting) == 1:
                self._changed.notify_all()

    def committed(self) -> Future[None]:
        """Resolved when all that was put so far is on disk; fails when a commit of it failed."""
        promise: Future[None] = Future()
        with self._changed:
            if self._is_closing:
                raise StoreError("The store of runs was closed already.")
            self._waiting.append(promise)
            self._is_urgent = True
            self._changed.notify_all()
        return promise

    def close(self) -> None:
        """Write what waits and end the thread.  Raises StoreError if something was not written."""
        with self._changed:
            self._is_closing = self._is_urgent = True
            self._changed.notify_all()
        self._thread.join()
        if self.failure:
            raise self.failure

    def _has_room(self) -> bool:
        return len(self._waiting) < MAX_WAITING and self._batch.size < MAX_BACKLOG

    def _raise_if_full(self) -> None:
        if self.failure and not self._has_room():
            raise StoreError(self.failure.problem, self.failure.remedy)

    def _work(self) -> None:
        is_last = False
        while not is_last:
            is_last = self._wait()
            try:
                self._fold()
                if not self._batch.is_empty:
                    self._write()
            except Exception as error:  # Whatever it is, those who wait must hear of it.
                self._fail(error)
            else:
                self._succeed()

    def _write(self) -> None:
        if self.is_lost:
            # SQLite would go on writing to a file that no longer has a name.
            raise StoreError(
                f"{self._path} was deleted, moved or replaced while it was in use.",
                "Put it back where it was, or open the project again: it gets a new file then.",
            )
        self._batch.write()

    def _wait(self) -> bool:
        """Wait until the next group is due; True if it is the last one."""
        with self._changed:
            self._changed.wait_for(
                lambda: self._waiting or self._is_closing, RETRY if self.failure else None
            )
            pause = self._next - time.monotonic()
            if pause > 0:
                self._changed.wait_for(lambda: self._is_urgent, pause)
            self._is_urgent = False
            self._next = time.monotonic() + INTERVAL
            return self._is_closing

    def _fold(self) -> None:
        """Move the queue into the batch; an operation leaves the queue once it is folded."""
        for _ in range(len(self._waiting)):
            operation = self._waiting[0]
            if isinstance(operation, Future):
                self._promises.append(operation)
            else:
                self._batch.add(operation)
            self._waiting.popleft()

    def _succeed(self) -> None:
        with self._changed:
            self.failure = None
            self._changed.notify_all()
        for promise in self._promises:
            if promise.set_running_or_notify_cancel():
                promise.set_result(None)
        self._promises.clear()

    def _fail(self, error: Exception) -> None:
        failure = as_store_error(error, self._path)
        with self._changed:
            is_new = self.failure is None
            self.failure = failure
            self._next = time.monotonic() + RETRY
            self._changed.notify_all()
        for promise in self._promises:
            if promise.set_running_or_notify_cancel():
                promise.set_exception(failure)
        self._promises.clear()
        if is_new:
            _log.warning("a commit failed and will be tried again: %s", failure, exc_info=error)
            try:
                self._on_failure(failure)
            except Exception:  # Not ours; writing goes on whatever becomes of it.
                _log.exception("the callback for failed commits failed itself")
