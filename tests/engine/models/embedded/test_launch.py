"""The server process: started once, started again if it died, ended with its parent."""

import asyncio
import signal
import subprocess
import sys
import time
from pathlib import Path

import httpx
import pytest

from studio.engine.errors import ServerError
from studio.engine.models.embedded import EmbeddedServer, launch

pytestmark = pytest.mark.weights


def _version(address: str) -> str:
    return str(httpx.get(f"{address}/api/version", timeout=30).json()["version"])


def test_one_process_serves_until_it_is_closed(tmp_path: Path):
    async def use() -> str:
        async with EmbeddedServer(log=tmp_path / "log") as server:
            address, again = await asyncio.gather(server.address(), server.address())
            assert address == again
            assert address.startswith("http://127.0.0.1:")
            assert "embedded" in await asyncio.to_thread(_version, address)
        await server.close()
        return address

    address = asyncio.run(use())
    with pytest.raises(httpx.ConnectError):
        _version(address)


def test_a_server_that_died_is_started_again(tmp_path: Path):
    async def use() -> None:
        async with EmbeddedServer(log=tmp_path / "log") as server:
            await server.address()
            assert server._process is not None
            server._process.kill()
            await server._process.wait()
            assert await asyncio.to_thread(_version, await server.address())

    asyncio.run(use())


def test_a_server_that_does_not_start_is_told_with_its_log(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    bad = tmp_path / "bad.gguf"
    bad.write_text("no weights")
    monkeypatch.setattr(launch, "ensure_weights", lambda _progress: bad)

    async def use() -> None:
        async with EmbeddedServer(log=tmp_path / "log") as server:
            await server.address()

    with pytest.raises(ServerError, match="did not start"):
        asyncio.run(use())
    assert "GGUF" in (tmp_path / "log").read_text()


PARENT = """
import asyncio, sys
from pathlib import Path
from studio.engine.models.embedded import EmbeddedServer

async def main():
    server = EmbeddedServer(log=Path(sys.argv[1]))
    print(await server.address(), flush=True)
    await asyncio.sleep(600)

asyncio.run(main())
"""


@pytest.mark.skipif(sys.platform == "win32", reason="kills with a signal")
def test_the_server_ends_with_a_parent_that_was_killed(tmp_path: Path):
    with subprocess.Popen(
        [sys.executable, "-c", PARENT, str(tmp_path / "log")], stdout=subprocess.PIPE, text=True
    ) as parent:
        assert parent.stdout is not None
        address = parent.stdout.readline().strip()
        assert _version(address)
        parent.send_signal(signal.SIGKILL)
    deadline = time.monotonic() + 20
    while time.monotonic() < deadline:
        try:
            _version(address)
        except httpx.TransportError:
            return
        time.sleep(0.05)
    pytest.fail("the server outlived its parent")
