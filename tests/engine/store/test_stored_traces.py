"""Stored trials are handed over one by one, in the order of the plan, as they happened."""

from contextlib import closing
from pathlib import Path

import pytest

from studio.engine.errors import RunError, StoreError
from studio.engine.outcomes import Outcome
from studio.engine.records import (
    Criteria,
    MetricSpec,
)
from studio.engine.store import stored_traces
from studio.engine.store.reader import RunReader
from studio.engine.store.stored_traces import StoredTraces
from studio.engine.store.writer import Store
from studio.engine.trace import Trace
from tests.engine.store.made import SERVER, a_plan, a_query, a_trace, record

STEPS = Criteria((MetricSpec("steps"),))


def run_of(store: Store, queries: int = 5, trials: int = 1) -> int:
    plan = a_plan(queries, trials)
    return store.create_run(plan, (SERVER,), [a_query(n) for n in range(queries)])


def test_a_trace_reads_as_its_events_do_and_knows_what_was_sent(tmp_path: Path):
    with Store.open(tmp_path) as store:
        run = run_of(store)
        for position in (3, 1, 4):
            record(store, run, position)
        store.committed().result(timeout=30)
        with closing(StoredTraces(store.path, run)) as stored:
            assert stored.count() == 3
            found = [
                (place, stored.query(place.position), trace) for place, trace in stored.trials()
            ]
    assert [place.position for place, _, _ in found] == [1, 3, 4]
    for place, query, trace in found:
        assert query == a_query(place.position)
        whole = Trace(a_trace(query))
        assert trace.tool_calls == whole.tool_calls
        assert trace.tool_results == whole.tool_results
        assert (trace.answer, trace.outcome) == (whole.answer, whole.outcome)
        assert (trace.steps, trace.replies) == (whole.steps, whole.replies)
        assert trace.events == whole.events
        assert trace.tools_offered == whole.tools_offered
        assert trace.model_calls == whole.model_calls


@pytest.mark.parametrize("held", [1, 2**20])
def test_many_trials_come_once_each_whatever_is_held_at_a_time(
    tmp_path: Path, monkeypatch, held: int
):
    monkeypatch.setattr(stored_traces, "_HELD", held)
    monkeypatch.setattr(stored_traces, "_MOST_HELD", 4)
    with Store.open(tmp_path) as store:
        run = run_of(store, 6, trials=2)
        for number in (2, 1):
            for position in range(6):
                record(store, run, position, number)
        store.committed().result(timeout=30)
        with closing(StoredTraces(store.path, run)) as stored:
            places = [place[1:] for place, _ in stored.trials()]
    assert places == [(position, number) for position in range(6) for number in (1, 2)]


def test_trials_whose_end_does_not_stand_are_left_out(tmp_path: Path):
    with Store.open(tmp_path) as store:
        run = run_of(store)
        record(store, run, 0)
        record(store, run, 1, outcome=Outcome.CANCELLED)
        record(store, run, 2, outcome=Outcome.TIMED_OUT)
        store.begin_trial(run, a_query(3), 1, 3)
        store.committed().result(timeout=30)
        with closing(StoredTraces(store.path, run)) as stored:
            assert [place.position for place, _ in stored.trials()] == [0, 2]


def test_a_run_that_is_not_there_is_said(tmp_path: Path):
    with pytest.raises(RunError, match="There is no run 1"):
        StoredTraces(tmp_path / "runs.sqlite", 1)
    with Store.open(tmp_path) as store, pytest.raises(RunError, match="There is no run 1"):
        StoredTraces(store.path, 1)


def test_a_run_without_its_queries_is_damaged(tmp_path: Path):
    with Store.open(tmp_path) as store:
        run = store.create_run(a_plan(1), (SERVER,))
        record(store, run)
        store.committed().result(timeout=30)
        with closing(StoredTraces(store.path, run)) as stored, pytest.raises(StoreError):
            stored.query(0)


def test_a_run_is_half_judged_until_each_of_its_trials_is(tmp_path: Path):
    with Store.open(tmp_path) as store, closing(RunReader(tmp_path)) as reader:
        run = run_of(store)
        trials = [record(store, run, position) for position in range(3)]

        def is_half_judged() -> bool:
            store.committed().result(timeout=30)
            row = reader.run(run)
            assert row is not None
            return row.is_half_judged

        assert not is_half_judged()
        store.judge_by(run, STEPS)
        store.add_scores(trials[0], [], afresh=True)
        assert is_half_judged()
        assert set(store.unscored(run, [])) == {*trials[1:]}
        for trial in trials[1:]:
            store.add_scores(trial, [], afresh=True)
        assert not is_half_judged()
        record(store, run, 3)
        assert not is_half_judged(), "a trial that comes later is judged as it ends"


def test_many_scores_of_one_group_are_all_written(tmp_path: Path):
    with Store.open(tmp_path) as store, closing(RunReader(tmp_path)) as reader:
        run = run_of(store, 130)
        for position in range(130):
            record(store, run, position)
        store.committed().result(timeout=30)
        assert sum(len(row.scores) for row in reader.trials(run)) == 260
