"""One run from being asked for to being stored, in this process: the moments that are hard to hit.

Everything is real but what a test says; the model is played by the scripted server.
"""

import asyncio
import contextlib
from pathlib import Path

import pytest

from studio.engine import project
from studio.engine.entering import Bench
from studio.engine.errors import StoreError
from studio.engine.launch import Launch
from studio.engine.messages import ContinueRun, RunEnded, RunStarted, StartRun
from studio.engine.models.servers import Servers
from studio.engine.records import Tally
from studio.engine.store.reader import RunReader
from studio.engine.store.writer import Store
from tests.engine.engine_process import plan_of


def launched(folder: Path, on_notice=lambda _launch, _notice: None, kind=Store, servers=Servers):
    """Run the project's first queries; returns what was told."""
    told = []

    async def carry_out():
        def tell(notice):
            told.append(notice)
            on_notice(launch, notice)

        loaded = project.load(folder)
        plan = plan_of(loaded.project, tuple(query.id for query in loaded.queries))
        launch = Launch(StartRun(plan), tell)
        on_notice(launch, None)
        with kind.open(folder) as store:
            await launch.run(Bench(folder, loaded, store, servers(told.append)))

    asyncio.run(carry_out())
    ends = [notice for notice in told if isinstance(notice, RunEnded)]
    assert ends == told[-1:], "the end is told once, and last"
    return told


def stored(folder):
    with contextlib.closing(RunReader(folder)) as reader:
        return reader.runs()


def test_a_run_that_is_stopped_before_its_turn_comes_to_nothing(make_sample):
    folder = make_sample()

    def stop_at_once(launch, notice):
        if notice is None:
            launch.stop()

    assert launched(folder, stop_at_once) == [RunEnded(0, "stopped", Tally(0))]
    assert stored(folder) == []


@pytest.mark.parametrize("times", [1, 3])
def test_a_run_that_is_stopped_as_it_is_told_to_begin_runs_nothing(make_sample, times):
    folder = make_sample()

    def stop_at_the_start(launch, notice):
        if isinstance(notice, RunStarted):
            for _ in range(times):
                launch.stop()

    assert launched(folder, stop_at_the_start)[-1] == RunEnded(1, "stopped", Tally(6))
    (run,) = stored(folder)
    assert (run.ending, run.tally) == ("stopped", Tally(6))


class NoEnd(Store):
    """A store that has no room left when the run's end comes."""

    def end_run(self, run, ending):
        raise StoreError("The disk is full.", "Make room.")


def test_an_end_that_cannot_be_stored_is_told(make_sample):
    ended = launched(make_sample(), kind=NoEnd)[-1]
    assert (ended.run, ended.ending, ended.tally) == (1, "failed", Tally(6, done=6))
    assert (ended.problem, ended.remedy) == ("The disk is full.", "Make room.")


class Buggy(Servers):
    async def ready(self, spec, *, with_tools):
        raise ZeroDivisionError("by nothing")


@pytest.mark.logs_errors
def test_a_mistake_of_our_own_is_told_as_the_end_of_the_run(make_sample):
    ended = launched(make_sample(), servers=Buggy)[-1]
    assert (ended.run, ended.ending) == (0, "failed")
    assert ended.problem == "The engine made a mistake: ZeroDivisionError: by nothing"


def test_code_that_only_a_stored_plan_names_is_not_run_unasked(make_sample, scripted_ollama):
    """A file of runs may come from anyone; so may the name of a graph in one of its plans."""
    folder = make_sample()
    (folder / "tools.py").unlink()
    (folder / "queries.jsonl").write_text('{"id": "q0", "query": "What?"}\n')
    (folder / "graph.py").write_text("open('ran', 'w')\n")
    loaded = project.load(folder)
    assert not loaded.project.has_code
    plan = plan_of(loaded.project, ("q0",), graph="graph.py:build")
    told = []

    async def continued():
        with Store.open(folder) as store:
            servers = Servers(told.append)
            ready = await servers.ready(plan.variant.model, with_tools=False)
            run = store.create_run(plan, ready.servers, loaded.queries)
            await Launch(ContinueRun(run), told.append).run(Bench(folder, loaded, store, servers))

    asyncio.run(continued())
    assert "nobody has allowed it to run" in told[-1].problem
    assert told[-1].ending == "failed"
    assert not Path("ran").exists()
