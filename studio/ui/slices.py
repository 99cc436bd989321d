"""Slices of long work on the window's thread: as much at a time as nobody feels."""

import time

_SECONDS = 0.004


class Slice:
    """How many items are worked on at a time; learns from how long the last ones took."""

    def __init__(self, first: int, most: int) -> None:
        self.size = first
        self._most = most
        self._began = 0.0

    def begin(self) -> None:
        """Work on `size` items begins."""
        self._began = time.perf_counter()

    def end(self, count: int) -> None:
        """So many were worked on.  The size follows at most by a factor of two either way."""
        seconds = max(1e-6, time.perf_counter() - self._began)
        fitting = int(count * _SECONDS / seconds)
        if count:
            self.size = max(1, min(self._most, 2 * self.size, max(fitting, self.size // 2)))
