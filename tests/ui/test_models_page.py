"""The models page, driven as a user would, over a small real engine."""

from pathlib import Path

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QLabel, QPushButton, QWidget
from pytestqt.qtbot import QtBot

from studio.engine.messages import EngineReady
from studio.engine.model_messages import ModelsFound, ProbeMoved, PullMoved, ServersKnown
from studio.engine.offers import FoundModel, KnownServer, LoadedModel, Origin, Standing
from studio.engine.records import EMBEDDED, ModelSpec
from studio.engine.server_facts import ServerFacts
from studio.ui.app import Studio
from studio.ui.models.offered import Offered, facts, offered
from studio.ui.models.servers import listed
from studio.ui.text import unturned
from studio.ui.views.evaluate import EvaluatePage
from studio.ui.views.models import ModelsPage
from studio.ui.widgets.dialog import Question
from tests.ui import fake_desk
from tests.ui.conftest import MakeStudio
from tests.ui.stage import Stage


def models(studio: Studio, qtbot: QtBot) -> ModelsPage:
    studio.session.show_page("models")
    shown = studio.window.current
    assert isinstance(shown, ModelsPage)
    qtbot.waitUntil(lambda: shown.model.rowCount() > 1, timeout=10_000)
    return shown


def column(shown: ModelsPage, title: str) -> list[str]:
    [place] = [n for n, each in enumerate(shown.model.columns) if each.title == title]
    return [shown.model.index(row, place).data() for row in range(shown.model.rowCount())]


def pick(shown: ModelsPage, name: str) -> None:
    shown.table.choose(shown.model.find(lambda row: row.name == name))


def texts(widget: QWidget) -> str:
    labels = [each for each in widget.findChildren(QLabel) if each.isVisible()]
    return "\n".join(each.text() for each in labels)


def test_the_models_of_every_server_are_listed_with_how_each_stands(
    make_studio: MakeStudio, project_folder: Path, qtbot: QtBot
):
    shown = models(make_studio(opens=project_folder), qtbot)
    assert [row.title for row in shown.servers._rows] == ["127.0.0.1:11434", "Embedded"]
    assert column(shown, "Model") == ["gpt-oss:120b-cloud", "llama3.2:3b", "phi:latest", "qwen3:8b"]
    assert column(shown, "") == ["", "✓", "", ""]
    assert column(shown, "Can") == ["not local", "tools", "not said", "tools, thinking"]
    assert column(shown, "In memory") == ["", "", "", "✓ 8,192"]
    assert column(shown, "Probe") == ["not probed", "tools", "no tools", "not probed"]
    pick(shown, "qwen3:8b")
    assert "window 8,192 tokens, 67% on the GPU, the rest on the CPU" in texts(shown.detail)
    pick(shown, "gpt-oss:120b-cloud")
    assert "runs at https://ollama.com:443, not on your machine" in texts(shown.detail)
    shown.servers.choose(EMBEDDED)
    assert column(shown, "Model") == ["smollm2:135m"]
    assert shown.head.ask.text() == "Start"
    assert not shown.detail.delete.isEnabled()
    assert not shown.pulls.isVisible()
    shown.head.ask.click()
    qtbot.waitUntil(lambda: shown.head.ask.text() == "Ask Again")


def test_a_server_is_named_and_forgotten(
    make_studio: MakeStudio, project_folder: Path, qtbot: QtBot
):
    shown = models(make_studio(opens=project_folder), qtbot)
    qtbot.keyClicks(shown.servers.address, fake_desk.LOST)
    qtbot.keyClick(shown.servers.address, Qt.Key.Key_Return)
    qtbot.waitUntil(lambda: len(shown.servers._rows) == 3)
    shown.servers.choose(fake_desk.LOST)
    qtbot.waitUntil(lambda: "No model server answers at" in texts(shown.head))
    assert "OLLAMA_HOST" in texts(shown.head)
    assert shown.model.rowCount() == 0
    assert not shown.detail.isVisible()
    shown.head.remove.click()
    qtbot.waitUntil(lambda: len(shown.servers._rows) == 2)
    assert shown.server == fake_desk.LOCAL


def test_a_pull_moves_is_cancelled_resumed_and_lists_its_model(
    make_studio: MakeStudio, project_folder: Path, qtbot: QtBot
):
    shown = models(make_studio(opens=project_folder), qtbot)
    assert not shown.pulls.press.isEnabled()
    qtbot.keyClicks(shown.pulls.name, "slow:1b")
    shown.pulls.press.click()
    qtbot.waitUntil(lambda: "slow:1b" in shown.pulls.rows)
    row = shown.pulls.rows["slow:1b"]
    qtbot.waitUntil(lambda: row.bar.value() == 400)
    assert "400 MB of 1.0 GB" in row.told.text()
    row.cancel.click()
    qtbot.waitUntil(row.resume.isVisible)
    assert "cancelled at 400 MB of 1.0 GB" in row.told.text()
    row.resume.click()
    qtbot.waitUntil(lambda: "slow:1b" in column(shown, "Model"))
    assert row.told.text() == "done, 1.0 GB"
    row.away.click()
    assert shown.pulls.rows == {}


def test_a_pull_that_fails_says_why_and_what_to_do(
    make_studio: MakeStudio, project_folder: Path, qtbot: QtBot
):
    shown = models(make_studio(opens=project_folder), qtbot)
    qtbot.keyClicks(shown.pulls.name, "full:disk")
    qtbot.keyClick(shown.pulls.name, Qt.Key.Key_Return)
    qtbot.waitUntil(lambda: "full:disk" in shown.pulls.rows)
    row = shown.pulls.rows["full:disk"]
    assert "disk is full" in row.problem.text()
    assert "goes on where it stopped" in row.remedy.text()
    qtbot.waitUntil(row.resume.isVisible)  # a new row is shown by the event loop
    assert not row.cancel.isVisible()


def test_a_model_is_deleted_only_after_a_question(
    make_studio: MakeStudio, project_folder: Path, qtbot: QtBot
):
    studio = make_studio(opens=project_folder)
    shown = models(studio, qtbot)
    pick(shown, "llama3.2:3b")
    shown.detail.delete.click()
    question = shown.findChild(Question)
    assert "frees 2.0 GB" in texts(question)
    assert "The open project uses it" in texts(question)
    question.reject()
    assert "llama3.2:3b" in column(shown, "Model")
    shown.detail.delete.click()
    shown.findChildren(Question)[-1].go_on.click()
    qtbot.waitUntil(lambda: "llama3.2:3b" not in column(shown, "Model"))
    qtbot.waitUntil(lambda: studio.window.notices.texts == ("llama3.2:3b was deleted.",))


def test_a_model_is_unloaded(make_studio: MakeStudio, project_folder: Path, qtbot: QtBot):
    shown = models(make_studio(opens=project_folder), qtbot)
    pick(shown, "phi:latest")
    assert not shown.detail.unload.isEnabled()
    pick(shown, "qwen3:8b")
    shown.detail.unload.click()
    qtbot.waitUntil(lambda: column(shown, "In memory") == ["", "", "", ""])
    assert not shown.detail.unload.isEnabled()


def test_a_probe_is_shown_in_words_and_on_the_picker(
    make_studio: MakeStudio, project_folder: Path, qtbot: QtBot
):
    studio = make_studio(opens=project_folder)
    shown = models(studio, qtbot)
    pick(shown, "llama3.2:3b")
    said = texts(shown.detail)
    assert "Calls tools" in said
    assert 'get_temperature({"city":"Lisbon"})' in said
    assert "Writes 41 tokens a second, reads 312, loaded in 3.2 s" in said
    pick(shown, "qwen3:8b")
    assert "A probe asks the model a few short questions" in texts(shown.detail)
    shown.detail.probe.click()
    qtbot.waitUntil(lambda: column(shown, "Probe")[3] == "tools as text")
    assert "Writes its tool calls into the text" in texts(shown.detail)
    studio.session.show_page("evaluate")
    page = studio.window.current
    assert isinstance(page, EvaluatePage)
    box = page.bar.model.box
    icons = {box.itemData(n): not box.itemIcon(n).isNull() for n in range(box.count())}
    assert icons == {"smollm2:135m": False, "llama3.2:3b": True}
    studio.session.pick(model="llama3.2:3b")
    assert "Calls tools" in box.toolTip()


def test_a_probe_that_goes_on_can_be_cancelled(
    make_studio: MakeStudio, project_folder: Path, qtbot: QtBot
):
    shown = models(make_studio(opens=project_folder), qtbot)
    pick(shown, "phi:latest")
    shown.detail.probe.click()
    qtbot.waitUntil(lambda: shown.detail.probe.text() == "Cancel Probe")
    assert "Probing (calling a tool, 2 of 5)" in texts(shown.detail)
    assert not shown.detail.delete.isEnabled()
    shown.detail.probe.click()
    qtbot.waitUntil(lambda: shown.detail.probe.text() == "Probe")
    # What was found before is still there.
    assert "Calls no tools" in texts(shown.detail)


def test_the_choice_of_a_model_outlives_a_new_list(
    make_studio: MakeStudio, project_folder: Path, qtbot: QtBot
):
    studio = make_studio(opens=project_folder)
    shown = models(studio, qtbot)
    assert shown.detail.title.text() == "llama3.2:3b"  # the one that the project uses
    pick(shown, "qwen3:8b")
    shown.pulls.asked.emit("new:1b")
    qtbot.waitUntil(lambda: shown.model.rowCount() == 5)
    assert shown.detail.title.text() == "qwen3:8b"
    shown.servers.choose(EMBEDDED)
    shown.servers.choose(fake_desk.LOCAL)
    assert shown.detail.title.text() == "qwen3:8b"


def test_when_the_engine_dies_nothing_goes_on_for_ever(tmp_path: Path, qtbot: QtBot):
    stage = Stage(tmp_path)
    try:
        desk = stage.session.desk
        stage._say(EngineReady(1, "0"), PullMoved("s", "m", done=1, total=2), ProbeMoved("s", "m"))
        desk.find("s")
        stage.link.died.emit("signal 9")
        assert (desk.pulls["s", "m"].ending, desk.probing("s", "m").ending) == ("failed", "failed")
        assert not desk.is_asked("s")
    finally:
        stage.close()


def test_a_server_that_only_the_project_names_is_asked_once_the_user_says_so(
    tmp_path: Path, qtbot: QtBot
):
    from msgspec.structs import replace

    from tests.ui import builders

    stage = Stage(tmp_path)
    try:
        sent: list[object] = []
        stage.link.send = sent.append  # type: ignore[method-assign]
        other = ModelSpec("m", "http://box:11434/")
        stage.open_project(replace(builders.project(), models=(other,), default_model="m"))
        stage._say(ServersKnown((KnownServer(EMBEDDED, Origin.EMBEDDED),)))
        shown = ModelsPage(stage.session, stage.theme)
        qtbot.addWidget(shown)
        [_, named] = listed(stage.session.desk, stage.session.state.project)
        assert (named.server, named.is_known) == ("http://box:11434", False)
        shown.servers.choose(named.server)
        sent.clear()
        assert shown.head.ask.text() == "Add and Ask"
        shown.head.ask.click()
        assert [getattr(each, "address", "") for each in sent] == ["http://box:11434"]
    finally:
        stage.close()


HOSTILE = '<img src="file:///etc/passwd">&amp;\u202e'


def test_what_servers_say_is_shown_as_it_is(tmp_path: Path, qtbot: QtBot):
    stage = Stage(tmp_path)
    try:
        shown = ModelsPage(stage.session, stage.theme)
        qtbot.addWidget(shown)
        model = FoundModel(HOSTILE, 1, HOSTILE, HOSTILE, HOSTILE, HOSTILE, 1, (HOSTILE,))
        found = ModelsFound(
            "http://s", ServerFacts("http://s", HOSTILE, is_embedded=False), (model,),
            HOSTILE, HOSTILE, Standing.TOO_OLD,
        )  # fmt: skip
        stage._say(ServersKnown((KnownServer("http://s", Origin.NAMED),)), found)
        stage._say(PullMoved("http://s", HOSTILE, HOSTILE, 1, 2, "failed", HOSTILE, HOSTILE))
        stage._say(ProbeMoved("http://s", HOSTILE, HOSTILE, ending="failed", problem=HOSTILE))
        shown.resize(900, 700)
        shown.show()
        qtbot.waitExposed(shown)
        for label in shown.findChildren(QLabel):
            assert label.textFormat() == Qt.TextFormat.PlainText
            assert "<img" not in label.toolTip()
        shown.delete_item()
        assert unturned(HOSTILE) in shown.findChild(Question).heading.text()
        for press in shown.findChildren(QPushButton):
            assert "<img" not in press.text()
    finally:
        stage.close()


def test_what_is_in_memory_is_told_in_words():
    model = FoundModel("m", 1, "d", context_length=8192)

    def told(loaded: LoadedModel | None, *, is_told: bool = True) -> str:
        row = Offered(model, loaded, is_memory_told=is_told)
        return dict(facts(row, now=1_000_000.0))["In memory"]

    assert told(None) == "no"
    assert "does not say" in told(None, is_told=False)
    cpu = LoadedModel("m", "d", 4_000_000, 0, 2048, 1_000_150.0)
    assert told(cpu) == "4 MB, window 2,048 tokens, on the CPU, for another 2 min 30 s"
    assert told(LoadedModel("m", "d", 5, 5, None, 9e10)).endswith("on the GPU, stays there")
    assert told(LoadedModel("m")) == "yes"
    assert told(LoadedModel("m", "d", 4_000_000)) == "4 MB", "where it is was not said"


def test_names_with_and_without_their_tag_are_one_model():
    found = ModelsFound(
        "s", None, (FoundModel("m:latest", digest="d"),),
        loaded=(LoadedModel("m", window=256),),
    )  # fmt: skip
    [row] = offered(found, frozenset({"m:latest"}), lambda _model: "")
    assert row.is_used
    assert row.loaded is not None


def test_runs_are_spread_over_all_servers_by_one_click(
    make_studio: MakeStudio, project_folder: Path, qtbot: QtBot
):
    studio = make_studio(opens=project_folder)
    shown = models(studio, qtbot)
    assert not shown.servers.spreads.isChecked()
    shown.servers.spreads.click()
    qtbot.waitUntil(lambda: studio.session.desk.spreads)
    assert shown.servers.spreads.isChecked()
