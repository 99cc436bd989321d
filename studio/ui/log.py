"""The log file, and everything that must end up in it: faults, Qt's messages, native crashes."""

import faulthandler
import logging
import sys
from pathlib import Path
from types import TracebackType

from PySide6.QtCore import QMessageLogContext, QObject, QtMsgType, Signal, qInstallMessageHandler

_FULL = 2_000_000
_LEVELS = {
    QtMsgType.QtDebugMsg: logging.DEBUG,
    QtMsgType.QtInfoMsg: logging.INFO,
    QtMsgType.QtWarningMsg: logging.WARNING,
    QtMsgType.QtCriticalMsg: logging.ERROR,
    QtMsgType.QtFatalMsg: logging.CRITICAL,
}
_log = logging.getLogger("studio")


def start_log(folder: Path) -> Path:
    """Write the log to `studio.log` in the folder; native crashes leave their stacks there too.

    The file of the last sessions is kept; once it is large it becomes `studio.log.1`.
    """
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / "studio.log"
    if path.exists() and path.stat().st_size > _FULL:
        path.replace(folder / "studio.log.1")
    handler = logging.FileHandler(path, encoding="utf-8", errors="backslashreplace")
    handler.setFormatter(logging.Formatter("%(asctime)s %(levelname)s %(name)s: %(message)s"))
    logging.getLogger().addHandler(handler)
    logging.getLogger().setLevel(logging.INFO)
    # Kept open for the life of the process: a crash can no longer open it.
    faulthandler.enable(path.open("a", encoding="utf-8"))
    qInstallMessageHandler(_qt_said)
    return path


def _qt_said(kind: QtMsgType, _context: QMessageLogContext, message: str) -> None:
    _log.log(_LEVELS.get(kind, logging.WARNING), "Qt: %s", message)


class Faults(QObject):
    """Faults of the program itself: logged with their stack, and told to whoever listens."""

    happened = Signal(str)

    def catch(self) -> None:
        """Take over what Python does with exceptions that nobody caught."""
        sys.excepthook = self._report

    def _report(
        self,
        kind: type[BaseException],
        error: BaseException,
        trace: TracebackType | None,
    ) -> None:
        if issubclass(kind, KeyboardInterrupt):
            sys.__excepthook__(kind, error, trace)
            return
        _log.critical("fault", exc_info=(kind, error, trace))
        self.happened.emit(f"{kind.__name__}: {error}")
