"""All figures of a run come from its rows, and say the same of a live and of a stored run."""

import subprocess
import sys

import pytest
from msgspec.structs import replace

from studio.engine.analysis.figures import measure, run_figures
from studio.engine.records import Criteria, MetricSpec, Score, Tally, Threshold
from studio.engine.store.rows import RunRow
from tests.engine.analysis.made_trials import run
from tests.engine.store.made import SERVER, a_plan


def a_run(*metrics, passed=(), queries=3, trials=2):
    plan = replace(
        a_plan(),
        query_ids=tuple(f"q{n}" for n in range(queries)),
        trials=trials,
        metrics=tuple(map(MetricSpec, metrics)),
        passed=passed,
    )
    return RunRow(1, 0.0, plan, (SERVER,), Tally(planned=queries * trials))


def scored(signs, **values):
    """The rows of `signs`, each metric with its values in the order of the trials."""
    rows = run(*signs)
    return [
        replace(
            row,
            answer="gold",
            scores=tuple(Score(name, "1", given[n]) for name, given in values.items()),
        )
        for n, row in enumerate(rows)
    ]


def figures(row, rows):
    return run_figures(row, rows, measure(row))


def test_every_metric_of_the_run_is_summarised_with_its_counts():
    rows = scored(["++", "+-"], exact_match=[1.0, 0.0, 1.0, None], steps=[2.0, 4.0, 6.0, None])
    got = figures(a_run("exact_match", "steps"), rows)
    match, steps = got.measured
    assert (match.label, match.summary.mean, match.summary.counts) == (
        "Exact match",
        pytest.approx(2 / 3),
        "3 of 6",
    )
    assert (steps.unit, steps.summary.mean) == ("steps", 4.0)
    assert (got.passed.mean, got.passed.counts) == (pytest.approx(2 / 3), "3 of 6")
    assert got.reliability.pass_all[0].over.counts == "2 of 3"


def test_without_a_rule_nothing_is_said_of_passing():
    got = figures(a_run("steps"), scored(["++"], steps=[2.0, 3.0]))
    assert got.rules == ()
    assert (got.passed.mean, got.passed.counts) == (None, "0 of 6")
    assert got.reliability.pass_all == ()
    assert got.failure_map.failed == 0


def test_the_thresholds_of_the_project_decide_who_passed():
    row = a_run("steps", passed=(Threshold("steps", 2.0),))
    got = figures(row, scored(["++"], steps=[2.0, 3.0]))
    assert got.passed.mean == 0.5


def test_a_run_that_was_judged_again_is_shown_by_its_new_criteria():
    row = replace(a_run("exact_match"), rejudged=Criteria((MetricSpec("steps"),)))
    got = figures(row, scored(["++"], exact_match=[1.0, 1.0], steps=[2.0, 3.0]))
    assert [each.metric for each in got.measured] == ["steps"]


def test_stated_confidence_is_held_against_what_passed():
    row = a_run("exact_match", "stated_confidence", "claimed_success")
    rows = scored(
        ["++", "+-"],
        exact_match=[1.0, 0.0, 1.0, 0.0],
        stated_confidence=[0.9, 0.9, 0.8, None],
        claimed_success=[1.0, 1.0, 1.0, 0.0],
    )
    got = figures(row, rows)
    [calibrated], [claimed] = got.calibrated, got.claimed
    assert (calibrated.calibration.paired, calibrated.calibration.planned) == (3, 6)
    assert (claimed.claims.claimed, claimed.claims.confirmed) == (3, 2)


def test_agreement_is_told_where_queries_are_run_more_than_once():
    rows = scored(["++", "++"], exact_match=[1.0] * 4)
    assert figures(a_run("exact_match"), rows).agreement.mean == 1.0
    assert figures(a_run("exact_match", trials=1), rows[::2]).agreement is None


def test_a_benchmark_that_reports_more_than_a_mean_gets_its_own_figures():
    rows = scored(["++", "+-"], simpleqa_grade=[1.0, 0.0, 0.0, None])
    grades = ["correct", "incorrect", "not attempted", None]
    rows = [
        replace(row, scores=(replace(row.scores[0], evidence={"grade": grade} if grade else {}),))
        for row, grade in zip(rows, grades, strict=True)
    ]
    [got] = figures(a_run("simpleqa_grade"), rows).benchmarked
    by_name = {figure.name: figure for figure in got.figures}
    assert (by_name["correct"].counted, by_name["correct"].of) == (1, 3)
    assert by_name["correct given attempted"].value == 0.5
    assert figures(a_run("exact_match"), scored(["+"], exact_match=[1.0])).benchmarked == ()


def test_a_run_that_has_just_begun_has_figures_of_nothing():
    got = figures(a_run("exact_match"), [])
    assert got.passed.counts == "0 of 6"
    assert (got.agreement.value, got.agreement.counts) == (None, "0 of 3")


def test_the_figures_load_no_heavy_library():
    script = "import studio.engine.analysis.figures, studio.engine.analysis.flips, sys"
    code = f"{script}\nprint(*sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    loaded = set(done.stdout.split())
    heavy = {"scipy", "numpy", "pandas", "langgraph", "langchain_core", "pydantic", "PySide6"}
    assert not loaded & heavy
