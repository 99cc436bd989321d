"""Runs the tools of one project in a killable child process: whatever a tool does is an outcome.

One host has one child, warm between calls and replaced after it was killed or crashed; calls
wait for each other.  The project's code is run from the first call or `reset` on: ask for trust
before.
"""

import asyncio
import difflib
import signal
import time
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

from studio.engine.plain import plain_text
from studio.engine.records import Record, ToolSpec
from studio.engine.tools.arguments import ArgumentCheck
from studio.engine.tools.process import ProcessDied, Reply, ToolProcess

IMPORT_LIMIT = 60.0
"""Seconds that importing `tools.py` may take; a library such as pandas needs some of them."""


class ToolOutcome(Record, frozen=True):
    """What the model is given back, and how it came about.  Fields as in `events.ToolReturned`."""

    content: str
    error: str | None = None
    printed: str = ""
    seconds: float = 0.0


class ToolHost:
    """Calls the functions of `folder/tools.py`.  Raises ToolHostError for a bad schema.

    Used from one event loop.  Trials do not share the state of the project's own modules if
    `reset` is called between them, which costs a millisecond.  What libraries, threads and files
    hold stays; `close` before `reset` gives a trial a process of its own, for some 50 ms.
    """

    def __init__(self, folder: Path, tools: Sequence[ToolSpec]) -> None:
        self._folder = folder.resolve()
        self._tools = {tool.name: tool for tool in tools}
        self._checks = {tool.name: ArgumentCheck(tool) for tool in tools}
        self._process: ToolProcess | None = None
        self._failure: Reply | None = None
        self._lock = asyncio.Lock()

    @property
    def pid(self) -> int | None:
        """The process id of the child; None while there is none."""
        return self._process.pid if self._process else None

    async def call(self, name: str, arguments: Mapping[str, Any]) -> ToolOutcome:
        """Carries out one call.  Only a child that cannot be started raises (ToolHostError).

        Cancelling it kills the child.  `seconds` is the time of the tool alone.
        """
        tool = self._tools.get(name)
        if tool is None:
            return ToolOutcome(unknown_tool(name, self._tools), "unknown tool")
        check = self._checks[name]
        given = check.arguments(arguments)
        if problems := check.problems(given):
            return ToolOutcome(
                f"The arguments for '{name}' are wrong.\n{problems}", "bad arguments"
            )
        async with self._lock:
            if self._process is None:
                await self._import()
            if self._failure is not None:
                return _outcome(self._failure, 0.0)
            request = {"do": "call", "name": name, "arguments": given}
            started = time.perf_counter()
            reply = await self._ask(request, f"The tool '{name}'", tool.time_limit)
            return _outcome(reply, time.perf_counter() - started)

    async def reset(self) -> None:
        """Makes ready for a new trial: `tools.py` and its siblings are imported anew.

        A failing import is no error here: each call then tells it.  Raises ToolHostError if no
        child can be started.
        """
        async with self._lock:
            await self._import()

    async def close(self) -> None:
        """Leaves no process behind.  The host may be used again afterwards."""
        process, self._process = self._process, None
        if process is not None:
            await process.kill()

    async def _import(self) -> None:
        if self._process is None:
            self._process = await ToolProcess.start(self._folder)
        reply = await self._ask({"do": "import"}, "Importing tools.py", IMPORT_LIMIT)
        self._failure = reply if reply.error else None

    async def _ask(self, request: dict[str, Any], what: str, limit: float) -> Reply:
        process = self._process
        assert process is not None
        try:
            async with asyncio.timeout(limit):
                return await process.ask({**request, "limit": limit})
        except TimeoutError:
            await self.close()
            told = f"{what} took longer than {limit:g} s and was stopped."
            return Reply(told, "time-out", process.printed)
        except ProcessDied as death:
            self._process = None
            return Reply(f"{what} {_ended(death.status)}.", "crash", death.printed)
        except BaseException:
            # Cancelled: the tool must not go on, and its reply must not meet the next call.
            await self.close()
            raise


def unknown_tool(name: str, known: Iterable[str]) -> str:
    """What a model is told that called a tool which does not exist."""
    names = list(known)
    near = difflib.get_close_matches(name[:100], names, n=3, cutoff=0.5)
    told = f"There is no tool '{plain_text(name, 100)}'."
    if near:
        return f"{told} Did you mean {' or '.join(near)}?"
    return f"{told} The tools are: {', '.join(names)}." if names else told


def _outcome(reply: Reply, seconds: float) -> ToolOutcome:
    return ToolOutcome(reply.content, reply.error, plain_text(reply.printed), seconds)


def _ended(status: int) -> str:
    if status >= 0:
        return f"ended its process with exit status {status}"
    try:
        return f"crashed its process with {signal.Signals(-status).name}"
    except ValueError:
        return f"crashed its process with signal {-status}"
