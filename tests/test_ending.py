"""How a command ends where nobody reads what it says."""

import os
import subprocess
import sys

import pytest


@pytest.mark.skipif(sys.platform == "win32", reason="a pipe breaks in another way there")
@pytest.mark.parametrize("command", [["grade"], ["help", "metrics"], ["help"]])
def test_a_reader_that_has_read_enough_ends_a_command_without_a_word(command):
    reading, writing = os.pipe()
    os.close(reading)
    with os.fdopen(writing, "wb") as nobody:
        done = subprocess.run(
            [sys.executable, "-m", "studio", *command],
            stdout=nobody, stderr=subprocess.PIPE, timeout=60,
        )  # fmt: skip
    assert (done.returncode, done.stderr) == (1, b"")
