"""A stored run that several processes judge is judged as by one, whatever becomes of them."""

import contextlib
import json
import logging
import sqlite3
import subprocess
import threading
import time
from collections.abc import Callable
from pathlib import Path

import msgspec
import pytest
from msgspec.structs import replace

from studio.engine import rescoring, shared_scoring, trust
from studio.engine.errors import StoreError
from studio.engine.interpreter import environment, running
from studio.engine.metrics.killable import Killable
from studio.engine.records import Criteria, Expected, ExpectedCall, MetricSpec, Query
from studio.engine.rescoring import Rescoring
from studio.engine.scoring import Scorer
from studio.engine.shared_scoring import Task
from studio.engine.store.opening import runs_file
from studio.engine.store.stored_traces import ALL
from studio.engine.store.writer import Store
from tests.engine.store.made import SERVER, a_plan, a_query, a_trace

TRIALS = 500
BLOCK = 16
CRITERIA = Criteria(
    tuple(map(MetricSpec, ("answer_contains", "tool_call_accuracy", "seconds", "ifeval")))
)


def query(position: int) -> Query:
    """Of three trials one passes, one says the wrong thing, and one calls with wrong arguments."""
    asked = a_query(position)
    metal = "tin" if position % 3 == 0 else asked.text.split()[5]
    wanted = Expected(
        calls=(ExpectedCall("metal_price", {"metal": metal}),),
        contains=("dollars" if position % 3 else "€\n",),
    )
    return replace(asked, expected=wanted)


@pytest.fixture(scope="module")
def recorded(tmp_path_factory) -> bytes:
    """The file of a run that was never judged."""
    folder = tmp_path_factory.mktemp("recorded")
    queries = [query(position) for position in range(TRIALS)]
    with Store.open(folder) as store:
        run = store.create_run(a_plan(TRIALS), (SERVER,), queries)
        for position, asked in enumerate(queries):
            trial = store.begin_trial(run, asked, 1, position)
            for event in a_trace(asked):
                store.append(trial, event)
        store.end_run(run, "finished")
    return runs_file(folder).read_bytes()


def a_copy(folder: Path, recorded: bytes) -> Path:
    path = runs_file(folder)
    path.parent.mkdir()
    path.write_bytes(recorded)
    return folder


@pytest.fixture
def folder(tmp_path: Path, recorded: bytes) -> Path:
    return a_copy(tmp_path, recorded)


@pytest.fixture
def started(monkeypatch) -> list[Killable]:
    """The children that were started; it is made worth to start two of them."""
    children: list[Killable] = []

    class Seen(Killable):
        def __init__(self, *args, **how) -> None:
            super().__init__(*args, **how)
            children.append(self)

    monkeypatch.setattr(shared_scoring, "Killable", Seen)
    monkeypatch.setattr(shared_scoring, "MOST", 2)
    monkeypatch.setattr(shared_scoring, "WORTH", 1e-9)
    monkeypatch.setattr(rescoring, "_BLOCK", BLOCK)
    return children


class Held(Scorer):
    """Judges a few blocks, and goes on when a child has judged one too; then `seen` is called."""

    def __init__(self, criteria: Criteria = CRITERIA, seen: Callable[[], None] = int) -> None:
        super().__init__(criteria)
        self.work: Rescoring
        self.asked = 0
        self.seen = seen

    def opinion(self, query, trace):
        self.asked += 1
        if self.asked == 3 * BLOCK:
            until(lambda: self.work.done > 3 * BLOCK)
            self.seen()
        return super().opinion(query, trace)


def until(is_so: Callable[[], bool]) -> None:
    end = time.monotonic() + 60
    while not is_so():
        assert time.monotonic() < end, "it never came"
        time.sleep(0.005)


def judge(store: Store, scorer: Scorer, stopped: threading.Event | None = None) -> Rescoring:
    """Judge the run; `ending` of it is how."""
    work = Rescoring(store, 1, CRITERIA, scorer)
    scorer.work = work
    work.ending = work.work(stopped or threading.Event())
    store.committed().result(timeout=30)
    return work


def opinions(folder: Path) -> list[list[tuple]]:
    """All that is thought of the run."""
    path = f"{runs_file(folder).as_uri()}?mode=ro"
    with contextlib.closing(sqlite3.connect(path, uri=True)) as connection:
        tables = ("scores", "findings", "criteria")
        return [connection.execute(f"SELECT * FROM {each}").fetchall() for each in tables]


@pytest.fixture(scope="module")
def alone(recorded: bytes, tmp_path_factory) -> list[list[tuple]]:
    """What one process thinks."""
    folder = a_copy(tmp_path_factory.mktemp("alone"), recorded)
    with pytest.MonkeyPatch.context() as patch, Store.open(folder) as store:
        patch.setattr(shared_scoring, "MOST", 0)
        with Scorer(CRITERIA) as scorer:
            assert judge(store, scorer).done == TRIALS
    return opinions(folder)


def test_children_say_to_the_byte_what_one_process_says(folder, started, alone):
    with Store.open(folder) as store, Held() as scorer:
        work = judge(store, scorer)
    assert (work.ending, work.done, work.planned) == ("finished", TRIALS, TRIALS)
    assert len(started) == 2
    assert scorer.asked < TRIALS, "the children judged the others"
    assert opinions(folder) == alone
    assert len(alone[0]) == 4 * TRIALS
    assert alone[1], "some trials are explained"
    assert not any(child.lives for child in started)


def test_what_a_killed_child_was_given_is_judged_all_the_same(folder, started, alone, caplog):
    caplog.set_level(logging.WARNING)

    def kill() -> None:
        for child in started:
            child.kill()

    with Store.open(folder) as store, Held(seen=kill) as scorer:
        work = judge(store, scorer)
    assert (work.ending, work.done) == ("finished", TRIALS)
    assert opinions(folder) == alone
    assert "is of no use any more" in caplog.text


def test_stopping_leaves_no_process_and_counts_what_was_judged(folder, started):
    stopped = threading.Event()
    with Store.open(folder) as store, Held(seen=stopped.set) as scorer:
        work = judge(store, scorer, stopped)
        assert not any(child.lives for child in started)
    assert work.ending == "stopped"
    scores, _, [(_, criteria, _)] = opinions(folder)
    assert 0 < len({trial for trial, *_ in scores}) == work.done < TRIALS
    assert msgspec.json.decode(criteria, type=Criteria) == CRITERIA


def test_a_damaged_trace_is_told_as_one_process_tells_it(folder, started, monkeypatch):
    path = runs_file(folder)
    with contextlib.closing(sqlite3.connect(path)) as connection, connection:
        connection.execute("UPDATE chunks SET body = x'00' WHERE trial = ?", (TRIALS - 40,))
    told = []
    for most, scorer in ((2, Held()), (0, Scorer(CRITERIA))):
        monkeypatch.setattr(shared_scoring, "MOST", most)
        with Store.open(folder) as store, scorer, pytest.raises(StoreError) as caught:
            judge(store, scorer)
        told.append((caught.value.problem, caught.value.remedy))
    assert started
    assert told[0] == told[1]
    assert "is damaged" in told[0][0]


def test_where_no_process_can_be_started_this_one_judges_all(folder, started, monkeypatch, caplog):
    caplog.set_level(logging.WARNING)
    monkeypatch.setattr(shared_scoring, "running", lambda _module: [str(folder / "nothing")])
    with Store.open(folder) as store, Scorer(CRITERIA) as scorer:
        assert judge(store, scorer).done == TRIALS
    assert not started
    assert "no process could be started" in caplog.text


def test_no_child_is_started_for_what_is_soon_done_or_for_code_of_the_project(
    folder, started, monkeypatch
):
    (folder / "metrics.py").write_text("def one(query, trace): return 1")
    trust.trust(folder)
    own = Criteria((MetricSpec("own", {"function": "one"}),))
    with Store.open(folder) as store, Scorer(own, folder) as scorer:
        assert judge(store, scorer).done == TRIALS
    monkeypatch.setattr(shared_scoring, "WORTH", 1e9)
    with Store.open(folder) as store, Scorer(CRITERIA) as scorer:
        assert judge(store, scorer).done == TRIALS
    assert not started


def test_a_child_ends_when_its_parent_does_in_the_middle_of_its_work(folder):
    with subprocess.Popen(
        running("studio.engine.scoring_child"), stdin=subprocess.PIPE, stdout=subprocess.PIPE,
        env=environment(),
    ) as child:  # fmt: skip
        assert child.stdin is not None
        assert child.stdout is not None
        task = Task(str(runs_file(folder)), 1, CRITERIA)
        block = json.dumps([ALL.after, ALL.last])
        lines = [msgspec.json.encode(task), *[block.encode()] * 1000]
        child.stdin.write(b"\n".join(lines) + b"\n")
        child.stdin.flush()
        assert len(json.loads(child.stdout.readline())) == TRIALS
        child.stdin.close()
        assert child.wait(timeout=30) == 0
        assert len(child.stdout.read().splitlines()) < 1000
