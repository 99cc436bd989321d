"""What is thought of a trial may change; what happened in it does not."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from studio.engine.events import TrialEnded
from studio.engine.outcomes import FailureMode, Outcome
from studio.engine.records import (
    Criteria,
    Finding,
    MetricSpec,
    Score,
    Threshold,
)
from studio.engine.store.reader import RunReader
from studio.engine.store.rows import TrialRow
from studio.engine.store.writer import Store
from tests.engine.store.made import SERVER, a_plan, a_query, record

LOOP = Finding(FailureMode.LOOP, "the same call three times", 7)
CAP = Finding(FailureMode.STEP_CAP, "the agent reached the step cap")


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    with Store.open(tmp_path) as store:
        yield store


@pytest.fixture
def reader(tmp_path: Path) -> Iterator[RunReader]:
    reader = RunReader(tmp_path)
    yield reader
    reader.close()


def read(store: Store, reader: RunReader, trial: int) -> TrialRow:
    store.committed().result(timeout=30)
    row = reader.trial(trial)
    assert row is not None
    return row


def test_findings_come_back_in_their_order(store: Store, reader: RunReader):
    trial = record(store, store.create_run(a_plan(), [SERVER]))
    store.add_scores(trial, [], [LOOP, CAP])
    assert read(store, reader, trial).findings == (LOOP, CAP)


def test_new_findings_take_the_place_of_all_earlier_ones(store: Store, reader: RunReader):
    trial = record(store, store.create_run(a_plan(), [SERVER]))
    store.add_scores(trial, [], [LOOP, CAP])
    read(store, reader, trial)
    store.add_scores(trial, [], [CAP])
    assert read(store, reader, trial).findings == (CAP,)


@pytest.mark.parametrize("waits", [True, False])
def test_a_trial_judged_afresh_keeps_no_earlier_score(store: Store, reader: RunReader, waits: bool):
    trial = record(store, store.create_run(a_plan(), [SERVER]))
    if waits:
        store.committed().result(timeout=30)
    store.add_scores(trial, [Score("exact_match", "1", 1.0)], afresh=True)
    assert [score.metric for score in read(store, reader, trial).scores] == ["exact_match"]


def test_the_evidence_of_a_score_is_kept(store: Store, reader: RunReader):
    trial = record(store, store.create_run(a_plan(), [SERVER]))
    evidence = {"followed": [True, False], "grade": "CORRECT"}
    store.add_scores(trial, [Score("ifeval", "1", 0.5, "one of two", evidence)], afresh=True)
    [score] = read(store, reader, trial).scores
    assert score.evidence == evidence


def test_evidence_too_long_for_a_row_is_left_out_and_the_score_kept(
    store: Store, reader: RunReader
):
    trial = record(store, store.create_run(a_plan(), [SERVER]))
    score = Score("ifeval", "1", 0.5, "half", {"text": "x" * 100_000})
    store.add_scores(trial, [score], afresh=True)
    assert read(store, reader, trial).scores == (Score("ifeval", "1", 0.5, "half"),)


def test_a_run_is_judged_by_its_plan_until_other_criteria_are_recorded(
    store: Store, reader: RunReader
):
    run = store.create_run(a_plan(), [SERVER])
    store.committed().result(timeout=30)
    row = reader.run(run)
    assert row is not None
    assert row.criteria == row.plan.criteria

    other = Criteria((MetricSpec("steps"),), (Threshold("steps", 4.0),))
    store.judge_by(run, other)
    store.committed().result(timeout=30)
    row = reader.run(run)
    assert row is not None
    assert row.criteria == other
    assert row.plan.metrics != other.metrics


def test_other_criteria_do_not_change_the_tally(store: Store, reader: RunReader):
    run = store.create_run(a_plan(), [SERVER])
    trial = record(store, run)
    before = read(store, reader, trial), reader.tally(run)
    store.judge_by(run, Criteria(()))
    store.add_scores(trial, [], afresh=True)
    after = read(store, reader, trial)
    assert reader.tally(run) == before[1]
    assert after.scores == ()
    assert reader.events(trial)
    assert after.changed > before[0].changed


def test_a_run_is_read_as_it_was_at_one_moment_while_it_is_judged_again(
    store: Store, reader: RunReader
):
    count = 600
    run = store.create_run(a_plan(count), [SERVER])
    trials = [store.begin_trial(run, a_query(place), 1, place) for place in range(count)]
    for trial in trials:
        store.append(trial, TrialEnded(0.0, Outcome.FINISHED, "1"))
        store.add_scores(trial, [Score("steps", "1", 1.0)])
    store.committed().result(timeout=30)

    reading = reader.trials(run)
    rows = [next(reading)]
    for trial in trials:
        store.add_scores(trial, [Score("steps", "1", 2.0)], afresh=True)
    store.committed().result(timeout=30)
    assert reader.run(run) is not None, "other things can be read meanwhile"
    rows += reading
    assert sorted(row.id for row in rows) == trials
    assert {score.value for row in rows for score in row.scores} == {1.0}
    assert {score.value for row in reader.trials(run) for score in row.scores} == {2.0}
