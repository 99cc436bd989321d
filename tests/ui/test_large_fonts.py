"""With large letters every page still fits a laptop's screen, and nothing that matters is cut."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from msgspec.structs import replace
from PySide6.QtCore import QSize, Qt
from PySide6.QtGui import QFont
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from studio.engine.messages import Told
from studio.engine.model_messages import ModelsFound, PullMoved, ServersKnown
from studio.engine.offers import FoundModel, KnownServer, Origin, Standing
from studio.engine.outcomes import FailureClass
from studio.engine.server_facts import ServerFacts
from studio.ui.app import Studio
from studio.ui.pages import PAGES
from studio.ui.views.evaluate import EvaluatePage
from studio.ui.views.models import ModelsPage
from studio.ui.widgets.scroll import Scroll
from tests.ui import builders
from tests.ui.conftest import MakeStudio
from tests.ui.stage import Stage

ROOM = QSize(1280, 760)
LONG = "hf.co/bartowski/Llama-3.2-3B-Instruct-GGUF:Q4_K_M"
LOCAL, LOST = "http://127.0.0.1:11434", "http://gpu-box.example.lan:11434"
FOUND = (
    ServersKnown((KnownServer(LOCAL, Origin.LOCAL), KnownServer(LOST, Origin.NAMED))),
    ModelsFound(
        LOCAL,
        ServerFacts(LOCAL, "0.30.1", is_embedded=False),
        tuple(
            FoundModel(
                name, 2_019_393_189, f"{place:064x}", "llama", "3.2B", "Q4_K_M", 131_072,
                ("completion", "tools"),
            )
            for place, name in enumerate((LONG, *(f"model-{n:03d}:latest" for n in range(199))))
        ),
        loaded=(),
    ),
    ModelsFound(LOST, None, standing=Standing.UNREACHABLE, problem="It is gone.", remedy="Ask."),
)  # fmt: skip
WHY = "The server's disk is full: the model does not fit on it."
PULLS = tuple(PullMoved(LOCAL, f"m{n}:7b", "", 1, 3, "failed", WHY, WHY) for n in range(4))


@pytest.fixture(params=[9, 16, 20])
def points(qapp: QApplication, request: pytest.FixtureRequest) -> Iterator[int]:
    before = qapp.font()
    large = QFont(before)
    large.setPointSizeF(request.param)
    qapp.setFont(large)
    yield request.param
    qapp.setFont(before)


def fits(studio: Studio) -> bool:
    least = studio.window.minimumSizeHint()
    return studio.window.size() == ROOM and least == least.boundedTo(ROOM)


def cut_at_the_side(studio: Studio) -> list[str]:
    """The insides of places that scroll downwards only, of which a part can never be seen."""
    places = [each for each in studio.window.findChildren(Scroll) if each.isVisible()]
    insides = [each.widget() for each in places if each.widget().width() > each.viewport().width()]
    return [type(each.parentWidget().parentWidget().parentWidget()).__name__ for each in insides]


@pytest.mark.parametrize("points", [20], indirect=True)
def test_every_page_fits_the_window_whatever_is_told(
    make_studio: MakeStudio, project_folder: Path, qtbot: QtBot, points: int
):
    studio = make_studio("--queries", "5", opens=project_folder)
    session = studio.session
    studio.window.resize(ROOM)
    studio.window.show()
    qtbot.waitUntil(lambda: session.state.can_run, timeout=30_000)
    assert fits(studio), "before a run"
    session.start_run()
    qtbot.waitUntil(lambda: session.state.is_busy, timeout=30_000)
    assert fits(studio), "while one goes on"
    qtbot.waitUntil(lambda: session.state.can_run, timeout=30_000)
    told = tuple(Told(f"{place}: {WHY}", f"{WHY} {WHY}") for place in range(3))
    session._link.noticed.emit(told)
    for page in PAGES:
        session.show_page(page)
        if page == "models":
            session._link.noticed.emit((*FOUND, *PULLS))
        qtbot.wait(1)
        assert fits(studio), page
        assert cut_at_the_side(studio) == [], page


@pytest.fixture
def stage(qtbot: QtBot, tmp_path: Path, points: int) -> Iterator[Stage]:
    made = Stage(tmp_path)
    yield made
    made.close()


def test_a_run_with_all_that_there_is_to_say_fits_too(stage: Stage, qtbot: QtBot):
    page = EvaluatePage(stage.session, stage.theme, stage.actions)
    qtbot.addWidget(page)
    page.resize(1000, 600)
    page.show()
    stage.open_project()
    stage.start()
    stage.put([replace(builders.trial(1), failure=FailureClass.SERVER, scores=())])
    stage.end("stopped")
    qtbot.waitUntil(page.no_answers.isVisible)
    page.score_bar.setVisible(True)
    qtbot.waitUntil(lambda: page.minimumSizeHint().height() < 300)
    assert page.minimumSizeHint().width() <= 1024
    assert page.bar.resume.isVisible()
    bottom = page.no_answers.geometry().bottom()
    assert bottom < page.score_bar.y() or bottom < page.figures.y(), "one below the other"


@pytest.fixture
def models(stage: Stage, qtbot: QtBot) -> ModelsPage:
    page = ModelsPage(stage.session, stage.theme)
    qtbot.addWidget(page)
    page.resize(1280 - 148, 730)
    page.show()
    stage.link.noticed.emit(FOUND)
    qtbot.waitUntil(lambda: page.model.rowCount() == 200)
    return page


def test_a_models_name_is_told_by_both_its_ends_and_no_figure_is_cut(
    models: ModelsPage, qtbot: QtBot
):
    table, header = models.table, models.table.horizontalHeader()
    metrics = table.fontMetrics()
    assert models.model.index(0, 0).data() == LONG
    room = header.sectionSize(0) - 24
    shown = metrics.elidedText(LONG, Qt.TextElideMode.ElideMiddle, room)
    assert shown.startswith("hf.co/bar")
    assert shown.endswith("Q4_K_M")
    for place, column in enumerate(models.model.columns):
        title = header.fontMetrics().horizontalAdvance(column.title)
        assert header.sectionSize(place) >= title + 22, column.title
        if column.holds or column.is_number:
            text = str(models.model.index(0, place).data())
            assert header.sectionSize(place) >= metrics.horizontalAdvance(text) + 22, column.title
    assert table.viewport().height() >= 3 * table.rowHeight(0)


def test_which_server_does_not_answer_is_read_in_whole(models: ModelsPage):
    table = models.servers.table
    needed = table.fontMetrics().horizontalAdvance
    assert table.columnWidth(1) >= needed("not reachable") + 22
    assert table.columnWidth(0) >= needed("127.0.0.1:11434") + 22


def test_the_name_of_the_chosen_model_is_read_in_whole(models: ModelsPage, qtbot: QtBot):
    detail = models.detail
    whole = detail.title.width() >= detail.title.sizeHint().width()
    names = [each for each in detail.findChildren(type(detail.made)) if each.text() == LONG]
    below = [each for each in names if each is not detail.title and each.isVisible()]
    assert whole or below
    assert not (whole and below), "it does not say it twice"
