"""The Evaluate page over a real session and a real store."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from msgspec.structs import replace
from PySide6.QtCore import QPoint, QPointF, QSize, Qt
from PySide6.QtWidgets import QWidget
from pytestqt.qtbot import QtBot

from studio.engine.events import ModelCalled
from studio.engine.messages import EngineReady, ProjectOpened
from studio.engine.records import Expected, ModelSpec, Prompt, Query, Tally
from studio.ui.models.outline import Kind
from studio.ui.models.results import Wanted
from studio.ui.views.detail import TABS
from studio.ui.views.evaluate import EvaluatePage
from studio.ui.views.status import run_line
from studio.ui.widgets.paint import cut
from studio.ui.widgets.progress import in_words, share
from tests.ui import builders, failing
from tests.ui.stage import Stage

HOSTILE = '<img src="file:///etc/passwd"><b>query</b> & more\n\u202etxt.exe'


@pytest.fixture
def stage(qtbot: QtBot, tmp_path: Path) -> Iterator[Stage]:
    made = Stage(tmp_path)
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


def run(stage: Stage, page: EvaluatePage, qtbot: QtBot, places: range, trials: int = 1) -> None:
    """Start a run and let these queries' trials end; wait until the page shows them."""
    stage.start(builders.plan(trials=trials))
    stage.put(builders.trial(place, number=n + 1) for place in places for n in range(trials))
    wait_for_rows(page, qtbot, len(places) * trials)


def wait_for_rows(page: EvaluatePage, qtbot: QtBot, count: int) -> None:
    """Until so many trials are there, and one of them is shown."""
    qtbot.waitUntil(
        lambda: page.results.model.total == count and page.results.has_current, timeout=10_000
    )


def wait_for_charts(page: EvaluatePage, qtbot: QtBot) -> None:
    qtbot.waitUntil(lambda: page.figures.is_ready, timeout=20_000)


def shown_trial(page: EvaluatePage) -> str:
    return page.trace.title.text()


def read(page: EvaluatePage, tab: str) -> str:
    return page.trace.detail.readings[tab].text.toPlainText()


def current_row(page: EvaluatePage) -> tuple[Kind, str]:
    row = page.trace.model.row(page.trace.tree.currentIndex())
    return row.kind, row.title


def test_before_a_run_the_page_says_what_evaluate_will_do(page: EvaluatePage):
    assert page.outlook.isVisible()
    told = page.outlook.text()
    assert "Ready to run 20 queries" in told
    assert "every query once: 20 trials, one after the other" in told
    assert "prompt refined, tools prices + exchange, model smollm2:135m" in told
    assert "Tool-call accuracy" in told


def test_a_pick_changes_what_the_next_run_uses(page: EvaluatePage, stage: Stage, qtbot: QtBot):
    page.bar.prompt.box.setFocus()
    qtbot.keyClick(page.bar.prompt.box, Qt.Key.Key_Up)
    picks = stage.session.state.picks
    assert picks is not None
    assert picks.prompt == "first"
    qtbot.keyClick(page.bar.trials.box, Qt.Key.Key_Down)
    assert "every query 2 times: 40 trials" in page.outlook.text()


def test_the_buttons_ask_for_the_commands_of_the_menu(
    page: EvaluatePage, stage: Stage, qtbot: QtBot
):
    qtbot.mouseClick(page.bar.start, Qt.MouseButton.LeftButton)
    assert stage.asked == ["run.start"]
    assert not page.bar.stop.isEnabled()
    stage.start()
    assert not page.bar.start.isEnabled()
    qtbot.mouseClick(page.bar.stop, Qt.MouseButton.LeftButton)
    assert stage.asked == ["run.start", "run.stop"]


def test_a_run_fills_the_page(page: EvaluatePage, stage: Stage, qtbot: QtBot):
    run(stage, page, qtbot, range(12))
    assert page.bar.amount.text() == "12 of 20"
    qtbot.waitUntil(lambda: page.summary.tiles[0].counts.text() == "11 of 20")
    tile = page.summary.tiles[0]
    assert (tile.name.text(), tile.value.text()) == ("Tool-call accuracy", "0.82")
    assert tile.interval.text() == "0.53–1.00"
    wait_for_charts(page, qtbot)
    assert shown_trial(page) == "How much is silver worth in EUR?"


def test_the_selection_and_its_place_stay_while_rows_come_in(
    page: EvaluatePage, stage: Stage, qtbot: QtBot
):
    run(stage, page, qtbot, range(10))
    page.results.table.sortByColumn(5, Qt.SortOrder.DescendingOrder)
    assert page.results.select((3, 1))
    stage.put(builders.trial(place) for place in range(10, 20))
    wait_for_rows(page, qtbot, 20)
    current = page.results.table.currentIndex()
    assert page.results.model.record(current.row()).position == 3
    assert shown_trial(page) == builders.trial(3).query


def test_a_click_on_a_bar_selects_the_trial(page: EvaluatePage, stage: Stage, qtbot: QtBot):
    run(stage, page, qtbot, range(12))
    wait_for_charts(page, qtbot)
    plot = page.figures.scores.plot
    qtbot.waitUntil(lambda: len(plot.in_view) == 20)
    scene = plot.view.mapViewToScene(QPointF(6, 0.2))
    place: QPoint = plot.mapFromScene(scene)
    qtbot.mouseClick(plot.viewport(), Qt.MouseButton.LeftButton, pos=place)
    assert page.results.model.record(page.results.table.currentIndex().row()).position == 6
    assert shown_trial(page) == builders.trial(6).query
    qtbot.waitUntil(lambda: plot.selected == 6)


def test_a_trace_opens_at_its_first_problem(page: EvaluatePage, stage: Stage, qtbot: QtBot):
    run(stage, page, qtbot, range(8))
    page.results.select((6, 1))
    qtbot.waitUntil(lambda: current_row(page) == (Kind.TOOL, "get_metal_price"))
    qtbot.waitUntil(lambda: "valid against the schema" in read(page, "Call"))
    assert "── expected calls ──" in read(page, "Call")
    assert '2  get_metal_price(metal_name="zinc")' in read(page, "Call")


def test_a_trial_that_did_not_pass_opens_at_what_went_wrong_first(
    page: EvaluatePage, stage: Stage, qtbot: QtBot
):
    stage.start()
    stage.put(failing.trial(place) for place in range(8))
    wait_for_rows(page, qtbot, 8)
    page.results.select((3, 1))

    def holds_the_finding() -> bool:
        row = page.trace.model.row(page.trace.tree.currentIndex())
        return failing.TOOL.event in (row.first, row.last)

    qtbot.waitUntil(holds_the_finding)
    assert page.trace.findings.model.rowCount() == 1
    page.results.select((1, 1))
    assert not page.trace.findings.isVisible()


def test_steps_are_walked_through_by_command(page: EvaluatePage, stage: Stage, qtbot: QtBot):
    run(stage, page, qtbot, range(1))
    qtbot.waitUntil(lambda: current_row(page) == (Kind.MODEL, "model"))
    page.next_step()
    assert current_row(page) == (Kind.TOOL, "get_metal_price")
    page.trace.last_step()
    assert current_row(page)[0] is Kind.ANSWER
    page.previous_step()
    assert current_row(page)[0] is Kind.MODEL
    page.trace.first_step()
    assert current_row(page)[0] is Kind.MODEL
    page.next_trial()
    assert shown_trial(page) == "How much is silver worth in EUR?"


def test_every_tab_tells_of_the_chosen_step(page: EvaluatePage, stage: Stage, qtbot: QtBot):
    run(stage, page, qtbot, range(7))
    page.results.select((6, 1))
    qtbot.waitUntil(lambda: current_row(page)[0] is Kind.TOOL)
    wanted = {
        "Call": "get_metal_price",
        "Sent": "── 1 · system ──",
        "Raw": "I need the price.",
        "Scores": "RAGAS ToolCallAccuracy",
        "Times": "model took",
    }
    for tab, words in wanted.items():
        page.trace.detail.tabs.setCurrentIndex(TABS.index(tab))
        qtbot.waitUntil(lambda tab=tab, words=words: words in read(page, tab))


def test_a_running_trial_is_followed(page: EvaluatePage, stage: Stage, qtbot: QtBot):
    stage.start()
    trial = stage.begin(0)
    events = builders.events(0, cycles=2)
    stage.append(trial, events[:5])
    wait_for_rows(page, qtbot, 1)
    assert page.trace.note.text() == "running"
    before = len(page.trace.model.outline.rows)
    stage.append(trial, events[5:])
    qtbot.waitUntil(lambda: len(page.trace.model.outline.rows) > before)
    qtbot.waitUntil(lambda: page.trace.model.outline.rows[-1].kind is Kind.ANSWER)
    qtbot.waitUntil(lambda: page.trace.note.text() != "running")


def test_what_is_read_of_the_step_that_a_running_trial_stands_at_grows_with_it(
    page: EvaluatePage, stage: Stage, qtbot: QtBot
):
    stage.start()
    trial = stage.begin(0)
    events = builders.events(0, cycles=1)
    asked = next(n for n, each in enumerate(events) if isinstance(each, ModelCalled)) + 1
    stage.append(trial, events[:asked])
    qtbot.waitUntil(lambda: "The model has not replied yet.\n" in read(page, "Call"))
    row = current_row(page)
    stage.append(trial, events[asked:])
    qtbot.waitUntil(lambda: "metal_name" in read(page, "Call").partition("── expected")[0])
    assert "not replied" not in read(page, "Call")
    assert current_row(page) == row


def test_not_scored_is_said_with_its_reason(page: EvaluatePage, stage: Stage, qtbot: QtBot):
    run(stage, page, qtbot, range(8))
    page.results.select((7, 1))
    page.trace.detail.tabs.setCurrentIndex(TABS.index("Scores"))
    qtbot.waitUntil(lambda: "not scored\n  the trial ran out of time" in read(page, "Scores"))


def test_a_filter_leaves_what_has_the_words(page: EvaluatePage, stage: Stage, qtbot: QtBot):
    run(stage, page, qtbot, range(20))
    page.focus_filter()
    qtbot.waitUntil(page.results.words.hasFocus)
    qtbot.keyClicks(page.results.words, "gold")
    qtbot.waitUntil(lambda: page.results.model.rowCount() == 2)
    assert page.results.note.text() == "2 of 20"
    page.results.words.clear()
    assert page.results.model.rowCount() == 20
    page.results.kind.setCurrentText(Wanted.UNSCORED)
    assert page.results.model.rowCount() == 2


def test_another_run_replaces_everything(page: EvaluatePage, stage: Stage, qtbot: QtBot):
    run(stage, page, qtbot, range(12))
    stage.end()
    stage.start(builders.plan(trials=2))
    assert page.results.model.total == 0
    assert [column.title for column in page.results.model.columns][2] == "Trial"
    assert shown_trial(page) == "No trial chosen"
    stage.put([builders.trial(0), builders.trial(0, number=2)])
    wait_for_rows(page, qtbot, 2)
    assert page.trace.note.text().startswith("trial 1 of 2")


def test_a_past_run_shows_what_the_live_one_showed(page: EvaluatePage, stage: Stage, qtbot: QtBot):
    run(stage, page, qtbot, range(20))
    stage.end()
    live = [page.results.model.record(row) for row in range(20)]
    first = stage.run
    stage.start()
    stage.session.open_run(first)
    wait_for_rows(page, qtbot, 20)
    assert [page.results.model.record(row) for row in range(20)] == live


def test_columns_hidden_for_one_run_show_the_metrics_of_another(
    page: EvaluatePage, stage: Stage, qtbot: QtBot
):
    page.resize(876, 600)
    stage.start(replace(builders.plan(), metrics=builders.METRICS[:1]))
    stage.put([builders.trial(0)])
    wait_for_rows(page, qtbot, 1)
    run(stage, page, qtbot, range(3))
    table, columns = page.results.table, page.results.model.columns
    hidden = [each.title for place, each in enumerate(columns) if table.isColumnHidden(place)]
    assert set(hidden) <= {"Steps", "Seconds", "Tokens"}


@pytest.mark.parametrize("between", ["", " and so on" * 10_000])
def test_queries_that_begin_alike_are_told_apart_where_they_are_cut(page: EvaluatePage, between):
    metrics = page.fontMetrics()
    room = 24 * metrics.averageCharWidth()
    asked = [f"What is the price of a gram{between} of {each}?" for each in ("gold", "tin")]
    shown = [cut(metrics, each, room, keeps_end=True) for each in asked]
    assert [each.rsplit(" ", 1)[-1] for each in shown] == ["gold?", "tin?"]
    assert all(metrics.horizontalAdvance(each) <= room for each in shown)


def test_an_unfinished_run_can_be_continued(page: EvaluatePage, stage: Stage, qtbot: QtBot):
    run(stage, page, qtbot, range(5))
    assert not page.bar.resume.isVisible()
    stage.end("stopped")
    assert page.bar.resume.isVisible()
    qtbot.mouseClick(page.bar.resume, Qt.MouseButton.LeftButton)
    assert stage.asked == ["run.continue"]


def test_foreign_text_is_never_taken_for_markup(page: EvaluatePage, stage: Stage, qtbot: QtBot):
    """Names, queries, answers and tool output that look like HTML are shown as they are."""
    project = replace(
        builders.project(),
        prompts=(Prompt(HOSTILE, "x"),),
        models=(ModelSpec(HOSTILE),),
        default_prompt=HOSTILE,
        default_model=HOSTILE,
    )
    stage.open_project(project, (Query("q01", HOSTILE, Expected(contains=(HOSTILE,))),))
    stage.start(replace(builders.plan(1), query_ids=("q01",)))
    row = replace(builders.trial(0), query=HOSTILE, answer=HOSTILE, marks=(HOSTILE,))
    stage.put([row])
    wait_for_rows(page, qtbot, 1)
    for widget in page.findChildren(QWidget):
        assert "<img" not in widget.toolTip(), widget
    hint = page.results.model.data(page.results.model.index(0, 0), Qt.ItemDataRole.ToolTipRole)
    assert "<img" not in str(hint)
    assert page.trace.title.textFormat() == Qt.TextFormat.PlainText


@pytest.mark.parametrize("size", [QSize(1132, 700), QSize(876, 600)])
def test_nothing_is_cut_off_on_a_small_laptop(
    page: EvaluatePage, stage: Stage, qtbot: QtBot, size: QSize
):
    run(stage, page, qtbot, range(12), trials=2)
    wait_for_charts(page, qtbot)
    assert page.minimumSizeHint().width() <= size.width()
    assert page.minimumSizeHint().height() <= size.height()
    page.resize(size)
    for widget in (page.bar.start, page.bar.stop, page.results, page.trace, page.figures):
        corner = widget.mapTo(page, QPoint(widget.width(), widget.height()))
        assert corner.x() <= size.width(), widget
        assert corner.y() <= size.height(), widget
    bar = page.results.table.horizontalScrollBar()
    assert bar.maximum() == 0 or not bar.isVisible()


def test_everything_is_reached_by_tab_and_has_a_name(
    page: EvaluatePage, stage: Stage, qtbot: QtBot
):
    run(stage, page, qtbot, range(8))
    stage.end()
    wait_for_charts(page, qtbot)
    # By the keyboard: to walk the chain of all widgets wraps parts of Qt that are its own.
    page.bar.prompt.box.setFocus()
    by_tab: list[QWidget] = []
    while (now := page.focusWidget()) is not None and now not in by_tab:
        by_tab.append(now)
        qtbot.keyClick(now, Qt.Key.Key_Tab)
    for wanted in (
        page.bar.model.box, page.bar.start, page.figures.scores.plot,
        page.results.words, page.results.table, page.trace.tree, page.trace.steps[0],
        page.trace.detail.readings["Call"].text,
    ):  # fmt: skip
        assert wanted in by_tab, wanted
    for each in by_tab:
        text = getattr(each, "text", None)
        assert each.accessibleName() or (callable(text) and text()), (each, each.parent())


def test_the_bar_is_divided_by_what_became_of_the_trials():
    tally = Tally(40, done=28, failed=2, skipped=1, cancelled=0)
    assert [share(tally, name) for name in ("done", "failed", "skipped", "cancelled")] == [
        0.7, 0.05, 0.025, 0.0,
    ]  # fmt: skip
    assert in_words(tally) == "28 done, 2 failed, 1 skipped, 9 to go"
    assert in_words(Tally(0)) == "nothing to do"


def test_a_run_that_another_studio_writes_is_not_called_interrupted_and_shows_its_end(stage: Stage):
    run = stage.store.create_run(builders.plan(), stage.servers, builders.queries())
    stage.store.committed().result(10)
    taken = ProjectOpened(
        builders.project(), 8, is_trusted=True, store=str(stage.store.path), read_only="Taken."
    )
    stage.link.noticed.emit((EngineReady(1, "0.1.0"), taken))
    assert run_line(stage.session.state) == f"Run {run} · not ended · read only"
    stage.store.end_run(run, "finished")
    stage.store.committed().result(10)
    stage.link.noticed.emit((replace(taken, read_only=""),))
    assert run_line(stage.session.state) == f"Run {run} · finished"
