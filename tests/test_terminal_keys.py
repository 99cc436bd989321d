"""Keys in a real terminal (a pseudo one), and what they ask for."""

import os
import subprocess
import sys

import pytest

from studio.engine.messages import FinishRun, PauseRun, ResumeRun, RunAtOnce, RunProgressed
from studio.engine.records import Tally
from studio.terminal_keys import Keys
from tests.engine import sample

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="there are no such terminals")


def pressed(keys: str, *heard: RunProgressed) -> list[object]:
    asked: list[object] = []
    steering = Keys(asked.append)
    for notice in heard:
        steering.hear(notice)
    for key in keys:
        steering.press(key)
    return asked


def test_keys_pause_resume_and_finish():
    assert pressed("ppf") == [PauseRun(), ResumeRun(), FinishRun()]


def test_a_run_that_is_paused_already_is_resumed():
    assert pressed("p", RunProgressed(1, Tally(3), is_paused=True)) == [ResumeRun()]


def test_keys_change_how_many_run_at_once_but_never_to_none():
    assert pressed("++-", RunProgressed(1, Tally(3), at_once=2)) == [
        RunAtOnce(3), RunAtOnce(4), RunAtOnce(3)
    ]  # fmt: skip
    assert pressed("-") == [RunAtOnce(1)]


def test_other_keys_do_nothing():
    assert pressed("xq\x1b[A\n") == []


def test_a_run_in_a_terminal_is_finished_early_by_a_key(tmp_path, scripted_ollama):
    import pty

    [rule] = sample.RULES
    slowly = [rule | {"reply": rule["reply"] | {"delay": 0.3}}]
    scripted_ollama.play(sample.script(rules=slowly))
    folder = sample.write(tmp_path / "gold", scripted_ollama.address, queries=20)
    ours, theirs = pty.openpty()
    command = (sys.executable, "-m", "studio", "run", str(folder), "--trust")
    # A session of its own, whose terminal this is: only then the program is in front.
    running = subprocess.Popen(
        [sys.executable, "-c", IN_FRONT, *command],
        stdin=theirs, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
        start_new_session=True,
    )  # fmt: skip
    os.close(theirs)
    scripted_ollama.wait_for(lambda log: sum(e["path"] == "/api/chat" for e in log) >= 4)
    os.write(ours, b"f")
    output, errors = running.communicate(timeout=60)
    os.close(ours)
    assert (running.returncode, errors) == (1, "")
    assert "p pauses and resumes" in output
    assert "cancelled" not in output, "what was begun came to its end"
    assert "not run of 20 planned" in output


IN_FRONT = """
import fcntl, os, sys, termios
fcntl.ioctl(0, termios.TIOCSCTTY, 0)
os.execv(sys.argv[1], sys.argv[1:])
"""
