"""What is recorded can be read, exactly, by another connection, live and later."""

import asyncio
import itertools
import threading
import time
import tracemalloc
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from studio.engine.errors import StoreError
from studio.engine.events import (
    ModelCalled,
    StepEnded,
    StepStarted,
    TrialEnded,
    TrialStarted,
)
from studio.engine.outcomes import FailureClass, Outcome
from studio.engine.records import (
    Expected,
    Query,
    Score,
    Tally,
)
from studio.engine.store.reader import RunReader
from studio.engine.store.rows import COUNTS
from studio.engine.store.writer import Store
from studio.engine.trace import Trace
from tests.engine.store.made import SERVER, a_plan, a_query, a_trace, record, some_scores


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    with Store.open(tmp_path) as store:
        yield store


@pytest.fixture
def reader(tmp_path: Path) -> Iterator[RunReader]:
    reader = RunReader(tmp_path)
    yield reader
    reader.close()


def _written(store: Store) -> None:
    store.committed().result(timeout=30)


def _soon(condition: Callable[[], object]) -> None:
    deadline = time.monotonic() + 30
    while not condition():
        assert time.monotonic() < deadline
        time.sleep(0.01)


def test_a_trial_is_read_back_as_it_was_recorded(store: Store, reader: RunReader):
    run = store.create_run(a_plan(), [SERVER])
    trial = record(store, run, position=2, number=1)
    _written(store)

    events = a_trace(a_query(2))
    assert reader.events(trial) == events
    assert reader.event_count(trial) == len(events)
    row = reader.trial(trial)
    trace = Trace(events)
    assert row is not None
    assert (row.run, row.query_id, row.query) == (run, "q2", a_query(2).text)
    assert (row.number, row.position) == (1, 2)
    assert (row.outcome, row.answer, row.seconds) == (trace.outcome, trace.answer, trace.seconds)
    assert row.steps == len(trace.steps) == 3
    assert (row.prompt_tokens, row.reply_tokens) == trace.tokens
    assert row.scores == some_scores()


def test_a_run_is_read_back_as_it_was_planned(store: Store, reader: RunReader):
    first = store.create_run(a_plan(), [SERVER])
    second = store.create_run(a_plan(7, trials=2), [SERVER])
    store.end_run(first, "stopped")
    _written(store)

    newest, oldest = reader.runs()
    assert (newest.id, oldest.id) == (second, first)
    assert newest.plan == a_plan(7, trials=2)
    assert newest.server == SERVER
    assert newest.tally == Tally(planned=14)
    assert newest.ending is None
    assert oldest.ending == "stopped"
    assert oldest.ended is not None
    assert oldest.ended >= oldest.created
    assert reader.run(second) == newest
    assert reader.runs(limit=1) == [newest]
    assert reader.runs(before=second) == [oldest]


def test_a_run_keeps_its_queries(store: Store, reader: RunReader):
    queries = [
        Query(f"q{n}", f"Query {n}?", Expected(number=float(n)), tags=("some",)) for n in range(600)
    ]
    run = store.create_run(a_plan(600), [SERVER], queries)
    none = store.create_run(a_plan(600), [SERVER])
    _written(store)
    assert reader.queries(run) == queries
    assert [reader.query(run, n) for n in (0, 255, 256, 599)] == [
        queries[n] for n in (0, 255, 256, 599)
    ]
    assert reader.query(run, 600) is None
    assert reader.query(run, -1) is None
    assert reader.queries(none) == []
    assert reader.query(none, 0) is None


def test_what_nobody_waits_for_is_written_too(store: Store, reader: RunReader):
    trial = store.begin_trial(store.create_run(a_plan(), [SERVER]), a_query(), 1, 0)
    _soon(lambda: reader.trial(trial))
    store.append(trial, TrialStarted(1.0, "q0", "?", "first", 1))
    _soon(lambda: reader.event_count(trial))


def test_a_running_trial_shows_how_far_it_is(store: Store, reader: RunReader):
    trial = store.begin_trial(store.create_run(a_plan(), [SERVER]), a_query(), 1, 0)
    for event in a_trace(a_query())[:8]:
        store.append(trial, event)
        _written(store)

    row = reader.trial(trial)
    assert row is not None
    assert (row.outcome, row.steps, row.prompt_tokens) == (None, 2, 312)
    assert reader.events(trial) == a_trace(a_query())[:8]


def test_there_is_nothing_where_nothing_was_recorded(store: Store, reader: RunReader):
    assert reader.runs() == []
    assert reader.run(1) is None
    assert reader.trial(1) is None
    assert reader.tally(1) == Tally(planned=0)
    assert reader.changed_trials(1) == []
    assert reader.events(1) == []
    assert reader.event_count(1) == 0


def test_a_run_is_followed_by_its_changes_and_none_is_met_twice(store: Store, reader: RunReader):
    run = store.create_run(a_plan(40), [SERVER])
    other = store.create_run(a_plan(40), [SERVER])
    for position in range(40):
        record(store, run, position)
        record(store, other, position)
    _written(store)

    met = []
    after = 0
    while rows := reader.changed_trials(run, after, limit=7):
        met += rows
        after = rows[-1].changed
    assert [row.position for row in met] == list(range(40))
    assert len({row.changed for row in met}) == 40

    store.add_scores(met[3].id, [Score("steps", "1", 3.0)])
    _written(store)
    (row,) = reader.changed_trials(run, after)
    assert row.id == met[3].id
    assert [score.metric for score in row.scores] == [
        "answer_contains", "steps", "tool_call_accuracy",
    ]  # fmt: skip


def test_the_same_metric_scored_again_replaces_the_score(store: Store, reader: RunReader):
    trial = record(store, store.create_run(a_plan(), [SERVER]))
    store.add_scores(trial, [Score("answer_contains", "2", 0.0, "Nothing was found.")])
    _written(store)
    row = reader.trial(trial)
    assert row is not None
    assert row.scores[0] == Score("answer_contains", "2", 0.0, "Nothing was found.")


@pytest.mark.parametrize("value", [float("nan"), float("inf"), -float("inf")])
def test_a_score_that_is_no_number_is_refused(store: Store, value: float):
    trial = record(store, store.create_run(a_plan(), [SERVER]))
    with pytest.raises(ValueError, match="no score"):
        store.add_scores(trial, [Score("answer_contains", "1", value)])


def test_outcomes_are_tallied_and_interrupted_trials_are_left(store: Store, reader: RunReader):
    run = store.create_run(a_plan(20), [SERVER])
    for position, outcome in enumerate(Outcome):
        record(store, run, position, outcome=outcome)
    _written(store)
    tally = reader.tally(run)
    assert tally == Tally(planned=20, done=2, failed=2, skipped=1, cancelled=1, invalid=1)
    assert tally.left == 13
    assert reader.runs()[0].tally == tally


@pytest.mark.parametrize("outcome", list(Outcome))
def test_a_trial_that_was_run_again_counts_once(store: Store, reader: RunReader, outcome: Outcome):
    run = store.create_run(a_plan(1), [SERVER])
    first = record(store, run, outcome=outcome)
    _written(store)
    again = store.begin_trial(run, a_query(), 1, 0)
    _written(store)
    assert reader.tally(run) == Tally(planned=1)
    assert [row.id for row in reader.changed_trials(run)] == [again]

    for event in a_trace(a_query()):
        store.append(again, event)
    _written(store)
    assert reader.tally(run) == Tally(planned=1, done=1)
    assert [row.id for row in reader.changed_trials(run)] == [again]
    assert reader.event_count(first) == len(a_trace(a_query())), "the earlier one stays readable"


def test_a_trial_that_ends_after_it_was_superseded_does_not_count(store: Store, reader: RunReader):
    run = store.create_run(a_plan(1), [SERVER])
    old = store.begin_trial(run, a_query(), 1, 0)
    new = record(store, run)
    store.append(old, TrialEnded(1.0, Outcome.FAILED))
    _written(store)
    assert reader.tally(run) == Tally(planned=1, done=1)
    assert [row.id for row in reader.changed_trials(run)] == [new]


def test_what_is_missing_is_what_did_not_run_to_an_outcome_that_stands(store: Store):
    run = store.create_run(a_plan(10, trials=2), [SERVER])
    for position, outcome in enumerate(Outcome):
        record(store, run, position, number=2, outcome=outcome)
    store.begin_trial(run, a_query(9), 2, 9)

    stands = {position for position, outcome in enumerate(Outcome) if outcome in COUNTS}
    assert len(stands) == 5
    assert store.missing(run) == [
        *((f"q{position}", 1, position) for position in range(10)),
        *((f"q{position}", 2, position) for position in range(10) if position not in stands),
    ]


def test_the_row_of_a_run_says_how_much_continuing_it_runs(store: Store, reader: RunReader):
    ends = list(itertools.product(Outcome, (None, *FailureClass)))
    run = store.create_run(a_plan(len(ends) + 2), [SERVER])
    for position, (outcome, failure) in enumerate(ends):
        trial = store.begin_trial(run, a_query(position), 1, position)
        store.append(trial, TrialEnded(1.0, outcome, failure=failure))
    store.begin_trial(run, a_query(len(ends)), 1, len(ends))
    for position in range(0, len(ends), 3):
        again = store.begin_trial(run, a_query(position), 1, position)
        store.append(again, TrialEnded(2.0, Outcome.FINISHED))
    _written(store)
    row = reader.run(run)
    assert row is not None
    assert row.lost > 0
    assert row.missing == len(store.missing(run)) > row.lost


def test_trials_without_all_their_scores_are_found(store: Store):
    run = store.create_run(a_plan(3), [SERVER])
    whole, _, bare = (record(store, run, position) for position in range(3))
    store.add_scores(whole, [Score("steps", "1", None, "Not applicable.")])
    cancelled = store.begin_trial(run, a_query(), 2, 0)
    store.append(cancelled, TrialEnded(1.0, Outcome.CANCELLED))

    assert store.unscored(run, ["answer_contains", "tool_call_accuracy"]) == []
    assert store.unscored(run, ["answer_contains", "steps"]) == [whole + 1, bare]
    assert store.unscored(run, []) == []


def test_a_stopped_run_goes_on(store: Store, reader: RunReader):
    run = store.create_run(a_plan(), [SERVER])
    store.end_run(run, "stopped")
    store.resume_run(run)
    _written(store)
    row = reader.run(run)
    assert row is not None
    assert (row.ended, row.ending) == (None, None)


def test_ids_go_on_after_the_file_was_closed(tmp_path: Path):
    with Store.open(tmp_path) as store:
        run = store.create_run(a_plan(), [SERVER])
        trial = record(store, run)
    with Store.open(tmp_path) as store:
        assert store.create_run(a_plan(), [SERVER]) == run + 1
        later = record(store, run, position=1)
    assert later == trial + 1
    reader = RunReader(tmp_path)
    changes = [row.changed for row in reader.changed_trials(run)]
    assert changes == sorted(set(changes))
    assert reader.events(later) == a_trace(a_query(1))
    reader.close()


def test_trials_left_running_are_interrupted_when_the_file_is_opened(tmp_path: Path):
    with Store.open(tmp_path) as store:
        run = store.create_run(a_plan(), [SERVER])
        ended, bare, half = record(store, run), store.begin_trial(run, a_query(1), 1, 1), 3
        assert store.begin_trial(run, a_query(2), 1, 2) == half
        for event in a_trace(a_query(2))[:6]:
            store.append(half, event)
    reader = RunReader(tmp_path)
    seen = reader.changed_trials(run)[-1].changed

    with Store.open(tmp_path) as store:
        assert store.missing(run) == [("q1", 1, 1), ("q2", 1, 2)]
        assert [row.id for row in reader.changed_trials(run, seen)] == [bare, half]
        for trial in (bare, half):
            row = reader.trial(trial)
            assert row is not None
            assert row.outcome is Outcome.INTERRUPTED
            assert "ended before" in row.reason
            end = reader.events(trial)[-1]
            assert isinstance(end, TrialEnded)
            assert end.outcome is Outcome.INTERRUPTED
        assert reader.events(half)[:-1] == a_trace(a_query(2))[:6]
        assert reader.trial(ended) == reader.changed_trials(run)[0]
        with pytest.raises(ValueError, match="not running"):
            store.append(half, TrialEnded(1.0, Outcome.FINISHED))
    reader.close()


def test_mistakes_of_the_caller_are_refused_at_once(store: Store, reader: RunReader):
    run = store.create_run(a_plan(), [SERVER])
    trial = record(store, run)
    end = TrialEnded(1.0, Outcome.FINISHED)
    for mistake in (
        lambda: store.append(trial, end),
        lambda: store.append(trial + 1, end),
        lambda: store.add_scores(trial + 1, some_scores()),
        lambda: store.begin_trial(run + 1, a_query(), 1, 0),
        lambda: store.end_run(run + 1, "finished"),
        lambda: store.missing(run + 1),
    ):
        with pytest.raises(ValueError, match=r"trial|run"):
            mistake()
    _written(store)
    assert reader.event_count(trial) == len(a_trace(a_query()))


def test_a_closed_store_takes_nothing(tmp_path: Path):
    store = Store.open(tmp_path)
    run = store.create_run(a_plan(), [SERVER])
    trial = store.begin_trial(run, a_query(), 1, 0)
    store.close()
    with pytest.raises(StoreError, match="closed"):
        store.append(trial, TrialStarted(1.0, "q0", "?", "first", 1))
    with pytest.raises(StoreError, match="closed"):
        store.committed()


def test_closing_writes_what_waits(tmp_path: Path):
    store = Store.open(tmp_path)
    run = store.create_run(a_plan(50), [SERVER])
    for position in range(50):
        record(store, run, position)
    waiting = store.committed()
    store.close()
    assert waiting.done()
    reader = RunReader(tmp_path)
    assert reader.tally(run).done == 50
    reader.close()


def test_many_threads_record_at_once(store: Store, reader: RunReader):
    run = store.create_run(a_plan(40), [SERVER])

    def work(first: int) -> None:
        for position in range(first, 40, 4):
            record(store, run, position)
            _written(store)

    threads = [threading.Thread(target=work, args=(first,)) for first in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    rows = reader.changed_trials(run)
    assert sorted(row.position for row in rows) == list(range(40))
    for row in rows:
        assert reader.events(row.id) == a_trace(a_query(row.position))


def test_an_acknowledgement_can_be_awaited_and_given_up(store: Store):
    async def wait() -> None:
        record(store, store.create_run(a_plan(), [SERVER]))
        given_up = asyncio.wrap_future(store.committed())
        given_up.cancel()
        await asyncio.wrap_future(store.committed())

    asyncio.run(wait())


def test_long_texts_are_cut_in_rows_and_whole_in_events(store: Store, reader: RunReader):
    run = store.create_run(a_plan(), [SERVER])
    long = "x" * 1_000_000
    trial = store.begin_trial(run, Query("q0", long), 1, 0)
    end = TrialEnded(1.0, Outcome.FAILED, long, FailureClass.SERVER, reason=long)
    store.append(trial, end)
    _written(store)
    row = reader.trial(trial)
    assert row is not None
    for text in (row.query, row.answer, row.reason):
        assert text is not None
        assert len(text) < 3_000
        assert text.endswith("[cut: 1,000,000 characters in all]")
    assert row.failure is FailureClass.SERVER
    assert reader.events(trial) == [end]


AWKWARD = {
    "lone surrogate": "\ud800",
    "zero byte": "a\0b",
    "huge integer": 10**30,
    "set": {1},
    "object": object(),
    "bytes": b"\xff",
    "nested": {"a": [{"b": "\udfff"}]},
    3: "a key that is no text",
}


@pytest.mark.parametrize("key", list(AWKWARD))
def test_no_request_stops_a_trace_from_being_written(
    store: Store, reader: RunReader, key: str | int
):
    run = store.create_run(a_plan(), [SERVER])
    trial = store.begin_trial(run, Query("q\ud800", "a\0b\ud800"), 1, 0)
    store.append(trial, ModelCalled(1.0, "m", "s", "model", {key: AWKWARD[key]}))  # type: ignore[dict-item]
    store.append(trial, TrialEnded(2.0, Outcome.FINISHED, answer="\udc00"))
    _written(store)
    called, _ = reader.events(trial)
    assert isinstance(called, ModelCalled)
    assert set(called.sent) == {str(key)}
    row = reader.trial(trial)
    assert row is not None
    assert (row.query_id, row.query, row.answer) == ("q?", "a\0b?", "?")


LONG = [
    TrialStarted(0.0, "q0", "?", "first", 1),
    *(StepStarted(float(n), f"s{n}", None, "agent" * 40, n) for n in range(1, 1_500)),
]


@pytest.fixture(scope="module")
def long_trial(tmp_path_factory: pytest.TempPathFactory) -> Iterator[RunReader]:
    folder = tmp_path_factory.mktemp("long")
    with Store.open(folder) as store:
        trial = store.begin_trial(store.create_run(a_plan(), [SERVER]), a_query(), 1, 0)
        for place, event in enumerate(LONG):
            store.append(trial, event)
            if place % 100 == 99:
                _written(store)
    reader = RunReader(folder)
    yield reader
    reader.close()


@given(first=st.integers(0, 1_600), limit=st.none() | st.integers(0, 700))
def test_a_long_trial_is_read_from_any_place(long_trial: RunReader, first: int, limit: int | None):
    end = None if limit is None else first + limit
    assert long_trial.events(1, first, limit) == LONG[first:end]


def test_memory_does_not_grow_with_the_steps_of_a_trial(store: Store, reader: RunReader):
    trial = store.begin_trial(store.create_run(a_plan(), [SERVER]), a_query(), 1, 0)
    step = 0

    def walk(steps: int) -> int:
        nonlocal step
        for _ in range(steps):
            step += 1
            store.append(trial, StepStarted(1.0, f"s{step}", None, "agent", step))
            store.append(trial, StepEnded(1.0, f"s{step}"))
        _written(store)
        return tracemalloc.get_traced_memory()[0]

    tracemalloc.start()
    try:
        before = walk(2_000)
        after = walk(10_000)
    finally:
        tracemalloc.stop()
    assert after - before < 300_000
    row = reader.trial(trial)
    assert row is not None
    assert row.steps == 12_000
    assert reader.event_count(trial) == 24_000
