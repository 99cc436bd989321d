"""The pages, driven as a user would, over a small real engine."""

import json
from pathlib import Path

from msgspec.structs import replace
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QPushButton, QSplitter, QWidget
from pytestqt.qtbot import QtBot

from studio.engine.records import ExpectedCall
from studio.ui.app import Studio
from studio.ui.views.prompts import PromptsPage
from studio.ui.views.queries import QueriesPage
from studio.ui.views.runs import RunsPage
from studio.ui.views.status import run_line
from studio.ui.views.tools import ToolsPage
from studio.ui.widgets.dialog import NameDialog, Question
from tests.ui.conftest import MakeStudio, close


def page(studio: Studio, name: str) -> QWidget:
    studio.session.show_page(name)
    shown = studio.window.current
    assert shown is not None
    return shown


def press(parent: QWidget, text: str) -> None:
    [found] = [each for each in parent.findChildren(QPushButton) if each.text() == text]
    assert found.isEnabled(), text
    found.click()


def prompts(studio: Studio) -> PromptsPage:
    shown = page(studio, "prompts")
    assert isinstance(shown, PromptsPage)
    return shown


def queries(studio: Studio) -> QueriesPage:
    shown = page(studio, "queries")
    assert isinstance(shown, QueriesPage)
    return shown


def tools(studio: Studio) -> ToolsPage:
    shown = page(studio, "tools")
    assert isinstance(shown, ToolsPage)
    return shown


def names(of: PromptsPage) -> list[str]:
    return [of.list.item(row).text() for row in range(of.list.count())]


def saved(studio: Studio) -> dict[str, str]:
    project = studio.session.state.project
    return {prompt.name: prompt.text for prompt in project.prompts} if project else {}


def test_a_prompt_is_marked_while_it_differs_from_its_file_and_saved_by_the_engine(
    make_studio: MakeStudio, project_folder: Path, qtbot: QtBot
):
    studio = make_studio(opens=project_folder)
    shown = prompts(studio)
    assert shown.current_name() == "refined"
    shown.editor.selectAll()
    qtbot.keyClicks(shown.editor, "Be brief.")
    assert names(shown) == ["first", "refined  •"]
    qtbot.keyClick(shown.editor, Qt.Key.Key_Z, Qt.KeyboardModifier.ControlModifier)
    assert names(shown) == ["first", "refined"]
    shown.editor.selectAll()
    qtbot.keyClicks(shown.editor, "Be brief\u00a0!")
    studio.actions["item.save"].trigger()
    qtbot.waitUntil(lambda: saved(studio)["refined"] == "Be brief\u00a0!", timeout=30_000)
    assert names(shown) == ["first", "refined"]


def test_switching_between_prompts_loses_no_text_and_no_undo(
    make_studio: MakeStudio, project_folder: Path, qtbot: QtBot
):
    studio = make_studio(opens=project_folder)
    shown = prompts(studio)
    before = shown.editor.toPlainText()
    qtbot.keyClicks(shown.editor, "A")
    shown.list.setCurrentRow(0)
    qtbot.keyClicks(shown.editor, "B")
    shown.list.setCurrentRow(1)
    assert shown.editor.toPlainText() == "A" + before
    shown.editor.undo()
    assert shown.editor.toPlainText() == before
    assert names(shown) == ["first  •", "refined"]


def test_what_was_typed_comes_back_after_a_crash(
    make_studio: MakeStudio, project_folder: Path, qtbot: QtBot, tmp_path: Path
):
    studio = make_studio(opens=project_folder)
    shown = prompts(studio)
    qtbot.keyClicks(shown.editor, "Draft. ")
    shown.new_item()
    dialog = studio.window.findChild(NameDialog)
    dialog.name.setText("third: <b>")
    assert not dialog.go_on.isEnabled()
    dialog.name.setText("third")
    dialog.go_on.click()
    qtbot.keyClicks(shown.editor, "New words")
    query_page = queries(studio)
    query_page.form.box("number").setText("7")
    drafts = tmp_path / "state" / "drafts"

    def on_disk() -> list[str]:
        return sorted(json.loads(each.read_text())["name"] for each in drafts.rglob("*.draft"))

    # Nobody closed anything: they are on disk within a second of the last key.
    qtbot.waitUntil(lambda: on_disk() == ["q1", "refined", "third"], timeout=1_500)
    again = make_studio(opens=project_folder)
    shown = prompts(again)
    assert names(shown) == ["first", "refined  •", "third  •"]
    assert shown.editor.toPlainText().startswith("Draft. You answer")
    shown.list.setCurrentRow(2)
    assert shown.editor.toPlainText() == "New words"
    assert queries(again).form.values()["number"] == "7"


def test_a_prompt_is_renamed_and_deleted(
    make_studio: MakeStudio, project_folder: Path, qtbot: QtBot
):
    studio = make_studio(opens=project_folder)
    shown = prompts(studio)
    shown.list.setCurrentRow(0)
    text = shown.editor.toPlainText()
    shown.rename_item()
    dialog = studio.window.findChild(NameDialog)
    dialog.name.setText("REFINED")
    assert not dialog.go_on.isEnabled()
    dialog.name.setText("oldest")
    dialog.go_on.click()
    qtbot.waitUntil(lambda: "first" not in saved(studio), timeout=30_000)
    assert saved(studio)["oldest"] == text
    assert shown.current_name() == "oldest"
    shown.delete_item()
    studio.window.findChild(Question).go_on.click()
    qtbot.waitUntil(lambda: set(saved(studio)) == {"refined"}, timeout=30_000)
    assert names(shown) == ["refined"]


def test_the_default_prompt_is_renamed_and_stays_the_default_and_the_pick(
    make_studio: MakeStudio, project_folder: Path, qtbot: QtBot
):
    studio = make_studio(opens=project_folder)
    shown = prompts(studio)
    assert shown.current_name() == "refined"
    qtbot.keyClicks(shown.editor, "Not saved. ")
    shown._rename("better", "refined")
    qtbot.waitUntil(lambda: set(saved(studio)) == {"first", "better"}, timeout=30_000)
    assert studio.session.state.project.default_prompt == "better"
    assert studio.session.state.picks.prompt == "better"
    # What was typed went along, and is still not saved.
    assert names(shown) == ["better  •", "first"]
    assert shown.editor.toPlainText().startswith("Not saved. ")
    assert not saved(studio)["better"].startswith("Not saved.")


def test_edits_that_the_file_went_past_say_so_and_can_be_taken_back(
    make_studio: MakeStudio, project_folder: Path, qtbot: QtBot
):
    studio = make_studio(opens=project_folder)
    shown = prompts(studio)
    qtbot.keyClicks(shown.editor, "Mine. ")
    mine = shown.editor.toPlainText()
    assert shown.panel.note.text() == "unsaved changes"
    studio.session.files.save_prompt("refined", "Theirs.")
    qtbot.waitUntil(lambda: saved(studio)["refined"] == "Theirs.", timeout=30_000)
    assert shown.editor.toPlainText() == mine
    assert shown.panel.note.text() == "unsaved changes; the file changed too"
    press(shown, "Revert")
    assert shown.editor.toPlainText() == "Theirs."
    assert shown.panel.note.text() == ""
    shown.editor.undo()
    assert shown.editor.toPlainText() == mine


def test_a_field_that_was_not_touched_follows_the_file(
    make_studio: MakeStudio, project_folder: Path, qtbot: QtBot
):
    studio = make_studio(opens=project_folder)
    shown = queries(studio)
    query = studio.session.queries[0]
    shown.form.box("number").setText("12")
    studio.session.files.save_query(replace(query, text="Asked otherwise?"), query.id)
    qtbot.waitUntil(lambda: studio.session.queries[0].text == "Asked otherwise?", timeout=30_000)
    assert shown.form.values()["text"] == "Asked otherwise?"
    assert shown.form.values()["number"] == "12"
    assert shown.panel.note.text() == "unsaved changes"
    other = replace(query.expected, number=13.0)
    studio.session.files.save_query(replace(query, expected=other), query.id)
    qtbot.waitUntil(lambda: studio.session.queries[0].expected == other, timeout=30_000)
    assert shown.form.values()["number"] == "12"
    assert shown.panel.note.text() == "unsaved changes; the file changed too"


def test_edits_of_a_query_that_was_deleted_elsewhere_become_a_new_one(
    make_studio: MakeStudio, project_folder: Path, qtbot: QtBot
):
    studio = make_studio(opens=project_folder)
    shown = queries(studio)
    gone = studio.session.queries[0].id
    shown.form.box("text").setPlainText("What I was writing")
    studio.session.files.delete_query(gone)
    qtbot.waitUntil(lambda: studio.session.queries[0].id != gone, timeout=30_000)
    assert shown.panel.title.text() == "New query"
    assert shown.form.values()["text"] == "What I was writing"
    assert shown.form.values()["id"] == gone


def test_a_refused_deletion_is_told_and_changes_nothing(
    make_studio: MakeStudio, project_folder: Path, qtbot: QtBot
):
    studio = make_studio(opens=project_folder)
    shown = prompts(studio)
    shown.delete_item()
    studio.window.findChild(Question).go_on.click()
    qtbot.waitUntil(lambda: bool(studio.window.notices.texts), timeout=30_000)
    assert studio.window.notices.texts == ("The default prompt cannot be deleted.",)
    assert names(shown) == ["first", "refined"]


def test_a_tool_is_checked_while_it_is_typed_and_saved_when_it_is_right(
    make_studio: MakeStudio, project_folder: Path, qtbot: QtBot
):
    studio = make_studio(opens=project_folder)
    shown = tools(studio)
    shown.show_tool("get_currency_exchange")
    shown.form.box("time_limit").setText("never")
    shown.save_item()
    shown.show_tool("get_metal_price")
    shown.show_tool("get_currency_exchange")
    assert shown.form.values()["time_limit"] == "never"
    shown.form.box("time_limit").setText("2.5")
    press(shown.panel, "Save")

    def limit() -> float:
        project = studio.session.state.project
        return project.tool_sets[0].tools[1].time_limit if project else 0

    qtbot.waitUntil(lambda: limit() == 2.5)
    assert not any("•" in str(item.text(0)) for item in shown.tree.findItems("", _ALL))


_ALL = Qt.MatchFlag.MatchContains | Qt.MatchFlag.MatchRecursive


def test_a_query_is_added_changed_and_deleted(
    make_studio: MakeStudio, project_folder: Path, qtbot: QtBot
):
    studio = make_studio("--queries", "3", opens=project_folder)
    shown = queries(studio)
    studio.actions["item.new"].trigger()
    form = shown.form
    qtbot.keyClicks(form.box("text"), "What is tin worth?")
    form.box("id").setText("q1")
    form.box("calls").setPlainText('[{"name": "get_metal_price", "arguments": {"n": 1}}')
    studio.actions["item.save"].trigger()
    assert len(studio.session.queries) == 3
    form.box("id").setText("tin")
    form.box("calls").setPlainText('[{"name": "get_metal_price", "arguments": {"n": 1}}]')
    studio.actions["item.save"].trigger()
    qtbot.waitUntil(lambda: len(studio.session.queries) == 4)
    query = studio.session.queries[3]
    assert query.expected.calls == (ExpectedCall("get_metal_price", {"n": 1}),)
    assert form.values()["id"] == "tin"
    form.box("id").setText("tin-2")
    studio.actions["item.save"].trigger()
    qtbot.waitUntil(lambda: studio.session.queries[3].id == "tin-2", timeout=30_000)
    assert len(studio.session.queries) == 4
    studio.actions["item.delete"].trigger()
    studio.window.findChild(Question).go_on.click()
    qtbot.waitUntil(lambda: len(studio.session.queries) == 3)
    assert form.values()["id"] == "q1"


def test_a_hundred_thousand_queries_are_listed_and_filtered(
    make_studio: MakeStudio, project_folder: Path, qtbot: QtBot
):
    studio = make_studio("--queries", "100000", opens=project_folder)
    shown = queries(studio)
    assert shown.model.rowCount() == 100_000
    studio.actions["item.filter"].trigger()
    qtbot.keyClicks(shown.filter, "q99999")
    qtbot.waitUntil(lambda: shown.model.rowCount() == 1, timeout=30_000)
    shown.table.selectRow(0)
    assert shown.form.values()["id"] == "q99999"


def test_a_read_only_project_can_be_read_and_not_edited(
    make_studio: MakeStudio, project_folder: Path
):
    studio = make_studio("--read-only", "The folder is read-only.", opens=project_folder)
    assert studio.window.notices.texts == ("This project is open for reading only.",)
    assert run_line(studio.session.state).endswith("read only")
    shown = prompts(studio)
    assert shown.editor.isReadOnly()
    assert not studio.actions["item.save"].isEnabled()
    assert not studio.actions["run.start"].isEnabled()


def test_runs_are_listed_with_their_counts_and_opened_by_the_same_door(
    make_studio: MakeStudio, project_folder: Path, qtbot: QtBot
):
    studio = make_studio("--queries", "5", opens=project_folder)
    for number in (1, 2):
        studio.actions["run.start"].trigger()
        qtbot.waitUntil(lambda number=number: _ended(studio, number), timeout=30_000)
    shown = page(studio, "runs")
    assert isinstance(shown, RunsPage)
    assert [shown.model.index(row, 0).data() for row in range(2)] == ["2", "1"]
    qtbot.waitUntil(lambda: "(5 of 5)" in str(shown.model.index(1, 7).data()), timeout=30_000)
    figures = str(shown.model.index(1, 7).data())
    assert "0.90 (5 of 5)" in figures
    assert "Seconds – (median, 0 of 5)" in figures
    arrived: list[object] = []
    studio.session.trials_changed.connect(arrived.extend)
    shown.table.selectRow(1)
    press(shown, "Open")
    qtbot.waitUntil(lambda: len(arrived) == 5)
    assert studio.session.state.page == "evaluate"
    assert studio.session.state.run.id == 1


def test_the_figures_of_a_run_that_was_watched_from_the_list_are_those_of_its_end(
    make_studio: MakeStudio, project_folder: Path, qtbot: QtBot
):
    studio = make_studio("--queries", "5", opens=project_folder)
    shown = page(studio, "runs")
    assert isinstance(shown, RunsPage)
    studio.actions["run.start"].trigger()
    qtbot.waitUntil(lambda: _ended(studio, 1), timeout=30_000)
    qtbot.waitUntil(lambda: "0.90 (5 of 5)" in str(shown.model.index(0, 7).data()), timeout=30_000)


def _ended(studio: Studio, number: int) -> bool:
    run, is_busy = studio.session.state.run, studio.session.state.is_busy
    return run is not None and run.id == number and run.ending == "finished" and not is_busy


def test_splitters_page_and_picks_are_remembered(
    make_studio: MakeStudio, project_folder: Path, qtbot: QtBot
):
    studio = make_studio(opens=project_folder)
    studio.session.pick(prompt="first", trials=3)
    prompts(studio)
    splitter = studio.window.findChild(QSplitter, "prompts")
    # The screen of the offscreen platform is 800 pixels wide; a window that is wider comes back
    # narrower.
    studio.window.resize(780, 600)
    qtbot.waitUntil(lambda: splitter.width() < 700)
    splitter.setSizes([200, splitter.width() - 210])
    close(studio, qtbot)
    again = make_studio()
    qtbot.waitUntil(lambda: bool(again.session.queries), timeout=30_000)
    assert again.session.state.page == "prompts"
    assert again.session.state.picks.prompt == "first"
    assert again.session.state.picks.trials == 3
    found = again.window.findChild(QSplitter, "prompts")
    qtbot.waitUntil(lambda: found.sizes()[0] == 200)
