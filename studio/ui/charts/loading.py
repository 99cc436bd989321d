"""Loads the chart library beside the running window: on the GUI thread it would freeze it."""

import importlib
import sys
import threading

from PySide6.QtCore import QObject, QTimer, Signal

LIBRARY = "pyqtgraph"
_LOOK_MS = 30


class Loading(QObject):
    """Imports pyqtgraph in a thread; `loaded` comes when charts can be made."""

    loaded = Signal()

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._thread: threading.Thread | None = None
        self._look = QTimer(self, interval=_LOOK_MS)
        self._look.timeout.connect(self._looked)

    @property
    def is_loaded(self) -> bool:
        return LIBRARY in sys.modules and (self._thread is None or not self._thread.is_alive())

    def start(self) -> None:
        """Begin, unless that was done before."""
        if self._look.isActive() or self.is_loaded:
            return
        # Polled rather than told: the window may be gone before the thread is done.
        self._thread = threading.Thread(
            target=importlib.import_module, args=(LIBRARY,), name="load charts", daemon=True
        )
        self._thread.start()
        self._look.start()

    def _looked(self) -> None:
        if self.is_loaded:
            self._look.stop()
            self.loaded.emit()
