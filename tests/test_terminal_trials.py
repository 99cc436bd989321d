"""`studio trace PROJECT RUN` lists the trials that there are to look at."""

import json
import shlex
from pathlib import Path

import pytest
from msgspec.structs import replace

from studio import terminal_trials
from studio.engine.errors import RunError
from studio.engine.events import TrialEnded
from studio.engine.outcomes import FailureClass, FailureMode, Outcome
from studio.engine.records import Finding, Query, Score
from studio.engine.store.writer import Store
from studio.terminal_trace import Wish, trace
from tests.engine.store.made import SERVER, a_plan

STEERS = "\x1b[2J\x1b]0;x\x07\x9b31m\u202egold"


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A run of two queries, two trials each; of the last trial the server made nothing."""
    monkeypatch.setenv("COLUMNS", "100")
    with Store.open(tmp_path / "my gold") as store:
        run = store.create_run(replace(a_plan(2, 2), query_ids=("dear", STEERS)), [SERVER])
        for position, id in enumerate(("dear", STEERS)):
            for number in (1, 2):
                trial = store.begin_trial(run, Query(id, STEERS), number, position)
                if (position, number) == (1, 2):
                    lost = TrialEnded(0.0, Outcome.FAILED, None, FailureClass.SERVER, STEERS)
                    store.append(trial, lost)
                    score = Score("answer_contains", "1", None, "the server failed")
                    store.add_scores(trial, [score])
                    continue
                store.append(trial, TrialEnded(0.0, Outcome.FINISHED, STEERS))
                finding = Finding(FailureMode.WRONG_ANSWER, STEERS, 0)
                scores = [Score("answer_contains", "1", float(number == 1), STEERS)]
                store.add_scores(trial, scores, [finding] if number == 2 else [])
    return tmp_path / "my gold"


def printed(capsys: pytest.CaptureFixture[str], wish: Wish) -> str:
    assert trace(wish) == 0
    return capsys.readouterr().out


def test_each_trial_is_listed_with_how_it_ended_its_scores_and_what_went_wrong(folder, capsys):
    headings, *rows, hint = printed(capsys, Wish(folder, 1)).splitlines()
    assert headings.split() == ["Query", "Trial", "Ended", "Went", "wrong", "Answer", "contains"]
    assert [row.split() for row in rows[:2]] == [
        ["dear", "1", "finished", "1.00"],
        ["dear", "2", "finished", "wrong", "answer", "0.00"],
    ]
    assert rows[-1].split()[-4:] == ["2", "failed:", "server", "–"]
    command = f"studio trace {shlex.quote(str(folder))} 1 QUERY --trial N"
    assert hint == f"Step by step: {command}"


def test_a_trial_whose_end_was_never_stored_is_not_said_to_run(folder, capsys):
    with Store.open(folder) as store:
        run = store.create_run(a_plan(1), [SERVER])
        store.begin_trial(run, Query("q0", "gold?"), 1, 0)
        store.end_run(run, "failed")
        store.committed().result(timeout=30)
        _, row, _ = printed(capsys, Wish(folder, run)).splitlines()
    assert row.split()[:4] == ["q0", "1", "not", "ended"]


def test_programs_get_the_same_with_the_reasons(folder, capsys):
    found = json.loads(printed(capsys, Wish(folder, 1, as_json=True)))
    assert found["run"] == 1
    places = [(each["query"], each["trial"]) for each in found["trials"]]
    assert places == [("dear", 1), ("dear", 2), (STEERS, 1), (STEERS, 2)]
    second, *_, last = found["trials"][1:]
    assert second["scores"]["answer_contains"]["value"] == 0.0
    assert second["went_wrong"] == [{"mode": "wrong answer", "reason": last["reason"], "event": 0}]
    assert (last["outcome"], last["failure"]) == ("failed", "server")
    assert last["scores"]["answer_contains"] == {
        "value": None, "reason": "the server failed", "version": "1"
    }  # fmt: skip


def test_no_name_steers_the_terminal_and_it_stays_narrow(folder, capsys):
    output = printed(capsys, Wish(folder, 1))
    assert "gold" in output
    assert not set(output) & set("\x1b\x07\x9b\u202e")
    *rows, _ = output.splitlines()
    assert max(map(len, rows)) <= 100


def test_a_long_run_is_listed_in_part_and_says_so(folder, capsys, monkeypatch):
    monkeypatch.setattr(terminal_trials, "_MOST_ROWS", 3)
    assert "... and 1 more (--json lists them all)." in printed(capsys, Wish(folder, 1))
    assert len(json.loads(printed(capsys, Wish(folder, 1, as_json=True)))["trials"]) == 4


def test_a_run_that_no_trial_of_has_begun_says_so(tmp_path, capsys):
    with Store.open(tmp_path) as store:
        store.create_run(a_plan(), [SERVER])
    assert printed(capsys, Wish(tmp_path, 1)) == "No trial of run 1 has begun.\n"
    assert json.loads(printed(capsys, Wish(tmp_path, 1, as_json=True))) == {"run": 1, "trials": []}


@pytest.mark.parametrize(
    ("wish", "words"),
    [
        (Wish(Path(), 7), "no run 7"),
        (Wish(Path(), 1, trial=2), "--trial and --prompt are about one query"),
        (Wish(Path(), 1, is_rendered=True), "--trial and --prompt are about one query"),
        (Wish(Path(), 1, "dear", as_json=True), "--json lists the trials"),
    ],
)
def test_what_cannot_be_is_told_with_what_can(folder, wish, words):
    with pytest.raises(RunError) as told:
        trace(wish._replace(folder=folder))
    assert words in str(told.value)
