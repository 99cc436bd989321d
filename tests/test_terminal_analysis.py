"""What a terminal says of the figures of a run: after it, and of stored runs."""

import contextlib
import json
from pathlib import Path

import pytest
from msgspec.structs import replace

from studio.engine.errors import RunError, StoreError
from studio.engine.events import TrialEnded
from studio.engine.outcomes import FailureMode, Outcome
from studio.engine.project.query_item import made_id
from studio.engine.records import (
    Finding,
    MetricSpec,
    Query,
    Score,
)
from studio.engine.store.chunks import encode
from studio.engine.store.opening import make_folder, open_for_reading, open_for_writing, runs_file
from studio.engine.store.schema import MIGRATIONS
from studio.engine.store.writer import Store
from studio.terminal import Picks, run_project
from studio.terminal_analysis import analyse
from studio.terminal_console import PlainConsole
from studio.terminal_projects import list_runs
from studio.terminal_rescoring import Wish, rescore
from studio.terminal_results import show_results
from tests.engine import sample
from tests.engine.store.made import SERVER, a_plan, record

QUERIES = ("q1", "q2", "q3")


@pytest.fixture(autouse=True)
def narrow(monkeypatch):
    monkeypatch.setenv("COLUMNS", "80")


@pytest.fixture
def gold(tmp_path, scripted_ollama):
    """The sample project: the model calls price(3) whatever is asked, so only q3 can be right."""
    scripted_ollama.play(sample.script())
    return sample.write(tmp_path / "gold", scripted_ollama.address)


def run(folder: Path, **picks) -> None:
    assert run_project(folder, Picks(queries=QUERIES, trusts_code=True, **picks)) == 0


def told(capsys, folder: Path, run: int | None = None, against: int | None = None) -> str:
    capsys.readouterr()
    assert analyse(folder, run, against, as_json=False) == 0
    return capsys.readouterr().out


def read(capsys, folder: Path, run: int | None = None, against: int | None = None):
    capsys.readouterr()
    assert analyse(folder, run, against, as_json=True) == 0
    return json.loads(capsys.readouterr().out)


def test_a_run_ends_with_its_reliability_and_what_went_wrong_first(gold, capsys):
    run(gold, trials=2)
    lines = capsys.readouterr().out.splitlines()
    assert (
        "Reliability: pass^2 0.33 (0.06 to 0.79), pass@2 0.33 (0.06 to 0.79), over 3 of 3 queries."
        in lines
    )
    assert "Went wrong first: invented value 4." in lines
    assert lines[-1] == f"More: studio analyse {gold} --run 1"


def test_a_run_of_one_trial_that_passed_has_nothing_to_add(gold, capsys):
    assert run_project(gold, Picks(queries=("q3",), trusts_code=True)) == 0
    assert capsys.readouterr().out.splitlines()[-1] == "Run 1: 1 done of 1 planned."


def test_all_figures_of_a_stored_run_fit_80_columns(gold, capsys):
    run(gold, trials=2)
    output = told(capsys, gold)
    assert max(map(len, output.splitlines())) <= 80
    assert "2 of 6 counted trials passed." in output
    assert "pass^k, all of k pass: mean over queries of C(c, k) / C(n, k)." in output
    assert "2 of 2: 1 query, 0 of 2: 2 queries" in output
    assert "Wilson" in output
    [bucket] = [line for line in output.splitlines() if line.startswith("invented value ")]
    assert bucket.split()[2:] == ["4", "100%", "100%"]
    assert "q1 #1, #2: price: grams is 3, not 1;" in output
    assert "[event " in output


def test_two_runs_are_held_against_each_other(gold, capsys, scripted_ollama):
    run(gold, trials=2)
    call = {"name": "price", "arguments": {"grams": 1}}
    rules = [{"tool_results": 0, "reply": {"tool_calls": [call]}}]
    scripted_ollama.play(sample.script(rules=rules, default={"content": "It costs 10 dollars."}))
    run(gold, trials=2)
    output = told(capsys, gold, against=1)
    assert "Against run 1" in output
    assert "6 pairs of trials compared, 4 changed sides." in output
    assert "Passed now: q1." in output
    assert "No longer passed: q3." in output
    assert "1 query better, 1 worse: p = 1, exact sign test" in output

    flips = read(capsys, gold, run=2, against=1)["against"]["flips"]
    assert [pair["query_id"] for pair in flips["fail_pass"]] == ["q1", "q1"]
    assert (flips["better"], flips["worse"], flips["p_value"]) == (1, 1, 1.0)


def test_programs_get_every_figure_with_its_estimator(gold, capsys):
    run(gold, trials=2)
    found = read(capsys, gold, run=1)
    figures = found["figures"]
    assert found["against"] is None
    assert {"metric": "number_in_answer", "at": 1.0, "is_most": False} in figures["rules"]
    [_, power] = figures["reliability"]["pass_all"]
    assert (power["name"], power["over"]["mean"]) == ("pass^2", pytest.approx(1 / 3))
    assert "mean over queries" in power["estimator"]
    [bucket] = figures["failure_map"]["buckets"]
    assert (bucket["mode"], len(bucket["places"])) == ("invented value", 4)
    assert bucket["places"][0]["finding"]["event"] > 0
    assert len(found["between_trials_1_and_2"]["pass_pass"]) == 1


def test_trials_that_tell_nothing_are_not_said_to_have_passed(gold, capsys):
    run(gold)
    assert rescore(Wish(gold, metrics=["steps"])) == 0
    output = told(capsys, gold)
    assert "No trial is known to have failed." in output
    assert "No trial failed." not in output


@pytest.fixture
def older(gold):
    """The project with a run, one trial of which failed, that an older version stored."""
    path = runs_file(gold)
    make_folder(path)
    plan, server = encode(a_plan(1)).decode(), encode(SERVER).decode()
    with contextlib.closing(open_for_writing(path, MIGRATIONS[:2])) as file:
        file.execute("INSERT INTO runs (id, created, planned, done) VALUES (1, 0, 1, 1)")
        file.execute("INSERT INTO plans (run, plan, server) VALUES (1, ?, ?)", (plan, server))
        file.execute(
            """INSERT INTO trials (id, run, position, number, query_id, query, started, changed,
               outcome) VALUES (1, 1, 0, 1, 'q0', '?', 0, 1, 'finished')"""
        )
        file.execute(
            """INSERT INTO scores (trial, metric, version, value, reason)
               VALUES (1, 'answer_contains', '1', 0.0, '')"""
        )
    return gold


def unknown_run_scored_again(folder: Path) -> int:
    with pytest.raises(RunError, match="no run 7"):
        rescore(Wish(folder, 7))
    return 0


@pytest.mark.parametrize(
    "command",
    [
        list_runs,
        lambda folder: analyse(folder, None, None, as_json=False),
        unknown_run_scored_again,
    ],
)
def test_runs_of_an_older_version_are_brought_up_to_date_when_they_are_asked_for(older, command):
    with pytest.raises(StoreError, match="older version"):
        open_for_reading(runs_file(older))
    assert command(older) == 0
    assert Path(f"{runs_file(older)}.version2").exists(), "as it was"


def test_failed_trials_that_an_older_version_did_not_map_can_be_mapped(older, capsys):
    output = " ".join(told(capsys, older).split())
    assert "in no bucket: q0 #1" in output
    assert f"this one finds out more: studio rescore {older} 1" in output


STEERS = "\x1b[2J\x1b]0;x\x07\x9b31m\u202egold"


def test_no_name_steers_the_terminal(tmp_path, capsys):
    plan = a_plan(1, 2)
    named = replace(plan, project=STEERS, variant=replace(plan.variant, name=STEERS))
    with Store.open(tmp_path) as store:
        for _ in range(2):
            run = store.create_run(named, [replace(SERVER, address=STEERS, is_embedded=False)])
            for number in (1, 2):
                query = Query(STEERS, STEERS)
                trial = store.begin_trial(run, query, number, 0)
                store.append(trial, TrialEnded(0.0, Outcome.FINISHED, STEERS))
                finding = Finding(FailureMode.WRONG_ANSWER, STEERS)
                store.add_scores(trial, [Score("answer_contains", "1", 0.0, STEERS)], [finding])
    assert analyse(tmp_path, 2, 1, as_json=False) == 0
    assert list_runs(tmp_path) == 0
    show_results(PlainConsole(), tmp_path, 2)
    printed = capsys.readouterr().out
    assert "gold" in printed
    assert not set(printed) & set("\x1b\x07\x9b\u202e")


def test_a_run_of_a_number_that_no_run_can_have_is_told(gold):
    run(gold)
    for number in (0, -1, 2**63, 10**30):
        with pytest.raises(RunError, match=f"no run {number}"):
            analyse(gold, number, None, as_json=False)


def test_a_metric_of_another_version_hides_no_other(tmp_path, capsys):
    metrics = (MetricSpec("gone"), MetricSpec("tokens", {"count": "odd"}), MetricSpec("steps"))
    with Store.open(tmp_path) as store:
        stored = record(store, store.create_run(replace(a_plan(1), metrics=metrics), [SERVER]))
        store.add_scores(stored, [Score("gone", "1", 0.5), Score("steps", "1", 3.0)])
    output = " ".join(told(capsys, tmp_path).split())
    assert "that another version had. There is no metric 'gone'." in output
    assert "'count' of the metric 'tokens' cannot be 'odd'" in output
    assert "Steps ↓ 3.00" in output  # less is better


def test_what_is_foreign_is_shown_as_it_is(tmp_path, capsys):
    reason = '[bold]price[/bold]: x is "[link=file:///etc]"'
    with Store.open(tmp_path) as store:
        stored = record(store, store.create_run(a_plan(), [SERVER]))
        finding = Finding(FailureMode.INVENTED_VALUE, reason, 7)
        store.add_scores(stored, [Score("answer_contains", "1", 0.0)], [finding], afresh=True)
    assert "[bold]price[/bold]: x is" in told(capsys, tmp_path)


def test_why_trials_were_not_scored_is_told_of_each_metric(tmp_path, capsys):
    reasons = ["no price in it", "no price in it\n  line 3", "[b]\x1b[31m", "another", "a third"]
    plan = replace(a_plan(), query_ids=tuple(f"q{place}" for place in range(5)))
    with Store.open(tmp_path) as store:
        run = store.create_run(plan, [SERVER])
        for number, reason in enumerate(reasons):
            scores = [Score("answer_contains", "1", None, reason), Score("steps", "1", 2.0)]
            store.add_scores(record(store, run, position=number), scores, afresh=True)
    output = told(capsys, tmp_path)
    assert "Answer contains: 2 not scored: no price in it." in output
    assert "Answer contains: 1 not scored: [b]" in output
    assert "\x1b" not in output
    assert "Answer contains: 2 not scored for 2 other reasons." in output
    assert "Steps: " not in output
    show_results(PlainConsole(), tmp_path, run)
    ends = capsys.readouterr().out
    told_apart = [line for line in output.splitlines() if " not scored" in line]
    assert [line for line in ends.splitlines() if " not scored" in line] == told_apart
    found = read(capsys, tmp_path)["figures"]["measured"][0]["unscored"]
    assert found[0] == {"reason": "no price in it", "trials": 2}


def test_what_an_agent_says_of_itself_and_what_a_benchmark_reports_are_told(tmp_path, capsys):
    names = ("exact_match", "stated_confidence", "claimed_success", "simpleqa_grade")
    plan = replace(a_plan(), metrics=tuple(map(MetricSpec, names)))
    with Store.open(tmp_path) as store:
        run = store.create_run(plan, [SERVER])
        for number, right in enumerate([1.0, 0.0]):
            scores = [
                Score("exact_match", "1", right),
                Score("stated_confidence", "1", 0.9),
                Score("claimed_success", "1", 1.0),
                Score("simpleqa_grade", "1", right, "", {"grade": "correct"}),
            ]
            store.add_scores(record(store, run, position=number), scores, afresh=True)
    output = told(capsys, tmp_path)
    assert "0.90 to 1.00" in output
    assert "Expected calibration error 0.40, Brier score 0.41" in output
    assert "1 of 2 claims confirmed" in output
    assert "correct given attempted" in output
    found = read(capsys, tmp_path)["figures"]["benchmarked"][0]["figures"][0]
    assert found == {"name": "correct", "value": 1.0, "counted": 2, "of": 2}


def test_what_went_wrong_alike_in_the_trials_of_a_query_is_told_once(tmp_path, capsys):
    with Store.open(tmp_path) as store:
        run = store.create_run(a_plan(11, trials=3), [SERVER])
        for position, number, event in [(0, 1, 7), (0, 2, 7), (1, 1, 7), (1, 2, 9)]:
            found = Finding(FailureMode.INVENTED_VALUE, "price: 3, not 1", event)
            stored = record(store, run, position=position, number=number)
            store.add_scores(stored, [Score("answer_contains", "1", 0.0)], [found], afresh=True)
        for position in range(2, 11):
            for number in (1, 2):
                found = Finding(FailureMode.LOOP, "again and again")
                stored = record(store, run, position=position, number=number)
                store.add_scores(stored, [Score("answer_contains", "1", 0.0)], [found], afresh=True)
    lines = told(capsys, tmp_path).splitlines()
    assert "  q0 #1, #2: price: 3, not 1 [event 7]" in lines
    assert "  q1 #1, #2: price: 3, not 1 [events 7, 9]" in lines
    assert sum("again and again" in line for line in lines) == 8
    assert "  and 2 more trials (--json lists them all)" in lines


def test_only_trials_that_came_to_an_end_of_their_own_are_listed_as_done(tmp_path, capsys):
    with Store.open(tmp_path) as store:
        run = store.create_run(a_plan(3), [SERVER])
        record(store, run, position=0, outcome=Outcome.CANCELLED)
        record(store, run, position=1)
    list_runs(tmp_path)
    heading, row = [line for line in capsys.readouterr().out.splitlines() if line.strip()][-2:]
    assert heading.split()[-3:] == ["Trials", "done", "Planned"]
    assert row.split()[-2:] == ["1", "3"]


def test_a_failed_trial_without_a_finding_is_in_no_bucket(tmp_path, capsys):
    with Store.open(tmp_path) as store:
        stored = record(store, store.create_run(a_plan(), [SERVER]))
        store.add_scores(stored, [Score("answer_contains", "1", 0.0)], afresh=True)
    output = told(capsys, tmp_path)
    assert "in no bucket:\n  q0 #1" in output
    assert "One trial a query tells nothing of repeating" in output


def test_a_run_of_which_no_trial_ended_has_no_figures_and_says_so(tmp_path, capsys):
    with Store.open(tmp_path) as store:
        store.create_run(a_plan(), [SERVER])
    output = told(capsys, tmp_path)
    assert "no trial tells whether it passed" in output
    assert "No trial is known to have failed." in output


@pytest.mark.parametrize(("run", "against"), [(7, None), (1, 7)])
def test_a_run_that_is_not_there_is_told(tmp_path, run, against):
    with Store.open(tmp_path) as store:
        store.create_run(a_plan(), [SERVER])
    with pytest.raises(RunError, match="no run 7"):
        analyse(tmp_path, run, against, as_json=False)


def test_a_project_without_runs_and_a_folder_that_is_not_there_are_told(tmp_path):
    with pytest.raises(RunError, match="no runs yet"):
        analyse(tmp_path, None, None, as_json=False)
    with pytest.raises(RunError, match="no folder"):
        analyse(tmp_path / "nowhere", None, None, as_json=False)


def test_two_runs_of_two_versions_of_a_metric_are_not_compared_without_a_word(tmp_path, capsys):
    with Store.open(tmp_path) as store:
        for version, repeats in (("0", None), ("1", 1), ("1", 1)):
            run = store.create_run(replace(a_plan(1), repeats=repeats), [SERVER])
            store.add_scores(record(store, run), [Score("answer_contains", version, 1.0)])
    line = "Scored by different versions in the two runs: Answer contains."
    show_results(PlainConsole(), tmp_path, 2)
    assert f"\n{line}\n" in capsys.readouterr().out
    assert line in told(capsys, tmp_path, 2, against=1)
    assert read(capsys, tmp_path, 2, against=1)["against"]["judged_apart"] == [line]
    assert read(capsys, tmp_path, 3, against=2)["against"]["judged_apart"] == []


def test_a_query_that_was_given_no_id_is_told_by_its_text(tmp_path, capsys):
    asked = "How far is it from Graz to Linz?"
    id = made_id(asked)
    with Store.open(tmp_path) as store:
        for value in (0.0, 1.0):
            run = store.create_run(replace(a_plan(1, 2), query_ids=(id,)), [SERVER])
            for number in (1, 2):
                trial = store.begin_trial(run, Query(id, asked), number, 0)
                store.append(trial, TrialEnded(0.0, Outcome.FINISHED, "x"))
                score = Score("answer_contains", "1", value)
                finding = Finding(FailureMode.WRONG_ANSWER, "no number", 0)
                store.add_scores(trial, [score], [] if value else [finding])
    before, after = told(capsys, tmp_path, 1), told(capsys, tmp_path, 2, against=1)
    assert f"{id} {asked} #1, #2: no number" in " ".join(before.split())
    assert f"Passed now: {id} {asked}." in " ".join(after.split())
    [row] = [line for line in after.splitlines() if line.startswith(id) and "2 of 2" in line]
    assert asked.split()[0] in row


def test_a_run_is_not_compared_with_itself(tmp_path):
    with Store.open(tmp_path) as store:
        record(store, store.create_run(a_plan(1), [SERVER]))
    with pytest.raises(RunError, match="Run 1 cannot be compared with itself"):
        analyse(tmp_path, None, 1, as_json=False)
