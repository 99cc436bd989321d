"""Tools run in real child processes here; nothing that a tool does gets out of its outcome."""

import asyncio
import os
import signal
import time
from collections.abc import Callable, Coroutine
from pathlib import Path
from typing import Any

import pytest

from studio.engine.errors import ToolHostError
from studio.engine.records import ToolSpec
from studio.engine.tools import ToolHost, read_signatures

TOOLS = """
import asyncio, ctypes, json, os, subprocess, sys, threading, time
import sibling

seen = []

def add(a: int, b: int = 1) -> int:
    return a + b

async def later(text: str) -> str:
    await asyncio.sleep(0)
    return text.upper()

def remember(word: str) -> list:
    seen.append(word)
    sibling.seen.append(word)
    return [seen, sibling.seen]

def fail(text: str):
    return inner(text)

def inner(text):
    raise ValueError(text)

def leave(status: int):
    os._exit(status)

def leave_politely(status: int):
    sys.exit(status)

def fork():
    copy = os.fork()
    if copy:
        os.waitpid(copy, 0)
    return "the one that was called" if copy else "its copy"

def segfault():
    ctypes.string_at(0)

def hang():
    print("about to hang")
    while True:
        time.sleep(1)

def hang_with_a_program(escaped: bool):
    child = subprocess.Popen(["sleep", "60"], start_new_session=escaped)
    print(child.pid, flush=True)
    time.sleep(60)

def crash_with_a_program():
    child = subprocess.Popen(["sleep", "60"])
    print(child.pid, flush=True)
    os._exit(4)

def flood(megabytes: int, level: str) -> str:
    line = "x" * 1023 + "\\n"
    for _ in range(megabytes * 1024):
        if level == "python":
            print(line, end="")
        else:
            os.write(1, line.encode())
    print("the end")
    return "done"

def ask() -> str:
    return input()

def bad(kind: str):
    circle = []
    circle.append(circle)
    deep = []
    for _ in range(100_000):
        deep = [deep]
    return {"nan": float("nan"), "infinity": [float("-inf")], "object": object(), "set": {1},
            "circle": circle, "deep": deep, "key": {(1, 2): 3}, "generator": (x for x in "a")}[kind]

def good(kind: str):
    return {"none": None, "text": "a\\nb", "number": 2.5, "object": {"ä": [1, True]},
            "surrogate": "a\\ud800b", "long": "y" * 3_000_000}[kind]

def where() -> str:
    here = os.getcwd()
    os.chdir("/")
    return here

def close_everything() -> str:
    print("last words")
    sys.stdout.close()
    os.close(1)
    os.close(2)
    return "quiet"

def print_later() -> str:
    def run():
        while True:
            print("noise")
            time.sleep(0.0005)
    threading.Thread(target=run, daemon=True).start()
    return "started"

def anything(**named) -> dict:
    return named
"""

Run = Callable[[Coroutine[Any, Any, Any]], Any]


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "tools.py").write_text(TOOLS, encoding="utf-8")
    (tmp_path / "sibling.py").write_text("seen = []\n", encoding="utf-8")
    return tmp_path


def host_of(folder: Path, limit: float = 20.0) -> ToolHost:
    tools = read_signatures(folder / "tools.py").tools
    specs = [ToolSpec(t.name, t.description, t.parameters, limit) for t in tools]
    return ToolHost(folder, specs)


def outcomes(folder: Path, *calls: tuple[str, dict[str, Any]], limit: float = 20.0) -> list[Any]:
    async def run() -> list[Any]:
        host = host_of(folder, limit)
        try:
            return [await host.call(name, arguments) for name, arguments in calls]
        finally:
            await host.close()
            assert host.pid is None

    return asyncio.run(run())


def is_alive(pid: int) -> bool:
    """Whether the process runs; one that ended and waits to be collected does not."""
    try:
        state = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0]
    except FileNotFoundError:
        return False
    return state != "Z"


def eventually(condition: Callable[[], bool], seconds: float = 10) -> bool:
    deadline = time.monotonic() + seconds
    while not condition() and time.monotonic() < deadline:
        time.sleep(0.01)
    return condition()


def test_a_plain_and_an_async_function_give_their_results(folder):
    added, later = outcomes(folder, ("add", {"a": 2, "b": 3}), ("later", {"text": "hé"}))
    assert (added.content, added.error, later.content) == ("5", None, "HÉ")
    assert added.seconds > 0


def test_a_whole_float_is_an_integer_to_a_tool(folder):
    (added,) = outcomes(folder, ("add", {"a": 2.0}))
    assert added.content == "3"


@pytest.mark.parametrize(
    ("kind", "content"),
    [
        ("none", "null"),
        ("text", "a\nb"),
        ("number", "2.5"),
        ("object", '{"ä": [1, true]}'),
        ("surrogate", "a?b"),
    ],
)
def test_a_text_is_given_as_it_is_and_everything_else_as_json(folder, kind, content):
    (outcome,) = outcomes(folder, ("good", {"kind": kind}))
    assert (outcome.content, outcome.error) == (content, None)


def test_a_huge_result_is_cut_and_says_so(folder):
    (outcome,) = outcomes(folder, ("good", {"kind": "long"}))
    assert outcome.error is None
    assert len(outcome.content) < 210_000
    assert outcome.content.endswith("[cut: 3,000,000 characters in all]")


@pytest.mark.parametrize(
    "kind", ["nan", "infinity", "object", "set", "circle", "deep", "key", "generator"]
)
def test_a_result_that_is_no_json_is_told_in_one_sentence(folder, kind):
    outcome, after = outcomes(folder, ("bad", {"kind": kind}), ("add", {"a": 1}))
    assert outcome.error == "not JSON"
    assert outcome.content.startswith("The tool returned a value that is n")
    assert "\n" not in outcome.content
    assert after.content == "2"


def test_an_unknown_tool_is_answered_with_the_nearest_names(folder):
    near, far = outcomes(folder, ("ad", {}), ("frobnicate\ud800", {}))
    assert near.error == far.error == "unknown tool"
    assert "Did you mean bad or add?" in near.content
    assert "The tools are: add, later" in far.content


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        ({}, "'a' is a required property"),
        ({"a": "2"}, "a: '2' is not of type 'integer'"),
        ({"a": 1, "c": 2}, "('c' was unexpected)"),
        ({"a": 2**80}, "is not of type 'integer'"),
        ({"a": float("nan")}, "is not of type 'integer'"),
    ],
)
def test_bad_arguments_are_named_with_the_reason(folder, arguments, told):
    (outcome,) = outcomes(folder, ("add", arguments))
    assert outcome.error == "bad arguments"
    assert told in outcome.content


def test_arguments_that_the_function_cannot_take_are_bad_arguments_too(folder):
    async def run():
        host = ToolHost(folder, [ToolSpec("add", "", {"type": "object"})])
        try:
            return await host.call("add", {"c": 1})
        finally:
            await host.close()

    outcome = asyncio.run(run())
    assert outcome.error == "bad arguments"
    assert "unexpected keyword argument 'c'" in outcome.content or "required" in outcome.content


def test_an_exception_is_told_with_the_lines_of_the_project_alone(folder):
    (outcome,) = outcomes(folder, ("fail", {"text": "no such city"}))
    assert outcome.error == "exception"
    first, *frames = outcome.content.splitlines()
    assert first == "ValueError: no such city"
    assert [line.split(":")[0] for line in frames] == [
        "  tools.py, line 20, in fail",
        "  tools.py, line 23, in inner",
    ]


def test_leaving_politely_is_an_exception(folder):
    (outcome,) = outcomes(folder, ("leave_politely", {"status": 3}))
    assert (outcome.error, outcome.content.splitlines()[0]) == ("exception", "SystemExit: 3")


def test_a_tool_that_ends_its_process_is_a_crash_and_the_next_call_works(folder):
    crashed, after = outcomes(folder, ("leave", {"status": 3}), ("add", {"a": 1}))
    assert (crashed.error, after.content) == ("crash", "2")
    assert "exit status 3" in crashed.content


def test_a_segmentation_fault_is_a_crash_that_shows_where(folder):
    crashed, after = outcomes(folder, ("segfault", {}), ("add", {"a": 1}))
    assert (crashed.error, after.content) == ("crash", "2")
    assert "SIGSEGV" in crashed.content
    assert "in segfault" in crashed.printed


def test_a_tool_that_hangs_is_stopped_and_the_next_call_works(folder):
    hung, after = outcomes(folder, ("hang", {}), ("add", {"a": 1}), limit=1.0)
    assert (hung.error, after.content) == ("time-out", "2")
    assert "longer than 1 s" in hung.content
    assert hung.seconds >= 1.0


@pytest.mark.parametrize("level", ["python", "descriptor"])
def test_fifty_megabytes_of_output_keep_their_tail(folder, level):
    (outcome,) = outcomes(folder, ("flood", {"megabytes": 50, "level": level}))
    assert outcome.content == "done"
    assert len(outcome.printed) < 40_000
    assert outcome.printed.startswith("[cut: the last 32,768 of 52,428,808 bytes]")
    assert outcome.printed.endswith("the end\n")


def test_what_one_call_prints_is_not_in_the_next(folder):
    first, second = outcomes(
        folder, ("flood", {"megabytes": 0, "level": "python"}), ("add", {"a": 1})
    )
    assert (first.printed, second.printed) == ("the end\n", "")


def test_a_tool_that_reads_its_input_finds_none(folder):
    (outcome,) = outcomes(folder, ("ask", {}))
    assert outcome.error == "exception"
    assert outcome.content.startswith("EOFError")


def test_a_tool_that_closes_its_outputs_still_answers(folder):
    quiet, after = outcomes(folder, ("close_everything", {}), ("add", {"a": 1}))
    assert (quiet.content, after.content) == ("quiet", "2")
    assert quiet.printed == "last words\n"


def test_a_copy_of_the_process_answers_nobody(folder):
    forked, after = outcomes(folder, ("fork", {}), ("add", {"a": 1}))
    assert (forked.content, after.content) == ("the one that was called", "2")


def test_a_thread_that_goes_on_printing_delays_no_call(folder):
    started, *added = outcomes(folder, ("print_later", {}), *[("add", {"a": n}) for n in range(20)])
    assert started.content == "started"
    assert [outcome.content for outcome in added] == [str(n + 1) for n in range(20)]


def test_state_lasts_within_a_trial_and_not_beyond(folder):
    async def run():
        host = host_of(folder)
        try:
            contents = [
                (await host.call("remember", {"word": word})).content for word in ("a", "b")
            ]
            pid = host.pid
            await host.reset()
            contents.append((await host.call("remember", {"word": "c"})).content)
            return contents, pid == host.pid
        finally:
            await host.close()

    contents, is_same_process = asyncio.run(run())
    assert contents == ['[["a"], ["a"]]', '[["a", "b"], ["a", "b"]]', '[["c"], ["c"]]']
    assert is_same_process


def test_a_trial_starts_in_the_project_folder(folder):
    async def run():
        host = host_of(folder)
        try:
            first = await host.call("where", {})
            await host.reset()
            return first.content, (await host.call("where", {})).content
        finally:
            await host.close()

    assert asyncio.run(run()) == (str(folder), str(folder))


@pytest.mark.parametrize(
    ("source", "told"),
    [
        ("def f():\n  return 1\nimport nowhere_at_all\n", "tools.py, line 3"),
        ("def f():\n  return 1\n\nthis is wrong\n", "tools.py, line 4"),
        ("def f():\n  return 1\nraise SystemExit(2)\n", "SystemExit: 2"),
    ],
)
def test_a_file_that_cannot_be_imported_fails_every_call_and_names_the_line(tmp_path, source, told):
    (tmp_path / "tools.py").write_text(source)

    async def run():
        host = ToolHost(tmp_path, [ToolSpec("f", "", {"type": "object"})])
        try:
            await host.reset()
            return [await host.call("f", {}) for _ in range(2)]
        finally:
            await host.close()

    for outcome in asyncio.run(run()):
        assert outcome.error == "exception"
        assert told in outcome.content


def test_a_file_that_ends_the_process_while_it_is_imported_is_a_crash(tmp_path):
    (tmp_path / "tools.py").write_text("import os\ndef f(): ...\nos._exit(7)\n")
    first, second = outcomes(tmp_path, ("f", {}), ("f", {}))
    assert first.error == second.error == "crash"
    assert "exit status 7" in second.content


def test_a_missing_folder_is_told(tmp_path):
    async def run():
        await ToolHost(tmp_path / "gone", [ToolSpec("f", "", {"type": "object"})]).reset()

    with pytest.raises(ToolHostError, match="did not start"):
        asyncio.run(run())


@pytest.mark.parametrize("parameters", [{"type": "strin"}, {"properties": {"a": 3}}])
def test_parameters_that_are_no_schema_are_refused_before_anything_runs(tmp_path, parameters):
    with pytest.raises(ToolHostError, match="no JSON Schema"):
        ToolHost(tmp_path, [ToolSpec("f", "", parameters)])


def test_a_schema_that_refers_elsewhere_is_not_fetched(tmp_path):
    reference = {"properties": {"a": {"$ref": "http://127.0.0.1:9/schema.json"}}}

    async def run():
        return await ToolHost(tmp_path, [ToolSpec("f", "", reference)]).call("f", {"a": 1})

    outcome = asyncio.run(run())
    assert outcome.error == "bad arguments"
    assert "cannot be followed" in outcome.content


def test_cancelling_a_call_kills_the_child_and_the_host_goes_on(folder):
    async def run():
        host = host_of(folder)
        await host.reset()
        pid = host.pid
        task = asyncio.create_task(host.call("hang", {}))
        await asyncio.sleep(0.05)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
        assert not is_alive(pid)
        try:
            return await host.call("add", {"a": 1})
        finally:
            await host.close()

    assert asyncio.run(run()).content == "2"


def test_a_call_cancelled_twice_leaves_no_pipe_open_and_no_child_behind(folder):
    async def run():
        host = host_of(folder)
        await host.reset()
        pid, transport = host.pid, host._process._transport
        task = asyncio.create_task(host.call("hang", {}))
        await asyncio.sleep(0.05)
        task.cancel()
        await asyncio.sleep(0)  # it waits for the end of the child, which has been killed
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
        assert transport.is_closing()
        assert transport.get_returncode() == -signal.SIGKILL
        return pid

    assert not is_alive(asyncio.run(run()))


def test_calls_made_at_once_wait_for_each_other(folder):
    async def run():
        host = host_of(folder)
        try:
            calls = [host.call("add", {"a": n}) for n in range(20)]
            return [outcome.content for outcome in await asyncio.gather(*calls)]
        finally:
            await host.close()

    assert asyncio.run(run()) == [str(n + 1) for n in range(20)]


def test_a_program_that_a_stopped_tool_started_is_stopped_too(folder):
    (hung,) = outcomes(folder, ("hang_with_a_program", {"escaped": False}), limit=1.0)
    assert hung.error == "time-out"
    pid = int(hung.printed)
    assert eventually(lambda: not is_alive(pid))


def test_a_program_that_a_crashed_tool_started_is_stopped_too(folder):
    (crashed,) = outcomes(folder, ("crash_with_a_program", {}))
    assert crashed.error == "crash"
    pid = int(crashed.printed)
    assert eventually(lambda: not is_alive(pid))


def test_a_program_in_a_session_of_its_own_does_not_hold_the_host(folder):
    hung, after = outcomes(
        folder, ("hang_with_a_program", {"escaped": True}), ("add", {"a": 1}), limit=1.0
    )
    os.kill(int(hung.printed), signal.SIGKILL)
    assert (hung.error, after.content) == ("time-out", "2")


def test_the_child_ends_with_its_parent(folder):
    program = (
        "import asyncio, sys, time; from pathlib import Path\n"
        "from studio.engine.tools import ToolHost, read_signatures\n"
        f"folder = Path({str(folder)!r})\n"
        "async def run():\n"
        "    host = ToolHost(folder, read_signatures(folder / 'tools.py').tools)\n"
        "    await host.reset()\n"
        "    print(host.pid, flush=True)\n"
        "    await host.call('hang', {})\n"
        "asyncio.run(run())\n"
    )

    async def run() -> int:
        import sys

        parent = await asyncio.create_subprocess_exec(
            sys.executable, "-c", program, stdout=asyncio.subprocess.PIPE
        )
        assert parent.stdout is not None
        pid = int(await parent.stdout.readline())
        assert is_alive(pid)
        parent.kill()
        await parent.wait()
        return pid

    pid = asyncio.run(run())
    assert eventually(lambda: not is_alive(pid))


def test_any_json_object_reaches_a_tool_that_takes_anything(folder):
    given = {"a": [1, None, "x\n"], "päth": {"deep": [[]]}, "big": 2**62}
    (outcome,) = outcomes(folder, ("anything", given))
    import json

    assert json.loads(outcome.content) == given
