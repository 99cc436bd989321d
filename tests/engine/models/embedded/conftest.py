"""The real server process with the real weights, started once for a module's tests."""

import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from studio.engine.models.embedded import ensure_weights


@pytest.fixture(scope="session")
def weights() -> Path:
    return ensure_weights(lambda _done, _total: None)


@pytest.fixture(scope="module")
def address(weights: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    log = tmp_path_factory.mktemp("server") / "log"
    with (
        log.open("wb") as sink,
        subprocess.Popen(
            [sys.executable, "-m", "studio.engine.models.embedded", str(weights)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=sink,
            text=True,
        ) as process,
    ):
        assert process.stdout is not None
        yield process.stdout.readline().strip()
        process.communicate(timeout=10)
    assert process.returncode == 0, log.read_text()
    assert "Traceback" not in log.read_text(), log.read_text()
