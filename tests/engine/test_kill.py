"""Whatever is killed in the middle of a run, it is continued and ends like one that was not.

STUDIO_KILLS says how often the engine is killed (more than here: 200 take about ten minutes).
"""

import contextlib
import os
import random
import signal
import socket
import sqlite3
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import msgspec
import pytest

from studio.engine import events
from studio.engine.messages import (
    ContinueRun,
    OpenProject,
    ProjectOpened,
    RunEnded,
    RunProgressed,
    RunStarted,
    StartRun,
    TrustProject,
)
from studio.engine.outcomes import Outcome
from studio.engine.store.opening import runs_file
from studio.engine.store.reader import RunReader
from tests.engine import sample
from tests.engine.engine_process import EngineProcess, plan_of
from tests.ollama_fixture import ScriptedOllama

KILLS = int(os.environ.get("STUDIO_KILLS", "14"))
QUERIES = 24
IDS = tuple(f"q{number}" for number in range(QUERIES))
STEADY = sample.script(default={"delay": 0.01, **sample.ANSWER})

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="there is no SIGKILL there")


def rows(folder):
    with contextlib.closing(RunReader(folder)) as reader:
        return reader.changed_trials(1, 0, 10_000)


def result(folder):
    """What a run comes to, as bytes: whatever does not depend on the clock."""
    with contextlib.closing(RunReader(folder)) as reader:
        run = reader.run(1)
        found = sorted(reader.changed_trials(1, 0, 10_000), key=lambda row: row.position)
    assert (run.ending, run.tally.left) == ("finished", 0)
    return msgspec.json.encode(
        [
            (row.position, row.number, row.outcome, row.answer, row.steps, row.scores)
            for row in found
        ]
    )


def standing(folder):
    """The texts of the queries whose trial is over and scored, as the disk has it."""
    if not runs_file(folder).exists():
        return set()
    whole = len(sample.SCORED)
    return {
        row.query
        for row in rows(folder)
        if row.outcome is Outcome.FINISHED and len(row.scores) == whole
    }


def asked_of(server):
    return {body["messages"][1]["content"] for body in server.chats() if body.get("messages")}


def begin(engine, folder):
    """Open the project, and start its run or go on with it."""
    engine.send(TrustProject(str(folder)))
    opened = engine.until(ProjectOpened)
    with contextlib.closing(RunReader(folder)) as reader:
        known = reader.runs()
    engine.send(ContinueRun(1) if known else StartRun(plan_of(opened.project, IDS, at_once=2)))


def acknowledged(engine):
    """How many trials the engine said are done, having written them."""
    return max((n.tally.done for n in engine.seen if isinstance(n, RunProgressed)), default=0)


@pytest.fixture(scope="module")
def untouched(tmp_path_factory, _one_engine, _one_scripted_ollama):
    """What the run comes to when nothing is killed."""
    _one_scripted_ollama.play(STEADY)
    folder = sample.write(
        tmp_path_factory.mktemp("untouched"), _one_scripted_ollama.address, queries=QUERIES
    )
    begin(_one_engine, folder)
    assert _one_engine.until(RunEnded).ending == "finished"
    return result(folder)


class Victim:
    """A run of an engine that is killed again and again, until nothing is left of it to do."""

    def __init__(self, folder: Path, server: ScriptedOllama, chance: random.Random) -> None:
        self.folder = sample.write(folder, server.address, queries=QUERIES)
        self.is_over = False
        self._server = server
        self._chance = chance

    def live_and_die(self) -> None:
        """One life of the engine: begin or go on, and be killed at a random moment."""
        before = standing(self.folder)
        self._server.play(STEADY)
        with EngineProcess() as engine:
            begin(engine, self.folder)
            if self._chance.random() < 0.8:
                self._listen(engine, self._chance.randrange(1, 12))
                time.sleep(self._chance.uniform(0.0, 0.05))
            else:
                time.sleep(self._chance.uniform(0.0, 2.0))
            engine.kill()
            self._listen(engine)
            told = acknowledged(engine)
        self._check(before, told)

    def finish(self) -> None:
        with EngineProcess() as engine:
            begin(engine, self.folder)
            assert engine.until(RunEnded).ending == "finished"

    def _listen(self, engine, times: int = 1_000_000) -> None:
        """Hear that the run began, and how it goes so many times; or all that there is to hear."""
        for notice in engine.notices():
            times -= isinstance(notice, RunStarted | RunProgressed | RunEnded)
            if times == 0 or isinstance(notice, RunEnded):
                self.is_over |= isinstance(notice, RunEnded)
                return

    def _check(self, before, told) -> None:
        after = standing(self.folder)
        assert before <= after, "a trial that was over is gone"
        assert told <= len(after), "a trial that was acknowledged is gone"
        assert not before & asked_of(self._server), "a trial that was over was run again"
        if runs_file(self.folder).exists():
            path = f"{runs_file(self.folder).as_uri()}?mode=ro"
            with contextlib.closing(sqlite3.connect(path, uri=True)) as connection:
                assert connection.execute("PRAGMA integrity_check").fetchall() == [("ok",)]


def killed(folder: Path, seed: str, kills: int) -> list[bytes]:
    """What runs come to whose engine is killed so many times in all, at moments of chance."""
    chance = random.Random(seed)
    results = []
    with ScriptedOllama(STEADY) as server:
        while kills > 0:
            victim = Victim(folder / f"{kills} to go", server, chance)
            while kills > 0 and not victim.is_over:
                victim.live_and_die()
                kills -= 1
            victim.finish()
            results.append(result(victim.folder))
    return results


@pytest.mark.timeout(120 + 60 * KILLS)
def test_a_killed_engine_loses_nothing_and_its_run_ends_like_any_other(tmp_path, untouched):
    seeds = [f"{os.environ.get('STUDIO_SEED', '1')} {half}" for half in ("a", "b")]
    # Two at a time: nearly all the time goes into starting engines.
    with ThreadPoolExecutor(2) as pool:
        halves = pool.map(lambda seed: killed(tmp_path / seed, seed, KILLS // 2), seeds)
        results = [each for half in halves for each in half]
    assert results
    assert set(results) == {untouched}


def test_a_killed_server_ends_the_run_which_goes_on_when_it_is_back(tmp_path, untouched, engine):
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    slow = sample.script(port=port, default={"delay": 0.05, **sample.ANSWER})
    with ScriptedOllama(slow) as server:
        folder = sample.write(tmp_path / "gold", server.address, queries=QUERIES)
        begin(engine, folder)
        server.wait_for(lambda log: len(log) > 15)
        server.kill()
    ended = engine.until(RunEnded)
    assert ended.ending == "failed"
    assert ended.problem == f"No model server answers at http://127.0.0.1:{port}."
    assert 0 < ended.tally.done < QUERIES
    over = standing(folder)
    with ScriptedOllama({**STEADY, "port": port}) as server:
        engine.send(ContinueRun(1))
        again = engine.until(RunEnded)
        assert (again.ending, again.tally.done) == ("finished", QUERIES)
        assert not over & asked_of(server)
    assert result(folder) == untouched


PIDS = """
import os, pathlib, time

with pathlib.Path("pids").open("a") as file:
    file.write(f"{os.getpid()}\\n")
"""


def test_a_killed_tool_is_an_error_in_its_trace_and_the_run_goes_on(
    tmp_path, untouched, engine, scripted_ollama
):
    scripted_ollama.play(STEADY)
    slow = sample.TOOLS.replace("    return", "    time.sleep(0.02)\n    return")
    folder = sample.write(
        tmp_path / "gold", scripted_ollama.address, queries=QUERIES, tools=PIDS + slow
    )
    begin(engine, folder)
    engine.until(RunStarted)
    killed = set()
    for notice in engine.notices():
        if isinstance(notice, RunEnded):
            break
        killed |= _killed_new(folder / "pids", killed)
    assert notice.ending == "finished"
    assert killed
    assert result(folder) == untouched
    with contextlib.closing(RunReader(folder)) as reader:
        returned = [
            event
            for row in rows(folder)
            for event in reader.events(row.id)
            if isinstance(event, events.ToolReturned)
        ]
    assert {event.error for event in returned} <= {None, "crash"}
    assert len(returned) == QUERIES


def _killed_new(pids, killed):
    found = set(map(int, pids.read_text().split())) if pids.exists() else set()
    for pid in found - killed:
        with contextlib.suppress(ProcessLookupError):
            os.kill(pid, signal.SIGKILL)
    return found


def test_a_window_that_is_gone_leaves_a_run_that_the_next_one_goes_on_with(
    tmp_path, untouched, new_engine, engine, scripted_ollama
):
    scripted_ollama.play(STEADY)
    folder = sample.write(tmp_path / "gold", scripted_ollama.address, queries=QUERIES)
    first = new_engine()
    begin(first, folder)
    first.until(RunStarted)
    first.until(RunProgressed)
    first.hang_up()
    # The next window does not wait: its engine finds the file taken for a moment.
    assert first.wait() == 0
    over = standing(folder)
    scripted_ollama.play(STEADY)
    begin(engine, folder)
    assert engine.until(RunEnded).ending == "finished"
    assert not over & asked_of(scripted_ollama)
    assert result(folder) == untouched


@pytest.mark.weights
@pytest.mark.skipif(sys.platform != "linux", reason="finds the server in /proc")
def test_a_killed_embedded_server_is_started_anew_for_what_is_left(tmp_path, engine):
    folder = sample.write(
        tmp_path / "gold", "embedded", queries=3,
        model={"name": "smollm2:135m", "server": "embedded", "options": {"num_predict": 16}},
    )  # fmt: skip
    engine.send(OpenProject(str(folder)), TrustProject(str(folder)))
    engine.until(ProjectOpened)
    opened = engine.until(ProjectOpened)
    engine.send(StartRun(plan_of(opened.project, IDS[:3])))
    started = engine.until(RunStarted)
    assert started.servers[0].is_embedded
    while engine.until(RunProgressed).tally.done < 1:
        pass
    (server,) = [pid for pid in _children(engine.pid) if _SERVER in _command(pid)]
    os.kill(server, signal.SIGKILL)
    assert engine.until(RunEnded).ending == "failed"
    over = {row.id for row in rows(folder) if row.outcome is Outcome.FINISHED}
    engine.send(ContinueRun(1))
    ended = engine.until(RunEnded)
    assert (ended.ending, ended.tally.done + ended.tally.failed) == ("finished", 3)
    assert over <= {row.id for row in rows(folder)}


_SERVER = b"studio.engine.models.embedded"


def _children(pid):
    tasks = Path(f"/proc/{pid}/task").iterdir()
    return [int(child) for task in tasks for child in (task / "children").read_text().split()]


def _command(pid):
    return Path(f"/proc/{pid}/cmdline").read_bytes()
