"""Bad input, end to end through the real engine: one clear message, and nothing on disk is lost."""

import contextlib
import ctypes
import os
import resource
import shutil
import socket
import sys
import threading
from pathlib import Path

import pytest

from studio.engine import events
from studio.engine.messages import (
    ContinueRun,
    OpenProject,
    ProjectOpened,
    ProjectRefused,
    RunEnded,
    RunProgressed,
    RunStarted,
    SavePrompt,
    Shutdown,
    StartRun,
    Told,
    TrustProject,
)
from studio.engine.outcomes import Outcome
from studio.engine.records import Tally
from studio.engine.store.opening import runs_file
from studio.engine.store.reader import RunReader
from tests.engine import sample
from tests.engine.engine_process import plan_of

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="select() takes no pipes there")


def trusted(engine, folder):
    """The project, open and allowed to run."""
    engine.send(TrustProject(str(folder)))
    return engine.until(ProjectOpened)


def started(opened, **changes):
    return StartRun(
        plan_of(opened.project, (f"q{n}" for n in range(opened.query_count)), **changes)
    )


def run(engine, folder, **changes):
    engine.send(started(trusted(engine, folder), **changes))
    return engine.until(RunEnded)


def rows(folder, run=1):
    with contextlib.closing(RunReader(folder)) as reader:
        found = reader.changed_trials(run, 0, 1_000)
        return sorted(found, key=lambda row: row.position)


def trace(folder, trial):
    with contextlib.closing(RunReader(folder)) as reader:
        return reader.events(trial)


class TestFiles:
    @pytest.mark.parametrize(
        ("file", "content", "told"),
        [
            ("queries.jsonl", b"", "no query in this file"),
            ("queries.jsonl", b'{"query": "caf\xe9"}', "no UTF-8"),
            ("queries.jsonl", b"PK\x03\x04\x00\x00", "zero byte"),
            ("project.yaml", b"- Gold", "name"),
            ("project.yaml", b"name: [", "YAML"),
            ("tools.py", b"def price(grams: int:\n", "Python"),
            ("tools.yaml", b"sets: {all: [nothing]}", "nothing"),
            ("prompts/plain.md", b"\xff\xfe\x00", "UTF-16"),
        ],
    )
    def test_a_file_that_cannot_be_read_is_named_with_what_is_wrong(
        self, engine, make_sample, file, content, told
    ):
        folder = make_sample()
        (folder / file).write_bytes(content)
        engine.send(OpenProject(str(folder)))
        problems = engine.until(ProjectRefused).problems
        assert {problem.file for problem in problems} == {file}
        assert any(told in str(problem) for problem in problems)
        assert (folder / file).read_bytes() == content

    def test_a_folder_that_is_none_is_refused(self, engine, tmp_path):
        (tmp_path / "file").write_text("")
        for name in ("", "file", "nowhere", "nul\0"):
            engine.send(OpenProject(str(tmp_path / name)))
            assert len(engine.until(ProjectRefused).problems) == 1


class TestServers:
    def test_an_unknown_model_is_told_with_the_names_nearest_to_it(
        self, engine, make_sample, scripted_ollama
    ):
        folder = make_sample(model={"name": "smal:1b", "server": scripted_ollama.address})
        scripted_ollama.play({"models": [{"name": "smol:1b"}, {"name": "other:7b"}]})
        ended = run(engine, folder)
        assert (ended.run, ended.ending) == (0, "failed")
        assert "has no model 'smal:1b'" in ended.problem
        assert "smol:1b" in ended.remedy
        assert not runs_file(folder).exists() or not rows(folder)

    @pytest.mark.parametrize(
        "route",
        [
            {"/api/version": {"status": 404, "body": "not here"}},
            {"/api/version": {"body": "<html>A printer</html>"}},
            {"/api/version": {"body": {"release": 3}}},
            {"/api/version": {"body": [1, 2]}},
            {"/api/tags": {"body": {"models": None}}},
        ],
        ids=str,
    )
    def test_a_server_that_is_no_ollama_server_is_told(
        self, engine, make_sample, scripted_ollama, route
    ):
        folder = make_sample()
        scripted_ollama.play(sample.script(routes=route))
        ended = run(engine, folder)
        assert (ended.run, ended.ending) == (0, "failed")
        assert ended.problem == f"What answers at {scripted_ollama.address} is no Ollama server."

    @pytest.mark.parametrize(
        "said", [b"", b"SSH-2.0-OpenSSH_9.6\r\n", b"HTTP/1.1 200 OK\r\n\r\n\x00"]
    )
    def test_what_speaks_no_http_is_told(self, engine, make_sample, said):
        with speaking(said) as address:
            ended = run(engine, make_sample(model={"name": "m", "server": address}))
        assert (ended.run, ended.ending) == (0, "failed")
        assert address in ended.problem

    def test_a_server_that_breaks_while_the_model_loads_ends_the_run_before_it_began(
        self, engine, make_sample, scripted_ollama
    ):
        folder = make_sample()
        scripted_ollama.play(sample.script(load={"status": 500, "error": "out of memory"}))
        ended = run(engine, folder)
        assert (ended.run, ended.ending) == (0, "failed")
        assert "out of memory" in ended.problem
        assert "smaller" in ended.remedy

    @pytest.mark.parametrize(
        "reply",
        [
            {"fault": "reset", "content": ["It ", "costs "], "after": 1},
            {"fault": "end", "content": ["It ", "costs "], "after": 1},
            {"fault": "error line", "error": "it broke"},
            {"lines": ["<html>"]},
            {"status": 503, "body": "<h1>Bad gateway</h1>"},
        ],
        ids=str,
    )
    def test_a_reply_that_breaks_off_fails_its_trial_and_the_run_goes_on(
        self, engine, make_sample, scripted_ollama, reply
    ):
        folder = make_sample(queries=3)
        rule = {"user": "What do 1 grams", "reply": reply}
        scripted_ollama.play(sample.script(rules=[rule, *sample.RULES]))
        ended = run(engine, folder)
        assert ended == RunEnded(1, "finished", Tally(3, done=2, failed=1))
        failed = rows(folder)[1]
        assert failed.outcome is Outcome.FAILED
        assert failed.reason
        assert all(score.value is None and score.reason for score in failed.scores)

        scripted_ollama.play(sample.script())
        engine.send(ContinueRun(1))
        assert engine.until(RunEnded) == RunEnded(1, "finished", Tally(3, done=3))


@contextlib.contextmanager
def speaking(said):
    """An address at which whoever connects is told `said`, whatever it asks."""

    def serve():
        with contextlib.suppress(OSError):
            while True:
                client, _ = listening.accept()
                with client:
                    client.recv(65_536)
                    client.sendall(said)

    with socket.create_server(("127.0.0.1", 0)) as listening:
        thread = threading.Thread(target=serve)
        thread.start()
        yield f"http://127.0.0.1:{listening.getsockname()[1]}"
        listening.shutdown(socket.SHUT_RDWR)
        thread.join()


BAD_TOOLS = '''
import os
import sys
import time


def sleeps(grams: int) -> str:
    """Never returns."""
    time.sleep(3600)


def leaves(grams: int) -> str:
    """Ends its process."""
    os._exit(3)


def exits(grams: int) -> str:
    """Asks the interpreter to end."""
    sys.exit("enough")


def prints(grams: int) -> str:
    """Prints 50 MB."""
    for _ in range(50):
        print("x" * 1_000_000)
    return "printed"


def nan(grams: int) -> float:
    """Returns no number."""
    return float("nan")


def thing(grams: int) -> object:
    """Returns what is not JSON."""
    return object()


def long(grams: int) -> str:
    """Returns 50 MB."""
    return "y" * 50_000_000


def halves(grams: int) -> str:
    """Returns half of a surrogate pair."""
    return "\\ud800"


def raises(grams: int) -> str:
    """Raises an error whose text cannot be had."""
    class Odd(Exception):
        def __str__(self):
            raise ValueError
    raise Odd
'''
ERRORS = {
    "sleeps": "time-out",
    "leaves": "crash",
    "exits": "exception",
    "prints": None,
    "nan": "not JSON",
    "thing": "not JSON",
    "long": None,
    "halves": None,
    "raises": "exception",
}


class TestTools:
    def test_whatever_a_tool_does_is_in_its_trace_and_the_run_goes_on(
        self, engine, make_sample, scripted_ollama
    ):
        folder = make_sample(queries=len(ERRORS), tools=BAD_TOOLS)
        listed = "".join(
            f'{{"id": "q{place}", "query": "Call {name}."}}\n' for place, name in enumerate(ERRORS)
        )
        (folder / "queries.jsonl").write_text(listed)
        (folder / "tools.yaml").write_text("tools:\n  sleeps: {time_limit: 1}\n")
        rules = [
            {
                "user": f"Call {name}.",
                "tool_results": 0,
                "reply": {"tool_calls": [{"name": name, "arguments": {"grams": 1}}]},
            }
            for name in ERRORS
        ]
        scripted_ollama.play(sample.script(rules=rules))
        ended = run(engine, folder)
        # What the one tool returns fits no window: that trial says nothing of the agent.
        assert ended == RunEnded(1, "finished", Tally(len(ERRORS), done=8, invalid=1))
        assert rows(folder)[list(ERRORS).index("long")].outcome is Outcome.TRUNCATED
        returned = [
            event
            for row in rows(folder)
            for event in trace(folder, row.id)
            if isinstance(event, events.ToolReturned)
        ]
        assert [event.error for event in returned] == list(ERRORS.values())
        assert all(len(event.content) < 300_000 for event in returned)
        assert all(len(event.printed) < 100_000 for event in returned)
        assert runs_file(folder).stat().st_size < 4_000_000

    def test_tools_that_cannot_be_imported_say_so_in_every_call(
        self, engine, make_sample, scripted_ollama
    ):
        folder = make_sample(queries=2, tools="import no_such_module\n" + sample.TOOLS)
        ended = run(engine, folder)
        assert ended == RunEnded(1, "finished", Tally(2, done=2))
        for row in rows(folder):
            (returned,) = (
                event for event in trace(folder, row.id) if isinstance(event, events.ToolReturned)
            )
            assert returned.error == "exception"
            assert "No module named 'no_such_module'" in returned.content


class TestDisks:
    def test_a_read_only_project_is_shown_and_told_to_be_read_only(
        self, new_engine, make_sample, read_only
    ):
        folder = make_sample()
        engine = new_engine(preexec_fn=_without_privileges)
        read_only(folder)
        opened = trusted(engine, folder)
        assert opened.read_only == f"The folder {folder} may not be written."
        engine.send(started(opened))
        told = engine.until(Told)
        assert told.is_error
        assert str(folder) in told.problem
        engine.send(SavePrompt("plain", "Other words."))
        told = engine.until(Told)
        assert told.problem == "plain.md could not be saved."
        assert "may not be written" in told.remedy
        assert (folder / "prompts" / "plain.md").read_text().startswith("You know")

    def test_the_runs_of_a_project_that_became_read_only_can_still_be_seen(
        self, engine, new_engine, make_sample, read_only
    ):
        folder = make_sample()
        assert run(engine, folder).ending == "finished"
        trusted(engine, make_sample("other"))  # which closes the first one
        read_only(folder)
        again = new_engine(preexec_fn=_without_privileges)
        opened = trusted(again, folder)
        assert "runs.sqlite" in opened.read_only
        assert len(rows(folder)) == 6
        again.send(started(opened))
        assert "runs.sqlite" in again.until(Told).problem

    @pytest.mark.skipif(sys.platform != "linux", reason="lifts the limit of another process")
    def test_a_full_disk_ends_the_run_which_goes_on_when_there_is_room(
        self, new_engine, make_sample, scripted_ollama
    ):
        folder = make_sample(queries=24)
        # What cannot be compressed, so that it takes room.
        noise = {"content": "It costs 30 dollars. " + os.urandom(4_000).hex()}
        scripted_ollama.play(sample.script(default=noise))
        engine = new_engine()
        opened = trusted(engine, folder)
        resource.prlimit(engine.pid, resource.RLIMIT_FSIZE, (500_000, resource.RLIM_INFINITY))
        engine.send(started(opened))
        ended = engine.until(RunEnded)
        assert (ended.run, ended.ending) == (1, "failed")
        assert "runs.sqlite" in ended.problem
        assert ended.remedy
        told = max(n.tally.done for n in engine.seen if isinstance(n, RunProgressed))
        assert 0 < told <= len([row for row in rows(folder) if row.outcome is Outcome.FINISHED])

        lifted = (resource.RLIM_INFINITY, resource.RLIM_INFINITY)
        resource.prlimit(engine.pid, resource.RLIMIT_FSIZE, lifted)
        engine.send(ContinueRun(1))
        assert engine.until(RunEnded) == RunEnded(1, "finished", Tally(24, done=24))
        assert len(rows(folder)) == 24

    def test_runs_that_are_deleted_while_a_run_goes_on_are_missed(
        self, engine, make_sample, scripted_ollama
    ):
        folder = make_sample()
        scripted_ollama.play(sample.script(default={"delay": 0.1, **sample.ANSWER}))
        opened = trusted(engine, folder)
        engine.send(started(opened))
        engine.until(RunStarted)
        shutil.rmtree(folder / ".studio")
        ended = engine.until(RunEnded)
        assert ended.ending == "failed"
        assert "was deleted" in ended.problem
        engine.send(started(opened))
        assert engine.until(RunStarted).run == 1, "in a new file"
        assert engine.until(RunEnded).ending == "finished"
        assert len(rows(folder)) == 6

    def test_a_project_that_is_deleted_while_a_run_goes_on_ends_the_run(
        self, engine, make_sample, scripted_ollama
    ):
        folder = make_sample()
        scripted_ollama.play(sample.script(default={"delay": 0.1, **sample.ANSWER}))
        opened = trusted(engine, folder)
        engine.send(started(opened))
        engine.until(RunStarted)
        shutil.rmtree(folder)
        assert engine.until(RunEnded).ending == "failed"
        engine.send(started(opened))
        assert "There is no folder" in engine.until(ProjectRefused).problems[0].problem


class TestTwoStudios:
    def test_the_second_one_reads_only_and_takes_over_when_the_first_ends(
        self, engine, new_engine, make_sample
    ):
        folder = make_sample()
        first = new_engine()
        assert run(first, folder).ending == "finished"
        opened = trusted(engine, folder)
        assert "Another studio is writing" in opened.read_only
        assert len(rows(folder)) == 6, "what is there can be seen"
        engine.send(SavePrompt("more", "And another one."))
        assert engine.until(ProjectOpened).read_only == opened.read_only, "a save changes no lock"
        engine.send(started(opened))
        told = engine.until(Told)
        assert "Another studio is writing" in told.problem
        assert "Close the other one" in told.remedy

        first.send(Shutdown())
        assert first.wait() == 0
        assert engine.until(ProjectOpened).read_only == "", "told unasked"
        engine.send(started(opened))
        assert engine.until(RunEnded) == RunEnded(2, "finished", Tally(6, done=6))
        engine.send(OpenProject(str(folder)))
        assert engine.until(ProjectOpened).read_only == ""


@pytest.fixture
def read_only():
    """Takes away the right to write a folder and what is in it, until the test ends."""
    changed: list[tuple[Path, int]] = []

    def make(folder):
        for path in (folder, *folder.rglob("*")):
            mode = path.stat().st_mode
            changed.append((path, mode))
            path.chmod(mode & ~0o222)

    yield make
    for path, mode in changed:
        path.chmod(mode)


def _without_privileges():
    """In the child before it becomes the engine: root may no longer overrule permissions."""
    if os.geteuid() == 0:
        libc = ctypes.CDLL(None, use_errno=True)
        for capability in (1, 2):  # CAP_DAC_OVERRIDE, CAP_DAC_READ_SEARCH
            assert libc.prctl(24, capability, 0, 0, 0) == 0, "PR_CAPBSET_DROP"
