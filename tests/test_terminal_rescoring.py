"""`studio rescore`, and own metrics in `studio grade`: the real command on a real store."""

import contextlib
import json
import signal
import sqlite3
import sys
from pathlib import Path

import pytest

from studio.engine.store.opening import runs_file
from tests.engine.test_rescoring import row, stored
from tests.test_terminal import said, stopped, studio

pytestmark = pytest.mark.skipif(
    sys.platform == "win32", reason="there is no SIGINT for one process"
)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return stored(tmp_path / "gold")


def measured(folder: Path) -> list[str]:
    return [spec.name for spec in row(folder).criteria.metrics]


def test_the_newest_run_is_scored_by_the_projects_metrics_as_they_are_now(folder):
    project = folder / "project.yaml"
    project.write_text("name: Gold\nmetrics: [steps, seconds]\npassed: {steps: 3}\n")
    code, output, errors = said("rescore", folder)
    assert (code, errors) == (0, "")
    assert "40/40" in output
    assert "40 of 40" in output
    assert "again: studio rescore" not in output
    assert measured(folder) == ["steps", "seconds"]
    assert row(folder).criteria.passed


def test_other_metrics_can_be_named_with_their_settings(folder):
    code, output, _ = said(
        "rescore", folder, 1, "--metric", "tokens(count=reply)", "--metric", "loop"
    )
    assert code == 0
    assert "Tokens (reply)" in output
    assert output.endswith(f"By the project's metrics again: studio rescore {folder} 1\n")
    assert measured(folder) == ["tokens", "loop"]


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (("7",), "There is no run 7 in this project."),
        (("--metric", "stpes"), "There is no metric 'stpes'. Did you mean 'steps'"),
        (("--metric", "steps("), "'steps(' names no metric."),
        (("--metric", "own(function=slow)"), "--trust in the terminal"),
        (("--metric", "own(function=slwo)"), "metrics.py has no metric 'slwo'"),
        (("--metric", "tokens(prompt)"), "'prompt' sets nothing"),
        (("--metric", "recall_at_k(tool=\udcff)"), "cannot be '\\udcff'"),
    ],
)
def test_what_cannot_be_is_said_and_leaves_the_run_as_it_was(folder, arguments, words):
    before = row(folder)
    code, _, errors = said("rescore", folder, *arguments)
    assert code == 1
    assert words in " ".join(errors.split())
    assert row(folder) == before


def test_a_project_without_runs_gets_no_file_of_runs(folder):
    (folder / ".studio" / "runs.sqlite").unlink()
    code, _, errors = said("rescore", folder)
    assert (code, "no runs yet" in errors) == (1, True)
    assert not (folder / ".studio" / "runs.sqlite").exists()


def test_metrics_of_its_own_are_asked_once_they_are_trusted(folder):
    code, output, _ = said("rescore", folder, "--metric", "own(function=slow)", "--trust")
    assert code == 0
    assert "Slow (own)" in output


def test_scoring_that_is_stopped_says_how_it_goes_on(folder):
    process = studio("rescore", folder, "--metric", "own(function=hang,time_limit=60)", "--trust")
    while (found := row(folder)).rejudged is None:
        assert process.poll() is None
    code, output, _ = stopped(process, signal.SIGINT)
    assert code == 1
    assert "Scored in part" in output
    assert "Some trials still have their scores by earlier metrics." in output
    assert found.is_half_judged


def test_own_metrics_grade_cases_and_are_listed(folder):
    cases = folder / "cases.jsonl"
    cases.write_text('{"query": "What?", "calls": [{"name": "price"}], "answer": "30"}\n')
    grading = ("grade", "own", cases, "--set", "function=slow")
    assert "--project" in said(*grading)[2]
    assert "brings its own code" in said(*grading, "--project", folder)[2]
    code, output, _ = said(*grading, "--project", folder, "--trust")
    verdict = json.loads(output)
    assert (code, verdict["score"], verdict["reason"]) == (0, 1.0, "What?")
    assert verdict["version"] != "1"
    alone = json.loads(said("grade", "slow", cases, "--project", folder)[1])
    assert (alone["metric"], alone["score"]) == ("own(function=slow)", 1.0)
    listed = said("grade", "--project", folder)[1]
    assert "own(function=slow)" in listed


def scored_before(folder: Path, below: int = 100) -> None:
    """As if an earlier version of the metric had scored the trials of ids `below` that."""
    with contextlib.closing(sqlite3.connect(runs_file(folder))) as file, file:
        file.execute(
            "UPDATE scores SET version = '0' WHERE metric = 'answer_contains' AND trial < ?",
            (below,),
        )


def test_every_command_that_tells_of_a_run_says_that_its_metrics_have_changed_since(folder):
    (folder / "project.yaml").write_text("name: Gold\nmetrics: [answer_contains]\n")
    assert said("rescore", folder)[0] == 0
    commands = (("runs", folder), ("check", folder), ("analyse", folder))
    assert not any("changed since" in said(*command)[1] for command in commands)
    scored_before(folder)
    again = f"studio rescore {folder} 1"
    for command in commands:
        code, output, _ = said(*command)
        assert (code, "changed since" in output, again in "".join(output.split("\n"))) == (
            0, True, True
        )  # fmt: skip
    assert "changed since" not in said("rescore", folder)[1]
    assert not any("changed since" in said(*command)[1] for command in commands)


def test_figures_of_two_versions_say_how_many_trials_each_scored(folder):
    (folder / "project.yaml").write_text("name: Gold\nmetrics: [answer_contains]\n")
    assert said("rescore", folder)[0] == 0
    scored_before(folder, below=11)
    told = "trials 10 by version 0, 30 by version 1"
    assert told in " ".join(said("analyse", folder)[1].split())
    [version] = json.loads(said("analyse", folder, "--json")[1])["figures"]["versions"]
    assert version["now"] == "1"
    assert version["trials"] == [["0", 10], ["1", 30]]


def test_metrics_of_its_own_have_changed_once_their_file_was_edited(folder):
    rescored = ("rescore", folder, "--metric", "own(function=slow)", "--trust")
    assert "changed since" not in said(*rescored)[1]
    assert "changed since" not in said("analyse", folder)[1]
    with (folder / "metrics.py").open("a") as file:
        file.write("\n# Another thought.\n")
    assert "1 of 1 metric has changed since (Slow (own))" in said("analyse", folder)[1]
