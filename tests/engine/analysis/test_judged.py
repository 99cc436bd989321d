"""A figure says when its scores were made by other versions of a metric than the present one."""

import contextlib
from collections import Counter
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from studio.engine.analysis.judged import (
    Judged,
    Versions,
    apart,
    otherwise,
    scored_by,
    told,
)
from studio.engine.metrics import CATALOGUE, build, score_all
from studio.engine.outcomes import FailureClass, Outcome
from studio.engine.records import Criteria, MetricSpec, Query, Score
from studio.engine.store.reader import RunReader
from studio.engine.store.rows import TrialRow
from studio.engine.store.writer import Store
from studio.engine.trace import Trace
from tests.engine.analysis.made_trials import EXCUSED, row
from tests.engine.store.made import SERVER, a_plan, a_query, a_trace, record

STEPS, NUMBER = metrics = build([MetricSpec("steps"), MetricSpec("number_in_answer")])


def trial(place: int, **versions: str) -> TrialRow:
    scores = tuple(Score(metric, version, 1.0) for metric, version in versions.items())
    return replace(row("+", place), scores=scores)


def half_scored_again() -> list[TrialRow]:
    old = [trial(place, number_in_answer="1", steps="1") for place in range(12)]
    return old + [trial(place, number_in_answer="2", steps="1") for place in range(12, 20)]


def said(rows: list[TrialRow], own: str = "") -> str:
    return told(scored_by(metrics, Versions(rows).counts, own))


@pytest.mark.parametrize("name", [name for name in CATALOGUE if name != "own"])
def test_what_was_scored_just_now_has_not_changed_since(name: str):
    [metric] = measured = build([MetricSpec(name)])
    query = a_query()
    scores = score_all(measured, query, Trace(a_trace(query)))
    assert scores[0].version == metric.revision
    scored = scored_by(measured, Versions([replace(row("+"), scores=scores)]).counts)
    assert [each.trials for each in scored] == [((metric.revision, 1),)]
    assert told(scored) == ""


def test_a_metric_that_fails_stamps_its_score_with_the_same_version():
    class Broken(type(NUMBER), frozen=True):  # type: ignore[misc] # the class is not known to mypy
        def verdict(self, query: Query, trace: Trace):
            raise RuntimeError("a bug")

    [score] = score_all([Broken()], a_query(), Trace(a_trace(a_query())))
    assert (score.value, score.version) == (None, NUMBER.revision)


def test_a_run_that_was_scored_by_an_earlier_version_says_of_how_many_metrics():
    old = [trial(place, number_in_answer="1", steps="1") for place in range(3)]
    assert said(old) == "1 of 2 metrics has changed since (Number in answer)"
    older = [trial(place, number_in_answer="1", steps="0") for place in range(3)]
    assert said(older) == "2 of 2 metrics have changed since (Steps, Number in answer)"


def test_a_run_that_is_half_scored_again_says_how_many_trials_each_version_scored():
    assert said(half_scored_again()) == (
        "1 of 2 metrics has changed since (Number in answer) · "
        "Number in answer: trials 12 by version 1, 8 by version 2"
    )


def test_a_file_of_own_metrics_that_was_edited_has_changed_and_one_that_is_gone_tells_nothing():
    own = build([MetricSpec("own", {"function": "polite"})])
    counts = Versions([trial(0, **{own[0].key: "aaaaaaaaaaaa"})]).counts
    assert told(scored_by(own, counts, "aaaaaaaaaaaa")) == ""
    assert told(scored_by(own, counts, "bbbbbbbbbbbb")).startswith("1 of 1 metric has changed")
    assert told(scored_by(own, counts, "")) == ""


def test_what_no_version_can_score_is_not_counted():
    running = replace(trial(0, steps="0"), outcome=None)
    excused = replace(row(EXCUSED, 1), scores=(Score("steps", "0", None, "the server failed"),))
    cancelled = replace(trial(2, steps="0"), outcome=Outcome.CANCELLED)
    assert said([running, excused, cancelled]) == ""
    own_doing = replace(trial(3, steps="0"), outcome=Outcome.FAILED, failure=FailureClass.AGENT)
    assert "1 of 2 metrics" in said([own_doing])


@given(st.lists(st.tuples(st.integers(0, 5), st.sampled_from("123"), st.booleans())), st.data())
def test_rows_that_come_again_count_once_as_they_are_last(
    told_rows: list[tuple[int, str, bool]], data: st.DataObject
):
    rows = [
        replace(trial(place, steps=version), outcome=Outcome.FINISHED if has_ended else None)
        for place, version, has_ended in told_rows
    ]
    running = Versions()
    for each in rows:
        running.take([each])
    last = {each.position: each for each in rows}
    assert +running.counts == Versions(last.values()).counts


def test_the_store_counts_the_same_as_the_rows_do(tmp_path: Path):
    with Store.open(tmp_path) as store:
        run = store.create_run(a_plan(6), (SERVER,), [a_query(n) for n in range(6)])
        outcomes = (Outcome.FINISHED, Outcome.STEP_CAP, Outcome.TIMED_OUT, Outcome.FINISHED)
        for place, outcome in enumerate(outcomes):
            stored = record(store, run, place, outcome=outcome)
            store.add_scores(stored, [Score("steps", str(place % 2), 1.0)])
        store.committed().result(10)
        with contextlib.closing(RunReader(tmp_path)) as reader:
            rows, found = list(reader.trials(run)), reader.versions(run)
    counts = Counter({(scored,): count for scored, count in found.items()})
    assert scored_by(metrics, counts) == scored_by(metrics, Versions(rows).counts)
    steps = sum(count for (metric, _), count in found.items() if metric == "steps")
    assert steps == sum(not each.is_excused for each in rows)


CRITERIA = Criteria((MetricSpec("steps"), MetricSpec("number_in_answer")))


def judged(rows: list[TrialRow], criteria: Criteria = CRITERIA) -> Judged:
    return Judged(criteria, scored_by(metrics, Versions(rows).counts))


def test_two_runs_that_two_versions_scored_are_not_compared_without_a_word():
    old = judged([trial(0, number_in_answer="1", steps="1")])
    new = judged([trial(0, number_in_answer="2", steps="1")])
    assert apart(new, old) == ["Scored by different versions in the two runs: Number in answer."]
    assert apart(new, old, ["steps"]) == []
    assert apart(new, new) == apart(old, old) == []
    assert apart(judged(half_scored_again()), new) == apart(new, old), "in part is not one version"
    fewer = judged([trial(0, steps="1")], Criteria((MetricSpec("steps"),)))
    assert apart(new, fewer) == [
        "The other run was judged by other criteria: without Number in answer."
    ]


def test_criteria_that_name_a_metric_of_another_version_are_told_apart_by_its_name():
    gone = Criteria((MetricSpec("gone"), MetricSpec("tokens", {"count": "odd"})))
    assert otherwise(gone, CRITERIA).startswith("with gone, Tokens · without Steps")
    assert otherwise(gone, gone) == ""
