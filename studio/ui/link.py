"""The link to the engine process: commands down, notices up, in batches.

No threads: the pipe is read whenever Qt says that it holds something, and what came in is handed
over as one batch, at most every 33 ms, decoded for no longer than a few milliseconds at a time.
The engine is a child of ours and ends with us: it reads our end of its standard input, which
closes when we are gone.
"""

import logging
import math
import time
from collections import deque
from collections.abc import Sequence
from pathlib import Path

import msgspec
from PySide6.QtCore import QIODevice, QObject, QProcess, QTimer, Signal

from studio.engine.interpreter import PYTHON
from studio.engine.messages import Command, Frames, Notice, Shutdown, as_notice, frame

ENGINE = (*PYTHON, "-m", "studio.engine.process")
_BATCH_MS = 33
_SLICE_SECONDS = 0.004
_PATIENCE_MS = 8_000
_log = logging.getLogger("studio.link")


class EngineLink(QObject):
    """One engine process at a time.  What it writes to its error output goes to the log file."""

    noticed = Signal(object)
    """What the engine said since the last batch: a tuple of notices, in order."""

    died = Signal(str)
    """The engine ended though nobody asked it to: how, in words."""

    closed = Signal()
    """The engine ended because it was asked to."""

    def __init__(
        self,
        command: Sequence[str] = ENGINE,
        *,
        log: Path | None = None,
        parent: QObject | None = None,
    ) -> None:
        super().__init__(parent)
        self._command = tuple(command)
        self._log_path = log
        self._process: QProcess | None = None
        self._frames = Frames()
        self._unread: deque[bytes] = deque()
        self._is_closing = False
        self._fault = ""
        self._batch = QTimer(self, singleShot=True)
        self._batch.timeout.connect(self._deliver)
        self._patience = QTimer(self, interval=_PATIENCE_MS, singleShot=True)
        self._patience.timeout.connect(self._kill)

    @property
    def is_running(self) -> bool:
        return self._process is not None

    @property
    def pid(self) -> int:
        """The id of the engine process; 0 when there is none."""
        return self._process.processId() if self._process else 0

    def start(self) -> None:
        """Start the engine; what is sent before it answers waits in the pipe."""
        if self._process is not None:
            return
        self._frames = Frames()
        self._unread.clear()
        self._is_closing, self._fault = False, ""
        process = QProcess(self)
        process.setProgram(self._command[0])
        process.setArguments(list(self._command[1:]))
        if self._log_path is not None:
            # Append alone: with any other flag beside it, Qt empties the file first.
            process.setStandardErrorFile(str(self._log_path), QIODevice.OpenModeFlag.Append)
        process.readyReadStandardOutput.connect(self._read)
        process.finished.connect(self._finished)
        process.errorOccurred.connect(self._failed)
        self._process = process
        process.start()

    def send(self, command: Command) -> None:
        """Send a command; without an engine it is dropped (its death was told before)."""
        if self._process is None:
            _log.warning("no engine to take %s", type(command).__name__)
            return
        self._process.write(frame(command))

    def close(self) -> None:
        """Ask the engine to end; `closed` follows, by force after a while if need be."""
        if self._process is None:
            self.closed.emit()
            return
        self._is_closing = True
        self.send(Shutdown())
        self._process.closeWriteChannel()
        self._patience.start()

    def _read(self) -> None:
        if self._process is None:
            return
        self._unread.extend(self._frames.feed(bytes(self._process.readAllStandardOutput().data())))
        if self._unread and not self._batch.isActive():
            self._batch.start(_BATCH_MS)

    def _deliver(self) -> None:
        batch = self._decoded(time.perf_counter() + _SLICE_SECONDS)
        if batch:
            self.noticed.emit(batch)
        if self._unread:
            self._batch.start(0)

    def _decoded(self, until: float) -> tuple[Notice, ...]:
        """What waits, as far as it can be decoded until then: at least one notice."""
        batch: list[Notice] = []
        while self._unread:
            try:
                batch.append(as_notice(self._unread.popleft()))
            except msgspec.DecodeError as error:
                self._fault = f"it said something that cannot be read ({error})"
                self._unread.clear()
                self._kill()
            if time.perf_counter() > until:
                break
        return tuple(batch)

    def _kill(self) -> None:
        if self._process is not None:
            self._process.kill()

    def _failed(self, error: QProcess.ProcessError) -> None:
        # Every other error is followed by `finished`.
        if error == QProcess.ProcessError.FailedToStart and self._process is not None:
            self._end(f"it could not be started ({self._process.errorString()})")

    def _finished(self, code: int, status: QProcess.ExitStatus) -> None:
        self._read()
        crashed = status == QProcess.ExitStatus.CrashExit
        self._end(self._fault or (f"signal {code}" if crashed else f"exit code {code}"))

    def _end(self, how: str) -> None:
        process, self._process = self._process, None
        self._patience.stop()
        self._batch.stop()
        last_words = self._decoded(math.inf)
        if last_words:
            self.noticed.emit(last_words)
        if process is not None:
            process.deleteLater()
        if self._is_closing:
            self.closed.emit()
        else:
            _log.warning("the engine process ended: %s", how)
            self.died.emit(how)
