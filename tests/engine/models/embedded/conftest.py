"""The real server process with the real weights, started once for a module's tests.

Only sentence-transformers has a stand-in, where it is not installed.
"""

import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from studio.engine.models.embedded import embeddings, ensure_weights

_ROOT = Path(__file__).parents[4]
_SERVER = "studio.engine.models.embedded"
_WITH_STAND_IN = "tests.engine.models.embedded.with_stand_in"


@pytest.fixture(scope="session")
def weights() -> Path:
    return ensure_weights(lambda _done, _total: None)


@pytest.fixture(scope="module")
def address(weights: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    log = tmp_path_factory.mktemp("server") / "log"
    with (
        log.open("wb") as sink,
        subprocess.Popen(
            [sys.executable, "-m", _SERVER if embeddings.is_there() else _WITH_STAND_IN, weights],
            cwd=_ROOT,
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
