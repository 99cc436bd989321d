"""When the disk takes no more, nothing is dropped in silence, and what waits is written later."""

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from studio.engine.store.reader import RunReader
from studio.engine.store.writer import Store
from tests.engine.store.made import a_query, a_trace

ROOT = Path(__file__).parents[3]

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="there is no RLIMIT_FSIZE there")


def _fill(folder: Path, *how: str) -> dict[str, Any]:
    done = subprocess.run(
        [sys.executable, "-m", "tests.engine.store.filling", str(folder), *how],
        cwd=ROOT, capture_output=True, text=True, timeout=100,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    said: dict[str, Any] = json.loads(done.stdout)
    return said


def _whole_trials(folder: Path) -> int:
    reader = RunReader(folder)
    rows = reader.changed_trials(1, limit=10_000)
    for row in rows:
        assert reader.events(row.id) == a_trace(a_query(row.position))
        assert len(row.scores) == 2
    assert reader.tally(1).done == len(rows)
    reader.close()
    return len(rows)


def test_what_waits_is_written_when_there_is_room_again(tmp_path: Path):
    said = _fill(tmp_path, "room")
    assert "The disk that holds" in said["waited for"]
    assert said["told"] == [said["failure"]], "told once"
    assert "refused" not in said
    assert said["failure with room again"] == "None"
    assert "closing" not in said
    assert _whole_trials(tmp_path) == said["recorded"] == 100


def test_what_cannot_be_written_is_told_at_the_end_and_what_was_written_stays(tmp_path: Path):
    said = _fill(tmp_path)
    assert "The disk that holds" in said["closing"]
    assert 1 <= _whole_trials(tmp_path) < said["recorded"]
    with Store.open(tmp_path) as store:
        assert len(store.missing(1)) == 100 - _whole_trials(tmp_path)


def test_memory_is_bounded_while_nothing_can_be_written(tmp_path: Path):
    said = _fill(tmp_path, "until", "room")
    assert "The disk that holds" in said["refused"]
    assert 100 < said["recorded"] < 10_000
    reader = RunReader(tmp_path)
    # The trial at which it was refused stays without its end.
    assert reader.tally(1).done == said["recorded"]
    reader.close()
