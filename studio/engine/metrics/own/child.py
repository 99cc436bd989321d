"""The process in which a project's own metrics run.  A script of the standard library alone.

Run as `python -P child.py FOLDER LIMIT` by `studio.engine.metrics.own.code`.  It imports
`metrics.py` once, within LIMIT seconds, and says so in a line of JSON,
`{"digest": text, "error": text or null}`; then it answers each line
`{"function": text, "query": object, "trace": object, "limit": seconds}` by another,
`{"value": number or null, "reason": text, "printed": text}`.

What a function is given is made anew for each call.  The end of what it prints is kept; what it or
a program that it starts writes past Python's own streams is dropped.
"""

import codecs
import contextlib
import hashlib
import importlib.util
import io
import json
import math
import os
import queue
import sys
import threading
from importlib.machinery import SourceFileLoader
from pathlib import Path
from types import ModuleType, SimpleNamespace
from typing import Any, BinaryIO

FILE = "metrics.py"
MEMORY_LIMIT = 4 * 2**30
"""Bytes of data; who asks for more gets a MemoryError.  (Not every system keeps to it.)"""

_REASON_LIMIT = 2_000
_PRINTED_LIMIT = 2_000
_LINGER = 10.0
_OBJECTS = ("calls", "replies", "instructions")
"""The lists that hold objects, wherever they stand in a query or a trace."""

Reply = dict[str, Any]


def _loaded(name: str, path: Path, loader: Any = None) -> ModuleType:
    spec = importlib.util.spec_from_file_location(name, path, loader=loader)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module
    spec.loader.exec_module(module)
    return module


_tools = _loaded("_studio_tools_child", Path(__file__).parents[2] / "tools" / "child.py")
"""What every process does that runs a project's code."""


class _AsRead(SourceFileLoader):
    """Loads the very bytes that were read before, whatever the file or a cache holds by now."""

    def __init__(self, path: Path, source: bytes) -> None:
        super().__init__("metrics", str(path))
        self._source = source

    def get_code(self, _name: str) -> Any:  # type: ignore[explicit-override] # needs 3.12
        return self.source_to_code(self._source, self.path)


class Functions:
    """The project's `metrics.py`: imported once, its functions called."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._module: ModuleType | None = None

    def load(self) -> Reply:
        path, digest = self._folder / FILE, ""
        sys.path.insert(0, str(self._folder))
        try:
            source = path.read_bytes()
            digest = hashlib.sha256(source.removeprefix(codecs.BOM_UTF8)).hexdigest()[:12]
            self._module = _loaded("metrics", path, _AsRead(path, source))
        except BaseException as error:  # whatever it raises, SystemExit too
            return {"digest": digest, "error": _cut(_tools.told(error, self._folder))}
        return {"digest": digest, "error": None}

    def ask(self, name: str, query: Any, trace: Any) -> Reply:
        """What the function says; every way to fail is a reply."""
        function = getattr(self._module, name, None)
        if not callable(function):
            return _not_scored(f"{FILE} has no function {name!r}")
        printed = _Tail()
        try:
            with contextlib.redirect_stdout(printed), contextlib.redirect_stderr(printed):
                said = function(_object(query), _object(trace))
                reply = _reply(said)
        except BaseException as error:  # as above; RecursionError and MemoryError among them
            reply = _not_scored(f"the metric failed: {_tools.told(error, self._folder)}")
        return {**reply, "printed": printed.text()}


def _object(given: dict[str, Any]) -> SimpleNamespace:
    return SimpleNamespace(**{key: _inner(key, value) for key, value in given.items()})


def _inner(key: str, value: Any) -> Any:
    if key == "expected":
        return _object(value)
    if key in _OBJECTS and isinstance(value, list):
        return [_object(item) for item in value]
    return value


def _reply(said: Any) -> Reply:
    value, reason = said if isinstance(said, tuple) and len(said) == 2 else (said, "")
    if value is None:
        return _not_scored(str(reason) if reason else "the metric gave no value, and no reason")
    if isinstance(value, str | bytes) or not hasattr(value, "__float__"):
        return _not_scored(f"the metric returned {value!r:.100}, which is no number")
    if not math.isfinite(number := float(value)):
        return _not_scored(f"the metric returned {number}, which is no score")
    return {"value": number, "reason": _cut(str(reason))}


def _not_scored(reason: str) -> Reply:
    return {"value": None, "reason": _cut(reason)}


def _cut(text: str) -> str:
    return _written(text) if len(text) <= _REASON_LIMIT else f"{_written(text[:_REASON_LIMIT])} […]"


def _written(text: str) -> str:
    """As UTF-8 can write it: half of a surrogate pair it cannot."""
    return text.encode("utf-8", "replace").decode()


class _Tail(io.TextIOBase):
    """The end of what is written to it."""

    def __init__(self) -> None:
        self._kept = ""

    def writable(self) -> bool:  # type: ignore[explicit-override] # needs 3.12
        return True

    def write(self, text: str) -> int:  # type: ignore[explicit-override] # needs 3.12
        self._kept = (self._kept + text[-_PRINTED_LIMIT:])[-_PRINTED_LIMIT:]
        return len(text)

    def text(self) -> str:
        return _written(self._kept)


def _limit_memory() -> None:
    try:
        import resource
    except ImportError:  # Windows
        return
    _, most = resource.getrlimit(resource.RLIMIT_DATA)
    limit = MEMORY_LIMIT if most == resource.RLIM_INFINITY else min(MEMORY_LIMIT, most)
    resource.setrlimit(resource.RLIMIT_DATA, (limit, most))


def _read(requests: BinaryIO, lines: "queue.SimpleQueue[bytes]") -> None:
    """Runs in a thread of its own, so that the end of the parent is seen while a function runs."""
    for line in requests:
        lines.put(line)
    _tools.end()


def _say(replies: BinaryIO, reply: Reply) -> None:
    replies.write(json.dumps(reply).encode("ascii") + b"\n")
    replies.flush()


def main(folder: Path, import_limit: float) -> None:
    """Answer until the input ends."""
    requests, replies, _ = _tools.private_channels()
    lines: queue.SimpleQueue[bytes] = queue.SimpleQueue()
    threading.Thread(target=_read, args=(requests, lines), daemon=True).start()
    _limit_memory()
    os.chdir(folder)
    functions = Functions(folder)
    _tools.alarm(import_limit + _LINGER)
    loaded = functions.load()
    _tools.end_if_copied()
    _tools.alarm(0)
    _say(replies, loaded)
    while True:
        request = json.loads(lines.get())
        _tools.alarm(request["limit"] + _LINGER)
        reply = functions.ask(request["function"], request["query"], request["trace"])
        _tools.end_if_copied()
        _tools.alarm(0)
        _say(replies, reply)


if __name__ == "__main__":
    main(Path(sys.argv[1]), float(sys.argv[2]))
