"""The whole window over a small real engine: opening, running, dying, closing, remembering."""

import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from PySide6.QtCore import QObject, Qt
from PySide6.QtWidgets import QAbstractButton, QApplication, QComboBox, QLabel, QPushButton, QWidget
from pytestqt.qtbot import QtBot

from studio.ui.app import Studio
from studio.ui.pages import PAGES
from studio.ui.views.notices import Notice
from studio.ui.views.palette import Palette
from studio.ui.views.problems import ProblemsPage
from studio.ui.views.trust import TrustDialog
from studio.ui.widgets.dialog import Question
from tests.test_layers import HEAVY
from tests.ui.conftest import MakeStudio, close

FIRST_PAINT = """
import os, sys, tempfile
from pathlib import Path
import PySide6.QtCore
from studio.ui.app import Studio, make_application
app = make_application([])
studio = Studio(app, Path(tempfile.mkdtemp()), engine=[sys.executable, "-c", ""])
def painted():
    print("\\n".join(sys.modules))
    print("Qt.enumerations" if "Qt" in vars(PySide6.QtCore) else "")
    app.exit()
studio.window.painted.connect(painted)
studio.window.show()
app.exec()
"""


def ended(studio: Studio) -> bool:
    state = studio.session.state
    return state.run is not None and state.run.ending is not None and not state.is_busy


def test_the_first_paint_needs_nothing_heavy():
    done = subprocess.run(
        [sys.executable, "-c", FIRST_PAINT], capture_output=True, text=True, check=True
    )
    loaded = set(done.stdout.split())
    assert "studio.ui.views.main_window" in loaded
    late = {"msgspec", "sqlite3", "platformdirs", "studio.ui.session", "Qt.enumerations"}
    assert not loaded & {*HEAVY, *late, "asyncio", "studio.engine.store.reader"}


def test_nothing_heavy_is_loaded_while_a_run_goes_but_the_charts():
    script = """
import sys, tempfile
from pathlib import Path
from studio.ui.app import Studio, make_application, show
from tests.ui.conftest import fake_engine
app = make_application([])
folder = Path(tempfile.mkdtemp())
studio = Studio(app, folder / "state", engine=fake_engine("--queries", "3"), opens=folder)
def begun():
    studio.session.queries_changed.connect(studio.session.start_run)
    studio.session.run_changed.connect(look)
def look(row):
    if row is not None and row.ending:
        for page in ("prompts", "tools", "queries", "metrics", "runs", "models"):
            studio.session.show_page(page)
        print("\\n".join(sys.modules))
        studio.leave()
studio.begun.connect(begun)
sys.exit(show(studio))
"""
    done = subprocess.run(
        [sys.executable, "-X", "faulthandler", "-c", script],
        capture_output=True, text=True, timeout=60,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    assert "studio.ui.views.models" in done.stdout.split()
    assert not set(done.stdout.split()) & (set(HEAVY) - {"numpy", "pyqtgraph"})


def test_a_run_fills_the_window_and_ends(
    make_studio: MakeStudio, project_folder: Path, qtbot: QtBot
):
    studio = make_studio("--queries", "7", opens=project_folder)
    rows: dict[int, object] = {}
    studio.session.trials_changed.connect(lambda batch: rows.update((r.id, r) for r in batch))
    studio.actions["run.start"].trigger()
    qtbot.waitUntil(lambda: ended(studio) and len(rows) == 7, timeout=30_000)
    assert studio.session.state.run.ending == "finished"
    assert studio.session.state.tally.done == 7
    assert all(row.outcome == "finished" for row in rows.values())
    assert studio.actions["run.start"].isEnabled()


def test_stop_ends_a_run_once_and_what_is_done_stays(
    make_studio: MakeStudio, project_folder: Path, qtbot: QtBot
):
    studio = make_studio("--pause", "0.3", opens=project_folder)
    studio.actions["run.start"].trigger()
    qtbot.waitUntil(lambda: (studio.session.state.tally is not None
                             and studio.session.state.tally.done >= 1), timeout=30_000)  # fmt: skip
    studio.actions["run.stop"].trigger()
    assert studio.session.state.is_stopping
    assert not studio.actions["run.stop"].isEnabled()
    qtbot.waitUntil(lambda: ended(studio), timeout=30_000)
    assert studio.session.state.run.ending == "stopped"
    assert 1 <= studio.session.state.run.tally.done < 20
    studio.actions["run.continue"].trigger()
    qtbot.waitUntil(lambda: studio.session.state.run.ending == "finished", timeout=30_000)
    assert studio.session.state.run.id == 1
    assert studio.session.state.run.tally.done == 20


def test_an_engine_that_dies_in_a_run_is_told_in_one_line_and_continue_finishes_the_run(
    make_studio: MakeStudio, project_folder: Path, qtbot: QtBot
):
    studio = make_studio("--queries", "6", "--die-after", "3", opens=project_folder)
    rows: dict[int, object] = {}
    studio.session.trials_changed.connect(lambda batch: rows.update((r.id, r) for r in batch))
    studio.actions["run.start"].trigger()
    qtbot.waitUntil(lambda: bool(studio.window.notices.texts), timeout=30_000)
    [told] = studio.window.notices.texts
    assert told == "The engine process ended during run 1; what it did is stored (signal 9)."
    assert not studio.actions["run.start"].isEnabled()
    qtbot.waitUntil(lambda: len(rows) == 3)
    [act] = [b for b in studio.window.findChildren(QPushButton) if b.text() == "Continue"
             and isinstance(b.parent(), Notice)]  # fmt: skip
    act.click()
    qtbot.waitUntil(lambda: ended(studio), timeout=30_000)
    assert studio.session.state.run.ending == "finished"
    assert studio.session.state.run.tally.done == 6
    assert studio.window.notices.texts == ()


def test_an_engine_that_dies_while_nothing_runs_can_be_started_again(
    make_studio: MakeStudio, project_folder: Path, qtbot: QtBot
):
    studio = make_studio(opens=project_folder)
    os.kill(studio.session._link.pid, signal.SIGKILL)
    qtbot.waitUntil(lambda: bool(studio.window.notices.texts), timeout=30_000)
    assert studio.window.notices.texts == ("The engine process ended (signal 9).",)
    studio.session.continue_work()
    qtbot.waitUntil(lambda: studio.session.state.can_run, timeout=30_000)


def test_without_an_engine_every_command_says_so_again_and_continue_is_always_there(
    make_studio: MakeStudio, project_folder: Path, qtbot: QtBot
):
    studio = make_studio(opens=project_folder)
    os.kill(studio.session._link.pid, signal.SIGKILL)
    qtbot.waitUntil(lambda: bool(studio.window.notices.texts), timeout=30_000)
    [told] = studio.window.notices.texts
    studio.window.notices.take_back(studio.window.notices._notices[0])
    studio.session.files.save_prompt("first", "Words that are not to vanish in silence.")
    assert studio.window.notices.texts == (told,)
    studio.window.notices.take_back(studio.window.notices._notices[0])
    studio.actions["run.continue"].trigger()
    qtbot.waitUntil(lambda: studio.session.state.can_run, timeout=30_000)
    assert studio.window.notices.texts == ()


def test_a_run_that_was_cut_off_is_not_continued_in_another_project(
    make_studio: MakeStudio, project_folder: Path, qtbot: QtBot, tmp_path: Path
):
    other = tmp_path / "other"
    other.mkdir()
    studio = make_studio("--queries", "6", "--die-after", "2", opens=project_folder)
    studio.actions["run.start"].trigger()
    qtbot.waitUntil(lambda: bool(studio.window.notices.texts), timeout=30_000)
    assert studio.session.state.unfinished == 1
    studio.session.open_project(str(other))
    studio.session.continue_work()
    qtbot.waitUntil(lambda: studio.session.state.can_run, timeout=30_000)
    assert studio.session.state.project.folder == str(other)
    assert studio.session.state.run is None


def test_opening_another_project_during_a_run_asks_first(
    make_studio: MakeStudio, project_folder: Path, qtbot: QtBot, tmp_path: Path
):
    other = tmp_path / "other"
    other.mkdir()
    studio = make_studio("--pause", "0.2", opens=project_folder)
    studio.actions["run.start"].trigger()
    qtbot.waitUntil(lambda: studio.session.state.live is not None, timeout=30_000)
    studio.handlers._open_project(str(other))
    studio.window.findChild(Question).reject()
    assert studio.session.state.live is not None
    studio.handlers._open_project(str(other))
    studio.window.findChildren(Question)[-1].go_on.click()
    qtbot.waitUntil(lambda: studio.session.state.project.folder == str(other), timeout=30_000)


def test_tab_comes_around_every_page_and_stops_at_all_that_can_be_used(
    make_studio: MakeStudio, project_folder: Path, qtbot: QtBot, qapp: QApplication
):
    studio = make_studio(opens=project_folder)
    qtbot.waitActive(studio.window)
    for name in PAGES:
        studio.session.show_page(name)
        start = studio.window.current.focusWidget() or studio.window.current
        start.setFocus()
        seen: list[QWidget | None] = []
        while (now := qapp.focusWidget()) not in seen:
            seen.append(now)
            qtbot.keyClick(now, Qt.Key.Key_Tab)
        missed = [
            each for each in studio.window.current.findChildren(QWidget)
            if each.focusPolicy() & Qt.FocusPolicy.TabFocus and each not in seen
            and each.isVisible() and each.isEnabled() and each.focusProxy() is None
        ]  # fmt: skip
        assert [_described(each) for each in missed] == [], name
        assert {PAGES[name] + " page"} == {
            each.accessibleName() for each in seen if each.accessibleName().endswith(" page")
        }


def test_a_run_cut_off_with_the_whole_studio_is_shown_again_and_can_be_continued(
    make_studio: MakeStudio, project_folder: Path, qtbot: QtBot
):
    studio = make_studio("--queries", "6", "--die-after", "2", opens=project_folder)
    studio.actions["run.start"].trigger()
    qtbot.waitUntil(lambda: bool(studio.window.notices.texts), timeout=30_000)
    close(studio, qtbot)
    again = make_studio("--queries", "6", opens=project_folder)
    qtbot.waitUntil(lambda: again.session.state.run is not None, timeout=30_000)
    assert again.session.state.run.ending is None
    again.actions["run.continue"].trigger()
    qtbot.waitUntil(lambda: ended(again), timeout=30_000)
    assert again.session.state.run.tally.done == 6


def test_code_of_a_project_runs_only_after_the_user_said_so(
    make_studio: MakeStudio, project_folder: Path, qtbot: QtBot
):
    studio = make_studio("--untrusted", "--queries", "2", opens=project_folder)
    studio.actions["run.start"].trigger()
    qtbot.waitUntil(lambda: studio.window.findChild(TrustDialog) is not None, timeout=30_000)
    dialog = studio.window.findChild(TrustDialog)
    assert "tools.py" in dialog.files.toPlainText()
    assert studio.session.state.run is None
    dialog.reject()
    assert studio.actions["run.start"].isEnabled()
    studio.actions["run.start"].trigger()
    qtbot.waitUntil(
        lambda: studio.window.findChild(TrustDialog) not in (None, dialog), timeout=30_000
    )
    [go_on] = [b for b in studio.window.findChildren(QPushButton) if b.text() == "Trust and Run"]
    go_on.click()
    qtbot.waitUntil(lambda: ended(studio), timeout=30_000)


def test_every_mistake_of_a_refused_project_is_listed_with_its_place(
    make_studio: MakeStudio, project_folder: Path, qtbot: QtBot
):
    studio = make_studio("--refuse", opens=project_folder, waits=False)
    qtbot.waitUntil(lambda: isinstance(studio.window.current, ProblemsPage), timeout=30_000)
    shown = studio.window.current
    assert isinstance(shown, ProblemsPage)
    texts = [shown.list.item(row).text() for row in range(shown.list.count())]
    assert texts == [
        "project.yaml, line 3\nnum_ctx is 12.\nWrite 256 or more.",
        "prompts\nThere is no prompt.\nAdd prompts/first.md.",
    ]
    assert studio.actions["project.read"].isEnabled()


def test_closing_during_a_run_asks_once_and_stops_it(
    make_studio: MakeStudio, project_folder: Path, qtbot: QtBot
):
    studio = make_studio("--pause", "0.2", opens=project_folder)
    studio.actions["run.start"].trigger()
    qtbot.waitUntil(lambda: studio.session.state.live is not None, timeout=30_000)
    studio.window.close()
    assert studio.window.isVisible()
    question = studio.window.findChild(Question)
    question.reject()
    assert studio.session.state.live is not None
    studio.window.close()
    with qtbot.waitSignal(studio.session.closed, timeout=30_000):
        studio.window.findChildren(Question)[-1].go_on.click()
    assert not studio.window.isVisible()


def test_the_palette_does_what_was_typed(make_studio: MakeStudio, qtbot: QtBot):
    studio = make_studio()
    studio.actions["palette.open"].trigger()
    palette = studio.window.findChild(Palette)
    qtbot.keyClicks(palette.line, "models")
    qtbot.keyClick(palette.line, Qt.Key.Key_Return)
    assert studio.session.state.page == "models"


def test_every_command_has_a_handler(make_studio: MakeStudio):
    from studio.ui.commands import COMMANDS

    studio = make_studio()
    assert set(studio.handlers.table) == {command.id for command in COMMANDS}


def test_help_log_and_about_open(make_studio: MakeStudio, qtbot: QtBot, tmp_path: Path):
    studio = make_studio()
    studio.handlers._log = tmp_path / "studio.log"
    (tmp_path / "studio.log").write_bytes(b"x" * 300_000 + b"\xff the end")
    for command in ("help.keys", "help.log", "help.about"):
        studio.actions[command].trigger()
    texts = [dialog.windowTitle() for dialog in studio.window.findChildren(QWidget)
             if dialog.isWindow() and dialog.isVisible()]  # fmt: skip
    assert {"Commands and keys", "Log"} <= set(texts)


@pytest.mark.parametrize("points", [9.0, 16.0], ids=["usual", "large"])
def test_every_page_fits_a_small_screen_and_names_what_can_be_focused(
    make_studio: MakeStudio, project_folder: Path, qapp: QApplication, points: float
):
    font = qapp.font()
    usual = font.pointSizeF()
    font.setPointSizeF(points)
    qapp.setFont(font)
    try:
        studio = make_studio(opens=project_folder)
        for name in PAGES:
            studio.session.show_page(name)
            shown = studio.window.current
            assert shown is not None
            assert studio.window.minimumSizeHint().width() <= 1280
            assert studio.window.minimumSizeHint().height() <= 760
            assert [
                _described(each) for each in shown.findChildren(QWidget) if _is_nameless(each)
            ] == []
    finally:
        font.setPointSizeF(usual)
        qapp.setFont(font)


def _is_nameless(widget: QWidget) -> bool:
    """It takes the keyboard's focus, and a screen reader has nothing to say of it."""
    focusable = bool(widget.focusPolicy() & Qt.FocusPolicy.TabFocus)
    inside = (
        widget.objectName().startswith("qt_")
        or widget.focusProxy() is not None
        or any(isinstance(each, QComboBox) for each in _parents(widget))
    )
    says_itself = isinstance(widget, QAbstractButton) and widget.text()
    named = widget.accessibleName() or says_itself
    shown = not widget.isHidden()
    return (
        shown
        and focusable
        and not inside
        and not named
        and type(widget).__name__ not in _CONTAINERS
    )


def _described(widget: QWidget) -> str:
    return f"{type(widget).__name__} in {type(widget.parent()).__name__}"


def _parents(widget: QWidget) -> Iterator[QObject]:
    parent = widget.parent()
    while parent is not None:
        yield parent
        parent = parent.parent()


_CONTAINERS = {"QTabBar", "QScrollBar", "QHeaderView"}


def test_a_label_shows_markup_as_it_is(qtbot: QtBot):
    from studio.ui.widgets.label import ElidedLabel, PlainLabel

    for kind in (PlainLabel, ElidedLabel):
        label = kind("<b>x</b>")
        qtbot.addWidget(label)
        assert QLabel.textFormat(label) == Qt.TextFormat.PlainText
        assert label.text() == "<b>x</b>"


@pytest.mark.logs_errors
def test_a_fault_is_logged_and_told_in_one_line(
    make_studio: MakeStudio, caplog: pytest.LogCaptureFixture
):
    from studio.ui.log import Faults

    studio = make_studio()
    faults = Faults()
    faults.happened.connect(studio.tell_fault)
    error = ValueError("<img src=x>")
    faults._report(ValueError, error, None)
    assert studio.window.notices.texts == (
        "Something went wrong in the studio: ValueError: <img src=x>",
    )
    assert "fault" in caplog.text


def test_windows_opened_and_closed_leave_none_behind(
    make_studio: MakeStudio, qtbot: QtBot, qapp: QApplication
):
    for _ in range(5):
        close(make_studio(), qtbot)
    qtbot.waitUntil(
        lambda: not [w for w in qapp.topLevelWidgets() if w.isVisible()], timeout=30_000
    )


def test_a_theme_that_was_chosen_is_kept_as_a_setting(make_studio: MakeStudio, qtbot: QtBot):
    from studio import settings

    studio = make_studio()
    studio.actions["theme.dark"].trigger()
    assert studio.theme.is_dark
    assert settings.load()[0].theme == "dark"
    close(studio, qtbot)
    again = make_studio()
    assert again.theme.is_dark
    again.actions["theme.system"].trigger()
