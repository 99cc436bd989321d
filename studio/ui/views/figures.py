"""The charts of the home page: score per query, steps per query, seconds per trial."""

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from PySide6.QtCore import Qt, QTimer, Signal
from PySide6.QtGui import QAction, QShowEvent
from PySide6.QtWidgets import QHBoxLayout, QMenu, QWidget
from typing_extensions import override

from studio.ui.charts.loading import Loading
from studio.ui.models.figures import Bar, Figures, bins
from studio.ui.models.measures import Measure
from studio.ui.text import count, menu_text, seconds
from studio.ui.theme import Theme
from studio.ui.widgets.chart_place import TURN_MS
from studio.ui.widgets.label import ElidedLabel, PlainLabel
from studio.ui.widgets.legend import Legend
from studio.ui.widgets.panel import Panel, button

if TYPE_CHECKING:
    from studio.ui.charts.bars import QueryBars
    from studio.ui.charts.histogram import SecondsHistogram

_REDRAW_MS = 40
_AT_FIRST = 2
_CHARTS = ("scores", "steps", "seconds")
AT_MOST = 3
_TITLE = 180
"""Pixels that a title keeps where there is little room; usual fonts need less."""


class FiguresView(QWidget):
    """Draws `Figures` while it is seen: one chart at a time, each at most eight times a second."""

    chosen = Signal(int)
    """The position of a query whose bar was clicked."""

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._theme = theme
        self._figures = Figures()
        self._measures: tuple[Measure, ...] = ()
        self._drawn: list[str] = []
        self._label: Callable[[int], str] = str
        self._selected: int | None = None
        self.scores: QueryBars | None = None
        self.steps: QueryBars | None = None
        self.seconds: SecondsHistogram | None = None
        self._place()
        self._loading = Loading(self)
        self._loading.loaded.connect(self._make_next)
        self._made: tuple[Panel, QWidget] | None = None
        self._making = QTimer(self, interval=TURN_MS, singleShot=True)
        self._making.timeout.connect(self._make_next)
        self._timer = QTimer(self, interval=_REDRAW_MS, singleShot=True)
        self._timer.timeout.connect(self._redraw_next)
        self._stale: list[str] = []

    @property
    def is_ready(self) -> bool:
        """Whether the charts are there (their library loads when they are first shown)."""
        return self.seconds is not None and self._made is None

    def show_figures(
        self, figures: Figures, measures: Sequence[Measure], label: Callable[[int], str]
    ) -> None:
        """Draw these figures from now on; `changed` when they are not as they were."""
        shares = tuple(measure for measure in measures if measure.is_share)
        if shares != self._measures:
            self._measures = shares
            self._drawn = [measure.key for measure in shares[:_AT_FIRST]]
            self._fill_menu()
        self._figures, self._label, self._selected = figures, label, None
        self._show_series()

    def changed(self) -> None:
        """The figures changed; they are drawn soon."""
        self._draw_soon(_CHARTS)

    def _draw_soon(self, charts: Sequence[str]) -> None:
        self._stale += [name for name in charts if name not in self._stale]
        if self.isVisible() and not self._timer.isActive():
            self._timer.start()

    def select(self, position: int | None) -> None:
        """Outline a query's bars, soon."""
        self._selected = position
        self._draw_soon(_CHARTS[:2])

    @override
    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        for panel in (self.scores_panel, self.steps_panel, self.seconds_panel):
            panel.title.setMinimumHeight(self.metrics.sizeHint().height())
        if self._loading.is_loaded and not self.is_ready:
            self._making.start()
        self._loading.start()
        self.changed()

    def _place(self) -> None:
        self.scores_panel = Panel("Score per query")
        self.steps_panel = Panel("Steps per query")
        self.seconds_panel = Panel("Seconds per trial")
        self.menu = QMenu(self)
        self.metrics = button("Metrics", "quiet")
        self.metrics.setMenu(self.menu)
        self.metrics.setAccessibleName("Metrics that are drawn")
        self.legend = Legend(self._theme)
        self.scores_panel.head.addWidget(self.legend)
        self.scores_panel.head.addWidget(self.metrics)
        self.median = ElidedLabel("", "muted")
        self.seconds_panel.head.addWidget(self.median, 2)
        row = QHBoxLayout(self)
        row.setContentsMargins(0, 0, 0, 0)
        row.setSpacing(10)
        for panel, stretch in (
            (self.scores_panel, 5),
            (self.steps_panel, 3),
            (self.seconds_panel, 3),
        ):
            panel.title.setMinimumWidth(min(_TITLE, panel.title.sizeHint().width()))
            waiting = PlainLabel("Loading the chart…", "muted", wraps=True)
            waiting.setAlignment(Qt.AlignmentFlag.AlignCenter)
            panel.body.addWidget(waiting, 1)
            row.addWidget(panel, stretch)

    def _fill_menu(self) -> None:
        self.menu.clear()
        for measure in self._measures:
            action = QAction(menu_text(measure.label), self.menu)
            action.setCheckable(True)
            action.setChecked(measure.key in self._drawn)
            action.setData(measure.key)
            action.toggled.connect(self._toggled)
            self.menu.addAction(action)
        self.metrics.setVisible(len(self._measures) > 1)

    def _toggled(self) -> None:
        wanted = [action.data() for action in self.menu.actions() if action.isChecked()]
        self._drawn = wanted[:AT_MOST]
        for action in self.menu.actions():
            action.setEnabled(action.isChecked() or len(wanted) < AT_MOST)
        self._show_series()

    def _make_next(self) -> None:
        """Make one chart, and put it in its place: each in a turn of its own."""
        # Only here: the library is not to be loaded before a chart is seen.
        from studio.ui.charts.bars import QueryBars
        from studio.ui.charts.histogram import SecondsHistogram

        if self._made is not None:
            _put(*self._made)
            self._made = None
        elif self.scores is None:
            self.scores = QueryBars("Score per query", self._theme)
            self.scores.chosen.connect(self.chosen)
            self._made = (self.scores_panel, self.scores)
        elif self.steps is None:
            self.steps = QueryBars("Steps per query", self._theme)
            self.steps.chosen.connect(self.chosen)
            self._made = (self.steps_panel, self.steps)
        elif self.seconds is None:
            self.seconds = SecondsHistogram(self._theme)
            self._made = (self.seconds_panel, self.seconds)
        if self._made is not None or self.seconds is None:
            self._making.start()
        else:
            self._show_series()

    def _show_series(self) -> None:
        drawn = [measure for measure in self._measures if measure.key in self._drawn]
        if self.scores is None or self.steps is None:
            return
        from studio.ui.charts.bars import SERIES, Series

        names = [measure.label for measure in drawn]
        self.legend.show_entries(list(zip(names, SERIES, strict=False)))
        series = [Series(each.label, _ScoreBar(self._figures, each)) for each in drawn]
        self.scores.show_series(series, self._figures.queries, self._label)
        steps = [Series("Steps", self._figures.steps)]
        self.steps.show_series(steps, self._figures.queries, self._label)
        self.changed()

    def _redraw_next(self) -> None:
        """Draw one chart: all of them at once would hold the window for too long."""
        if self.scores is None or self.steps is None or self.seconds is None:
            return
        match self._stale.pop(0) if self._stale else "":
            case "scores":
                self.scores.draw()
                self.scores.select(self._selected)
            case "steps":
                self.steps.draw()
                self.steps.select(self._selected)
            case "seconds":
                self._draw_seconds(self.seconds)
        if self._stale and self.isVisible():
            self._timer.start()

    def _draw_seconds(self, chart: "SecondsHistogram") -> None:
        median = self._figures.median_seconds
        chart.draw(bins(self._figures.seconds), median)
        self.median.setText(
            ""
            if median is None
            else f"median {seconds(median)} of {count(len(self._figures.seconds))}"
        )


def _put(panel: Panel, chart: QWidget) -> None:
    """Show a chart in the place of the words that were there while it was made."""
    item = panel.body.takeAt(0)
    waiting = item.widget() if item is not None else None
    if waiting is not None:
        waiting.deleteLater()
    panel.body.addWidget(chart)


class _ScoreBar:
    """The bar of a query by one metric."""

    def __init__(self, figures: Figures, measure: Measure) -> None:
        self._figures = figures
        self._measure = measure

    def __call__(self, position: int) -> Bar:
        return self._figures.score(position, self._measure)
