"""The link, over real processes that behave well and badly."""

import os
import signal
import sys
from pathlib import Path

import pytest
from pytestqt.qtbot import QtBot

from studio.engine.messages import EngineReady
from studio.engine.model_messages import FindModels, ModelsFound
from studio.ui.link import EngineLink
from tests.ui.conftest import fake_engine


@pytest.fixture
def heard() -> list[object]:
    return []


def link_to(command: tuple[str, ...], heard: list[object], log: Path | None = None) -> EngineLink:
    link = EngineLink(command, log=log)
    link.noticed.connect(heard.extend)
    link.start()
    return link


def end(link: EngineLink, qtbot: QtBot) -> None:
    if link.is_running:
        with qtbot.waitSignal(link.closed, timeout=30_000):
            link.close()
    link.deleteLater()


def test_commands_go_down_and_notices_come_up(qtbot: QtBot, heard: list[object]):
    link = link_to(fake_engine(), heard)
    link.send(FindModels("auto"))
    qtbot.waitUntil(lambda: len(heard) >= 2, timeout=30_000)
    assert isinstance(heard[0], EngineReady)
    assert heard[0].pid == link.pid
    assert isinstance(heard[1], ModelsFound)
    end(link, qtbot)


def test_a_flood_of_notices_arrives_in_few_batches_and_in_order(qtbot: QtBot):
    flood = (
        "import os\n"
        "from studio.engine.messages import Preparing, frame\n"
        "os.write(1, b''.join(frame(Preparing('x', n)) for n in range(3000)))\n"
        "os.read(0, 1)"
    )
    link = EngineLink((sys.executable, "-c", flood))
    batches: list[tuple[object, ...]] = []
    link.noticed.connect(batches.append)
    link.start()
    qtbot.waitUntil(lambda: sum(map(len, batches)) == 3000, timeout=30_000)
    assert len(batches) < 100
    assert [notice.done for batch in batches for notice in batch] == list(range(3000))
    end(link, qtbot)


def test_an_engine_that_is_killed_is_told_with_how(qtbot: QtBot, heard: list[object]):
    link = link_to(fake_engine(), heard)
    qtbot.waitUntil(lambda: bool(heard), timeout=30_000)
    with qtbot.waitSignal(link.died) as died:
        os.kill(link.pid, signal.SIGKILL)
    assert died.args == ["signal 9"]
    assert not link.is_running
    link.start()
    qtbot.waitUntil(lambda: len(heard) == 2, timeout=30_000)
    end(link, qtbot)


def test_what_a_dying_engine_said_last_is_heard_before_its_death(qtbot: QtBot):
    last_words = (
        "import os\n"
        "from studio.engine.messages import Told, frame\n"
        "os.write(1, frame(Told('last words')))\n"
        "os._exit(3)"
    )
    order: list[object] = []
    link = EngineLink((sys.executable, "-c", last_words))
    link.noticed.connect(order.extend)
    link.died.connect(order.append)
    with qtbot.waitSignal(link.died, timeout=30_000):
        link.start()
    assert [getattr(each, "problem", each) for each in order] == ["last words", "exit code 3"]


def test_an_engine_that_talks_nonsense_is_ended(qtbot: QtBot, heard: list[object]):
    link = EngineLink(fake_engine("--garbage"))
    with qtbot.waitSignal(link.died, timeout=30_000) as died:
        link.start()
    assert "cannot be read" in died.args[0]


def test_an_engine_that_cannot_be_started_is_told(qtbot: QtBot):
    link = EngineLink(("/no/such/program",))
    with qtbot.waitSignal(link.died, timeout=30_000) as died:
        link.start()
    assert "could not be started" in died.args[0]


def test_an_engine_that_does_not_listen_is_ended_by_force(qtbot: QtBot):
    link = EngineLink(fake_engine("--deaf"))
    link._patience.setInterval(200)
    link.start()
    qtbot.waitUntil(lambda: link.pid > 0)
    with qtbot.waitSignal(link.closed, timeout=30_000):
        link.close()
    assert not link.is_running


def test_closing_without_an_engine_is_answered_at_once(qtbot: QtBot):
    link = EngineLink(fake_engine())
    with qtbot.waitSignal(link.closed):
        link.close()


def test_the_error_output_of_the_engine_goes_to_the_log(
    qtbot: QtBot, tmp_path: Path, heard: list[object]
):
    log = tmp_path / "studio.log"
    log.write_text("before\n", encoding="utf-8")
    link = link_to((sys.executable, "-c", "import sys; sys.stderr.write('ouch')"), heard, log)
    with qtbot.waitSignal(link.died, timeout=30_000):
        pass
    assert log.read_text(encoding="utf-8") == "before\nouch"


def test_fifty_engines_started_and_ended_leave_nothing(qtbot: QtBot):
    for _ in range(50):
        link = EngineLink((sys.executable, "-S", "-c", "import os; os.read(0, 1)"))
        link.start()
        with qtbot.waitSignal(link.closed, timeout=30_000):
            link.close()
        link.deleteLater()
