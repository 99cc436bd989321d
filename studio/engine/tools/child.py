"""The process in which a project's tools run.  A script of the standard library alone.

Run as `python -P child.py FOLDER` by `studio.engine.tools.host`, never imported by it.  Requests
come on standard input, replies go to standard output: each a frame of four bytes of length (big
endian) and a JSON object.  Both are moved out of the way of the tools first: a tool reads an empty
input, and what it or a program that it starts prints goes to standard error, which the host keeps.
What any process does that runs a project's code is used by `metrics.own.child` too.

Requests: `{"do": "import", "mark": text}` imports `tools.py` anew, its siblings in the project
folder with it; `{"do": "call", "name": text, "arguments": object, "mark": text, "limit": seconds}`
calls one function of it.  The reply is `{"content": text, "error": text or null}`.  `mark` is
written to standard error after the last that the tool printed.
"""

import contextlib
import faulthandler
import importlib
import importlib.util
import inspect
import json
import linecache
import os
import queue
import signal
import sys
import threading
import traceback
from pathlib import Path
from types import ModuleType
from typing import Any, BinaryIO

RESULT_LIMIT = 200_000
"""Characters of a result: more than the context window of any model on a laptop holds."""
_FRAMES = 5
_LINGER = 10.0
_OWN_ID = os.getpid()

Reply = dict[str, Any]


class Tools:
    """The project's `tools.py`: imported, imported anew, called."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._module: ModuleType | None = None
        self._failure: Reply = _failed("exception", "tools.py has not been imported.")
        self._runner: Any = None
        sys.path.insert(0, str(folder))

    def import_anew(self) -> Reply:
        """Imports `tools.py` afresh: no state of the project's modules outlives this."""
        self._forget()
        spec = importlib.util.spec_from_file_location("tools", self._folder / "tools.py")
        assert spec is not None
        assert spec.loader is not None
        module = importlib.util.module_from_spec(spec)
        sys.modules["tools"] = module
        try:
            spec.loader.exec_module(module)
        except BaseException as error:
            # Whatever a module raises, SystemExit too, is told with every call that needs it.
            why = told(error, self._folder)
            self._failure = _failed("exception", f"tools.py cannot be imported: {why}")
            return self._failure
        self._module = module
        return {"content": "", "error": None}

    def call(self, name: str, arguments: dict[str, Any]) -> Reply:
        """Calls the function `name`; every way to fail is a reply."""
        if self._module is None:
            return self._failure
        function = getattr(self._module, name, None)
        if not callable(function):
            return _failed("exception", f"tools.py has no function '{name}'.")
        try:
            result = function(**arguments)
            if inspect.isawaitable(result):
                result = self._awaited(result)
        except BaseException as error:
            # A tool that calls sys.exit or lets a KeyboardInterrupt out has failed, not the host.
            if _is_refusal(error, function, arguments):
                return _failed("bad arguments", f"{error}.")
            return _failed("exception", told(error, self._folder))
        return _as_text(result)

    def _forget(self) -> None:
        self._module = None
        if self._runner is not None:
            self._runner.close()
            self._runner = None
        inside = os.path.join(self._folder, "")
        for name, module in list(sys.modules.items()):
            if str(getattr(module, "__file__", None) or "").startswith(inside):
                del sys.modules[name]
        importlib.invalidate_caches()
        linecache.checkcache()
        os.chdir(self._folder)

    def _awaited(self, result: Any) -> Any:
        # asyncio takes 30 ms to import, and most tools are plain functions.
        import asyncio

        if self._runner is None:
            self._runner = asyncio.Runner()

        async def waited() -> Any:
            return await result

        return self._runner.run(waited())


def told(error: BaseException, folder: Path) -> str:
    """Type, message and the project's own lines, the place of the error last."""
    lines = traceback.format_exception_only(error)
    message = "".join(lines[-1:]).strip()
    inside = os.path.join(folder, "")
    if isinstance(error, SyntaxError) and error.filename:
        place = f"{error.filename.removeprefix(inside)}, line {error.lineno}"
        return f"{message}\n  {place}"
    frames = [
        f"  {at.filename.removeprefix(inside)}, line {at.lineno}, in {at.name}: {at.line}"
        for at in traceback.extract_tb(error.__traceback__)
        if at.filename.startswith(inside)
    ]
    return "\n".join([message, *frames[-_FRAMES:]])


def _is_refusal(error: BaseException, function: Any, arguments: dict[str, Any]) -> bool:
    """Whether the function could not take the arguments at all."""
    if not isinstance(error, TypeError):
        return False
    try:
        inspect.signature(function).bind(**arguments)
    except TypeError as refusal:
        return str(refusal) != ""
    except ValueError:
        return False
    return False


def _as_text(result: Any) -> Reply:
    if isinstance(result, str):
        return {"content": _cut(result), "error": None}
    try:
        text = json.dumps(result, ensure_ascii=False, allow_nan=False)
    except RecursionError:
        return _failed("not JSON", "The tool returned a value that is nested too deeply.")
    except Exception as error:
        # Subclasses of dict and list may raise anything here.
        return _failed("not JSON", f"The tool returned a value that is not JSON: {error}.")
    return {"content": _cut(text), "error": None}


def _cut(text: str) -> str:
    if len(text) <= RESULT_LIMIT:
        return text
    return f"{text[:RESULT_LIMIT]}\n[cut: {len(text):,} characters in all]"


def _failed(error: str, content: str) -> Reply:
    return {"content": _cut(content), "error": error}


def _read_frames(source: BinaryIO, frames: "queue.SimpleQueue[dict[str, Any]]") -> None:
    """Runs in a thread of its own, so that the end of the parent is seen while a tool runs."""
    while header := source.read(4):
        frames.put(json.loads(source.read(int.from_bytes(header, "big"))))
    end()


def end() -> None:
    """Ends this process and every program that the tools have started."""
    if os.name == "posix" and os.getpgrp() == os.getpid():
        os.killpg(0, signal.SIGKILL)
    os._exit(0)


def end_if_copied() -> None:
    """Ends this process if the code has made it by forking: the one that it was made from replies.

    A function that forks returns twice; two replies to one request would shift all that follow.
    """
    if os.getpid() != _OWN_ID:
        os._exit(0)


def alarm(seconds: float) -> None:
    """Ends this process after `seconds`; 0 takes that back.

    A tool that never lets go of the interpreter (a regular expression, say) hides the end of the
    parent from the thread that waits for it; the system's alarm needs no interpreter.
    """
    if os.name == "posix":
        signal.setitimer(signal.ITIMER_REAL, seconds)


def _write_frame(target: BinaryIO, reply: Reply) -> None:
    body = json.dumps(reply, ensure_ascii=False).encode("utf-8", "replace")
    target.write(len(body).to_bytes(4, "big") + body)
    target.flush()


def private_channels() -> tuple[BinaryIO, BinaryIO, int]:
    """Requests, replies and the place for marks, on descriptors that no tool knows."""
    requests, replies, marks = os.dup(0), os.dup(1), os.dup(2)
    nothing = os.open(os.devnull, os.O_RDONLY)
    os.dup2(nothing, 0)
    os.close(nothing)
    os.dup2(2, 1)
    return os.fdopen(requests, "rb"), os.fdopen(replies, "wb"), marks


def _flush() -> None:
    for stream in (sys.stdout, sys.stderr):
        # A tool may have closed or replaced either.
        with contextlib.suppress(Exception):
            stream.flush()


def main(folder: Path) -> None:
    requests, replies, marks = private_channels()
    for stream in (sys.stdout, sys.stderr):
        stream.reconfigure(errors="backslashreplace")  # type: ignore[union-attr] # real files here
    faulthandler.enable(file=marks)
    frames: queue.SimpleQueue[dict[str, Any]] = queue.SimpleQueue()
    threading.Thread(target=_read_frames, args=(requests, frames), daemon=True).start()
    tools = Tools(folder)
    while True:
        request = frames.get()
        alarm(request["limit"] + _LINGER)
        if request["do"] == "import":
            reply = tools.import_anew()
        else:
            reply = tools.call(request["name"], request["arguments"])
        end_if_copied()
        alarm(0)
        _flush()
        os.write(marks, request["mark"].encode())
        _write_frame(replies, reply)


if __name__ == "__main__":
    main(Path(sys.argv[1]))
