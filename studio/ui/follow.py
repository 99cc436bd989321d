"""Follows one run in the store: live and past runs enter the window by this one door."""

from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, QTimer, Signal

from studio.engine.errors import StoreError
from studio.ui.slices import Slice

if TYPE_CHECKING:
    from studio.engine.store.reader import RunReader
    from studio.engine.store.rows import TrialRow

_AT_FIRST, _MOST = 30, 60
"""Rows that are read at a time."""
_PAUSE_MS = 4
"""Between two readings, so that what was read is shown and painted in turns of its own."""
_LET_GO = 400
"""Rows that are freed at a time."""


class RunFollower(QObject):
    """Reads what changed in a run, a part at a time, so that the window never waits for it."""

    trials_changed = Signal(object)
    """A tuple of TrialRow: each replaces the row with the same id."""

    failed = Signal(object)
    """The StoreError that ended the reading."""

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self.reader: RunReader | None = None
        self._run: int | None = None
        self._seen = 0
        self._slice = Slice(_AT_FIRST, _MOST)
        self._next = QTimer(self, interval=_PAUSE_MS, singleShot=True)
        self._next.timeout.connect(self._read)
        self._told: dict[int, TrialRow] = {}
        self._left: list[TrialRow] = []
        self._leaving = QTimer(self, interval=0, singleShot=True)
        self._leaving.timeout.connect(self._let_go)

    def open(self, store: str) -> bool:
        """Open the store, which need not exist yet; False without one."""
        if self.reader is None and store:
            # sqlite3 is not needed before the first run, nor before the first paint.
            from studio.engine.store.reader import RunReader

            try:
                self.reader = RunReader(Path(store))
            except StoreError as error:
                self.failed.emit(error)
        return self.reader is not None

    def close(self) -> None:
        self._next.stop()
        self._run, self._seen = None, 0
        self._leave()
        if self.reader is not None:
            self.reader.close()
            self.reader = None

    def follow(self, run: int) -> None:
        """Read this run from its start; its rows arrive by `trials_changed`."""
        self._run, self._seen = run, 0
        self._leave()
        self.read_on()

    def read_on(self) -> None:
        """There is more to read."""
        if self._run is not None and not self._next.isActive():
            self._next.start()

    def _read(self) -> None:
        if self.reader is None or self._run is None:
            return
        size = self._slice.size
        self._slice.begin()
        try:
            rows = tuple(self.reader.changed_trials(self._run, self._seen, size))
        except StoreError as error:
            self.failed.emit(error)
            return
        if not rows:
            return
        self._seen = max(row.changed for row in rows)
        if len(rows) >= size:
            self._next.start()
        self._told.update((row.id, row) for row in rows)
        self.trials_changed.emit(rows)
        self._slice.end(len(rows))  # what is done with the rows takes as long as to read them

    def _leave(self) -> None:
        """Let go of the trials that were told, in turns of their own.

        They are held here until then: where the last of those who were told drops ten thousand of
        them at once, to free them stops the window for 15 ms.
        """
        self._left += self._told.values()
        self._told.clear()
        self._let_go()

    def _let_go(self) -> None:
        del self._left[-_LET_GO:]
        if self._left:
            self._leaving.start()
