"""A run over several servers as the window shows it: before, while and after."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from msgspec.structs import replace
from pytestqt.qtbot import QtBot

from studio.engine.messages import RunStarted
from studio.engine.model_messages import ModelsFound, ServersKnown
from studio.engine.offers import FoundModel, KnownServer, Origin, Standing
from studio.engine.records import EMBEDDED, ModelSpec, Tally
from studio.engine.server_facts import Absence, ServerFacts
from studio.engine.store.progress import RETRIED
from studio.engine.store.rows import RunRow
from studio.ui.models.servers import answered, asked, asked_again, elsewhere, listed
from studio.ui.state import State
from studio.ui.views.detail import TABS
from studio.ui.views.evaluate import EvaluatePage
from studio.ui.views.outlook import outlook
from studio.ui.views.runs import RunsPage
from studio.ui.views.status import run_line, server_line
from tests.ui import builders
from tests.ui.stage import Stage

A, B, C = "http://a:11434", "http://b:11434", "http://c:11434"
DIGEST, OTHER = "ab" * 32, "cd" * 32
FACTS_A = ServerFacts(A, "0.12.3", False, DIGEST, window=4096, load_seconds=1.5)
FACTS_B = ServerFacts(B, "0.13.0", False, DIGEST, window=4096, left_out="It is gone.")
FACTS_C = ServerFacts(C, "0.13.0", False, OTHER, left_out="Another model.", took_part=False)
MODEL = ModelSpec("small", (A, B, C))


@pytest.fixture
def stage(qtbot: QtBot, tmp_path: Path) -> Iterator[Stage]:
    made = Stage(tmp_path)
    made.servers = (FACTS_A, FACTS_B, FACTS_C)
    yield made
    made.close()


@pytest.fixture
def page(stage: Stage, qtbot: QtBot) -> EvaluatePage:
    made = EvaluatePage(stage.session, stage.theme, stage.actions)
    qtbot.addWidget(made)
    made.resize(1132, 746)
    made.show()
    stage.open_project()
    return made


def tell_servers(stage: Stage, *, spreads: bool = False) -> None:
    """Three named servers: the second has the same model, the third another one of its name."""
    known = [KnownServer(each, Origin.NAMED) for each in (A, B, C)]
    listed = ServersKnown((*known, KnownServer(EMBEDDED, Origin.EMBEDDED)), spreads=spreads)
    found = [
        ModelsFound(server, facts, (FoundModel("small:latest", digest=facts.model_digest),))
        for server, facts in ((A, FACTS_A), (B, FACTS_B), (C, FACTS_C))
    ]
    stage.link.noticed.emit((listed, *found))


def cells(page: EvaluatePage, title: str) -> list[str]:
    table = page.results.model
    [place] = [n for n, column in enumerate(table.columns) if column.title == title]
    return [table.columns[place].text(table.record(row)) for row in range(table.rowCount())]


def play(stage: Stage, page: EvaluatePage, qtbot: QtBot) -> None:
    """A run of three trials, the last of which was tried on another server before."""
    plan = builders.plan()
    options = {"seed": 3, "temperature": 0, "num_ctx": 8192}
    model = replace(plan.variant.model, options=options)
    stage.start(replace(plan, variant=replace(plan.variant, model=model)))
    rows = [replace(builders.trial(place), server=where) for place, where in ((0, A), (1, B))]
    again = replace(builders.trial(2), server=A, marks=(RETRIED,))
    stage.put([*rows, again])
    qtbot.waitUntil(lambda: page.results.model.total == 3, timeout=10_000)


def test_each_trial_shows_which_server_answered(page, stage, qtbot):
    play(stage, page, qtbot)
    assert cells(page, "Server") == ["a:11434", "b:11434", "a:11434"]
    page.results.select((1, 1))
    assert "on b:11434" in page.trace.note.text()
    page.trace.last_step()
    page.trace.detail.tabs.setCurrentIndex(TABS.index("Times"))
    times = page.trace.detail.readings["Times"].text
    qtbot.waitUntil(lambda: "server" in times.toPlainText())
    assert "b:11434" in times.toPlainText()
    assert "temperature 0" in times.toPlainText()


def test_the_prompt_is_rendered_by_the_server_that_answered(page, stage, qtbot, monkeypatch):
    play(stage, page, qtbot)
    wanted: list[str] = []
    monkeypatch.setattr(
        stage.session.desk, "render", lambda server, _sent, _key: wanted.append(server)
    )
    page.results.select((1, 1))
    page.trace.last_step()
    page.show_prompt()
    assert wanted == [B]


def test_a_server_that_a_project_writes_in_another_way_is_the_known_one(stage):
    local = KnownServer("http://127.0.0.1:11434", Origin.LOCAL)
    found = ModelsFound(local.server, FACTS_A, (FoundModel("Small:latest", digest=DIGEST),))
    stage.link.noticed.emit((ServersKnown((local,)), found))
    spec = ModelSpec("small", ("HTTP://LocalHost:11434/", "http://box:11434"))
    desk = stage.session.desk
    assert desk.meant(spec) == (local.server, "http://box:11434")
    project = replace(builders.project(), models=(spec,))
    assert [row.server for row in listed(desk, project)] == [local.server, "http://box:11434"]
    assert asked(spec, desk).startswith("spread over 127.0.0.1:11434; not box:11434")


def test_results_are_filtered_and_sorted_by_server(page, stage, qtbot):
    play(stage, page, qtbot)
    qtbot.keyClicks(page.results.words, "b:11434")
    qtbot.waitUntil(lambda: cells(page, "Server") == ["b:11434"])


def test_a_run_of_one_server_has_no_column_for_it(page, stage, qtbot):
    stage.servers = (FACTS_A, FACTS_C)
    play(stage, page, qtbot)
    assert "Server" not in [column.title for column in page.results.model.columns]
    page.results.select((0, 1))
    assert "11434" not in page.trace.note.text()


def test_a_trial_that_was_tried_before_says_where_and_why(page, stage, qtbot):
    play(stage, page, qtbot)
    page.results.select((2, 1))
    tree = page.trace.model
    qtbot.waitUntil(lambda: tree.rowCount() > 1)
    row = tree.row(tree.index(0, 0))
    assert (row.title, row.preview) == ("tried before", f"{builders.LOST}: The connection broke.")
    assert [badge.word for badge in row.badges] == [RETRIED]
    page.trace.tree.setCurrentIndex(tree.index(0, 0))
    call = page.trace.detail.readings["Call"].text
    qtbot.waitUntil(lambda: builders.LOST in call.toPlainText())
    assert "counts nowhere" in call.toPlainText()


def test_the_runs_page_names_each_server_and_the_options(page, stage, qtbot):
    play(stage, page, qtbot)
    stage.end()
    runs = RunsPage(stage.session, stage.theme)
    qtbot.addWidget(runs)
    qtbot.waitUntil(lambda: "Ollama" in runs._said.text(), timeout=10_000)
    told = runs._said.text()
    assert "Ollama 0.12.3 at a:11434, model abababababab, window 4,096, loaded in 1.5 s" in told
    assert "asked no more: It is gone." in told
    assert "took no part: Another model." in told
    assert "num_ctx 8,192, temperature 0, seed 3" in told


@pytest.mark.parametrize(
    ("places", "said"),
    [
        (((0, 1), (0, 1)), "Answer contains 0.00 (2 of 3) "),
        (((0, 1), (0, 7)), "Answer contains 0.00 (1 of 3) "),
        (((0, 7), (0, 1)), "Answer contains 0.00 (1 of 3) "),
        (((7,), (1,)), "no trial has a score in both"),
    ],
)
def test_what_a_server_failed_is_not_told_as_noise(page, stage, qtbot, places, said):
    runs = RunsPage(stage.session, stage.theme)
    qtbot.addWidget(runs)
    runs.show()
    for repeats, shown in zip((None, 1), places, strict=True):
        stage.start(replace(builders.plan(3), repeats=repeats))
        rows = [builders.trial(place) for place in shown]
        ids = stage.plan.query_ids
        stage.put([replace(row, position=n, query_id=ids[n]) for n, row in enumerate(rows)])
        stage.end()
        # The first is read to its end before there is a second.
        qtbot.waitUntil(lambda run=stage.run: bool(runs._means.of(run)), timeout=10_000)
    runs.table.choose(runs.model.index(0, 0))
    qtbot.waitUntil(lambda: "Run 1 again" in runs._said.text(), timeout=10_000)
    assert said in runs._said.text()


def test_the_status_bar_counts_the_servers(stage):
    started = RunStarted(1, builders.plan(), (FACTS_A, FACTS_B, FACTS_C))
    state = State(engine="ready", servers=started.servers, live=1, tally=Tally(3))
    servers = "2 servers (Ollama 0.12.3, Ollama 0.13.0)"
    assert server_line(state) == f"{servers} · 1 asked no more · window 4,096"
    alone = replace(state, servers=(FACTS_A, FACTS_C))
    assert server_line(alone) == "Ollama 0.12.3 · window 4,096"
    assert "on 2 servers" in run_line(replace(state, spread=2))
    assert "3 at once on each of 2 servers" in run_line(replace(state, spread=2, at_once=3))


def test_the_status_bar_says_at_the_end_how_many_servers_were_lost(page, stage, qtbot):
    stage.servers = (FACTS_A, replace(FACTS_B, left_out=""))
    play(stage, page, qtbot)
    assert "asked no more" not in server_line(stage.session.state)
    stage.store.set_servers(stage.run, (FACTS_A, FACTS_B))
    stage.end()
    assert "1 asked no more" in server_line(stage.session.state)


def test_before_a_run_it_is_said_who_will_be_asked(page, stage):
    tell_servers(stage)
    desk = stage.session.desk
    assert asked(MODEL, desk) == (
        "spread over a:11434, b:11434; not c:11434 (another model of that name)"
    )
    assert asked(ModelSpec("small", "pool"), desk) == asked(MODEL, desk)
    assert asked(ModelSpec("gone", (A, B)), desk).startswith("found when the run begins; not a:")
    assert asked(ModelSpec("small", A), desk) == "a:11434"
    assert asked(ModelSpec("smollm2:135m"), desk) == "the embedded server"
    assert asked(ModelSpec("small", (A, "http://d")), desk).endswith("not d (not asked yet)")
    lost = ModelsFound(B, None, standing=Standing.UNREACHABLE)
    stage.link.noticed.emit((lost,))
    assert "b:11434 (not reachable)" in asked(MODEL, desk)


def test_before_a_run_is_continued_it_is_said_who_will_be_asked(page, stage, qtbot):
    model = replace(MODEL, server=A)
    plan = builders.plan()
    stage.servers = (FACTS_A,)
    stage.start(replace(plan, variant=replace(plan.variant, model=model)))
    stage.end("stopped")
    runs = RunsPage(stage.session, stage.theme)
    qtbot.addWidget(runs)
    assert "\nContinue asks: a:11434" in runs._said.text()
    project = replace(builders.project(), models=(MODEL,))
    stage.open_project(project)
    tell_servers(stage)
    told = (
        "Continue asks: a:11434. If no model abababababab is there any more, it asks: "
        "spread over a:11434, b:11434; not c:11434 (another model of that name)"
    )
    assert told in runs._said.text()
    assert told in page.bar.resume.toolTip()


def test_auto_of_a_run_is_what_it_was_when_that_began_and_of_the_project_what_it_is_now(stage):
    stage.open_project(replace(builders.project(), models=(ModelSpec("small"),)))
    local = KnownServer(A, Origin.LOCAL)
    stage.link.noticed.emit((ServersKnown((local, KnownServer(B, Origin.NAMED)), spreads=True),))
    plan = builders.plan()
    plan = replace(plan, variant=replace(plan.variant, model=ModelSpec("small")))
    row = RunRow(1, 0.0, plan, (FACTS_A,), Tally(3))
    told = asked_again(row, stage.session.state.project, stage.session.desk)
    assert told.startswith("Continue asks: a:11434. If no model abababababab")
    assert "b:11434" in told.partition("asks: ")[2]


def test_where_runs_are_spread_auto_means_all_servers(page, stage):
    tell_servers(stage)
    assert stage.session.desk.meant(ModelSpec("small")) == ()
    tell_servers(stage, spreads=True)
    assert stage.session.desk.meant(ModelSpec("small")) == (A, B, C)
    assert stage.session.desk.meant(ModelSpec("smollm2:135m")) == (EMBEDDED,)


def test_the_outlook_says_that_each_server_works_at_a_time(page, stage):
    state = stage.session.state
    told = dict(outlook(state, "spread over a, b", is_spread=True)[1])
    assert told["Asks"] == "spread over a, b"
    assert told["Runs"].endswith("on each server")
    assert told["Options"] == "what is not stated is fixed when the run begins"


def test_a_model_says_where_else_there_is_the_same(page, stage):
    tell_servers(stage)
    desk = stage.session.desk
    here = FoundModel("small:latest", digest=DIGEST)
    assert elsewhere(desk, A, here) == ("the same on b:11434; another one of this name on c:11434")
    assert elsewhere(desk, A, FoundModel("other", digest=DIGEST)) == ""


def test_servers_of_older_runs_are_told_with_what_is_known():
    [line] = answered((ServerFacts("http://127.0.0.1:1", "0.9.0", is_embedded=False),))
    assert line == "Ollama 0.9.0 at 127.0.0.1:1"
    [line] = answered((replace(FACTS_A, absences=(Absence(0.0, 60.0),)),))
    assert "loaded in 1.5 s, was gone from " in line
    [line] = answered((ServerFacts("http://127.0.0.1:1", "1", is_embedded=True),))
    assert line == "embedded server"
