"""The processes in which a project's own metrics run: started, asked, killed."""

import signal
import subprocess
import threading
from codecs import BOM_UTF8
from hashlib import sha256
from pathlib import Path
from typing import NamedTuple

import msgspec

from studio.engine.interpreter import PYTHON
from studio.engine.metrics.base import Verdict
from studio.engine.metrics.killable import Ended, Killable
from studio.engine.metrics.own.shown import shown
from studio.engine.plain import plain_text
from studio.engine.records import Query
from studio.engine.trace import Trace

FILE = "metrics.py"
IMPORT_LIMIT = 60.0
"""Seconds that importing `metrics.py` may take; a library such as pandas needs some of them."""

_CHILD = Path(__file__).with_name("child.py")


class Answer(NamedTuple):
    """What a function said of a trial; `version` is the digest of the file it stood in."""

    verdict: Verdict
    version: str


def digest(source: bytes) -> str:
    """What tells one `metrics.py` from another.  (The child computes the same.)"""
    return sha256(source.removeprefix(BOM_UTF8)).hexdigest()[:12]


def digest_in(folder: Path) -> str:
    """The digest of the folder's `metrics.py` as it is now; "" if there is none."""
    path = folder / FILE
    try:
        # Anything else, such as a pipe, might be read for ever.
        return digest(path.read_bytes()) if path.is_file() else ""
    except OSError:
        return ""


class _Loaded(msgspec.Struct, frozen=True):
    """What a child says once it has imported `metrics.py`."""

    digest: str
    error: str | None


class _Said(msgspec.Struct, frozen=True):
    """What it says of a trial."""

    value: float | None
    reason: str
    printed: str = ""


class OwnCode:
    """Asks the functions of `folder/metrics.py`, each thread a process of its own.

    The project's code runs from the first question on: ask for trust before.  Whatever it does is
    an answer.  A file that cannot be imported is not tried again.
    """

    def __init__(self, folder: Path) -> None:
        self._folder = folder.resolve()
        self._lock = threading.Lock()
        self._idle: list[tuple[Killable, str]] = []
        self._children: set[Killable] = set()
        self._failure: Answer | None = None
        self._is_closed = False
        self._shown: tuple[Trace | None, bytes] = (None, b"")

    @property
    def digest(self) -> str:
        """What tells the file that is there now from others; "" if there is none."""
        return digest_in(self._folder)

    def ask(self, function: str, query: Query, trace: Trace, limit: float) -> Answer:
        """What the function says of the trial, within `limit` seconds.  Never raises."""
        if self._failure is not None:
            return self._failure
        started = self._child()
        if isinstance(started, Answer):
            return started
        child, version = started
        head = msgspec.json.encode({"function": function, "limit": limit})[:-1]
        request = head + b"," + self._as_json(query, trace) + b"}"
        try:
            verdict = _verdict(msgspec.json.decode(child.ask(request, limit), type=_Said))
        except TimeoutError:
            self._kill(child)
            return Answer(Verdict(None, f"the metric took longer than {limit:g} s"), version)
        except Ended as error:
            self._kill(child)
            return Answer(Verdict(None, f"the metric {_ended(error.status)}"), version)
        except msgspec.DecodeError as error:
            self._kill(child)
            return Answer(Verdict(None, f"the process of the metric broke: {error}"), version)
        with self._lock:
            self._idle.append((child, version))
        return Answer(verdict, version)

    def close(self) -> None:
        """Leave no process behind; who waits for an answer hears that it ended."""
        with self._lock:
            self._is_closed = True
            children = list(self._children)
        for child in children:
            self._kill(child)

    def _as_json(self, query: Query, trace: Trace) -> bytes:
        # Several metrics ask about the same trial one after another.
        known, written = self._shown
        if known is not trace:
            written = shown(query, trace)
            self._shown = (trace, written)
        return written

    def _child(self) -> tuple[Killable, str] | Answer:
        """A process that has imported the file, and the file's digest; or why there is none."""
        with self._lock:
            if self._is_closed:
                return Answer(Verdict(None, "scoring was stopped"), "")
            if self._idle:
                return self._idle.pop()
            try:
                child = self._start()
            except OSError as error:
                return Answer(Verdict(None, f"no process could be started: {error}"), "")
            self._children.add(child)
        return self._imported(child)

    def _start(self) -> Killable:
        flags = ("-B", "-X", "utf8")
        command = [*PYTHON, *flags, str(_CHILD), str(self._folder), str(IMPORT_LIMIT)]
        return Killable(command, cwd=self._folder, stderr=subprocess.DEVNULL)

    def _imported(self, child: Killable) -> tuple[Killable, str] | Answer:
        found = ""
        try:
            loaded = msgspec.json.decode(child.reply(IMPORT_LIMIT), type=_Loaded)
            if loaded.error is None:
                return child, loaded.digest
            found, why = loaded.digest, f"cannot be imported: {loaded.error}"
        except TimeoutError:
            why = f"took longer than {IMPORT_LIMIT:g} s to be imported"
        except Ended as error:
            why = f"{_ended(error.status)} while it was imported"
        self._kill(child)
        failure = Answer(Verdict(None, f"{FILE} {why}"), found)
        if not self._is_closed:
            self._failure = failure
        return failure

    def _kill(self, child: Killable) -> None:
        child.kill()
        with self._lock:
            self._children.discard(child)


def _verdict(said: _Said) -> Verdict:
    evidence = {"printed": plain_text(said.printed)} if said.printed else {}
    return Verdict(said.value, plain_text(said.reason), evidence)


def _ended(status: int) -> str:
    if status >= 0:
        return f"ended its process with exit status {status}"
    try:
        return f"crashed its process with {signal.Signals(-status).name}"
    except ValueError:
        return f"crashed its process with signal {-status}"
