"""Without a screen the window says so, and Qt is not asked."""

import os
import subprocess
import sys

import pytest

from studio import screen
from studio.engine.errors import StudioError


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="elsewhere there is a screen")
@pytest.mark.parametrize("command", [[], ["open"], ["demo"]])
def test_a_window_without_a_screen_is_told_with_what_to_do(command):
    environment = {key: each for key, each in os.environ.items() if key not in screen._NAMES_ONE}
    done = subprocess.run(
        [sys.executable, "-m", "studio", *command],
        capture_output=True, text=True, timeout=60, check=False, env=environment,
    )  # fmt: skip
    assert done.returncode == 1
    assert done.stderr.startswith("studio: There is no screen to open a window on")
    assert "studio demo --headless" in done.stderr


@pytest.mark.parametrize("name", screen._NAMES_ONE)
def test_whatever_names_a_screen_will_do(monkeypatch, name):
    for each in screen._NAMES_ONE:
        monkeypatch.delenv(each, raising=False)
    monkeypatch.setattr(sys, "platform", "linux")
    with pytest.raises(StudioError):
        screen.need_screen()
    monkeypatch.setenv(name, ":0")
    screen.need_screen()
