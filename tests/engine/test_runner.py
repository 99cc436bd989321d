"""The runner with real metrics and a real store; only the agent is played by a script."""

import asyncio
import contextlib
import os
from dataclasses import dataclass, field

import pytest

from studio.engine.errors import ServerError, StoreError, ToolHostError
from studio.engine.events import TrialEnded, TrialStarted
from studio.engine.outcomes import FailureClass, Outcome
from studio.engine.records import (
    Criteria,
    Expected,
    MetricSpec,
    ModelSpec,
    Prompt,
    Query,
    RunPlan,
    Tally,
    ToolSet,
    Variant,
)
from studio.engine.runner import Job, Means, Runner
from studio.engine.scoring import Scorer
from studio.engine.server_facts import ServerFacts
from studio.engine.store.reader import RunReader
from studio.engine.store.writer import Store

CONTAINS = MetricSpec("answer_contains")
SERVER = ServerFacts("http://127.0.0.1:1", "0.12.0", False)


def plan(queries, trials=1):
    variant = Variant("v", Prompt("p", "Answer."), ToolSet("none", ()), ModelSpec("m"))
    return RunPlan("p", variant, tuple(query.id for query in queries), (CONTAINS,), trials)


def queries(count):
    return [Query(f"q{n}", f"Question {n}", Expected(contains=("gold",))) for n in range(count)]


@dataclass
class ScriptedPlace:
    """Answers every query at once, unless a query's id is named in `waits` or `ends`."""

    waits: dict[str, asyncio.Event] = field(default_factory=dict)
    ends: dict[str, TrialEnded | Exception] = field(default_factory=dict)
    silent: set[str] = field(default_factory=set)
    started: list[str] = field(default_factory=list)
    breaks_after: str = ""
    closing: float = 0.0
    seconds: float = 0.0
    is_closed: bool = False
    changed: asyncio.Condition = field(default_factory=asyncio.Condition)

    async def has_started(self, id):
        async with self.changed:
            await self.changed.wait_for(lambda: id in self.started)

    async def run(self, job, emit):
        async with self.changed:
            self.started.append(job.query.id)
            self.changed.notify_all()
        if job.query.id not in self.silent:
            emit(TrialStarted(1.0, job.query.id, job.query.text, "v", job.number))
        try:
            await asyncio.sleep(self.seconds)
            if job.query.id in self.waits:
                await self.waits[job.query.id].wait()
        except asyncio.CancelledError:
            if job.query.id not in self.silent:
                emit(TrialEnded(2.0, Outcome.CANCELLED, failure=FailureClass.CANCELLED))
            raise
        end = self.ends.get(job.query.id, TrialEnded(2.0, Outcome.FINISHED, "It is gold."))
        if isinstance(end, Exception):
            raise end
        emit(end)
        if job.query.id == self.breaks_after:
            raise ToolHostError("The process for the tools is gone.")
        return end

    async def close(self):
        await asyncio.sleep(self.closing)
        self.is_closed = True


async def still_there(_job, _trace):
    return None


def one_server():
    return 1


@dataclass
class Bench:
    store: Store
    place: ScriptedPlace
    runner: Runner
    run: int
    jobs: list[Job]
    told: list = field(default_factory=list)

    async def go(self):
        return await self.runner.run(self.jobs, self.told.append)

    def rows(self):
        with contextlib.closing(RunReader(self.store.path)) as reader:
            return reader.changed_trials(self.run)


@pytest.fixture
def bench(tmp_path):
    with contextlib.ExitStack() as cleanup:

        def make(count, *, at_once=1, server=still_there, **place):
            store = cleanup.enter_context(Store.open(tmp_path))
            asked = queries(count)
            run = store.create_run(plan(asked), [SERVER], asked)
            played = ScriptedPlace(**place)
            means = Means(lambda: played, Scorer(Criteria((CONTAINS,))).opinion, server, one_server)
            runner = Runner(run, means, store, Tally(count), at_once=at_once)
            jobs = [Job(query, 1, position) for position, query in enumerate(asked)]
            return Bench(store, played, runner, run, jobs)

        yield make


def test_every_trial_is_run_in_order_stored_and_scored(bench):
    desk = bench(5)
    assert asyncio.run(desk.go()) == "finished"
    assert desk.place.started == ["q0", "q1", "q2", "q3", "q4"]
    assert [(row.outcome, row.scores[0].value) for row in desk.rows()] == [
        (Outcome.FINISHED, 1.0)
    ] * 5
    assert desk.told[-1].tally == Tally(5, done=5)
    assert desk.place.is_closed


def test_what_is_reported_is_on_disk_already(bench):
    desk = bench(30)
    seen = []

    def report(progress):
        seen.append((progress.tally.done, sum(bool(row.scores) for row in desk.rows())))

    assert asyncio.run(desk.runner.run(desk.jobs, report)) == "finished"
    assert seen[-1] == (30, 30)
    assert all(stored >= told for told, stored in seen)


def test_stopping_cancels_what_runs_and_keeps_what_ended(bench):
    desk = bench(5, waits={"q2": asyncio.Event()})
    assert asyncio.run(_stopped_at(desk, "q2", times=1)) == "stopped"
    assert desk.told[-1].tally == Tally(5, done=2, cancelled=1)
    desk.store.committed().result()
    assert [row.outcome for row in desk.rows()] == [
        Outcome.FINISHED, Outcome.FINISHED, Outcome.CANCELLED,
    ]  # fmt: skip
    assert [len(row.scores) for row in desk.rows()] == [1, 1, 0]


async def _stopped_at(desk, query, times):
    """Run, and stop so many times in turn when that query is reached."""
    going = asyncio.create_task(desk.go())
    await desk.place.has_started(query)
    for _ in range(times):
        desk.runner.stop()
        await asyncio.sleep(0)
    return await going


def test_stopping_again_does_not_cancel_what_the_first_one_puts_away(bench):
    desk = bench(5, waits={"q2": asyncio.Event()})
    desk.place.closing = 0.01
    assert asyncio.run(_stopped_at(desk, "q2", times=5)) == "stopped"
    assert desk.place.is_closed


def test_a_trial_that_is_cancelled_before_it_could_say_anything_is_ended(bench):
    desk = bench(3, waits={"q1": asyncio.Event()}, silent={"q1"})
    assert asyncio.run(_stopped_at(desk, "q1", times=1)) == "stopped"
    assert desk.told[-1].tally == Tally(3, done=1, cancelled=1)
    desk.store.committed().result()
    assert [row.outcome for row in desk.rows()] == [Outcome.FINISHED, Outcome.CANCELLED]


def test_a_place_that_breaks_ends_the_run_and_its_trial_is_to_be_run_again(bench):
    broken = ToolHostError("The process for the tools did not start.")
    desk = bench(3, ends={"q1": broken})
    with pytest.raises(ToolHostError):
        asyncio.run(desk.go())
    assert desk.place.is_closed
    desk.store.committed().result()
    assert [row.outcome for row in desk.rows()] == [Outcome.FINISHED, Outcome.INTERRUPTED]
    assert desk.rows()[1].reason == str(broken)
    assert desk.runner.tally == Tally(3, done=1)
    assert [position for _, _, position in desk.store.missing(desk.run)] == [1, 2]


def test_a_trial_that_ended_before_its_place_broke_keeps_its_end_and_scores(bench):
    desk = bench(3)
    desk.place.breaks_after = "q1"
    with pytest.raises(ToolHostError):
        asyncio.run(desk.go())
    desk.store.committed().result()
    assert [(row.outcome, len(row.scores)) for row in desk.rows()] == [(Outcome.FINISHED, 1)] * 2
    assert desk.runner.tally == Tally(3, done=2)


def test_a_run_that_was_stopped_when_all_was_done_is_finished(bench):
    desk = bench(2)

    def stop_at_the_last(progress):
        if progress.tally.left == 0:
            desk.runner.stop()

    assert asyncio.run(desk.runner.run(desk.jobs, stop_at_the_last)) == "finished"


def test_as_many_trials_run_together_as_asked_for(bench):
    async def three_wait():
        gates = {f"q{n}": asyncio.Event() for n in range(6)}
        desk = bench(6, at_once=3, waits=gates)
        going = asyncio.create_task(desk.go())
        for _ in range(200):
            await asyncio.sleep(0)
        together = list(desk.place.started)
        for gate in gates.values():
            gate.set()
        return together, await going

    together, ending = asyncio.run(three_wait())
    assert together == ["q0", "q1", "q2"]
    assert ending == "finished"


def test_a_failed_trial_is_counted_as_failed_and_not_scored(bench):
    lost = TrialEnded(2.0, Outcome.FAILED, failure=FailureClass.HARNESS, reason="a bug")
    desk = bench(2, ends={"q0": lost})
    asyncio.run(desk.go())
    assert desk.told[-1].tally == Tally(2, done=1, failed=1)
    score = desk.rows()[0].scores[0]
    assert score.value is None
    assert "a bug" in score.reason


def test_a_server_that_is_gone_ends_the_run_and_loses_nothing(bench):
    async def gone(_job, _trace):
        raise ServerError("Nothing answers.", "Start it.")

    lost = TrialEnded(2.0, Outcome.FAILED, failure=FailureClass.SERVER, reason="refused")
    desk = bench(5, server=gone, ends={"q1": lost})
    with pytest.raises(ServerError, match="Nothing answers"):
        asyncio.run(desk.go())
    desk.store.committed().result()
    assert [row.outcome for row in desk.rows()] == [Outcome.FINISHED, Outcome.FAILED]
    assert desk.place.is_closed


def test_a_server_fault_that_passes_lets_the_run_go_on(bench):
    lost = TrialEnded(2.0, Outcome.FAILED, failure=FailureClass.SERVER, reason="503")
    desk = bench(3, ends={"q1": lost})
    assert asyncio.run(desk.go()) == "finished"
    assert desk.told[-1].tally == Tally(3, done=2, failed=1)


def test_a_full_disk_ends_the_run_with_the_stores_words(bench):
    long = TrialEnded(2.0, Outcome.FINISHED, os.urandom(200_000).hex())
    desk = bench(2, ends={"q0": long}, waits={"q1": asyncio.Event()})
    desk.store.committed().result()
    desk.store._connection.execute("PRAGMA max_page_count = 1")  # as large as it is now
    with pytest.raises(StoreError):
        asyncio.run(desk.go())
    assert desk.place.is_closed
    desk.store._connection.execute("PRAGMA max_page_count = 1073741823")
    desk.store.committed().result()
    assert [row.outcome for row in desk.rows()] == [Outcome.FINISHED, Outcome.CANCELLED]


def test_a_finished_early_run_cancels_nothing_and_can_be_continued(bench):
    async def finish_in_the_second():
        gate = asyncio.Event()
        desk = bench(5, waits={"q1": gate})
        going = asyncio.create_task(desk.go())
        await desk.place.has_started("q1")
        desk.runner.finish()
        gate.set()
        return desk, await going

    desk, ending = asyncio.run(finish_in_the_second())
    assert ending == "stopped"
    assert desk.told[-1].tally == Tally(5, done=2)
    assert [position for _, _, position in desk.store.missing(desk.run)] == [2, 3, 4]


def test_a_run_that_finishes_early_can_still_be_stopped_at_once(bench):
    async def finish_then_stop():
        desk = bench(3, waits={"q0": asyncio.Event()})
        going = asyncio.create_task(desk.go())
        await desk.place.has_started("q0")
        desk.runner.finish()
        desk.runner.stop()
        return desk, await going

    desk, ending = asyncio.run(finish_then_stop())
    assert ending == "stopped"
    assert desk.told[-1].tally == Tally(3, cancelled=1)


async def told_when(desk, holds):
    for _ in range(400):
        if desk.told and holds(desk.told[-1]):
            return desk.told[-1]
        await asyncio.sleep(0.01)
    raise AssertionError(f"never told: {desk.told[-1:]}")


def test_a_paused_run_says_so(bench):
    async def pause_and_resume():
        gate = asyncio.Event()
        desk = bench(3, waits={"q0": gate})
        going = asyncio.create_task(desk.go())
        await desk.place.has_started("q0")
        desk.runner.pause()
        gate.set()
        await told_when(desk, lambda told: told.is_paused and told.tally.done == 1)
        assert desk.place.started == ["q0"]
        desk.runner.resume()
        return desk, await going

    desk, ending = asyncio.run(pause_and_resume())
    assert (ending, desk.told[-1].tally.done) == ("finished", 3)


def test_the_time_left_holds_what_trials_wait_for_a_busy_server(bench):
    async def until_three_are_done():
        gates = {"q3": asyncio.Event()}
        desk = bench(9, waits=gates, seconds=0.03)  # of which none is a trial's own
        going = asyncio.create_task(desk.go())
        progress = await told_when(desk, lambda progress: progress.tally.done == 3)
        gates["q3"].set()
        await going
        return progress

    low, _ = asyncio.run(until_three_are_done()).seconds_left
    assert low >= 6 * 0.029


def test_the_time_left_is_unknown_again_once_more_or_fewer_run_together(bench):
    async def change_the_number():
        gates = {"q3": asyncio.Event(), "q4": asyncio.Event()}
        desk = bench(9, waits=gates)
        going = asyncio.create_task(desk.go())
        before = await told_when(desk, lambda progress: progress.tally.done == 3)
        desk.runner.run_at_once(2)
        after = await told_when(desk, lambda progress: progress.at_once == 2)
        for gate in gates.values():
            gate.set()
        await going
        return before, after, desk.told[-1]

    before, after, last = asyncio.run(change_the_number())
    assert before.seconds_left is not None
    assert after.seconds_left is None
    assert last.seconds_left == (0.0, 0.0)
