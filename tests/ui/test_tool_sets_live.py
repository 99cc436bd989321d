"""Tool sets edited in the window, over the real engine: what stands in the file afterwards."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from PySide6.QtCore import QCoreApplication, Qt
from PySide6.QtWidgets import QApplication, QListWidgetItem
from pytestqt.qtbot import QtBot

from studio.ui.app import Studio
from studio.ui.views.tool_tree import Place
from studio.ui.views.tools import ToolsPage
from studio.ui.widgets.dialog import NameDialog, Question
from tests.engine.project.project_folders import write_project
from tests.ui.conftest import close
from tests.ui.test_pages import press, tools

PRICE, RATE = "get_metal_price", "get_currency_exchange"
FILE = f"""\
sets:
  # For a start.
  prices: [{PRICE}]
  both: [{PRICE}, {RATE}]
"""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    files = {"tools.yaml": FILE, "project.yaml": "name: Metals\ntools: prices\n"}
    return write_project(tmp_path / "metals", dict(files))


@pytest.fixture
def studio(folder: Path, qapp: QApplication, qtbot: QtBot, tmp_path: Path) -> Iterator[Studio]:
    made = Studio(qapp, tmp_path / "state", opens=folder)
    with qtbot.waitSignal(made.begun):
        made.window.show()
    made.session.closed.disconnect(QCoreApplication.quit)
    qtbot.waitUntil(lambda: bool(made.session.queries), timeout=30_000)
    yield made
    close(made, qtbot)


def sets(studio: Studio) -> dict[str, list[str]]:
    project = studio.session.state.project
    assert project is not None
    return {each.name: [tool.name for tool in each.tools] for each in project.tool_sets}


def ticked(shown: ToolsPage) -> list[str]:
    return shown.sets.form.values()["tools"].split()


def item(shown: ToolsPage, name: str) -> QListWidgetItem:
    [found] = shown.sets.form.box("tools").findItems(name, Qt.MatchFlag.MatchStartsWith)
    return found


def name_it(studio: Studio, name: str) -> None:
    dialog = studio.window.findChild(NameDialog)
    dialog.name.setText(name)
    dialog.go_on.click()


def test_a_set_is_ticked_ordered_saved_and_nothing_else_in_its_file_changes(
    studio: Studio, folder: Path, qtbot: QtBot
):
    shown = tools(studio)
    assert shown.tree.place == Place("prices")
    assert ticked(shown) == [PRICE]
    item(shown, RATE).setCheckState(Qt.CheckState.Checked)
    shown.sets.form.box("tools").setCurrentItem(item(shown, RATE))
    studio.actions["item.up"].trigger()
    assert ticked(shown) == [RATE, PRICE]
    assert "•" in shown.tree.currentItem().text(0)
    shown.tree.show_tool(PRICE)
    assert shown.tree.show_place(Place("prices"))
    assert ticked(shown) == [RATE, PRICE]
    press(shown.sets, "Save")
    qtbot.waitUntil(lambda: sets(studio)["prices"] == [RATE, PRICE], timeout=30_000)
    assert (folder / "tools.yaml").read_text() == FILE.replace(
        f"prices: [{PRICE}]", f"prices: [{RATE}, {PRICE}]"
    )
    assert shown.tree.place == Place("prices")
    assert "•" not in shown.tree.currentItem().text(0)


def test_a_new_set_begins_as_the_one_shown_and_a_renamed_one_stays_picked(
    studio: Studio, folder: Path, qtbot: QtBot
):
    shown = tools(studio)
    shown.tree.show_place(Place("both"))
    studio.actions["item.new"].trigger()
    name_it(studio, "rates only / for now")
    qtbot.waitUntil(lambda: shown.tree.place == Place("rates only / for now"), timeout=30_000)
    assert sets(studio)["rates only / for now"] == [PRICE, RATE]
    shown.tree.show_place(Place("prices"))
    studio.actions["item.rename"].trigger()
    name_it(studio, "prices only")
    qtbot.waitUntil(lambda: shown.tree.place == Place("prices only"), timeout=30_000)
    assert studio.session.state.picks.tool_set == "prices only"
    assert (folder / "project.yaml").read_text() == "name: Metals\ntools: prices only\n"
    assert "  # For a start.\n  prices only:" in (folder / "tools.yaml").read_text()


def test_ticks_move_only_where_they_are_seen_and_a_new_set_begins_with_those_not_saved_too(
    studio: Studio, qtbot: QtBot
):
    shown = tools(studio)
    shown.tree.show_place(Place("both"))
    shown.sets.form.box("tools").setCurrentRow(1)
    shown.show_tool(PRICE)
    studio.actions["item.up"].trigger()
    assert not shown.sets.has_edits("both")
    shown.tree.show_place(Place("both"))
    studio.actions["item.up"].trigger()
    assert shown.sets.has_edits("both")
    studio.actions["item.new"].trigger()
    name_it(studio, "new")
    qtbot.waitUntil(lambda: "new" in sets(studio), timeout=30_000)
    assert sets(studio)["new"] == [RATE, PRICE]
    assert sets(studio)["both"] == [PRICE, RATE]


def test_what_is_renamed_is_what_the_dialog_named_whatever_is_shown_meanwhile(
    studio: Studio, folder: Path, qtbot: QtBot
):
    shown = tools(studio)
    shown.tree.show_place(Place("both"))
    studio.actions["item.rename"].trigger()
    (folder / "tools.yaml").write_text(f"sets:\n  prices: [{PRICE}]\n  third: [{RATE}]\n")
    studio.session.read_again()
    qtbot.waitUntil(lambda: "third" in sets(studio), timeout=30_000)
    name_it(studio, "fourth")
    studio.session.read_again()
    with qtbot.waitSignal(studio.session.project_changed, timeout=30_000):
        pass
    assert {"prices", "third"} <= set(sets(studio))


def test_a_rename_that_is_refused_leaves_what_the_next_run_uses(
    studio: Studio, folder: Path, qtbot: QtBot
):
    shown = tools(studio)
    studio.session.pick(tool_set="both")
    shown.tree.show_place(Place("both"))
    elsewhere = FILE.replace(f"[{PRICE}, {RATE}]", f"[{RATE}, {PRICE}]")
    (folder / "tools.yaml").write_text(elsewhere)
    studio.actions["item.rename"].trigger()
    name_it(studio, "never")
    qtbot.waitUntil(lambda: bool(studio.window.notices.texts), timeout=30_000)
    assert sets(studio)["both"] == [RATE, PRICE]
    assert studio.session.state.picks.tool_set == "both"
    studio.actions["item.rename"].trigger()
    studio.window.findChildren(NameDialog)[-1].name.setText("now")
    studio.window.findChildren(NameDialog)[-1].go_on.click()
    qtbot.waitUntil(lambda: "now" in sets(studio), timeout=30_000)
    assert studio.session.state.picks.tool_set == "now"


def test_a_set_is_deleted_once_agreed_and_the_default_one_never(
    studio: Studio, folder: Path, qtbot: QtBot
):
    shown = tools(studio)
    press(shown.sets, "Delete…")
    studio.window.findChild(Question).go_on.click()
    qtbot.waitUntil(lambda: bool(studio.window.notices.texts), timeout=30_000)
    assert "prices is the project's default tool set." in studio.window.notices.texts[0]
    shown.tree.show_place(Place("both", RATE))
    studio.actions["item.delete"].trigger()
    studio.window.findChildren(Question)[-1].go_on.click()
    qtbot.waitUntil(lambda: "both" not in sets(studio), timeout=30_000)
    assert sets(studio) == {"prices": [PRICE], "all": [PRICE, RATE]}


def test_whether_a_tool_retrieves_documents_is_ticked_and_written(
    studio: Studio, folder: Path, qtbot: QtBot
):
    shown = tools(studio)
    shown.show_tool(PRICE)
    shown.form.box("retrieval").click()
    press(shown.panel, "Save")
    text = f"tools:\n  {PRICE}:\n    retrieval: true\n"
    qtbot.waitUntil(lambda: text in (folder / "tools.yaml").read_text(), timeout=30_000)
    qtbot.waitUntil(lambda: not shown.panel.is_dirty)
    assert shown.form.values()["retrieval"] == "yes"
