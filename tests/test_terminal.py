"""The `studio` command in a terminal: what it says, what it exits with, and how it is stopped."""

import contextlib
import json
import os
import re
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from studio import samples
from studio.engine.outcomes import Outcome
from studio.engine.records import Tally
from studio.engine.store.reader import RunReader
from tests.engine import sample
from tests.ollama_fixture import ScriptedOllama

ROOT = Path(__file__).parents[1]
MakeSample = Callable[..., Path]

pytestmark = pytest.mark.skipif(
    sys.platform == "win32", reason="there is no SIGINT for one process"
)


@pytest.fixture
def gold(tmp_path: Path, scripted_ollama: ScriptedOllama) -> MakeSample:
    """Writes the sample project, whose model is played by the scripted server."""
    scripted_ollama.play(sample.script())

    def make(**settings: Any) -> Path:
        return sample.write(tmp_path / "gold", scripted_ollama.address, **settings)

    return make


def studio(*arguments: object) -> subprocess.Popen[str]:
    return subprocess.Popen(
        [sys.executable, "-m", "studio", *map(str, arguments)],
        cwd=ROOT, env=os.environ | {"COLUMNS": "160"}, text=True,
        stdout=subprocess.PIPE, stderr=subprocess.PIPE,
    )  # fmt: skip


def said(*arguments: object) -> tuple[int, str, str]:
    """Exit code, output and error output of a command that ends by itself."""
    process = studio(*arguments)
    output, errors = process.communicate(timeout=120)
    return process.returncode, output, errors


def stopped(
    process: subprocess.Popen[str], by: signal.Signals = signal.SIGINT
) -> tuple[int, str, str]:
    process.send_signal(by)
    output, errors = process.communicate(timeout=120)
    return process.returncode, output, errors


def tally(folder: Path, run: int = 1) -> Tally:
    with contextlib.closing(RunReader(folder)) as reader:
        return reader.tally(run)


def asked(log: list[dict[str, Any]]) -> int:
    """How often the model was asked something."""
    return sum(e["path"] == "/api/chat" and bool(e["body"].get("messages")) for e in log)


class TestRun:
    def test_code_is_run_only_when_it_is_trusted(self, gold):
        folder = gold()
        code, output, errors = said("run", folder)
        assert (code, output.strip()) == (1, "")
        assert "tools.py" in errors
        assert "--trust" in errors
        assert "Traceback" not in errors
        assert not (folder / ".studio").exists()

    def test_a_run_prints_its_trials_its_averages_and_its_counts(self, gold):
        folder = gold()
        code, output, errors = said("run", folder, "--trust", "--trials", 2, "--query", "q3")
        assert (code, errors) == (0, "")
        assert f"plain · all · {sample.MODEL} on http://127.0.0.1:" in output
        assert output.count("What do 3 grams cost?") == 2
        assert "Number in answer" in output
        assert "2 of 2" in output
        assert "Run 1: 2 done of 2 planned." in output

        code, output, errors = said("runs", folder)
        assert (code, errors) == (0, "")
        assert "finished" in output

    def test_a_run_is_repeated_exactly_whatever_became_of_the_project(self, gold, scripted_ollama):
        folder = gold()
        assert said("run", folder, "--trust", "--query", "q3")[0] == 0
        before = scripted_ollama.chats()[-1]
        (folder / "prompts" / "plain.md").write_text("Another prompt.\n")
        (folder / "queries.jsonl").write_text('{"id": "q3", "query": "Another question?"}\n')

        code, output, errors = said("run", folder, "--again", 1)
        assert (code, errors) == (0, "")
        assert "run 1 again, nothing changed" in output
        assert "0 of 1" in output
        assert scripted_ollama.chats()[-1] == before

    def test_a_run_of_which_nothing_is_missing_is_not_continued(self, gold, scripted_ollama):
        folder = gold()
        assert said("run", folder, "--trust", "--query", "q3")[0] == 0
        before = len(scripted_ollama.log())
        code, output, errors = said("run", folder, "--continue", 1)
        assert (code, errors) == (0, "")
        assert output == (
            "Nothing is missing of run 1: 1 done of 1 planned.  Its figures: "
            f"studio analyse {folder} --run 1\n"
        )
        assert len(scripted_ollama.log()) == before  # nobody was asked, nothing was loaded

    def test_a_run_over_two_servers_says_which_answered(self, gold, scripted_ollama):
        with ScriptedOllama(sample.script(version="0.13.1")) as other:
            servers = (scripted_ollama.address, other.address, "http://127.0.0.1:9")
            named = [part for each in servers for part in ("--server", each)]
            code, output, errors = said("run", gold(), "--trust", *named)
        assert (code, errors) == (0, "")
        assert f"plain · all · {sample.MODEL} on 2 servers, 6 trials" in output
        assert f"{other.address}, version 0.13.1, digest 000000000000" in output
        assert "num_ctx 4,096, temperature 0, seed 1" in output
        assert "http://127.0.0.1:9: took no part. No model server answers" in output
        counts = re.findall(r": asked for (\d)", output)
        assert len(counts) == 2
        assert sum(map(int, counts)) == 6
        assert "Server" in output

    def test_what_the_server_failed_is_run_again_as_it_says(self, gold, scripted_ollama):
        broken = {"user": " 1 ", "reply": {"status": 500, "error": "runner died"}}
        folder = gold()
        scripted_ollama.play(sample.script(rules=[broken, *sample.RULES]))
        code, output, _ = said("run", folder, "--trust")
        assert (code, "5 done, 1 failed of 6" in output) == (0, True)
        assert f"What the server failed, again: studio run {folder} --continue 1" in output
        scripted_ollama.play(sample.script())
        code, output, _ = said("run", folder, "--trust", "--continue", 1)
        assert (code, "6 done of 6 planned" in output) == (0, True)
        assert "--continue" not in output

    def test_the_one_server_of_a_run_that_was_lost_is_named_at_its_end(self, gold):
        script = sample.script(default={"delay": 60})
        with ScriptedOllama(script) as mortal:
            running = studio("run", gold(), "--trust", "--server", mortal.address)
            mortal.wait_for(lambda log: asked(log) == 2)
            mortal.kill()
            output, _ = running.communicate(timeout=120)
        assert running.returncode == 1
        assert f"{mortal.address}, version 0.12.0" in output
        told = " ".join(output.split())
        assert re.search(r": asked for 1, was gone since [^.]+\. No model server answers", told)

    def test_a_run_is_continued_on_another_server_and_the_rest_of_it_too(self, gold):
        script = sample.script(rules=[{"user": " 2 ", "reply": {"delay": 60}}, *sample.RULES])
        with ScriptedOllama(script) as mortal:
            folder = gold()
            running = studio("run", folder, "--trust", "--server", mortal.address)
            mortal.wait_for(lambda log: any(" 2 " in str(each["body"]) for each in log))
            mortal.kill()
            running.communicate(timeout=120)
        with ScriptedOllama(script) as other:
            elsewhere = ("run", folder, "--continue", 1, "--server", other.address)
            running = studio(*elsewhere)
            other.wait_for(lambda log: any(" 2 " in str(each["body"]) for each in log))
            _, output, _ = stopped(running)
            assert f"--continue 1 --server {other.address}" in " ".join(output.split())
            other.play(sample.script())
            code, output, _ = said(*elsewhere)
        assert (code, "6 done of 6 planned" in output) == (0, True)
        assert f"{mortal.address}, version 0.12.0" in output
        assert f"{other.address}, version 0.12.0" in output

    def test_servers_that_mean_no_server_are_told(self, gold):
        code, _, errors = said("run", gold(), "--trust", "--server", "pool", "--server", "auto")
        assert (code, "all of them already" in errors) == (1, True)
        code, _, errors = said("run", gold(), "--trust", "--server", "ftp://a")
        assert (code, "no server address" in errors) == (1, True)

    def test_a_query_that_is_not_there_is_told_with_those_that_are(self, gold):
        code, _, errors = said("run", gold(), "--trust", "--query", "q33")
        assert code == 1
        assert "Did you mean q3?" in errors

    def test_a_folder_that_is_not_there_is_told_as_that(self, tmp_path):
        code, _, errors = said("run", tmp_path / "nope")
        assert code == 1
        assert f"There is no folder {tmp_path / 'nope'}." in errors.replace("\n", " ")
        assert "mistake" not in errors

    def test_a_repetition_takes_no_other_choices(self, gold):
        code, _, errors = said("run", gold(), "--trust", "--again", 1, "--trials", 2)
        assert code == 1
        assert "exactly" in errors

    def test_ctrl_c_keeps_what_ended_and_says_how_to_go_on(self, gold, scripted_ollama):
        folder = gold()
        scripted_ollama.play(sample.script(default={"delay": 0.2, **sample.ANSWER}))
        running = studio("run", folder, "--trust")
        wait_until(lambda: asked(scripted_ollama.log()) >= 5)
        code, output, errors = stopped(running)
        assert (code, errors) == (1, "")
        kept = tally(folder)
        assert kept.done >= 2
        assert kept.cancelled == 1
        assert f"Run 1: {kept.done} done, 1 cancelled, {kept.left} not run of 6 planned." in output
        assert f"studio run {folder} --continue 1" in output

        scripted_ollama.play(sample.script())
        code, output, errors = said("run", folder, "--continue", 1)
        assert (code, errors) == (0, "")
        assert "Run 1: 6 done of 6 planned." in output
        assert asked(scripted_ollama.log()) == 2 * (6 - kept.done)

    @pytest.mark.parametrize("by", [signal.SIGINT, signal.SIGTERM])
    def test_a_signal_while_the_model_loads_ends_it_at_once(self, gold, scripted_ollama, by):
        folder = gold()
        scripted_ollama.play(sample.script(load={"fault": "silence"}))
        running = studio("run", folder, "--trust")
        wait_until(lambda: any(e["path"] == "/api/chat" for e in scripted_ollama.log()))
        code, output, errors = stopped(running, by)
        assert (code, errors) == (1, "")
        assert "Traceback" not in output

    @pytest.mark.parametrize(
        ("arguments", "told"),
        [
            (("--prompt", "plan"), "The project has no prompt plan. Did you mean plain?"),
            (("--model", "other"), "The project has no model other."),
            (("--query", "q77"), "The project has no query 'q77'."),
            (("--trials", "0"), "--trials is 0."),
            (("--at-once", "-1"), "--at-once is -1."),
            (("--continue", "1", "--prompt", "plain"), "--continue"),
            (("--continue", "7"), "There is no run 7 in this project. `studio runs` lists them."),
        ],
        ids=" ".join,
    )
    def test_what_is_not_there_is_told(self, gold, arguments, told):
        code, _, errors = said("run", gold(), "--trust", *arguments)
        assert code == 1
        assert told in errors.replace("\n", " ")

    def test_a_server_that_does_not_answer_is_told(self, gold, closed_address):
        folder = gold(model={"name": "m", "server": closed_address})
        code, _, errors = said("run", folder, "--trust")
        assert code == 1
        assert errors.startswith(f"studio: No model server answers at {closed_address}.\n")

    def test_wrong_usage_has_an_exit_code_of_its_own(self):
        assert said("run")[0] == 2


class TestCheck:
    def test_a_good_project_has_nothing_wrong(self, gold):
        code, output, errors = said("check", gold())
        assert (code, output.splitlines()[0], errors) == (0, "gold: nothing is wrong.", "")

    def test_every_mistake_is_listed_with_its_place(self, gold):
        folder = gold(trials=0)
        (folder / "queries.jsonl").write_text('{"query": ""}\n{"query": "[bold]x", "tag": 1}\n')
        code, output, errors = said("check", folder)
        assert (code, errors) == (1, "")
        assert "project.yaml, line 5: " in output
        assert "queries.jsonl, line 1: " in output
        assert "queries.jsonl, line 2: " in output
        code, _, errors = said("run", folder, "--trust")
        assert code == 1
        assert "queries.jsonl, line 2: " in errors


class TestLists:
    def test_a_project_without_runs_says_so(self, gold):
        assert said("runs", gold()) == (0, "This project has no runs yet.\n", "")

    def test_there_are_no_figures_before_the_first_run(self, gold):
        code, output, errors = said("analyse", gold(), "--json")
        assert (code, output) == (1, "")
        assert "This project has no runs yet." in errors

    def test_a_folder_that_is_not_there_is_told(self, tmp_path):
        code, _, errors = said("runs", tmp_path / "nowhere")
        assert code == 1
        assert "nowhere" in errors

    def test_the_models_of_a_server_are_listed(self, scripted_ollama):
        scripted_ollama.play({"models": [{"name": "a:1b"}, {"name": "[red]b"}]})
        code, output, errors = said("models", scripted_ollama.address)
        assert (code, errors) == (0, "")
        assert "a:1b" in output
        assert "[red]b" in output, "names are shown as they are"

    def test_a_server_without_an_answer_is_told(self, closed_address):
        code, _, errors = said("models", closed_address)
        assert code == 1
        assert closed_address in errors


@pytest.mark.weights
def test_the_demo_runs_on_the_embedded_model_until_it_is_stopped():
    folder = samples.own_sample("metal_prices")
    demo = studio("demo", "--headless")
    wait_until(lambda: tally(folder).done >= 2, seconds=120)
    code, output, errors = stopped(demo)
    assert (code, errors) == (1, "")
    assert "smollm2:135m on embedded" in output
    with contextlib.closing(RunReader(folder)) as reader:
        rows = [row for row in reader.changed_trials(1) if row.outcome is Outcome.FINISHED]
    assert len(rows) >= 2
    assert all(row.scores for row in rows)


def wait_until(holds: Callable[[], bool], seconds: float = 60.0) -> None:
    deadline = time.monotonic() + seconds
    while not holds():
        assert time.monotonic() < deadline, "it did not come to that"
        time.sleep(0.05)


def test_a_sound_project_is_told_how_full_the_window_is(gold):
    code, output, errors = said("check", gold())
    assert (code, errors) == (0, "")
    assert "nothing is wrong" in output
    assert "of the window's 4,096 tokens are taken: prompt " in output
    assert "kept for the reply 512" in output


class TestTrace:
    def test_a_trial_is_shown_step_by_step(self, gold, scripted_ollama):
        thinking = sample.ANSWER | {"thinking": "Thirty, I think."}
        scripted_ollama.play(sample.script(default=thinking))
        folder = gold()
        assert said("run", folder, "--trust", "--query", "q3")[0] == 0
        code, output, errors = said("trace", folder, 1, "q3")
        assert (code, errors) == (0, "")
        for told in (
            f"Trial 1 of run 1 on {scripted_ollama.address}.",
            "asked with num_ctx 4,096, temperature 0, seed 1",
            "calls price(grams=3)", "→ 30", "thought: Thirty, I think.",
            "s of it loading", "finished, ", "It costs 30 dollars.",
        ):  # fmt: skip
            assert told in " ".join(output.split()), told

    def test_the_prompt_is_shown_as_the_model_reads_it(self, gold, scripted_ollama):
        folder = gold()
        assert said("run", folder, "--trust", "--query", "q3")[0] == 0
        line = {"model": "m", "_debug_info": {"rendered_template": "<|user|>What do 3 grams?"}}
        scripted_ollama.play(sample.script(rules=[], default={"lines": [json.dumps(line)]}))
        code, output, errors = said("trace", folder, 1, "q3", "--prompt")
        assert (code, errors) == (0, "")
        assert "<|user|>What do 3 grams?" in output

    def test_what_is_not_there_is_told(self, gold):
        folder = gold()
        assert "no run 1" in said("trace", folder, 1, "q3")[2]
        assert said("run", folder, "--trust", "--query", "q3")[0] == 0
        assert "Did you mean q3?" in said("trace", folder, 1, "q33")[2]
        assert "no trial 2 of q3" in said("trace", folder, 1, "q3", "--trial", 2)[2]
