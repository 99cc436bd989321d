"""Where the figures of a run stand, the window says that other versions of metrics made them."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from msgspec.structs import replace
from pytestqt.qtbot import QtBot

from studio.engine.records import Criteria, MetricSpec, OwnMetric, Score
from studio.engine.store.rows import TrialRow
from studio.ui.views.analysis import AnalysisPage
from studio.ui.views.evaluate import EvaluatePage
from studio.ui.views.runs import RunsPage
from tests.ui import builders
from tests.ui.stage import Stage

CHANGED = "Run 1: 1 of 6 metrics has changed since (Tool-call accuracy)"


@pytest.fixture
def stage(qtbot: QtBot, tmp_path: Path) -> Iterator[Stage]:
    made = Stage(tmp_path)
    yield made
    made.close()


@pytest.fixture
def pages(stage: Stage, qtbot: QtBot) -> tuple[EvaluatePage, AnalysisPage, RunsPage]:
    made = (
        EvaluatePage(stage.session, stage.theme, stage.actions),
        AnalysisPage(stage.session, stage.theme, stage.actions),
        RunsPage(stage.session, stage.theme),
    )
    for each in made:
        qtbot.addWidget(each)
        each.show()
    stage.open_project()
    return made


def scored_by(version: str, places: range) -> list[TrialRow]:
    """Ended trials, as that version of the first metric scored them."""
    return [
        replace(row, scores=(replace(row.scores[0], version=version), *row.scores[1:]))
        for row in map(builders.trial, places)
    ]


def end(stage: Stage, rows: list[TrialRow]) -> None:
    stage.start(builders.plan(len(rows)))
    stage.put(rows)
    stage.end()


def test_a_run_that_the_present_versions_scored_needs_no_word(stage, pages, qtbot):
    home, analysis, runs = pages
    end(stage, scored_by("1", range(5)))
    qtbot.waitUntil(lambda: "Tool-call accuracy 0.90 (5 of 5)" in runs._said.text())
    qtbot.waitUntil(lambda: not stage.session._shown._weighing.isActive())
    assert stage.session.state.versions == ()
    assert not home.score_bar.isVisible()
    assert not analysis.score_bar.isVisible()
    assert "changed since" not in runs._said.text()


def test_a_run_that_an_earlier_version_scored_says_so_on_every_page_with_figures(
    stage, pages, qtbot
):
    home, analysis, runs = pages
    end(stage, scored_by("0", range(5)))
    for bar in (home.score_bar, analysis.score_bar):
        qtbot.waitUntil(bar.isVisible)
        assert bar.told.text() == CHANGED
        assert bar.again.text() == "Score Again"
    qtbot.waitUntil(lambda: CHANGED in runs._said.text())
    listed = runs.model.index(0, 7).data()
    assert listed.startswith("Metrics have changed since · Tool-call accuracy 0.90 (5 of 5)")


def test_figures_of_two_versions_say_how_many_trials_each_of_them_scored(stage, pages, qtbot):
    home, _, runs = pages
    end(stage, scored_by("0", range(2)) + scored_by("1", range(2, 5)))
    qtbot.waitUntil(home.score_bar.isVisible)
    told = f"{CHANGED} · Tool-call accuracy: trials 2 by version 0, 3 by version 1"
    assert home.score_bar.told.text() == told
    qtbot.waitUntil(lambda: told in runs._said.text())


def test_once_it_is_scored_again_nothing_is_said_any_more(stage, pages, qtbot):
    home, _, _ = pages
    end(stage, scored_by("0", range(3)))
    qtbot.waitUntil(home.score_bar.isVisible)
    reader = stage.session.reader
    assert reader is not None
    for row in reader.changed_trials(stage.run):
        scores = [replace(score, version="1") for score in row.scores]
        stage.store.add_scores(row.id, scores, afresh=True)
    stage.tell()
    qtbot.waitUntil(lambda: not home.score_bar.isVisible())


def test_an_edited_file_of_own_metrics_is_told_once_the_project_is_read_again(stage, pages, qtbot):
    home, _, _ = pages
    spec = MetricSpec("own", {"function": "polite"})
    project = replace(builders.project(), metrics=(spec,), own_metrics=(_polite("aaaaaaaaaaaa"),))
    stage.open_project(project)
    plan = replace(builders.plan(1), metrics=(spec,))
    stage.start(plan)
    score = Score("own(function=polite)", "aaaaaaaaaaaa", 1.0)
    stage.put([replace(builders.trial(0), scores=(score,))])
    stage.end()
    qtbot.waitUntil(lambda: not stage.session._shown._weighing.isActive())
    assert not home.score_bar.isVisible()
    stage.open_project(replace(project, own_metrics=(_polite("bbbbbbbbbbbb"),)))
    qtbot.waitUntil(home.score_bar.isVisible)
    assert "1 of 1 metric has changed since (Polite (own))" in home.score_bar.told.text()


def _polite(digest: str) -> OwnMetric:
    return OwnMetric("polite", "Is it polite?", digest)


def test_two_runs_that_were_judged_otherwise_are_not_compared_without_a_word(stage, pages, qtbot):
    _, analysis, _ = pages
    end(stage, scored_by("0", range(5)))
    end(stage, scored_by("1", range(5)))
    matrix = analysis.reliability.matrix
    analysis.tabs.setCurrentIndex(1)
    matrix.offer()
    matrix.picker.chosen.emit(next(iter(matrix._names)))
    qtbot.waitUntil(lambda: "Scored by different versions in the two runs" in matrix.told.text())
    assert "other criteria" not in matrix.told.text()
    fewer = Criteria(builders.METRICS[:2])
    stage.store.judge_by(1, fewer)
    stage.store.committed().result(10)
    matrix.offer()
    matrix.draw()
    assert "other criteria: without Answer contains" in matrix.told.text()


def test_noise_between_two_versions_of_a_metric_is_not_told_without_a_word(stage, pages, qtbot):
    _, _, runs = pages
    end(stage, scored_by("0", range(3)))
    stage.start(replace(builders.plan(3), repeats=stage.run))
    stage.put(scored_by("1", range(3)))
    stage.end()
    runs.table.choose(runs.model.index(0, 0))
    words = "Scored by different versions in the two runs: Tool-call accuracy."
    qtbot.waitUntil(lambda: words in runs._said.text())
    told = runs._said.text()
    assert "Run 1 again with nothing changed; apart, over the pairs of trials" in told
