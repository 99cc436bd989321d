"""The real engine process over its real pipe: what goes down, and what comes up for it."""

import contextlib
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from studio.engine.messages import (
    ContinueRun,
    DeleteQuery,
    EngineReady,
    OpenProject,
    PauseRun,
    Preparing,
    ProjectOpened,
    ProjectRefused,
    QueriesRead,
    ResumeRun,
    RunAtOnce,
    RunEnded,
    RunProgressed,
    RunStarted,
    SavePrompt,
    SaveQuery,
    SaveTool,
    Shutdown,
    StartRun,
    StopRun,
    Told,
    TrustNeeded,
    TrustProject,
)
from studio.engine.model_messages import (
    DeleteModel,
    FindModels,
    ModelsFound,
    ProbeModel,
    ProbeMoved,
    PullModel,
    UnloadModel,
)
from studio.engine.outcomes import Outcome
from studio.engine.records import (
    Expected,
    Query,
    Tally,
)
from studio.engine.store.opening import runs_file
from studio.engine.store.reader import RunReader
from tests.engine import sample
from tests.engine.engine_process import COMMAND, ROOT, plan_of

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="select() takes no pipes there")

IDS = tuple(f"q{number}" for number in range(6))
SLOW = {"delay": 0.2, **sample.ANSWER}


def plan(opened, **changes):
    return plan_of(opened.project, IDS[: opened.query_count], **changes)


def kinds(notices, *those):
    return [type(notice) for notice in notices if isinstance(notice, those)]


def kept(notices, kind):
    return [notice for notice in notices if isinstance(notice, kind)]


def trials(folder, run=1):
    with contextlib.closing(RunReader(Path(folder))) as reader:
        return sorted(reader.changed_trials(run, 0, 100_000), key=lambda row: row.position)


def stored(folder, run=1):
    with contextlib.closing(RunReader(Path(folder))) as reader:
        return reader.run(run)


def until_the_model_was_asked(server, times=1):
    """Wait until that many trials have asked the model something."""
    server.wait_for(lambda log: sum(_is_question(entry) for entry in log) >= times)


def _is_question(entry):
    return entry["path"] == "/api/chat" and bool(entry["body"].get("messages"))


def asked_of(server):
    """The queries that the model was asked, once each, in order."""
    chats = [body["messages"][1]["content"] for body in server.chats() if body.get("messages")]
    return list(dict.fromkeys(chats))


class TestProjects:
    def test_a_project_is_told_with_its_queries_in_parts(self, engine, make_sample):
        engine.send(OpenProject(str(make_sample(queries=2500))))
        opened = engine.until(ProjectOpened)
        assert (opened.query_count, opened.is_trusted, opened.read_only) == (2500, False, "")
        parts = [engine.until(QueriesRead) for _ in range(3)]
        assert [(part.first, len(part.queries)) for part in parts] == [
            (0, 1000), (1000, 1000), (2000, 500),
        ]  # fmt: skip
        assert parts[2].queries[-1].id == "q2499"

    def test_a_refused_project_is_told_with_every_mistake(self, engine, make_sample):
        folder = make_sample(trials=-1, model={"name": "m", "options": {"num_ctx": 16}})
        (folder / "queries.jsonl").write_text('{"query": ""}\nno JSON\n')
        (folder / "prompts" / "bad.md").write_bytes(b"\xff\xfe\x00")
        engine.send(OpenProject(str(folder)))
        refused = engine.until(ProjectRefused)
        assert refused.folder == str(folder)
        places = {(problem.file, problem.line) for problem in refused.problems}
        assert {file for file, _ in places} == {
            "project.yaml", "queries.jsonl", "prompts/bad.md",
        }  # fmt: skip
        assert len(places) >= 5, "each mistake has its own place"

    def test_a_refused_project_leaves_the_open_one_open(self, engine, opened, tmp_path):
        engine.send(OpenProject(str(tmp_path / "nowhere")), SavePrompt("new", "Be brief."))
        assert "There is no folder" in engine.until(ProjectRefused).problems[0].problem
        assert [prompt.name for prompt in engine.until(ProjectOpened).project.prompts] == [
            "new", "plain",
        ]  # fmt: skip

    def test_what_was_changed_on_disk_is_told_before_it_runs(self, engine, opened):
        folder = Path(opened.project.folder)
        (folder / "prompts" / "plain.md").write_text("Say nothing but numbers.\n")
        engine.seen.clear()
        assert engine.run(plan(opened)).ending == "finished"
        assert kinds(engine.seen, ProjectOpened, RunStarted, RunEnded) == [
            ProjectOpened, RunStarted, RunEnded,
        ]  # fmt: skip
        assert stored(folder).plan.variant.prompt.text == "Say nothing but numbers."

    def test_a_project_that_broke_meanwhile_does_not_run(self, engine, opened):
        folder = Path(opened.project.folder)
        (folder / "project.yaml").write_text("name: [\n")
        engine.send(StartRun(plan(opened)))
        assert engine.until(ProjectRefused).problems[0].file == "project.yaml"
        assert not kinds(engine.seen, RunStarted, RunEnded)

    def test_a_project_that_was_deleted_meanwhile_does_not_run(self, engine, opened):
        folder = Path(opened.project.folder)
        folder.rename(folder.with_name("away"))
        engine.send(StartRun(plan(opened)))
        assert "There is no folder" in engine.until(ProjectRefused).problems[0].problem

    def test_opening_another_project_stops_the_run_and_stores_it(
        self, engine, opened, make_sample, scripted_ollama
    ):
        other = make_sample("other")
        scripted_ollama.play(sample.script(default=SLOW))
        engine.send(StartRun(plan(opened)))
        until_the_model_was_asked(scripted_ollama, 3)
        engine.send(OpenProject(str(other)))
        assert engine.until(RunEnded).ending == "stopped"
        assert engine.until(ProjectOpened).project.folder == str(other)
        assert stored(opened.project.folder).ending == "stopped"


class TestTrust:
    def test_code_is_not_run_before_it_is_trusted(self, engine, make_sample, scripted_ollama):
        folder = make_sample()
        (folder / "tools.py").write_text("open('ran', 'w')\n" + sample.TOOLS)
        engine.send(OpenProject(str(folder)))
        opened = engine.until(ProjectOpened)
        engine.send(StartRun(plan(opened)))
        assert engine.until(TrustNeeded) == TrustNeeded(str(folder), ("tools.py",))
        assert not kinds(engine.seen, RunStarted, RunEnded)
        assert not (folder / "ran").exists()

        engine.send(TrustProject(str(folder)))
        assert engine.until(ProjectOpened).is_trusted
        assert engine.run(plan(opened)).ending == "finished"
        assert (folder / "ran").exists()

    def test_trust_that_was_taken_back_is_asked_for_again(self, engine, opened):
        (trusted,) = Path(engine.settings).rglob("trusted_folders.json")
        trusted.write_text("[]")
        engine.send(StartRun(plan(opened)))
        assert engine.until(TrustNeeded).files == ("tools.py",)


class TestChanges:
    def test_a_prompt_is_saved_and_confirmed(self, engine, opened):
        engine.send(SavePrompt("plain", "Answer in one word."))
        (prompt,) = engine.until(ProjectOpened).project.prompts
        assert prompt.text == "Answer in one word."
        saved = Path(opened.project.folder) / "prompts" / "plain.md"
        assert saved.read_text() == "Answer in one word.\n"

    def test_what_another_program_wrote_is_not_replaced_unseen(self, engine, opened):
        folder = Path(opened.project.folder)
        prompt = folder / "prompts" / "plain.md"
        prompt.write_text("Theirs.\n")
        engine.send(SavePrompt("plain", "Mine."))
        (seen,) = engine.until(ProjectOpened).project.prompts
        assert seen.text == "Theirs."
        assert "another program" in engine.until(Told).problem
        assert prompt.read_text() == "Theirs.\n"
        engine.send(SavePrompt("plain", "Mine all the same."))
        engine.until(ProjectOpened)
        assert prompt.read_text() == "Mine all the same.\n"

    def test_what_another_program_wrote_beside_a_change_is_kept(self, engine, opened):
        folder = Path(opened.project.folder)
        (folder / "prompts" / "other.md").write_text("Another one.\n")
        engine.send(SavePrompt("plain", "Mine."))
        prompts = engine.until(ProjectOpened).project.prompts
        assert {each.name: each.text for each in prompts} == {
            "other": "Another one.", "plain": "Mine.",
        }  # fmt: skip

    def test_a_saved_query_leaves_the_comments_of_the_others(self, engine, make_sample):
        folder = make_sample()
        (folder / "queries.jsonl").unlink()
        text = "# The first ones.\n- id: a\n  query: One?  # easy\n- id: b\n  query: Two?\n"
        (folder / "queries.yaml").write_text(text)
        engine.send(OpenProject(str(folder)))
        engine.until(QueriesRead)
        engine.send(SaveQuery(Query("b", "Two or three?", Expected(contains=("3",))), "b"))
        assert [query.text for query in engine.until(QueriesRead).queries] == [
            "One?", "Two or three?",
        ]  # fmt: skip
        written = (folder / "queries.yaml").read_text()
        assert "# The first ones." in written
        assert "# easy" in written

    def test_a_saved_tool_leaves_the_comments_of_the_file(self, engine, make_sample):
        folder = make_sample()
        (folder / "tools.yaml").write_text("# Words for the tools.\nsets:\n  all: [price]\n")
        engine.send(OpenProject(str(folder)))
        (tool,) = engine.until(ProjectOpened).project.tool_sets[0].tools
        changed = type(tool)(tool.name, "What gold costs.", tool.parameters, 3.0)
        engine.send(SaveTool(changed))
        assert engine.until(ProjectOpened).project.tool_sets[0].tools == (changed,)
        assert "# Words for the tools." in (folder / "tools.yaml").read_text()

    def test_a_change_that_cannot_be_is_told_and_nothing_is_written(self, engine, opened):
        queries = Path(opened.project.folder) / "queries.jsonl"
        before = queries.read_bytes()
        engine.send(SaveQuery(Query("q1", "A second one of that id?"), None))
        told = engine.until(Told)
        assert told.is_error
        assert told.problem == "This was not saved."
        assert "q1" in told.remedy
        engine.send(SavePrompt("plain", "  "))
        assert "empty" in engine.until(Told).remedy
        assert not kinds(engine.seen, ProjectRefused), "the project stays open"
        assert queries.read_bytes() == before

    def test_without_a_project_nothing_is_saved_or_run(self, new_engine):
        engine = new_engine()
        engine.send(DeleteQuery("q1"), ContinueRun(1))
        assert engine.until(Told).problem == "No project is open."
        assert engine.until(Told).problem == "No project is open."

    def test_changes_asked_for_before_the_end_are_carried_out(self, new_engine, make_sample):
        folder = make_sample()
        engine = new_engine()
        engine.open(folder)
        for number in range(5):
            engine.send(SavePrompt(f"p{number}", f"Text {number}."))
        engine.send(Shutdown())
        assert engine.wait() == 0
        written = {path.stem: path.read_text() for path in (folder / "prompts").glob("p?.md")}
        assert written == {f"p{number}": f"Text {number}.\n" for number in range(5)}


class TestRuns:
    def test_a_run_is_told_from_its_start_to_its_end(self, engine, opened):
        engine.seen.clear()
        ended = engine.run(plan(opened, trials=2))
        assert ended == RunEnded(1, "finished", Tally(12, done=12))
        told = kinds(engine.seen, Preparing, RunStarted, RunProgressed, RunEnded)
        started = told.index(RunStarted)
        assert set(told[:started]) == {Preparing}
        assert set(told[started + 1 : -1]) == {RunProgressed}
        progress = [n.tally for n in engine.seen if isinstance(n, RunProgressed)]
        assert [tally.done for tally in progress] == sorted(tally.done for tally in progress)
        assert progress[-1] == ended.tally
        assert stored(opened.project.folder).tally == ended.tally
        values = [row.scores[1].value for row in trials(opened.project.folder)]
        assert values.count(1.0) == 2, "q3, twice, is what the scripted model gets right"

    def test_stopping_keeps_what_ended_and_continuing_runs_the_rest(
        self, engine, opened, scripted_ollama
    ):
        scripted_ollama.play(sample.script(default=SLOW))
        engine.send(StartRun(plan(opened)))
        until_the_model_was_asked(scripted_ollama, 5)
        engine.send(StopRun())
        ended = engine.until(RunEnded)
        folder = opened.project.folder
        assert ended.ending == "stopped"
        assert (ended.tally.cancelled, stored(folder).tally) == (1, ended.tally)
        kept = {row.query_id: row for row in trials(folder) if row.outcome is Outcome.FINISHED}
        assert len(kept) == ended.tally.done >= 2
        assert all(len(row.scores) == len(sample.SCORED) for row in kept.values())

        scripted_ollama.play(sample.script())
        engine.send(ContinueRun(1))
        assert engine.until(RunStarted).run == 1
        assert engine.until(RunEnded) == RunEnded(1, "finished", Tally(6, done=6))
        assert len(asked_of(scripted_ollama)) == 6 - len(kept)
        after = {row.query_id: row for row in trials(folder)}
        assert {id: after[id] for id in kept} == kept

    def test_a_run_that_is_stopped_before_it_began_comes_to_nothing(self, engine, opened):
        engine.send(StartRun(plan(opened)), StopRun())
        assert engine.until(RunEnded) == RunEnded(0, "stopped", Tally(0))
        assert not kinds(engine.seen, RunStarted)
        assert engine.run(plan(opened)).ending == "finished", "the next one is not stopped"

    def test_a_run_that_is_stopped_while_its_model_loads_comes_to_nothing(
        self, engine, opened, scripted_ollama
    ):
        scripted_ollama.play(sample.script(load={"fault": "silence"}))
        engine.send(StartRun(plan(opened)))
        scripted_ollama.wait_for(lambda log: any(e["path"] == "/api/chat" for e in log))
        engine.send(StopRun(), StopRun())
        assert engine.until(RunEnded) == RunEnded(0, "stopped", Tally(0))
        scripted_ollama.wait_for(lambda log: log[-1]["ended"] == "client left")

    def test_stopping_twice_ends_the_run_once(self, engine, opened, scripted_ollama):
        scripted_ollama.play(sample.script(default=SLOW))
        engine.send(StartRun(plan(opened)))
        until_the_model_was_asked(scripted_ollama, 2)
        engine.send(StopRun(), StopRun(), StopRun())
        assert engine.until(RunEnded).ending == "stopped"
        engine.send(FindModels(scripted_ollama.address))
        engine.until(ModelsFound)
        assert len(kinds(engine.seen, RunEnded)) == 1
        assert all(row.outcome is not None for row in trials(opened.project.folder))

    def test_a_paused_run_that_is_stopped_begins_nothing_more(
        self, engine, opened, scripted_ollama
    ):
        scripted_ollama.play(sample.script(default=SLOW))
        engine.send(StartRun(plan(opened)))
        until_the_model_was_asked(scripted_ollama, 2)
        engine.send(PauseRun(), StopRun(), ResumeRun(), RunAtOnce(4))
        ended = engine.until(RunEnded)
        assert ended.ending == "stopped"
        assert ended.tally == Tally(6, done=ended.tally.done, cancelled=1)
        assert stored(opened.project.folder).tally == ended.tally

    def test_a_second_run_is_refused_while_one_goes_on(self, engine, opened, scripted_ollama):
        scripted_ollama.play(sample.script(default=SLOW))
        engine.send(StartRun(plan(opened)), StartRun(plan(opened)))
        assert engine.until(Told).problem == "A run is under way."
        assert engine.until(RunEnded).ending == "finished"
        assert len(kinds(engine.seen, RunStarted, RunEnded)) == 2

    def test_a_run_that_is_not_there_is_not_continued(self, engine, opened):
        engine.send(ContinueRun(77))
        ended = engine.until(RunEnded)
        assert (ended.run, ended.ending) == (0, "failed")
        assert ended.problem == "There is no run 77 in this project."

    def test_a_run_is_continued_with_the_queries_that_it_began_with(
        self, engine, opened, scripted_ollama
    ):
        scripted_ollama.play(sample.script(default=SLOW))
        engine.send(StartRun(plan(opened)))
        until_the_model_was_asked(scripted_ollama, 3)
        engine.send(StopRun())
        engine.until(RunEnded)
        queries = Path(opened.project.folder) / "queries.jsonl"
        queries.write_text('{"id": "q5", "query": "Something else?"}\n')

        scripted_ollama.play(sample.script())
        engine.send(ContinueRun(1))
        assert engine.until(RunEnded) == RunEnded(1, "finished", Tally(6, done=6))
        assert asked_of(scripted_ollama)[-1] == "What do 5 grams cost?"
        assert trials(opened.project.folder)[3].scores[1].value == 1.0

    def test_a_query_that_is_gone_is_named(self, engine, opened):
        queries = Path(opened.project.folder) / "queries.jsonl"
        queries.write_text('{"id": "q5", "query": "Something else?"}\n')
        ended = engine.run(plan(opened))
        assert (ended.run, ended.ending) == (0, "failed")
        assert "'q0'" in ended.problem


class TestModels:
    def test_the_models_of_a_server_are_found(self, engine, scripted_ollama):
        scripted_ollama.play({"models": [{"name": "a:1b"}, {"name": "b:2b"}]})
        engine.send(FindModels(scripted_ollama.address))
        found = engine.until(ModelsFound)
        assert found.server == scripted_ollama.address
        assert [model.name for model in found.models] == ["a:1b", "b:2b"]
        assert found.problem == ""

    @pytest.mark.parametrize("server", ["http://", "no address at all", "http://127.0.0.1:99999"])
    def test_what_is_no_address_is_told(self, engine, server):
        engine.send(FindModels(server))
        found = engine.until(ModelsFound)
        assert found.facts is None
        assert found.problem
        assert found.remedy

    def test_a_server_that_does_not_answer_is_told(self, engine, closed_address):
        engine.send(FindModels(closed_address))
        assert closed_address in engine.until(ModelsFound).problem

    def test_a_run_ends_a_probe_and_keeps_its_model_to_itself(
        self, engine, opened, scripted_ollama
    ):
        slow = [{"user": "Who counted", "reply": {"fault": "silence"}}, *sample.RULES]
        scripted_ollama.play(sample.script(rules=slow, default=SLOW))
        place = (scripted_ollama.address, sample.MODEL)
        engine.send(ProbeModel(*place))
        scripted_ollama.wait_for(lambda log: any(e["path"] == "/api/chat" and e["body"]["messages"]
                                                 for e in log))  # fmt: skip
        engine.send(StartRun(plan(opened)))
        engine.until(RunStarted)
        endings = [notice.ending for notice in kept(engine.seen, ProbeMoved)]
        assert endings[-1] == "cancelled"
        until_the_model_was_asked(scripted_ollama, 1)
        engine.send(DeleteModel(*place), UnloadModel(*place), ProbeModel(*place))
        refusals = [engine.until(Told).problem for _ in range(3)]
        assert sum("uses it" in each for each in refusals) == 2
        assert sum("A run is under way" in each for each in refusals) == 1
        assert engine.until(RunEnded).ending == "finished"

    def test_a_pull_ends_with_the_engine(self, new_engine, scripted_ollama):
        scripted_ollama.play({"models": [], "pulls": {"m": {"pause": 0.05, "steps": 500}}})
        engine = new_engine()
        engine.send(PullModel(scripted_ollama.address, "m"))
        scripted_ollama.wait_for(lambda log: any(entry["lines"] > 2 for entry in log))
        engine.send(Shutdown())
        assert engine.wait(20) == 0
        scripted_ollama.wait_for(lambda log: log[-1]["ended"] == "client left")


class TestTheEnd:
    def test_shutdown_stops_the_run_and_stores_it(self, new_engine, make_sample, scripted_ollama):
        engine, opened = begun(new_engine, make_sample, scripted_ollama)
        engine.send(Shutdown())
        assert engine.until(RunEnded).ending == "stopped"
        assert engine.wait() == 0
        folder = Path(opened.project.folder)
        assert stored(folder).ending == "stopped"
        assert all(row.outcome is not None for row in trials(folder))
        wal = runs_file(folder).with_name("runs.sqlite-wal")
        assert not wal.exists() or wal.stat().st_size == 0, "the file was closed cleanly"

    def test_a_window_that_hangs_up_ends_the_engine_and_the_run_is_kept(
        self, new_engine, make_sample, scripted_ollama
    ):
        engine, opened = begun(new_engine, make_sample, scripted_ollama)
        engine.hang_up()
        assert engine.wait() == 0
        assert stored(opened.project.folder).ending == "stopped"

    def test_a_killed_window_ends_the_engine(self, tmp_path):
        # The engine's error output is ours: its end says that the engine is gone.
        window = (
            "import subprocess, sys, time\n"
            f"engine = subprocess.Popen({list(COMMAND)!r}, stdin=-1, stdout=-1)\n"
            "engine.stdout.read(1)\n"
            "print('ready', flush=True)\n"
            "time.sleep(600)\n"
        )
        with subprocess.Popen(
            [sys.executable, "-c", window], cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.PIPE
        ) as process:
            assert process.stdout.readline() == b"ready\n"
            process.send_signal(signal.SIGKILL)
            process.wait()
            assert process.stderr.read() == b""

    def test_what_cannot_be_read_ends_the_engine_after_storing(
        self, new_engine, make_sample, scripted_ollama
    ):
        engine, opened = begun(new_engine, make_sample, scripted_ollama)
        engine.send_raw(b"\x00\x00\x00\x05hello")
        assert engine.wait() == os.EX_DATAERR
        assert stored(opened.project.folder).ending == "stopped"

    def test_a_window_that_does_not_read_holds_up_nothing(self, new_engine, make_sample):
        engine = new_engine()
        folder = make_sample(queries=600)
        opened = engine.open(folder)
        # Far more than a pipe holds, and nobody reads it.
        ids = tuple(f"q{number}" for number in range(30))
        engine.send(TrustProject(str(folder)))
        engine.send(*(OpenProject(str(folder)) for _ in range(5)))
        engine.send(StartRun(plan_of(opened.project, ids, at_once=4)))
        deadline = time.monotonic() + 60
        while not (runs_file(folder).exists() and stored(folder) and stored(folder).ending):
            assert time.monotonic() < deadline, "the run was held up"
            time.sleep(0.05)
        assert stored(folder).tally == Tally(30, done=30)
        assert engine.until(RunEnded).ending == "finished"


def begun(new_engine, make_sample, scripted_ollama):
    """An engine of its own, in the middle of a run."""
    engine = new_engine()
    folder = make_sample()
    opened = engine.open(folder)
    scripted_ollama.play(sample.script(default=SLOW))
    engine.send(TrustProject(str(folder)), StartRun(plan(opened)))
    engine.until(RunStarted)
    until_the_model_was_asked(scripted_ollama, 3)
    return engine, opened


def test_the_engine_says_who_it_is_before_anything_heavy_is_loaded(new_engine):
    engine = new_engine()
    ready = engine.until(EngineReady)
    assert ready.pid == engine.pid
