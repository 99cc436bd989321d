"""Nothing that a number needs to be understood is cut, however narrow the window."""

from collections.abc import Iterator

import pytest
from msgspec.structs import replace
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QApplication, QVBoxLayout, QWidget
from pytestqt.qtbot import QtBot

from studio.engine.analysis.reasons import Unscored
from studio.engine.analysis.summary import Summary
from studio.engine.model_messages import PullMoved
from studio.engine.outcomes import FailureClass
from studio.ui.commands import Actions
from studio.ui.models.measures import Measure
from studio.ui.models.no_answers import NoAnswers
from studio.ui.models.totals import Total
from studio.ui.state import State, first_picks
from studio.ui.theme import Theme
from studio.ui.views.no_answers import NoAnswersLine
from studio.ui.views.outlook import Outlook
from studio.ui.views.pulls import PullsPanel
from studio.ui.views.run_bar import RunBar
from studio.ui.views.summary_strip import SummaryStrip, Tile
from studio.ui.widgets.label import PlainLabel
from studio.ui.widgets.scroll import Scroll
from tests.ui import builders

SCORED = [
    Total(Measure(f"m{n}", f"Metric {n}"), Summary(7, 9, 0.5, 0.5, 0.25, 0.75)) for n in range(8)
]


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
    strip.show_totals(SCORED)
    strip.resize(width, 300)
    strip.show()
    qtbot.waitExposed(strip)
    qtbot.waitUntil(lambda: all(map(_is_whole, strip.tiles)))


def _cut(inside: QWidget) -> list[str]:
    """The texts of labels that have less height than their lines take."""
    labels = [each for each in inside.findChildren(PlainLabel) if each.isVisible()]
    return [each.text() for each in labels if each.height() < each.heightForWidth(each.width())]


def test_no_line_before_a_run_is_cut_where_there_is_little_room(qtbot: QtBot):
    outlook = Outlook()
    qtbot.addWidget(outlook)
    project = builders.project()
    state = State(project=project, picks=first_picks(project, {}), query_count=9)
    outlook.resize(420, 140)
    outlook.show()
    outlook.show_state(state, "spread over " + ", ".join(f"box{n}:11434" for n in range(12)))
    qtbot.waitExposed(outlook)
    qtbot.waitUntil(lambda: not _cut(outlook))
    [scroll] = outlook.findChildren(Scroll)
    assert scroll.verticalScrollBar().maximum() > 0
    assert scroll.focusPolicy() == Qt.FocusPolicy.TabFocus


def test_trials_without_an_answer_are_told_in_a_narrow_window_too(qtbot: QtBot, theme: Theme):
    actions = Actions()
    line = NoAnswersLine(actions)
    qtbot.addWidget(line)
    failed = NoAnswers()
    failed.update([replace(builders.trial(1), failure=FailureClass.SERVER, scores=())])
    line.show_no_answers(failed)
    line.offer_again(8_192)
    for width in (1_100, line.minimumSizeHint().width()):
        line.resize(width, line.sizeHint().height())
        line.show()
        qtbot.waitExposed(line)
        shown = [line.counts, line.see, line.again]
        assert all(each.width() >= each.sizeHint().width() for each in shown if each.isVisible())
        qtbot.waitUntil(lambda: line.told.width() > 200)
    assert line.again.y() > line.told.y()
    actions.deleteLater()


def test_all_that_failed_is_read_in_whole_beside_the_buttons(qtbot: QtBot, theme: Theme):
    actions, page = Actions(), QWidget()
    qtbot.addWidget(page)
    column = QVBoxLayout(page)
    line = NoAnswersLine(actions)
    column.addWidget(line)
    column.addStretch(1)
    failed = NoAnswers()
    failed.update(
        replace(builders.trial(place), failure=failure, scores=())
        for place, failure in enumerate([*FailureClass] * 3)
    )
    line.show_no_answers(failed)
    line.offer_again(8_192)
    page.show()
    qtbot.waitExposed(page)
    for width in (1_280, 1_100, 800, line.minimumSizeHint().width() + 24):
        page.resize(width, 400)
        qtbot.waitUntil(lambda: not _cut(line))
    actions.deleteLater()


def test_what_stopped_a_pull_is_read_in_whole_where_there_is_little_room(qtbot: QtBot):
    panel = PullsPanel()
    qtbot.addWidget(panel)
    panel.resize(460, 130)
    panel.show()
    why = "The server's disk is full: the model does not fit on it. " * 3
    panel.show_pulls([PullMoved("s", f"m{n}", "", ending="failed", problem=why) for n in range(3)])
    qtbot.waitExposed(panel)
    qtbot.waitUntil(lambda: not _cut(panel))
    panel.show_pulls([])
    [scroll] = panel.findChildren(Scroll)
    assert not scroll.isVisible()


def test_a_wide_window_shows_all_figures_in_one_row(qtbot: QtBot):
    strip = SummaryStrip()
    qtbot.addWidget(strip)
    strip.show_totals(SCORED)
    strip.resize(1800, 100)
    strip.show()
    qtbot.waitExposed(strip)
    qtbot.waitUntil(lambda: len({tile.y() for tile in strip.tiles}) == 1)


def test_a_figure_of_which_less_is_better_says_so(qtbot: QtBot):
    strip = SummaryStrip()
    qtbot.addWidget(strip)
    strip.show_totals([Total(Measure("loop", "Loop", falls=True), SCORED[0].summary), SCORED[1]])
    falling, other = strip.tiles
    assert falling.name.text() == "↓ Loop"
    assert "less is better" in falling.hint()
    assert "less is better" not in other.hint()


def test_a_figure_of_nothing_says_why_most_trials_were_not_scored(qtbot: QtBot):
    why = (Unscored("the query states no right answer", 11), Unscored("<b>empty</b>", 1))
    nothing = Total(Measure("exact", "Exact match"), Summary(0, 12), why)
    strip = SummaryStrip()
    qtbot.addWidget(strip)
    strip.show_totals([nothing, SCORED[0]])
    strip.resize(900, 100)
    strip.show()
    qtbot.waitExposed(strip)
    tile, scored = strip.tiles
    assert tile.reason.text() == "11 × the query states no right answer"
    assert tile.reason.isVisible()
    assert not tile.interval.isVisible()
    for told in (tile.hint(), tile.accessibleName()):
        assert "11 not scored: the query states no right answer\n1 not scored: <b>empty" in told
    width = tile.needed_width
    strip.show_totals([SCORED[0]._replace(unscored=why), SCORED[0]])
    assert not tile.reason.isVisible()
    assert tile.interval.text() == scored.interval.text()
    assert "11 not scored: the query" in tile.hint()
    # A long reason makes no tile wider: it ends in … where there is no room.
    strip.show_totals([nothing._replace(unscored=(Unscored("x" * 300, 12),))])
    assert tile.needed_width == width


def test_fewer_figures_leave_none_of_the_old_ones(qtbot: QtBot):
    strip = SummaryStrip()
    qtbot.addWidget(strip)
    strip.show_totals(SCORED)
    strip.show_totals(SCORED[:2])
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
