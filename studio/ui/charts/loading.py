"""Loads the chart library beside the running window: on the GUI thread it would freeze it."""

import gc
import importlib
import sys
import threading

from PySide6.QtCore import QObject, QTimer, Signal

_CHARTS = ("bars", "curves", "diagram", "histogram", "pareto")
_LOOK_MS = 30
_TURN_SECONDS = 0.0005
_loaded = threading.Event()
_loading = threading.Lock()


class Loading(QObject):
    """Imports pyqtgraph and our charts in a thread; `loaded` comes when charts can be made."""

    loaded = Signal()

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._look = QTimer(self, interval=_LOOK_MS)
        self._look.timeout.connect(self._looked)

    @property
    def is_loaded(self) -> bool:
        return _loaded.is_set()

    def start(self) -> None:
        """Begin, unless that was done before."""
        if self._look.isActive() or self.is_loaded:
            return
        # Polled rather than told: the window may be gone before the thread is done.
        threading.Thread(target=_load, name="load charts", daemon=True).start()
        self._look.start()

    def _looked(self) -> None:
        if self.is_loaded:
            self._look.stop()
            self.loaded.emit()


def _load() -> None:
    """Import all that charts need, in such a way that the window hardly feels it.

    By default a thread keeps the interpreter for 5 ms once it has it, and the GUI thread asks for
    it again after every call that Qt answers.  What is imported stays: for Python's collector to
    look through it, now or ever, would stop the window for 20 ms.
    """
    with _loading:
        if _loaded.is_set():
            return
        interval = sys.getswitchinterval()
        sys.setswitchinterval(_TURN_SECONDS)
        gc.disable()
        try:
            for name in _CHARTS:
                importlib.import_module(f"studio.ui.charts.{name}")
        finally:
            gc.freeze()
            gc.enable()
            sys.setswitchinterval(interval)
        _loaded.set()
