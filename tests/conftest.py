"""Trip wires for the whole suite: what would be a fault in the program fails a test here."""

import logging
import os
import threading
import time
from collections.abc import Iterator

import pytest
from hypothesis import HealthCheck, settings

from tests.ollama_fixture import (  # noqa: F401 (fixtures for every test)
    _one_scripted_ollama,
    closed_address,
    scripted_ollama,
)

os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")
# The program writes to the user's folders; a test never does (see `own_folders`).
os.environ.setdefault("LANGSMITH_TRACING", "false")


# The same examples each time: a run that fails can be run again, and no run fails for being slow.
settings.register_profile(
    "steady", derandomize=True, deadline=None, suppress_health_check=[HealthCheck.too_slow]
)
settings.load_profile("steady")


@pytest.fixture(autouse=True)
def own_folders(tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch) -> None:
    """Settings, state and logs of each test live in a folder of its own.

    The cache is left alone: it holds the downloaded weights and nothing else of the user's.
    """
    home = tmp_path_factory.mktemp("home")
    for variable in ("XDG_CONFIG_HOME", "XDG_DATA_HOME", "XDG_STATE_HOME"):
        monkeypatch.setenv(variable, str(home / variable.lower()))
    monkeypatch.delenv("OLLAMA_HOST", raising=False)


@pytest.fixture(autouse=True)
def no_thread_is_left_running() -> Iterator[None]:
    """Fail a test that leaves a thread of ours running, and name the thread."""
    before = set(threading.enumerate())
    yield
    deadline = time.monotonic() + 5
    left = _ours(set(threading.enumerate()) - before)
    while left and time.monotonic() < deadline:
        next(iter(left)).join(0.05)
        left = _ours(left)
    assert not left, f"threads left running: {sorted(thread.name for thread in left)}"


def _ours(threads: set[threading.Thread]) -> set[threading.Thread]:
    # An executor's idle workers and hypothesis' own threads end with their owner.
    return {thread for thread in threads if thread.is_alive() and not thread.daemon}


@pytest.fixture(autouse=True)
def no_error_is_logged(
    caplog: pytest.LogCaptureFixture, request: pytest.FixtureRequest
) -> Iterator[None]:
    """A log record at ERROR or above fails the test, unless it is marked to expect them."""
    yield
    if "logs_errors" in request.keywords:
        return
    errors = [
        record
        for when in ("setup", "call")
        for record in caplog.get_records(when)
        if record.levelno >= logging.ERROR
    ]
    assert not errors, f"errors were logged: {[record.getMessage() for record in errors]}"
