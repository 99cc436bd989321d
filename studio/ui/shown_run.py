"""The run that is shown, past or live: found in the store, and followed while it grows there."""

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, QTimer, Signal

from studio.engine.analysis.judged import ScoredBy, Versions, scored_by, told
from studio.engine.errors import StoreError
from studio.engine.metrics import Metric
from studio.engine.store.rows import RunRow, TrialRow
from studio.ui.follow import RunFollower
from studio.ui.models.measures import metrics_of

if TYPE_CHECKING:
    from studio.engine.store.reader import RunReader

_WEIGH_MS = 200
"""Which versions scored the run is said at most so often."""


class ShownRun(QObject):
    """Shows one run at a time.  `become(run=...)` hears of it before anybody else does."""

    changed = Signal(object)
    """RunRow or None, as the session's `run_changed`."""

    trials_changed = Signal(object)
    """A tuple of TrialRow."""

    failed = Signal(object)
    """StoreError: the store cannot be read."""

    def __init__(self, become: Callable[..., None], parent: QObject) -> None:
        super().__init__(parent)
        self._become = become
        self._store = ""
        self._row: RunRow | None = None
        self._own = ""
        self._metrics: Sequence[Metric] = ()
        self._versions = Versions()
        self._found: tuple[ScoredBy, ...] = ()
        self._weighing = QTimer(self, interval=_WEIGH_MS, singleShot=True)
        self._weighing.timeout.connect(self._weigh)
        self._follower = RunFollower(self)
        self._follower.trials_changed.connect(self._take)
        self._follower.failed.connect(self.failed)

    @property
    def reader(self) -> "RunReader | None":
        """The store (perhaps without runs); None before there is one."""
        self._follower.open(self._store)
        return self._follower.reader

    def use(self, store: str, own: str = "") -> bool:
        """Read this store from now on; whether it is another one: then no run is shown.

        `own` is the digest of the project's `metrics.py` as it is now.
        """
        self._own = own
        self._weighing.start()
        if store == self._store:
            if self._row is not None and self._row.ending is None:
                self.refresh(self._row.id)  # another studio may have gone on with it
            return False
        self._follower.close()
        self._store = store
        return True

    def leave(self) -> None:
        """Show no run: what is shown of the last one goes away."""
        if self._row is not None:
            self._row = None
            self.changed.emit(None)

    def show(self, row: RunRow) -> None:
        """Show this run from its first trial on."""
        self._become(run=row, versions=())
        self.leave()
        self._row = row
        self._metrics, self._versions = metrics_of(row.criteria), Versions()
        self._found = ()
        self.changed.emit(row)
        self._follower.open(self._store)
        self._follower.follow(row.id)

    def open(self, run: int) -> None:
        """Show the run of this number, if there is one."""
        row = self.stored(run)
        if row is not None:
            self.show(row)

    def show_latest(self) -> None:
        """Show the newest run, if there is one."""
        try:
            runs = self.reader.runs(limit=1) if self.reader is not None else []
        except StoreError as error:
            self.failed.emit(error)
            return
        for row in runs:
            self.show(row)

    def refresh(self, run: int) -> None:
        """Read the row of this run, which is the shown one, again, and what was added to it."""
        row = self.stored(run)
        if row is not None:
            self._row = row
            self._become(run=row)
            self.changed.emit(row)
        self._follower.read_on()

    def read_on(self, run: int) -> None:
        """There is more to read of this run, which may be another one."""
        if self._row is not None and self._row.id == run:
            self._follower.read_on()

    def tell_again(self) -> None:
        """Tell all trials of the shown run from the first on."""
        if self._row is not None:
            self._follower.follow(self._row.id)

    def rejudged(self, run: int, is_over: bool) -> None:  # noqa: FBT001 (a signal's argument)
        """Follow the new scores of the shown run; by other criteria all of it is shown anew."""
        shown = self._row
        if shown is None or shown.id != run:
            return
        row = self.stored(run)
        if row is not None and row.criteria != shown.criteria:
            self.show(row)
        elif is_over:
            self.refresh(run)
        else:
            self._follower.read_on()

    def stored(self, run: int) -> RunRow | None:
        try:
            return self.reader.run(run) if self.reader is not None else None
        except StoreError as error:
            self.failed.emit(error)
            return None

    def _take(self, rows: tuple[TrialRow, ...]) -> None:
        self._versions.take(rows)
        if not self._weighing.isActive():
            self._weighing.start()
        self.trials_changed.emit(rows)

    def _weigh(self) -> None:
        """Say which versions scored the run, where these are not the present ones."""
        counts = self._versions.counts
        scored = scored_by(self._metrics, counts, self._own) if self._row is not None else ()
        found = scored if told(scored) else ()
        if found != self._found:
            self._found = found
            self._become(versions=found)

    def close(self) -> None:
        self._weighing.stop()
        self._follower.close()
