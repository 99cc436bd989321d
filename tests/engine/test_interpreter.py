"""Processes that the studio starts import nothing from the folder it was started in."""

import asyncio
import subprocess
from pathlib import Path

import pytest

from studio.engine.interpreter import PYTHON, running
from studio.engine.metrics import limited, patterns
from studio.engine.metrics.patterns import Pattern
from studio.engine.models.embedded import launch
from studio.ui import link

NAMES = ("json", "queue", "msgspec", "studio", "encodings", "sitecustomize", "pip")


@pytest.fixture
def trap(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A working directory whose modules say that they were imported."""
    for name in NAMES:
        (tmp_path / f"{name}.py").write_text("open('caught', 'a').write(__name__)\n")
    monkeypatch.chdir(tmp_path)
    return tmp_path / "caught"


def test_a_grader_of_its_own_process(trap, monkeypatch):
    monkeypatch.setattr(limited, "_idle", [])
    assert patterns.found(Pattern("a+"), "aaa")
    for child in limited._idle:
        child.kill()
    assert not trap.exists()


@pytest.mark.parametrize(
    "command",
    [link.ENGINE, running("studio.engine.scoring_child"), (*PYTHON, "-m", "pip", "--version")],
)
def test_the_engine_its_scoring_child_and_the_installer(trap, command):
    done = subprocess.run(command, input=b"", capture_output=True, timeout=60, check=False)
    assert done.returncode == 0, done.stderr
    assert not trap.exists()


def test_the_server_of_the_embedded_model(trap, tmp_path):
    server = launch.EmbeddedServer(log=tmp_path / "logs" / "server.log")

    async def started_without_weights() -> int:
        process = await server._spawn(tmp_path / "nothing.gguf")
        _, status = await asyncio.gather(process.communicate(), process.wait())
        return status

    assert asyncio.run(started_without_weights()) != 0
    assert not trap.exists()
