from collections import Counter

import pytest
from msgspec.structs import replace
from PySide6.QtGui import QKeySequence

from studio.engine.records import Tally
from studio.ui.commands import COMMANDS, MENUS, Command
from studio.ui.pages import PAGES
from studio.ui.state import State
from studio.ui.views.palette import found
from tests.ui import builders

BY_ID = {command.id: command for command in COMMANDS}


def state(**changes: object) -> State:
    project = builders.project()
    base = {
        "engine": "ready", "project": project, "query_count": 1, "queries_read": 1,
        "picks": object(),
    }  # fmt: skip
    return State(**{**base, **changes})  # type: ignore[arg-type]


def test_no_two_commands_share_an_id_or_a_shortcut():
    keys = Counter(
        QKeySequence(keys).toString() for command in COMMANDS for keys in command.shortcuts
    )
    assert [each for each, times in keys.items() if times > 1] == []
    assert len(BY_ID) == len(COMMANDS)


@pytest.mark.parametrize("command", COMMANDS, ids=[command.id for command in COMMANDS])
def test_every_command_has_help_a_menu_and_keys_that_exist(command: Command):
    assert command.help.endswith(".")
    assert command.menu in MENUS
    assert all(not QKeySequence(keys).isEmpty() for keys in command.shortcuts)


def test_every_page_has_its_command():
    assert {f"page.{page}" for page in PAGES} <= set(BY_ID)


def test_without_a_project_there_is_nothing_to_run_or_save():
    enabled = {command.id for command in COMMANDS if command.enabled(State())}
    assert not enabled & {"run.start", "run.stop", "item.save", "item.new", "project.folder"}
    assert {"project.open", "project.sample", "palette.open", "window.quit"} <= enabled


def test_a_run_that_is_going_can_be_stopped_once_and_not_started_again():
    going = state(live=1)
    assert BY_ID["run.stop"].enabled(going)
    assert not BY_ID["run.start"].enabled(going)
    assert not BY_ID["run.stop"].enabled(state(live=1, is_stopping=True))


@pytest.mark.parametrize(
    "hindrance",
    [
        {"engine": "ended"}, {"read_only": "the disk is read-only"}, {"queries_read": 0},
        {"is_starting": True}, {"project": None},
    ],
)  # fmt: skip
def test_a_run_starts_only_when_everything_is_there(hindrance: dict[str, object]):
    assert BY_ID["run.start"].enabled(state())
    assert not BY_ID["run.start"].enabled(state(**hindrance))


def test_only_a_run_with_trials_missing_can_be_continued():
    row = replace(builders.run(), tally=Tally(4, done=3, failed=1))
    assert not BY_ID["run.continue"].enabled(state(run=row))
    for missing in (replace(row, lost=1), replace(row, tally=Tally(4, done=3, cancelled=1))):
        assert BY_ID["run.continue"].enabled(state(run=missing))


def test_the_palette_puts_what_begins_with_the_letters_first_and_what_cannot_be_done_last():
    ids = [command.id for command in found("ev", state())]
    assert ids[:2] == ["run.start", "page.evaluate"]
    ids = [command.id for command in found("stop", state(live=1))]
    assert ids[0] == "run.stop"
    assert [command.id for command in found("stop", State())][-2:] == ["run.stop", "score.stop"]
    assert found("zzzz", state()) == ()
