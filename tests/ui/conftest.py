"""The window as tests start it: the real one, with a small real engine behind it."""

import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from PySide6.QtCore import QCoreApplication, QEvent
from PySide6.QtWidgets import QApplication, QWidget
from pytestqt.qtbot import QtBot
from shiboken6 import isValid

from studio.ui.app import Studio

MakeStudio = Callable[..., Studio]


@pytest.fixture(autouse=True)
def nothing_is_left_to_be_deleted() -> Iterator[None]:
    """What a test let go of goes now: tests run no event loop that would delete it.

    Left to Python's collector it went in the middle of a later test, its timers still running.
    """
    yield
    QCoreApplication.sendPostedEvents(None, QEvent.Type.DeferredDelete)


@pytest.fixture
def qtbot(qtbot: QtBot, monkeypatch: pytest.MonkeyPatch) -> QtBot:
    """The robot, which here keeps what it is given until the test is torn down.

    It holds widgets weakly: a page that only the test's own frame held was collected after that
    frame's return, in the middle of work that one of its timers had begun.
    """
    held: list[QWidget] = []
    add = qtbot.addWidget

    def keep(widget: QWidget, **how: Callable[[QWidget], None]) -> None:
        held.append(widget)
        add(widget, **how)

    monkeypatch.setattr(qtbot, "addWidget", keep)
    return qtbot


def fake_engine(*options: str) -> tuple[str, ...]:
    """The command of an engine that behaves as the options say."""
    return (sys.executable, "-m", "tests.ui.fake_engine", *options)


@pytest.fixture
def project_folder(tmp_path: Path) -> Path:
    folder = tmp_path / "metals"
    folder.mkdir()
    return folder


@pytest.fixture
def make_studio(qapp: QApplication, qtbot: QtBot, tmp_path: Path) -> Iterator[MakeStudio]:
    """Starts the window over an engine with these options; closed again after the test."""
    made: list[Studio] = []

    def make(*options: str, opens: Path | None = None, waits: bool = True) -> Studio:
        studio = Studio(qapp, tmp_path / "state", engine=fake_engine(*options), opens=opens)
        made.append(studio)
        with qtbot.waitSignal(studio.begun):
            studio.window.show()
        studio.session.closed.disconnect(qapp.quit)
        if opens is not None and waits:
            qtbot.waitUntil(lambda: bool(studio.session.queries), timeout=30_000)
        return studio

    yield make
    for studio in made:
        close(studio, qtbot)


def close(studio: Studio, qtbot: QtBot) -> None:
    """Close the window and wait until its engine is gone; once is enough."""
    if not isValid(studio):
        return
    if studio.session.state.engine != "closing":
        with qtbot.waitSignal(studio.session.closed, timeout=30_000):
            studio.leave()
    studio.window.close()
    studio.window.deleteLater()
    studio.deleteLater()
    # Tests run no event loop that would delete them: a later theme would dress them again.
    QCoreApplication.sendPostedEvents(None, QEvent.Type.DeferredDelete)
