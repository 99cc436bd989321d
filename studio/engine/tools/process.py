"""One child process in which tools run: started, asked, killed.  See `child` for the protocol."""

import asyncio
import os
import secrets
import signal
from collections.abc import Mapping
from pathlib import Path
from typing import Any, TypeVar

import msgspec
from typing_extensions import override

from studio.engine.errors import ToolHostError
from studio.engine.interpreter import PYTHON

PRINTED_LIMIT = 32_768
"""Bytes kept of what one call prints: the last ones."""
_ERROR = 2
_LAST_WORDS = 0.5
"""Seconds to wait for the rest of what was printed, where the mark after it was lost."""
_CHILD = Path(__file__).with_name("child.py")


class Reply(msgspec.Struct, frozen=True):
    content: str
    error: str | None
    printed: str = ""


_DECODER = msgspec.json.Decoder(Reply)
_T = TypeVar("_T")


class ProcessDied(Exception):
    """The child ended in the middle of a request.  `status` as in `subprocess`."""

    def __init__(self, status: int, printed: str) -> None:
        super().__init__(status)
        self.status = status
        self.printed = printed


class ToolProcess(asyncio.SubprocessProtocol):
    """A running child.  Killed together with whatever its tools have started."""

    def __init__(self) -> None:
        self._mark = f"\x00{secrets.token_hex(16)}\x00".encode()
        self._loop = asyncio.get_running_loop()
        self._ended: asyncio.Future[int] = self._loop.create_future()
        self._is_killed = False
        self._received = bytearray()
        self._expect()

    def _expect(self, begin: bytes = b"") -> None:
        self._tail = Tail(begin)
        self._reply: asyncio.Future[bytes | None] = self._loop.create_future()
        self._has_printed_all: asyncio.Future[None] = self._loop.create_future()

    @classmethod
    async def start(cls, folder: Path) -> "ToolProcess":
        """Raises ToolHostError if no process can be started in `folder`."""
        try:
            _, process = await asyncio.get_running_loop().subprocess_exec(
                cls,
                *PYTHON,
                "-B",
                "-X",
                "utf8",
                str(_CHILD),
                str(folder),
                cwd=folder,
                start_new_session=True,
            )
        except OSError as error:
            raise ToolHostError(
                f"The process for the tools of {folder.name} did not start: {error}.",
                "Check that the folder exists and that memory and disk are not full.",
            ) from error
        return process

    @property
    def pid(self) -> int:
        return self._transport.get_pid()

    @property
    def printed(self) -> str:
        """What the request at work, or the last one, has printed so far."""
        return self._tail.text()

    async def ask(self, request: Mapping[str, Any]) -> Reply:
        """The reply to `request`.  Raises ProcessDied; cancelling leaves the child unusable."""
        self._expect(self._tail.after)
        body = msgspec.json.encode({**request, "mark": self._mark.decode()})
        self._stdin.write(len(body).to_bytes(4, "big") + body)
        reply = None if self._ended.done() else await self._reply
        if not self._has_printed_all.done():
            await asyncio.wait([self._has_printed_all], timeout=_LAST_WORDS)
        try:
            if reply is None:
                raise ProcessDied(await self.kill(), self.printed)
            decoded = _DECODER.decode(reply)
        except msgspec.DecodeError as error:
            raise ProcessDied(await self.kill(), self.printed) from error
        return msgspec.structs.replace(decoded, printed=self.printed)

    async def kill(self) -> int:
        """Ends the child and its children at once; its exit status, as in `subprocess`.

        Who is cancelled meanwhile waits all the same: it takes a moment, and what is left of a
        child whose end nobody saw would be found much later, by somebody else.
        """
        # Once, whether the child lives or not: what it has started may have outlived it.
        if not self._is_killed:
            self._is_killed = True
            _kill(self._transport)
        cancelled: asyncio.CancelledError | None = None
        while not self._ended.done():
            try:
                await asyncio.wait([self._ended])
            except asyncio.CancelledError as error:
                cancelled = error
        # A program that left the child's session may hold the pipes open for as long as it likes.
        self._transport.close()
        if cancelled is not None:
            raise cancelled
        return self._ended.result()

    @override
    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        assert isinstance(transport, asyncio.SubprocessTransport)
        self._transport = transport

    @override
    def pipe_data_received(self, fd: int, data: bytes) -> None:
        if fd == _ERROR:
            if self._tail.add(data, self._mark):
                _resolve(self._has_printed_all, None)
            return
        self._received += data
        end = 4 + int.from_bytes(self._received[:4], "big")
        if 4 < end <= len(self._received):
            _resolve(self._reply, bytes(self._received[4:end]))
            del self._received[:end]

    @override
    def pipe_connection_lost(self, fd: int, exc: Exception | None) -> None:
        if fd == _ERROR:
            _resolve(self._has_printed_all, None)
        else:
            _resolve(self._reply, None)

    @override
    def process_exited(self) -> None:
        _resolve(self._ended, self._transport.get_returncode() or 0)
        _resolve(self._reply, None)

    @property
    def _stdin(self) -> asyncio.WriteTransport:
        stdin = self._transport.get_pipe_transport(0)
        assert isinstance(stdin, asyncio.WriteTransport)
        return stdin


def _resolve(future: "asyncio.Future[_T]", value: _T) -> None:
    if not future.done():
        future.set_result(value)


class Tail:
    """The end of a stream of bytes of any length, in bounded memory, up to a mark in it."""

    def __init__(self, begin: bytes = b"") -> None:
        self._kept = bytearray(begin)
        self._seen = len(begin)
        self.after = b""
        """What came after the mark: a thread that the tool left behind still prints."""

    def add(self, chunk: bytes, mark: bytes) -> bool:
        """Takes in `chunk`; True once the mark was seen."""
        start = max(0, len(self._kept) - len(mark))
        self._kept += chunk
        self._seen += len(chunk)
        place = self._kept.find(mark, start)
        if place >= 0:
            self.after = bytes(self._kept[place + len(mark) :])
            self._seen -= len(self._kept) - place
            del self._kept[place:]
        surplus = len(self._kept) - PRINTED_LIMIT
        if surplus > 0:
            del self._kept[:surplus]
        return place >= 0

    def text(self) -> str:
        text = self._kept.decode("utf-8", "replace")
        if self._seen <= PRINTED_LIMIT:
            return text
        return f"[cut: the last {PRINTED_LIMIT:,} of {self._seen:,} bytes]\n{text}"


def _kill(transport: asyncio.SubprocessTransport) -> None:
    try:
        if os.name == "posix":
            os.killpg(transport.get_pid(), signal.SIGKILL)
        else:
            transport.kill()
    except ProcessLookupError:
        return  # all of it ended by itself in the meantime
