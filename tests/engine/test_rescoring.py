"""A stored run is judged again by the real engine process: nothing is run, no fact is touched."""

import contextlib
import os
import random
import signal
import sqlite3
import sys
import time
from pathlib import Path

import pytest

from studio.engine.messages import (
    ContinueRun,
    OpenProject,
    ProjectOpened,
    QueriesRead,
    RunEnded,
    RunProgressed,
    RunStarted,
    StartRun,
    StopRun,
    Told,
    TrustNeeded,
    TrustProject,
)
from studio.engine.metrics.own.code import digest
from studio.engine.outcomes import Outcome
from studio.engine.records import (
    Criteria,
    MetricSpec,
    Threshold,
)
from studio.engine.scoring_messages import (
    CasesGraded,
    GradeCases,
    MetricTried,
    SaveCriteria,
    ScoreAgain,
    ScoringEnded,
    ScoringMoved,
    StopGrading,
    StopScoring,
    TryMetric,
)
from studio.engine.store.opening import runs_file
from studio.engine.store.reader import RunReader
from studio.engine.store.writer import Store
from tests.engine import sample
from tests.engine.engine_process import EngineProcess, plan_of
from tests.engine.store.made import SERVER, a_plan, a_query, record

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="select() takes no pipes there")

TRIALS = 40
STEPS = Criteria((MetricSpec("steps"), MetricSpec("tokens", {"count": "reply"})))
OWN = Criteria((MetricSpec("own", {"function": "slow"}), MetricSpec("steps")))
METRICS = """
import time

def slow(query, trace):
    time.sleep(0.02)
    return len(trace.calls) == 1, query.text

def hang(query, trace):
    while True: pass
    return 1
"""


def stored(folder: Path, trials: int = TRIALS) -> Path:
    """A project with a run that ended, of trials that are made up."""
    sample.write(folder, "http://127.0.0.1:1")
    (folder / "metrics.py").write_text(METRICS)
    with Store.open(folder) as store:
        run = store.create_run(a_plan(trials), (SERVER,), [a_query(n) for n in range(trials)])
        for position in range(trials):
            record(store, run, position)
        store.end_run(run, "finished")
    return folder


@pytest.fixture
def folder(tmp_path: Path, engine: EngineProcess) -> Path:
    """Such a project, open in the engine."""
    made = stored(tmp_path / "gold")
    engine.send(OpenProject(str(made)))
    engine.until(ProjectOpened)
    return made


def rows(folder: Path, run: int = 1):
    with contextlib.closing(RunReader(folder)) as reader:
        return sorted(reader.changed_trials(run, 0, 100_000), key=lambda row: row.position)


def row(folder: Path, run: int = 1):
    with contextlib.closing(RunReader(folder)) as reader:
        return reader.run(run)


def facts(folder: Path):
    """All that a run holds but what is thought of it."""
    path = f"{runs_file(folder).as_uri()}?mode=ro"
    with contextlib.closing(sqlite3.connect(path, uri=True)) as connection:
        tables = ("runs", "plans", "queries", "dictionaries", "chunks")
        whole = [connection.execute(f"SELECT * FROM {table}").fetchall() for table in tables]
        trials = connection.execute("SELECT * FROM trials ORDER BY id")
        names = [column[0] for column in trials.description]
        return whole, [dict(zip(names, each, strict=True)) | {"changed": 0} for each in trials]


def until_some_are_judged(engine: EngineProcess) -> None:
    while not engine.until(ScoringMoved).done:
        pass


def judged(folder: Path, keys: set[str]) -> int:
    """How many trials have just these scores."""
    return sum({score.metric for score in each.scores} == keys for each in rows(folder))


def test_all_trials_are_judged_by_the_new_criteria_and_no_fact_is_touched(engine, folder):
    before, seen = facts(folder), rows(folder)
    engine.send(ScoreAgain(1, STEPS))
    assert engine.until(ScoringEnded) == ScoringEnded(1, TRIALS, TRIALS, "finished")
    moved = [notice for notice in engine.seen if isinstance(notice, ScoringMoved)]
    assert moved[-1] == ScoringMoved(1, TRIALS, TRIALS)
    assert facts(folder) == before
    assert row(folder).criteria == STEPS
    assert not row(folder).is_half_judged
    after = rows(folder)
    assert judged(folder, {"steps", "tokens(count=reply)"}) == TRIALS
    assert all(score.value is not None for each in after for score in each.scores)
    highest = max(each.changed for each in seen)
    assert all(each.changed > highest for each in after), "who follows the run sees each again"


def test_what_passes_may_change_alone(engine, folder):
    never = Criteria(STEPS.metrics, (Threshold("steps", 99.0),))
    engine.send(ScoreAgain(1, never))
    assert engine.until(ScoringEnded).ending == "finished"
    assert row(folder).criteria == never


@pytest.mark.parametrize(
    ("asked", "problem"),
    [
        (ScoreAgain(7, STEPS), "There is no run 7 in this project."),
        (ScoreAgain(1, Criteria((MetricSpec("stpes"),))), "There is no metric 'stpes'."),
        (
            ScoreAgain(1, Criteria((MetricSpec("steps"), MetricSpec("steps")))),
            "The metric 'steps' is listed twice.",
        ),
    ],
)
def test_what_cannot_be_is_told_and_leaves_the_run_as_it_was(engine, folder, asked, problem):
    before = rows(folder)
    engine.send(asked)
    ended = engine.until(ScoringEnded)
    assert (ended.ending, ended.done, ended.problem) == ("failed", 0, problem)
    assert ended.remedy
    assert rows(folder) == before


def test_runs_are_scored_one_after_another_and_all_can_be_stopped(engine, folder):
    engine.send(TrustProject(str(folder)), ScoreAgain(1, OWN), ScoreAgain(1, STEPS))
    until_some_are_judged(engine)
    engine.send(StopScoring())
    first, second = engine.until(ScoringEnded), engine.until(ScoringEnded)
    assert first.ending == second.ending == "stopped"
    assert 0 < first.done < TRIALS
    assert second.done == 0
    assert row(folder).criteria == OWN
    assert row(folder).is_half_judged
    assert judged(folder, {"own(function=slow)", "steps"}) == first.done
    engine.send(ScoreAgain(1, OWN))
    assert engine.until(ScoringEnded).ending == "finished"
    assert not row(folder).is_half_judged
    assert judged(folder, {"own(function=slow)", "steps"}) == TRIALS


def test_a_metric_that_hangs_does_not_hold_up_stopping(engine, folder):
    engine.send(TrustProject(str(folder)))
    hanging = MetricSpec("own", {"function": "hang", "time_limit": 60})
    engine.send(ScoreAgain(1, Criteria((hanging,))))
    engine.until(ScoringMoved)
    began = time.monotonic()
    engine.send(StopScoring())
    assert engine.until(ScoringEnded).ending == "stopped"
    assert time.monotonic() - began < 20
    assert judged(folder, {"own(function=hang)"}) == 0, "a trial it was stopped at is not judged"


def test_metrics_of_its_own_run_only_in_a_project_that_is_trusted(engine, folder):
    before = rows(folder)
    engine.send(ScoreAgain(1, OWN))
    ended = engine.until(ScoringEnded)
    assert (ended.ending, ended.done) == ("failed", 0)
    assert "brings its own code" in ended.problem
    [needed] = [notice for notice in engine.seen if isinstance(notice, TrustNeeded)]
    assert needed.files == ("metrics.py", "tools.py")
    assert rows(folder) == before
    engine.send(TryMetric(1, OWN.metrics[0]))
    assert "brings its own code" in engine.until(MetricTried).problem
    engine.send(TrustProject(str(folder)), ScoreAgain(1, OWN))
    assert engine.until(ScoringEnded).ending == "finished"
    scores = [score for each in rows(folder) for score in each.scores if score.metric != "steps"]
    assert {score.version for score in scores} == {digest(METRICS.encode())}
    assert {score.value for score in scores} == {1.0}


def test_opening_another_project_stops_it(engine, folder, tmp_path):
    engine.send(TrustProject(str(folder)), ScoreAgain(1, OWN))
    until_some_are_judged(engine)
    other = stored(tmp_path / "silver", 2)
    engine.send(OpenProject(str(other)), ScoreAgain(1, STEPS))
    assert engine.until(ScoringEnded).ending == "stopped"
    assert engine.until(ScoringEnded) == ScoringEnded(1, 2, 2, "finished")
    assert row(folder).is_half_judged
    with Store.open(folder):
        pass  # nobody holds it any more


def test_a_trial_is_tried_without_storing_anything(engine, folder):
    before = rows(folder)
    engine.send(TryMetric(before[3].id, MetricSpec("tokens", {"count": "reply"})))
    tried = engine.until(MetricTried)
    assert (tried.trial, tried.metric.name) == (before[3].id, "tokens")
    assert tried.score.value == before[3].reply_tokens
    engine.send(TryMetric(9_999, MetricSpec("steps")), TryMetric(1, MetricSpec("stpes")))
    assert engine.until(MetricTried).problem == "There is no trial 9999 in this project."
    wrong = engine.until(MetricTried)
    assert (wrong.score, wrong.problem) == (None, "There is no metric 'stpes'.")
    assert rows(folder) == before


def test_criteria_are_saved_unless_another_program_changed_them_meanwhile(engine, folder):
    while engine.until(QueriesRead).queries[-1].id != "q5":
        pass
    engine.send(SaveCriteria(STEPS))
    assert engine.until(ProjectOpened).project.criteria == STEPS
    elsewhere = "name: Gold\nmetrics: [seconds]\n"
    (folder / "project.yaml").write_text(elsewhere)
    engine.send(SaveCriteria(OWN))
    assert engine.until(ProjectOpened).project.metrics == (MetricSpec("seconds"),)
    assert engine.until(Told).problem.startswith("Nothing was changed: another program")
    assert (folder / "project.yaml").read_text() == elsewhere
    engine.send(SaveCriteria(Criteria((MetricSpec("own", {"function": "no_such"}),))))
    told = engine.until(Told)
    assert told.problem == "This was not saved."
    assert 'metrics.py has no metric "no_such"' in told.remedy


def graded(engine):
    """All that is told of cases that are graded: the verdicts, and the last word."""
    verdicts = []
    while not (notice := engine.until(CasesGraded)).ending:
        verdicts += notice.verdicts
    return [*verdicts, *notice.verdicts], notice


def test_cases_are_graded_with_the_first_verdicts_shown_and_all_written(engine, folder):
    cases, out = folder / "cases.jsonl", folder / "verdicts.jsonl"
    lines = ['{"id": 1, "answer": "a", "expected": "a"}', '{"answer": "a", "expected": "b"}', "no"]
    cases.write_text("\n".join(lines * 500) + "\n")
    engine.send(GradeCases(MetricSpec("exact_match"), str(cases), str(out)))
    verdicts, last = graded(engine)
    assert (last.ending, last.scored, last.not_scored, last.mean) == ("finished", 1000, 500, 0.5)
    assert [verdict.line for verdict in verdicts] == list(range(1, 1001))
    assert [verdict.score for verdict in verdicts[:3]] == [1.0, 0.0, None]
    assert (verdicts[0].id, verdicts[2].reason[:19]) == (1, "the line is no JSON")
    assert len(out.read_text().splitlines()) == 1500
    assert last.figures == (), "its benchmark states the mean"


def test_the_figures_of_a_benchmark_come_with_the_end_of_its_cases(engine, folder):
    cases = folder / "cases.jsonl"
    cases.write_text("".join(f'{{"grade": "{grade}"}}\n' for grade in "AAB"))
    engine.send(GradeCases(MetricSpec("simpleqa_grade"), str(cases), ""))
    _, last = graded(engine)
    assert "correct 0.6667 (2 of 3)" in last.figures
    assert any(figure.startswith("F 0.6667") for figure in last.figures)


def test_cases_that_cannot_be_read_or_graded_are_told(engine, folder):
    engine.send(GradeCases(MetricSpec("steps"), str(folder / "nothing.jsonl")))
    _, last = graded(engine)
    assert (last.ending, last.scored) == ("failed", 0)
    assert "nothing.jsonl" in last.problem
    engine.send(GradeCases(MetricSpec("stpes"), str(folder / "queries.jsonl")))
    assert graded(engine)[1].problem == "There is no metric 'stpes'."


def test_the_file_of_cases_is_never_written_to(engine, folder):
    cases = folder / "cases.jsonl"
    cases.write_text('{"answer": "a", "expected": "a"}')
    engine.send(GradeCases(MetricSpec("exact_match"), str(cases), str(cases)))
    _, last = graded(engine)
    assert (last.ending, last.scored) == ("failed", 0)
    assert "holds the cases" in last.problem
    assert cases.read_text() == '{"answer": "a", "expected": "a"}'


def test_grading_can_be_stopped(engine, folder):
    pipe = folder / "endless.jsonl"
    os.mkfifo(pipe)
    engine.send(TrustProject(str(folder)))
    hanging = MetricSpec("own", {"function": "hang", "time_limit": 60})
    engine.send(GradeCases(hanging, str(pipe)))
    with pipe.open("w") as source:
        source.write('{"answer": "a"}\n' * 3)
        source.flush()
        engine.until(CasesGraded)
        engine.send(StopGrading())
        _, last = graded(engine)
    assert last.ending == "stopped"


class TestRunning:
    """While something runs, other runs may be scored again; the one that runs may not."""

    def test_a_run_under_way_is_not_scored_again_and_another_one_is(
        self, engine, make_sample, scripted_ollama
    ):
        scripted_ollama.play(sample.script(default={"delay": 0.3, **sample.ANSWER}))
        folder = make_sample()
        engine.send(OpenProject(str(folder)), TrustProject(str(folder)))
        engine.until(ProjectOpened)
        opened = engine.until(ProjectOpened)
        engine.run(plan_of(opened.project, ("q0", "q3")))
        engine.send(StartRun(plan_of(opened.project, ("q0", "q1", "q2", "q3"))))
        engine.until(RunStarted)
        engine.send(ScoreAgain(2, STEPS), ScoreAgain(1, STEPS))
        refused = engine.until(ScoringEnded)
        assert refused.problem == "Run 2 is under way: its trials are scored as they end."
        assert engine.until(ScoringEnded) == ScoringEnded(1, 2, 2, "finished")
        engine.send(StopRun())
        engine.until(RunEnded)
        assert row(folder).criteria == STEPS

    def test_a_run_that_is_being_scored_is_not_continued(self, engine, folder):
        engine.send(TrustProject(str(folder)), ScoreAgain(1, OWN))
        engine.until(ScoringMoved)
        engine.send(ContinueRun(1))
        assert engine.until(Told).problem == "This run is being scored again."
        engine.send(StopScoring())
        engine.until(ScoringEnded)

    def test_a_live_run_is_scored_by_metrics_of_its_own(self, engine, make_sample, scripted_ollama):
        folder = make_sample(metrics=[{"own": {"function": "slow"}}, "steps"])
        (folder / "metrics.py").write_text(METRICS)
        engine.send(OpenProject(str(folder)), TrustProject(str(folder)))
        opened = engine.until(ProjectOpened)
        assert [each.name for each in opened.project.own_metrics] == ["slow", "hang"]
        engine.until(ProjectOpened)
        ended = engine.run(plan_of(opened.project, ("q0", "q3"), at_once=2))
        assert ended.ending == "finished"
        values = {(s.metric, s.value) for each in rows(folder) for s in each.scores}
        assert ("own(function=slow)", 1.0) in values
        assert len(values) == 2
        assert not _children(engine.pid), "no process of the project's code is left"

    def test_continuing_a_run_finishes_its_judging(self, engine, make_sample, scripted_ollama):
        folder = make_sample()
        (folder / "metrics.py").write_text(METRICS)
        engine.send(OpenProject(str(folder)), TrustProject(str(folder)))
        engine.until(ProjectOpened)
        opened = engine.until(ProjectOpened)
        ids = tuple(f"q{number}" for number in range(6))
        engine.send(StartRun(plan_of(opened.project, ids)))
        while engine.until(RunProgressed).tally.done < 4:
            pass
        engine.send(StopRun())
        engine.until(RunEnded)
        hanging = MetricSpec("own", {"function": "hang", "time_limit": 60})
        half = Criteria((MetricSpec("steps"), hanging))
        engine.send(ScoreAgain(1, half))
        engine.until(ScoringMoved)
        engine.send(StopScoring())
        engine.until(ScoringEnded)
        (folder / "metrics.py").write_text("def hang(query, trace): return 1")
        assert row(folder).is_half_judged
        engine.send(ContinueRun(1))
        assert engine.until(RunEnded).ending == "finished"
        assert not row(folder).is_half_judged
        assert judged(folder, {"steps", "own(function=hang)"}) == 6


def _children(pid: int) -> list[str]:
    """The processes of project's code that an engine has, on Linux."""
    if sys.platform != "linux":
        return []
    tasks = Path(f"/proc/{pid}/task").iterdir()
    found = [child for task in tasks for child in (task / "children").read_text().split()]
    lines = [Path(f"/proc/{child}/cmdline") for child in found]
    return [text for line in lines if "own/child.py" in (text := line.read_text())]


KILLS = 4


@pytest.mark.timeout(180)
def test_an_engine_killed_in_the_middle_leaves_a_run_that_can_be_judged_to_its_end(tmp_path):
    folder = stored(tmp_path / "gold", 400)
    before, chance = facts(folder), random.Random("rescoring")
    keys = {"steps", "tokens(count=reply)"}
    done = 0
    for _ in range(KILLS):
        with EngineProcess() as engine:
            engine.open(folder)
            engine.send(ScoreAgain(1, STEPS))
            time.sleep(chance.uniform(0.0, 0.06))
            engine.process.send_signal(signal.SIGKILL)
            told = [n.done for n in engine.notices() if isinstance(n, ScoringMoved | ScoringEnded)]
            engine.wait()
        done = max(told, default=0)
        found = judged(folder, keys)
        assert done <= found, "what was told is on disk"
        half = row(folder)
        assert half.is_half_judged == (half.rejudged is not None and found < 400)
        assert facts(folder) == before
        path = f"{runs_file(folder).as_uri()}?mode=ro"
        with contextlib.closing(sqlite3.connect(path, uri=True)) as connection:
            assert connection.execute("PRAGMA integrity_check").fetchall() == [("ok",)]
    with EngineProcess() as engine:
        engine.open(folder)
        engine.send(ScoreAgain(1, STEPS))
        assert engine.until(ScoringEnded) == ScoringEnded(1, 400, 400, "finished")
    assert judged(folder, keys) == 400
    assert not row(folder).is_half_judged
    assert {each.outcome for each in rows(folder)} == {Outcome.FINISHED}
