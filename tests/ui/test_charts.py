"""The charts: what is drawn, what a click means, and that the theme is followed."""

from collections.abc import Callable, Iterator

import pytest
from hypothesis import given
from hypothesis import strategies as st
from PySide6.QtCore import QEvent, QPoint, QPointF, Qt
from PySide6.QtGui import QColor, QHelpEvent
from PySide6.QtWidgets import QApplication, QToolTip
from pytestqt.qtbot import QtBot

from studio.ui.charts.bars import QueryBars, Series
from studio.ui.charts.frame import spacing
from studio.ui.charts.histogram import SecondsHistogram, edge_text
from studio.ui.models.figures import Bar, bins
from studio.ui.theme import DARK, LIGHT, Theme

VALUE, ZERO = Bar(0.5, 1, 1, 1), Bar(0.0, 1, 1, 1)
HATCHED = Qt.BrushStyle.BDiagPattern
PENDING, UNSCORED = Bar(None, 0, 0, 1), Bar(None, 0, 1, 1, "timed out")


@pytest.fixture
def theme(qapp: QApplication) -> Iterator[Theme]:
    made = Theme(qapp, "light")
    yield made
    made.choose("light")
    made.deleteLater()


@pytest.fixture
def bars(theme: Theme, qtbot: QtBot) -> QueryBars:
    made = QueryBars("Score per query", theme)
    qtbot.addWidget(made)
    made.resize(600, 200)
    made.show()
    qtbot.waitExposed(made)
    return made


def fill(bars: QueryBars, *series: list[Bar], label: Callable[[int], str] = str) -> None:
    drawn = [Series(f"metric {place}", each.__getitem__) for place, each in enumerate(series)]
    bars.show_series(drawn, len(series[0]), label)
    bars.draw()


def place_of(bars: QueryBars, position: int) -> QPoint:
    """Where the group of a query is on the widget."""
    plot = bars.plot
    scene = plot.view.mapViewToScene(QPointF(position, 0.3))
    return plot.mapFromScene(scene)


def heights(bars: QueryBars, token: str) -> list[float]:
    """How high the bars in a colour of the theme are, from left to right."""
    colour = QColor(getattr(LIGHT, token))
    layers = [layer for layer in bars.plot.layers(LIGHT) if layer.fill == colour]
    return [rect.height() for layer in layers for rect in layer.rects]


def test_each_kind_of_bar_is_drawn_in_its_own_way(bars: QueryBars):
    fill(bars, [VALUE, ZERO, PENDING, UNSCORED])
    value, zero = heights(bars, "accent")
    assert value == 0.5
    assert 0 < zero < 0.05, "a zero is seen as a stub, not as nothing"
    [hatched] = [each for each in bars.plot.layers(LIGHT) if each.pattern is HATCHED]
    [dotted] = [each for each in bars.plot.layers(LIGHT) if each.dash is Qt.PenStyle.DotLine]
    assert [round(rect.center().x()) for rect in hatched.rects] == [3]
    assert [round(rect.center().x()) for rect in dotted.rects] == [2]


def test_a_click_on_a_group_chooses_its_query(bars: QueryBars, qtbot: QtBot):
    fill(bars, [VALUE] * 12)
    with qtbot.waitSignal(bars.chosen) as chosen:
        qtbot.mouseClick(bars.plot.viewport(), Qt.MouseButton.LeftButton, pos=place_of(bars, 7))
    assert chosen.args == [7]


def test_arrow_keys_choose_the_neighbours(bars: QueryBars, qtbot: QtBot):
    fill(bars, [VALUE] * 12)
    bars.select(4)
    asked: list[int] = []
    bars.chosen.connect(asked.append)
    for key in (Qt.Key.Key_Right, Qt.Key.Key_Left, Qt.Key.Key_Home, Qt.Key.Key_End):
        qtbot.keyClick(bars.plot, key)
    assert asked == [5, 3, 0, 11]


def test_a_long_run_is_drawn_a_window_at_a_time(bars: QueryBars):
    fill(bars, [VALUE] * 5_000, [ZERO] * 5_000)
    assert 0 < len(heights(bars, "accent")) == len(heights(bars, "mark")) < 100
    assert bars.scroller.isVisible()
    bars.select(4_321)
    first, end = bars.plot.in_view.start, bars.plot.in_view.stop
    assert first <= 4_321 < end


def test_the_tooltip_says_in_words_what_is_drawn_and_escapes_the_query(bars: QueryBars):
    fill(bars, [VALUE, UNSCORED, PENDING], label=lambda place: f"<b>query {place}</b>")
    told = []
    for position in range(3):
        at = place_of(bars, position)
        event = QHelpEvent(QEvent.Type.ToolTip, at, bars.plot.mapToGlobal(at))
        QApplication.sendEvent(bars.plot.viewport(), event)
        told.append(QToolTip.text())
    QToolTip.hideText()
    assert all("&lt;b&gt;query" in text for text in told)
    for text, wanted in zip(told, ("0.5", "not scored: timed out", "not run yet"), strict=True):
        assert f"metric 0: {wanted}" in text


def test_colours_follow_the_theme_while_it_is_shown(bars: QueryBars, theme: Theme):
    fill(bars, [VALUE] * 3)

    def ground() -> str:
        image = bars.plot.grab().toImage()
        return image.pixelColor(2, image.height() - 3).name()

    assert ground() == QColor(LIGHT.panel).name()
    theme.choose("dark")
    assert ground() == QColor(DARK.panel).name()


def test_values_above_one_widen_the_scale(bars: QueryBars):
    fill(bars, [Bar(7.0, 1, 1, 1)])
    _, (low, high) = bars.plot.view.viewRange()
    assert low == 0
    assert high > 7


@pytest.mark.parametrize(
    ("highest", "levels"),
    [(0.4, [0, 0.25, 0.5, 0.75, 1]), (3, [0, 1, 2, 3]), (24, [0, 10, 20, 30]), (5, [0, 2, 4, 6])],
)
def test_the_scale_ends_soon_above_the_highest_bar(
    bars: QueryBars, highest: float, levels: list[float]
):
    fill(bars, [Bar(highest, 1, 1, 1)])
    assert bars.plot._levels() == levels


@given(st.lists(st.floats(0.001, 500), min_size=1, max_size=30))
def test_no_two_edges_of_the_histogram_read_the_same(values: list[float]):
    found = bins(sorted(values))
    edges = [found.low + place * found.width for place in range(len(found.counts) + 1)]
    texts = [edge_text(edge, found) for edge in edges]
    assert len(set(texts)) == len(texts)


def test_the_histogram_draws_its_bins_and_hides_the_median_of_nothing(theme: Theme, qtbot: QtBot):
    chart = SecondsHistogram(theme)
    qtbot.addWidget(chart)
    chart.resize(300, 160)
    chart.draw(bins([]), None)
    [nothing] = chart.layers(LIGHT)
    assert nothing.rects == []
    chart.draw(bins([1.0, 1.2, 3.0]), 1.2)
    counts, median = chart.layers(LIGHT)
    assert sum(rect.height() for rect in counts.rects) == 3
    assert [line.x1() for line in median.lines] == [1.2]


def test_drawing_again_reuses_the_items(bars: QueryBars):
    fill(bars, [VALUE] * 20)
    before = len(bars.plot.scene().items())
    for _ in range(50):
        bars.draw()
    assert len(bars.plot.scene().items()) == before


@given(st.integers(0, 60), st.floats(-5, 80))
def test_ticks_that_do_not_fit_are_thinned_evenly_and_both_ends_stay(ticks: int, fitting: float):
    step = spacing(ticks, fitting)
    shown = list(range(ticks))[::step]
    if ticks > 1:
        assert shown[0] == 0
        assert shown[-1] == ticks - 1
    assert len(shown) <= max(2, fitting)


def test_a_low_chart_shows_fewer_ticks(bars: QueryBars, qtbot: QtBot):
    bars.resize(400, 300)
    bars.show()
    qtbot.waitExposed(bars)
    tall = len(bars.plot._ticks["left"])
    bars.resize(400, 70)
    low = len(bars.plot._ticks["left"])
    bars.resize(400, 300)
    assert 2 <= low < tall == len(bars.plot._ticks["left"])
