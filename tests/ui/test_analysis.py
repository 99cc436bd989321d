"""The analysis page over a real session and a real store."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from msgspec.structs import replace
from PySide6.QtCore import QPointF, Qt
from pytestqt.qtbot import QtBot

from studio.engine.outcomes import FailureMode
from studio.engine.records import (
    Criteria,
    Finding,
    MetricSpec,
    Score,
)
from studio.engine.store.rows import TrialRow
from studio.ui.models.outline import Kind
from studio.ui.views.analysis import AnalysisPage
from studio.ui.views.evaluate import EvaluatePage
from tests.ui import builders, failing
from tests.ui.stage import Stage

FAILURES, RELIABILITY, CALIBRATION, BENCHMARKS = range(4)
SURE = (*builders.METRICS, MetricSpec("stated_confidence"), MetricSpec("claimed_success"))


@pytest.fixture
def stage(qtbot: QtBot, tmp_path: Path) -> Iterator[Stage]:
    made = Stage(tmp_path)
    yield made
    made.close()


@pytest.fixture
def page(stage: Stage, qtbot: QtBot) -> AnalysisPage:
    made = AnalysisPage(stage.session, stage.theme, stage.actions)
    qtbot.addWidget(made)
    made.resize(1132, 726)
    made.show()
    stage.open_project()
    return made


def run(stage: Stage, trials: int = 1, places: int = 8) -> None:
    stage.start(builders.plan(trials=trials))
    stage.put(
        failing.trial(place, number=number + 1)
        for place in range(places)
        for number in range(trials)
    )


def wait_for(page: AnalysisPage, qtbot: QtBot, headline: str) -> None:
    qtbot.waitUntil(lambda: page.failures.chart_panel.title.text() == headline, timeout=10_000)


def modes(page: AnalysisPage) -> list[tuple[str, int]]:
    return [(line.name, line.trials) for line in page.failures.table.lines]


def listed(page: AnalysisPage) -> list[int]:
    trials = page.failures.trials
    return [trials.record(row).trial.position for row in range(trials.rowCount())]


def step(page: AnalysisPage) -> tuple[Kind, int, int | None]:
    """The step of the trace that is current: its kind, and the events that it begins and ends."""
    row = page.failures.trace.model.row(page.failures.trace.tree.currentIndex())
    return row.kind, row.first, row.last


def test_without_a_run_the_page_says_what_to_do(page: AnalysisPage):
    assert page.empty.isVisible()
    assert "Nothing was run yet" in page.empty.text()


def test_the_failures_of_a_run_are_counted_and_what_was_not_the_agents_doing_stands_apart(
    page: AnalysisPage, stage: Stage, qtbot: QtBot
):
    run(stage)
    wait_for(page, qtbot, "4 of 7 trials did not pass")
    assert modes(page) == [
        ("loop", 2), ("wrong tool", 1), ("nothing found", 1), ("not the agent's doing", 1),
    ]  # fmt: skip
    assert page.failures.table.lines[-1].share is None


def test_a_run_fills_the_map_while_it_goes_on(page: AnalysisPage, stage: Stage, qtbot: QtBot):
    run(stage, places=4)
    wait_for(page, qtbot, "2 of 4 trials did not pass")
    stage.put(failing.trial(place) for place in range(4, 8))
    wait_for(page, qtbot, "4 of 7 trials did not pass")


def test_a_trace_opens_at_the_step_that_shows_what_went_wrong(
    page: AnalysisPage, stage: Stage, qtbot: QtBot
):
    run(stage)
    wait_for(page, qtbot, "4 of 7 trials did not pass")
    assert listed(page) == [0, 6]
    assert failing.LOOP.event is not None

    def is_at_the_loop() -> bool:
        _, first, last = step(page)
        return failing.LOOP.event in (first, last)

    qtbot.waitUntil(is_at_the_loop)
    page.next_trial()
    qtbot.waitUntil(lambda: page.failures.trace.title.text() == builders.trial(6).query)
    qtbot.waitUntil(is_at_the_loop)


def test_a_step_deep_in_a_long_trace_is_found(page: AnalysisPage, stage: Stage, qtbot: QtBot):
    stage.start()
    trial = stage.begin(0)
    stage.append(trial, failing.long_trace(2_600))
    deep = Finding(FailureMode.LOOP, "far down", 5_000)
    stage.store.add_scores(trial, failing.trial(0).scores, (deep,))
    stage.tell()
    wait_for(page, qtbot, "The trial did not pass")
    qtbot.waitUntil(lambda: 5_000 in step(page)[1:], timeout=10_000)


def test_every_finding_of_the_trial_leads_to_its_step(
    page: AnalysisPage, stage: Stage, qtbot: QtBot
):
    run(stage)
    wait_for(page, qtbot, "4 of 7 trials did not pass")
    findings = page.failures.trace.findings
    assert findings.isVisible()
    assert findings.model.rowCount() == 2
    findings.table.setFocus()
    findings.table.setCurrentIndex(findings.model.index(1, 0))
    qtbot.keyClick(findings.table, Qt.Key.Key_Return)
    qtbot.waitUntil(lambda: failing.WRONG.event in step(page)[1:])


def test_the_chart_is_used_by_mouse_and_by_keys(page: AnalysisPage, stage: Stage, qtbot: QtBot):
    run(stage)
    qtbot.waitUntil(lambda: page.failures.is_ready, timeout=20_000)
    wait_for(page, qtbot, "4 of 7 trials did not pass")
    chart = page.failures.chart
    assert chart is not None
    place = chart.mapFromScene(chart.view.mapViewToScene(QPointF(1, 0.5)))
    qtbot.mouseClick(chart.viewport(), Qt.MouseButton.LeftButton, pos=place)
    assert listed(page) == [3]
    assert page.failures.table.currentIndex().row() == 1
    qtbot.keyClick(chart, Qt.Key.Key_Left)
    assert listed(page) == [0, 6]
    qtbot.keyClick(chart, Qt.Key.Key_End)
    assert listed(page) == [5]
    trials = page.failures.trials
    assert trials.why(trials.record(0)) == "Answer contains 0.00"
    assert chart.accessibleDescription() == "loop 2; wrong tool 1; nothing found 1"


def test_the_table_holds_what_the_chart_shows_and_chooses_as_well(
    page: AnalysisPage, stage: Stage, qtbot: QtBot
):
    run(stage)
    wait_for(page, qtbot, "4 of 7 trials did not pass")
    table = page.failures.table
    table.setFocus()
    qtbot.keyClick(table, Qt.Key.Key_Down)
    assert listed(page) == [3]
    qtbot.keyClick(table, Qt.Key.Key_End, Qt.KeyboardModifier.ControlModifier)
    assert listed(page) == [7]
    assert page.failures.list_panel.title.text() == "Trials: not the agent's doing"


def test_every_finding_is_counted_if_asked_for(page: AnalysisPage, stage: Stage, qtbot: QtBot):
    run(stage)
    wait_for(page, qtbot, "4 of 7 trials did not pass")
    qtbot.mouseClick(page.failures.every, Qt.MouseButton.LeftButton)
    assert ("wrong answer", 2) in modes(page)
    qtbot.mouseClick(page.failures.every, Qt.MouseButton.LeftButton)
    assert "wrong answer" not in dict(modes(page))


def test_a_run_of_which_nothing_failed_says_so(page: AnalysisPage, stage: Stage, qtbot: QtBot):
    stage.start()
    stage.put(failing.passing(place) for place in range(20))
    wait_for(page, qtbot, "All of 20 trials passed")
    assert modes(page) == []
    assert listed(page) == []


def test_another_run_replaces_everything(page: AnalysisPage, stage: Stage, qtbot: QtBot):
    run(stage)
    wait_for(page, qtbot, "4 of 7 trials did not pass")
    stage.end()
    stage.start()
    wait_for(page, qtbot, "No trial was judged yet")
    assert modes(page) == []
    assert page.failures.trace.title.text() == "No trial chosen"


def test_a_page_that_is_made_late_knows_all_trials(stage: Stage, qtbot: QtBot):
    early = AnalysisPage(stage.session, stage.theme, stage.actions)
    qtbot.addWidget(early)
    early.show()
    stage.open_project()
    run(stage)
    wait_for(early, qtbot, "4 of 7 trials did not pass")
    late = AnalysisPage(stage.session, stage.theme, stage.actions)
    qtbot.addWidget(late)
    late.show()
    wait_for(late, qtbot, "4 of 7 trials did not pass")
    evaluate = EvaluatePage(stage.session, stage.theme, stage.actions)
    qtbot.addWidget(evaluate)
    evaluate.show()
    qtbot.waitUntil(lambda: evaluate.results.model.total == 8)


def test_scores_that_change_are_followed_and_other_rules_judge_anew(
    page: AnalysisPage, stage: Stage, qtbot: QtBot
):
    run(stage)
    stage.end()
    wait_for(page, qtbot, "4 of 7 trials did not pass")
    reader = stage.session.reader
    assert reader is not None
    for row in list(reader.trials(stage.run)):
        if not row.is_excused:
            stage.store.add_scores(row.id, [Score("steps", "1", 3.0)], (), afresh=True)
    stage.store.judge_by(stage.run, Criteria((MetricSpec("steps"),)))
    stage.store.committed().result(10)
    stage.session.open_run(stage.run)
    wait_for(page, qtbot, "No score tells whether trials passed")
    assert page.rule.text().endswith("add one, and score again.")
    wanted = {"not the agent's doing": 1, "cannot be told": 7}
    qtbot.waitUntil(lambda: dict(modes(page)) == wanted)


def open_part(page: AnalysisPage, part: int) -> None:
    page.tabs.setCurrentIndex(part)


def test_reliability_is_told_with_estimators_and_intervals(
    page: AnalysisPage, stage: Stage, qtbot: QtBot
):
    run(stage, trials=2)
    open_part(page, RELIABILITY)
    view = page.reliability
    qtbot.waitUntil(lambda: view.figures.model().rowCount() == 2, timeout=10_000)
    qtbot.waitUntil(lambda: view.list_panel.note.text().startswith("6 of 14 trials passed"))
    assert "C(c, k) / C(n, k)" in view.method.text()
    assert "pooled" not in view.method.text().split("\n")[1]
    assert view.figures.isColumnHidden(3)
    qtbot.mouseClick(view.pooled, Qt.MouseButton.LeftButton)
    assert not view.figures.isColumnHidden(3)
    assert "all queries in one pot" in view.method.text()
    qtbot.waitUntil(lambda: view.chart is not None, timeout=20_000)
    assert view.chart is not None
    assert "pooled^k" in view.chart.accessibleDescription()


def test_the_worst_queries_come_first_and_open_on_the_evaluate_page(
    page: AnalysisPage, stage: Stage, qtbot: QtBot
):
    run(stage)
    open_part(page, RELIABILITY)
    queries = page.reliability.queries
    qtbot.waitUntil(lambda: queries.rowCount() == 8)
    shares = [queries.record(row).share for row in range(8)]
    assert shares == [0, 0, 0, 0, 1, 1, 1, None]
    evaluate = EvaluatePage(stage.session, stage.theme, stage.actions)
    qtbot.addWidget(evaluate)
    evaluate.show()
    qtbot.waitUntil(lambda: evaluate.results.model.total == 8)
    assert not page.reliability.see.isEnabled()
    page.reliability.list.setFocus()
    page.reliability.list.choose_first()
    qtbot.keyClick(page.reliability.list, Qt.Key.Key_Down)
    qtbot.keyClick(page.reliability.list, Qt.Key.Key_Return)
    assert stage.session.state.page == "evaluate"
    assert evaluate.trace.title.text() == builders.trial(3).query
    page.reliability.list.go(1)
    qtbot.mouseClick(page.reliability.see, Qt.MouseButton.LeftButton)
    assert evaluate.trace.title.text() == builders.trial(5).query


def test_a_cell_of_the_flip_matrix_leads_to_its_queries(
    page: AnalysisPage, stage: Stage, qtbot: QtBot
):
    stage.start()
    stage.put(failing.passing(place) for place in range(8))
    stage.end()
    run(stage)
    open_part(page, RELIABILITY)
    matrix = page.reliability.matrix
    qtbot.waitUntil(lambda: page.reliability.queries.rowCount() == 8)
    matrix.offer()
    assert not matrix.cells["pass_fail"].isEnabled()
    matrix.picker.box.setFocus()
    qtbot.keyClick(matrix.picker.box, Qt.Key.Key_Down)
    qtbot.waitUntil(lambda: matrix.cells["pass_fail"].text() == "4")
    assert matrix.cells["pass_pass"].text() == "3"
    assert "0 queries better, 4 worse" in matrix.told.text()
    assert "excused or without a score that tells" in matrix.told.text()
    matrix.cells["pass_fail"].click()
    shown = page.reliability.queries
    assert {shown.record(row).position for row in range(shown.rowCount())} == {0, 3, 5, 6}
    matrix.cells["pass_fail"].click()
    assert shown.rowCount() == 8


def sure(place: int, confidence: float, claims: bool) -> TrialRow:
    row = failing.trial(place)
    if row.is_excused:
        return row
    scores = (Score("stated_confidence", "1", confidence), Score("claimed_success", "1", claims))
    return replace(row, scores=(*row.scores, *scores))


def test_calibration_is_drawn_with_counts_and_told_in_figures(
    page: AnalysisPage, stage: Stage, qtbot: QtBot
):
    stage.start(replace(builders.plan(), metrics=SURE))
    stage.put(sure(place, 0.95 if place < 4 else 0.35, claims=place < 6) for place in range(8))
    open_part(page, CALIBRATION)
    view = page.calibration
    qtbot.waitUntil(lambda: view.bins.rowCount() == 2, timeout=10_000)
    lines = {each.name: each for each in view.figures.lines}
    assert lines["Brier score"].counts == "7 of 20"
    assert lines["Claimed-success precision"].value == "0.50"
    assert lines["Claimed-success precision"].counts == "6 of 20"
    assert lines["False-success rate"].interval != "–"
    qtbot.waitUntil(lambda: view.place.is_filled, timeout=20_000)
    assert view.chart is not None
    assert view.chart.isVisible()
    assert "0.9 to 1.0: 0.50 right" in view.chart.accessibleDescription()


def test_without_a_metric_of_confidence_the_page_says_which_to_add(
    page: AnalysisPage, stage: Stage, qtbot: QtBot
):
    run(stage)
    open_part(page, CALIBRATION)
    view = page.calibration
    qtbot.waitUntil(lambda: "Add stated_confidence" in view.place.words.text())
    assert "add claimed_success" in view.missing.text()
    assert not view.bins_panel.isVisible()


def test_figures_of_a_benchmark_stand_where_the_run_has_its_metric(
    page: AnalysisPage, stage: Stage, qtbot: QtBot
):
    stage.start(replace(builders.plan(), metrics=(MetricSpec("simpleqa_grade"),)))
    assert page.tabs.isTabVisible(BENCHMARKS)
    grades = ("correct", "incorrect", "not attempted", "correct")
    stage.put(
        replace(
            failing.passing(place),
            scores=(Score("simpleqa_grade", "1", float(grade == "correct"), "", {"grade": grade}),),
        )
        for place, grade in enumerate(grades)
    )
    open_part(page, BENCHMARKS)
    figures = page.benchmarks.figures
    qtbot.waitUntil(lambda: bool(figures.lines) and figures.lines[0].counts == "2 of 4")
    lines = {each.name: each for each in figures.lines}
    assert lines["correct given attempted"].counts == "2 of 3"
    assert lines["F"].value == "0.57"
    run(stage)
    assert not page.tabs.isTabVisible(BENCHMARKS)


def test_what_the_figures_mean_is_one_click_away(page: AnalysisPage, stage: Stage, qtbot: QtBot):
    run(stage)
    qtbot.mouseClick(page.help, Qt.MouseButton.LeftButton)
    assert stage.asked == ["help.figures"]


def test_the_page_fits_a_small_laptop(page: AnalysisPage, stage: Stage, qtbot: QtBot):
    run(stage)
    wait_for(page, qtbot, "4 of 7 trials did not pass")
    for part in (FAILURES, RELIABILITY, CALIBRATION):
        open_part(page, part)
        smallest = page.minimumSizeHint()
        assert smallest.width() <= 876
        assert smallest.height() <= 600
