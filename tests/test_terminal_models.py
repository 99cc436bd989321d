"""Model servers in a terminal, over a real server process."""

import subprocess
import sys

import pytest

from studio.engine.errors import StudioError
from studio.terminal_models import Orders, list_models, probe_model
from tests.engine.models.test_probe import SCRIPT

LOADED = {"name": "m:latest", "size": 4000, "size_vram": 1000, "context_length": 1024}


@pytest.fixture(autouse=True)
def wide(monkeypatch):
    monkeypatch.setenv("COLUMNS", "160")


@pytest.fixture
def local(scripted_ollama, monkeypatch):
    """This machine's own server is a scripted one with a model in memory."""
    monkeypatch.setenv("OLLAMA_HOST", scripted_ollama.play(SCRIPT | {"loaded": [LOADED]}))
    return scripted_ollama


def test_every_known_server_is_listed_with_its_models(local, capsys):
    assert list_models("", Orders()) == 0
    said = capsys.readouterr().out
    assert f"{local.address}, version 0.30.1" in said
    assert "The embedded server: not started" in said
    [line] = [line for line in said.splitlines() if line.startswith("m:latest")]
    assert line.split() == [
        "m:latest", "llama", "134.52M", "Q4_1", "98", "MB", "8,192", "completion,", "tools,",
        "thinking", "window", "1,024,", "25%", "GPU", "d" * 12,
    ]  # fmt: skip


def test_an_address_that_is_none_is_told_after_what_was_found(monkeypatch, capsys):
    monkeypatch.setenv("OLLAMA_HOST", "host:abc")
    with pytest.raises(StudioError, match="OLLAMA_HOST"):
        list_models("", Orders())
    assert "The embedded server: not started" in capsys.readouterr().out


def test_a_pool_is_all_known_servers_and_no_machine_of_that_name(local, capsys):
    assert list_models("pool", Orders()) == 0
    assert local.address in capsys.readouterr().out
    with pytest.raises(StudioError, match="A pool is many servers"):
        probe_model("m", "pool")


def test_one_server_that_does_not_answer_is_an_error_with_what_to_do(closed_address):
    with pytest.raises(StudioError) as caught:
        list_models(closed_address, Orders())
    assert closed_address in caught.value.problem
    assert "where it is named: in the terminal, " in caught.value.remedy


def test_a_model_is_pulled_and_listed(local, capsys):
    assert list_models("", Orders(pull="new:1b")) == 0
    assert "new:1b" in capsys.readouterr().out


def test_a_pull_that_fails_is_an_error(local):
    pulls = {"new:1b": {"status": 500, "error": "no space left on device"}}
    local.play(SCRIPT | {"pulls": pulls})
    with pytest.raises(StudioError, match="disk is full"):
        list_models("auto", Orders(pull="new:1b"))


def test_nothing_is_deleted_unasked(local, capsys, monkeypatch):
    monkeypatch.setattr("sys.stdin.isatty", lambda: False)
    with pytest.raises(StudioError, match="not deleted"):
        list_models("", Orders(delete="m"))
    assert list_models("", Orders(delete="m", is_agreed=True)) == 0
    said = capsys.readouterr().out
    assert "m:latest was deleted" in said
    assert "It has no models yet" in said


@pytest.mark.parametrize(("answer", "is_deleted"), [("y", True), ("", False), ("no", False)])
def test_who_is_asked_decides(local, monkeypatch, answer, is_deleted):
    monkeypatch.setattr("sys.stdin.isatty", lambda: True)
    monkeypatch.setattr("builtins.input", lambda _question: answer)
    if is_deleted:
        list_models("", Orders(delete="m"))
    else:
        with pytest.raises(StudioError, match="not deleted"):
            list_models("", Orders(delete="m"))
    assert any(entry["path"] == "/api/delete" for entry in local.log()) == is_deleted


def test_a_model_is_unloaded(local, capsys):
    list_models("", Orders(unload="m"))
    assert "window" not in capsys.readouterr().out


@pytest.mark.parametrize("orders", [Orders(unload="n"), Orders(delete="n", is_agreed=True)])
def test_a_name_that_is_not_there_is_told_with_the_nearest(local, orders):
    with pytest.raises(StudioError) as caught:
        list_models("", orders)
    assert caught.value.remedy == "Choose m:latest."


def test_a_probe_is_told_in_words_and_as_an_exit_code(local, capsys):
    assert probe_model("m", "auto") == 0
    said = capsys.readouterr().out
    assert "Calls tools" in said
    assert "A prompt that is too long is refused, never cut" in said
    assert list_models("", Orders()) == 0
    [line] = [each for each in capsys.readouterr().out.splitlines() if each.startswith("m:latest")]
    assert line.split()[-1] == "tools"
    broken = {"rules": [], "default": {"status": 500, "error": "runner died"}}
    local.play(SCRIPT | broken)
    assert probe_model("m", local.address) == 1


def test_the_command_ends_with_one_and_the_words_on_its_error_output(closed_address):
    done = subprocess.run(
        [sys.executable, "-m", "studio", "probe", "m", "--server", closed_address],
        capture_output=True, text=True, timeout=60,
    )  # fmt: skip
    assert done.returncode == 1
    assert f"No model server answers at {closed_address}." in done.stderr
    assert "Traceback" not in done.stderr
