"""A long run never holds the window for long: work is counted per turn, and nothing moves unasked.

How many milliseconds it takes is measured by `tests.bench.ui_stall`.
"""

import gc
import sys
from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path

import pytest
from msgspec.structs import replace
from PySide6.QtCore import QTimer
from pytestqt.qtbot import QtBot

from studio.engine.store.rows import TrialRow
from studio.ui.charts.loading import Loading
from studio.ui.follow import RunFollower
from studio.ui.models.measures import measures
from studio.ui.models.results import identify, results
from studio.ui.views.evaluate import EvaluatePage
from studio.ui.widgets.rows import Rows
from tests.ui import builders
from tests.ui.stage import Stage

AT_MOST, LET_GO = 60, 400
"""Trials that are read, and freed, in one turn."""


@pytest.fixture
def stage(qtbot: QtBot, tmp_path: Path) -> Iterator[Stage]:
    made = Stage(tmp_path)
    yield made
    made.close()


class Kept:
    """What a store's row is to the follower: it tells of its end."""

    ended = 0

    def __init__(self, place: int) -> None:
        self.id = self.changed = place + 1

    def __del__(self) -> None:
        Kept.ended += 1


class LongRun:
    """A reader of one run of so many trials."""

    def __init__(self, trials: int) -> None:
        self.trials = trials
        self.asked: list[int] = []

    def changed_trials(self, run: int, after: int = 0, limit: int = 500) -> list[Kept]:
        self.asked.append(limit)
        return [Kept(place) for place in range(after, min(after + limit, self.trials))]

    def close(self) -> None:
        pass


@pytest.fixture
def follower(qapp) -> Iterator[RunFollower]:
    made = RunFollower()
    yield made
    made.close()
    made.deleteLater()


def told(follower: RunFollower, qtbot: QtBot, trials: int) -> list[int]:
    """Read a run of so many trials to its end; how many were told at a time."""
    counts: list[int] = []

    def count(rows: tuple[TrialRow, ...]) -> None:
        counts.append(len(rows))

    follower.trials_changed.connect(count)
    follower.reader = LongRun(trials)
    follower.follow(1)
    qtbot.waitUntil(lambda: sum(counts) == trials, timeout=20_000)
    return counts


def test_ten_thousand_trials_are_told_a_few_at_a_time(follower: RunFollower, qtbot: QtBot):
    counts = told(follower, qtbot, 10_000)
    assert max(counts) <= AT_MOST
    assert max(follower.reader.asked) <= AT_MOST


def test_a_run_that_is_left_is_let_go_of_a_few_trials_at_a_time(
    follower: RunFollower, qtbot: QtBot
):
    told(follower, qtbot, 3_000)
    before, seen = Kept.ended, [Kept.ended]

    def look() -> None:
        seen.append(Kept.ended)

    turn = QTimer(interval=0)
    turn.timeout.connect(look)
    follower.reader = LongRun(0)
    turn.start()
    follower.follow(2)
    qtbot.waitUntil(lambda: Kept.ended == before + 3_000)
    turn.stop()
    assert max(later - sooner for sooner, later in pairwise(seen)) <= 2 * LET_GO


def test_the_row_that_was_chosen_is_never_left_for_another_one(qtbot: QtBot):
    """Judged again, a trial moves to another place: Qt would open the next one in its stead."""
    model = results(measures(builders.METRICS), 1)
    rows = Rows(model, "results", identify, (0,))
    qtbot.addWidget(rows)
    model.setParent(rows)
    model.merge(builders.trial(place) for place in range(6))
    rows.sortByColumn(2, rows.horizontalHeader().sortIndicatorOrder())
    rows.choose((2, 1))
    opened: list[TrialRow] = []
    rows.chosen.connect(opened.append)
    best = builders.trial(2)
    worst = replace(best, scores=tuple(replace(each, value=0.0) for each in best.scores))
    for judged in (worst, best, worst):
        model.merge([judged])
        assert rows.current == judged
        assert model.record(rows.currentIndex().row()) == judged
    assert opened == []


def test_a_row_that_leaves_the_list_leaves_it_without_a_current_one(qtbot: QtBot):
    model = results(measures(builders.METRICS), 1)
    rows = Rows(model, "results", identify, (0,))
    qtbot.addWidget(rows)
    model.setParent(rows)
    model.arrange(lambda trial: trial.marks == ())
    model.merge(replace(builders.trial(place), marks=()) for place in range(6))
    rows.choose((2, 1))
    opened: list[TrialRow] = []
    rows.chosen.connect(opened.append)
    model.merge([replace(builders.trial(2), marks=("repeated call",))])
    assert not rows.currentIndex().isValid()
    model.merge([replace(builders.trial(2), marks=())])
    assert rows.currentIndex().row() == 2
    assert opened == []


def test_a_run_takes_the_place_of_another_without_the_empty_page_between(
    stage: Stage, qtbot: QtBot
):
    page = EvaluatePage(stage.session, stage.theme, stage.actions)
    qtbot.addWidget(page)
    page.show()
    stage.open_project()
    stage.start()
    stage.put(builders.trial(place) for place in range(3))
    qtbot.waitUntil(lambda: page.results.has_current, timeout=10_000)
    assert not page.outlook.isVisible()
    shown: list[bool] = []

    def look() -> None:
        shown.append(page.outlook.isVisible())

    stage.session.run_changed.connect(look)
    stage.session.open_run(stage.run)
    qtbot.waitUntil(lambda: page.results.model.total == 3, timeout=10_000)
    assert shown == [False, False], "told that the old one goes, and that the new one comes"


def test_the_interpreter_is_as_it_was_once_the_charts_are_loaded(qtbot: QtBot):
    loading = Loading()
    loading.start()
    qtbot.waitUntil(lambda: loading.is_loaded, timeout=20_000)
    assert sys.getswitchinterval() == pytest.approx(0.005)
    assert gc.isenabled()
    loading.deleteLater()
