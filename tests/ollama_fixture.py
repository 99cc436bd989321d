"""Starts and speaks to the scripted Ollama server (see `tests.scripted_ollama` for scripts)."""

import json
import socket
import subprocess
import sys
import time
import urllib.request
from collections.abc import Callable, Iterator
from pathlib import Path
from types import TracebackType
from typing import Any

import pytest

_ROOT = Path(__file__).parent.parent
# Loopback only, whatever proxy the environment names.
_OPENER = urllib.request.build_opener(urllib.request.ProxyHandler({}))


class ScriptedOllama:
    """A running scripted server: a process of its own."""

    def __init__(self, script: dict[str, Any] | None = None) -> None:
        self._process = subprocess.Popen(
            [sys.executable, "-m", "tests.scripted_ollama"],
            cwd=_ROOT,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        self._process.stdin.write(json.dumps(script or {}) + "\n")
        self._process.stdin.flush()
        self.address = self._process.stdout.readline().strip()
        assert self.address, "the scripted server did not start"

    def play(self, script: dict[str, Any]) -> str:
        """Take a new script and forget the log; returns the address."""
        self._fetch("/scripted/script", json.dumps(script).encode())
        return self.address

    def log(self) -> list[dict[str, Any]]:
        """The requests heard so far, oldest first."""
        return self._fetch("/scripted/log")

    def chats(self) -> list[dict[str, Any]]:
        """The bodies of the chat requests heard so far."""
        return [entry["body"] for entry in self.log() if entry["path"] == "/api/chat"]

    def wait_for(self, holds: Callable[[list[dict[str, Any]]], bool]) -> list[dict[str, Any]]:
        """The log as soon as `holds(log)`; fails after a minute."""
        deadline = time.monotonic() + 60
        while not holds(log := self.log()):
            assert time.monotonic() < deadline, f"not seen in the log: {log}"
            time.sleep(0.01)
        return log

    @property
    def is_dead(self) -> bool:
        """Whether its process has ended."""
        return self._process.poll() is not None

    def kill(self) -> None:
        """End the process as a crash would."""
        self._process.kill()
        self.close()

    def close(self) -> None:
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        self._process.stdin.close()
        self._process.wait(10)
        self._process.stdout.close()

    def _fetch(self, path: str, data: bytes | None = None) -> Any:
        with _OPENER.open(self.address + path, data, timeout=10) as answer:
            return json.load(answer)

    def __enter__(self) -> "ScriptedOllama":
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()


@pytest.fixture(scope="session")
def _one_scripted_ollama() -> Iterator[ScriptedOllama]:
    with ScriptedOllama() as server:
        yield server


@pytest.fixture
def scripted_ollama(_one_scripted_ollama: ScriptedOllama) -> ScriptedOllama:
    """One server process for the whole session, with a fresh script and log for each test.

    A test that wants to kill its server starts a `ScriptedOllama` of its own.
    """
    _one_scripted_ollama.play({})
    return _one_scripted_ollama


@pytest.fixture
def closed_address() -> str:
    """An address of this machine at which nothing listens."""
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        return f"http://127.0.0.1:{taken.getsockname()[1]}"
