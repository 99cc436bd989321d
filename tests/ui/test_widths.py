"""Nothing that a number needs to be understood is cut, however narrow the window."""

from collections.abc import Iterator

import pytest
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from studio.engine.analysis.summary import Summary
from studio.ui.models.measures import Measure
from studio.ui.theme import Theme
from studio.ui.views.run_bar import RunBar
from studio.ui.views.summary_strip import SummaryStrip, Tile

SCORED = [(Measure(f"m{n}", f"Metric {n}"), Summary(7, 9, 0.5, 0.5, 0.25, 0.75)) for n in range(8)]


@pytest.fixture
def theme(qapp: QApplication) -> Iterator[Theme]:
    made = Theme(qapp, "light")
    yield made
    made.deleteLater()


def _is_whole(tile: Tile) -> bool:
    needed = tile.interval.fontMetrics().horizontalAdvance("0.25–0.75")
    return tile.interval.width() >= needed


@pytest.mark.parametrize("width", [400, 700, 1000, 1600])
def test_no_interval_in_the_summary_is_cut(qtbot: QtBot, width: int):
    strip = SummaryStrip()
    qtbot.addWidget(strip)
    strip.show_summaries(SCORED)
    strip.resize(width, 300)
    strip.show()
    qtbot.waitExposed(strip)
    qtbot.waitUntil(lambda: all(map(_is_whole, strip.tiles)))


def test_a_wide_window_shows_all_figures_in_one_row(qtbot: QtBot):
    strip = SummaryStrip()
    qtbot.addWidget(strip)
    strip.show_summaries(SCORED)
    strip.resize(1800, 100)
    strip.show()
    qtbot.waitExposed(strip)
    qtbot.waitUntil(lambda: len({tile.y() for tile in strip.tiles}) == 1)


def test_fewer_figures_leave_none_of_the_old_ones(qtbot: QtBot):
    strip = SummaryStrip()
    qtbot.addWidget(strip)
    strip.show_summaries(SCORED)
    strip.show_summaries(SCORED[:2])
    strip.resize(700, 100)
    strip.show()
    qtbot.waitExposed(strip)
    assert [tile.isVisible() for tile in strip.tiles] == [True] * 2 + [False] * 6
    qtbot.waitUntil(lambda: sum(tile.width() for tile in strip.tiles[:2]) > 690)


@pytest.mark.parametrize(("width", "rows"), [(640, 2), (1500, 1)])
def test_the_run_bar_takes_two_rows_where_one_would_cut_names(
    qtbot: QtBot, theme: Theme, width: int, rows: int
):
    bar = RunBar(theme)
    qtbot.addWidget(bar)
    bar.tools.offer(["all the tools that there are"], "all the tools that there are")
    bar.resize(width, 100)
    bar.show()
    qtbot.waitExposed(bar)
    qtbot.waitUntil(lambda: (bar.start.y() > bar.prompt.geometry().bottom()) == (rows == 2))
