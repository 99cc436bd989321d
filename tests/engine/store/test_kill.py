"""Killed at any moment, the store keeps every trial that it acknowledged, and no half one."""

import contextlib
import os
import random
import signal
import sqlite3
import subprocess
import sys
import time
from pathlib import Path

import pytest

from studio.engine.outcomes import Outcome
from studio.engine.store.opening import runs_file
from studio.engine.store.reader import RunReader
from tests.engine.store.made import a_query, a_trace, some_scores

KILLS = int(os.environ.get("STUDIO_KILLS", "20"))
QUERIES, TRIALS = 60, 4
ROOT = Path(__file__).parents[3]

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="there is no SIGKILL there")

Place = tuple[int, int]


def _recorded_until_killed(folder: Path, chance: random.Random | None) -> tuple[set[Place], bool]:
    """Record; kill at a random moment, mostly after the first acknowledgement, or never.

    Returns the acknowledged trials and whether the run came to its end.
    """
    command = [sys.executable, "-m", "tests.engine.store.recording"]
    command += [str(folder), str(QUERIES), str(TRIALS)]
    with subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE) as child:
        assert child.stdout is not None
        said = b""
        if chance is not None:
            if chance.random() < 0.75:
                said = child.stdout.readline()
                time.sleep(chance.uniform(0.0, 0.08))
            else:
                # While it starts: it opens or makes the file then.
                time.sleep(chance.uniform(0.1, 0.4))
            child.send_signal(signal.SIGKILL)
        said += child.stdout.read()
    assert child.returncode in (0, -signal.SIGKILL)
    # A line may be cut in its middle by the end of the process.
    lines = [line for line in said.decode().splitlines(keepends=True) if line.endswith("\n")]
    places = [tuple(map(int, line.split())) for line in lines if line != "done\n"]
    return {(position, number) for position, number in places}, "done\n" in lines


def _looking(folder: Path) -> sqlite3.Connection:
    """Read-only, so that the log that the killed process left is there for the next one."""
    return sqlite3.connect(f"{runs_file(folder).as_uri()}?mode=ro", uri=True)


def _check(folder: Path, acknowledged: set[Place]) -> None:
    """Nothing that was acknowledged is lost, and whatever ended is whole."""
    reader = RunReader(folder)
    runs = reader.runs()
    if not runs:
        assert not acknowledged
        return
    (run,) = runs
    with contextlib.closing(_looking(folder)) as connection:
        assert connection.execute("PRAGMA integrity_check").fetchall() == [("ok",)]
        assert connection.execute("PRAGMA foreign_key_check").fetchall() == []
    rows = reader.changed_trials(run.id, limit=10_000)
    whole = set()
    for row in rows:
        events = reader.events(row.id)
        expected = a_trace(a_query(row.position), row.number)
        if row.outcome is Outcome.FINISHED:
            assert events == expected
            if row.scores:
                assert row.scores == some_scores()
                whole.add((row.position, row.number))
        else:
            kept = events if row.outcome is None else events[:-1]
            assert kept == expected[: len(kept)]
    assert acknowledged <= whole
    assert run.tally.done == sum(row.outcome is Outcome.FINISHED for row in rows)
    reader.close()


def _result(folder: Path) -> dict[Place, object]:
    reader = RunReader(folder)
    (run,) = reader.runs()
    assert run.ending == "finished"
    assert run.tally.left == 0
    rows = reader.changed_trials(run.id, limit=10_000)
    result: dict[Place, object] = {
        (row.position, row.number): (row.outcome, row.answer, row.scores, reader.events(row.id))
        for row in rows
    }
    assert len(result) == len(rows) == QUERIES * TRIALS
    reader.close()
    return result


def _attempts(folder: Path) -> dict[Place, int]:
    if not runs_file(folder).exists():
        return {}
    with contextlib.closing(_looking(folder)) as connection:
        try:
            rows = connection.execute(
                "SELECT position, number, count(*) FROM trials GROUP BY position, number"
            ).fetchall()
        except sqlite3.OperationalError:  # Killed before there were tables.
            return {}
    return {(position, number): attempts for position, number, attempts in rows}


@pytest.mark.timeout(60 + 5 * KILLS)
def test_a_killed_run_loses_nothing_and_ends_like_one_that_was_not(
    tmp_path_factory: pytest.TempPathFactory,
):
    untouched = tmp_path_factory.mktemp("untouched")
    _recorded_until_killed(untouched, None)

    chance = random.Random(os.environ.get("STUDIO_SEED", "1"))
    kills = 0
    while kills < KILLS:
        folder = tmp_path_factory.mktemp("killed")
        acknowledged: dict[Place, int] = {}
        is_over = False
        while not is_over:
            told, is_over = _recorded_until_killed(folder, chance if kills < KILLS else None)
            kills += not is_over
            _check(folder, told | set(acknowledged))
            attempts = _attempts(folder)
            again = {place for place in acknowledged if attempts[place] > acknowledged[place]}
            assert not again, "acknowledged trials were run again"
            acknowledged.update((place, attempts[place]) for place in told)
        assert _result(folder) == _result(untouched)
