"""How sure the agent is of itself, and what that is worth."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

from PySide6.QtWidgets import QVBoxLayout, QWidget

from studio.engine.analysis.calibration import Bin, Calibration
from studio.engine.analysis.passing import Rule
from studio.engine.store.rows import RunRow, TrialRow
from studio.ui.models.figure_lines import calibration_lines, claim_lines, line
from studio.ui.models.measures import Measure
from studio.ui.models.records import Column, RecordTable
from studio.ui.models.said import CLAIM, CONFIDENCE, Said, key_of
from studio.ui.text import count, score
from studio.ui.theme import Theme
from studio.ui.views.figure_table import FigureTable
from studio.ui.widgets.chart_place import ChartPlace
from studio.ui.widgets.label import PlainLabel
from studio.ui.widgets.panel import Panel, rule
from studio.ui.widgets.split import above, beside
from studio.ui.widgets.table import Table

if TYPE_CHECKING:
    from studio.ui.charts.diagram import ReliabilityDiagram

_NO_CONFIDENCE = (
    "No metric of this run reads a confidence. Add stated_confidence to the metrics, and ask for "
    "a confidence from 0 to 1 in the prompt."
)
_NO_CLAIM = (
    "No metric of this run reads claims of success: add claimed_success to the metrics to see "
    "what they are worth. Scoring a stored run again by it runs nothing anew."
)


class CalibrationView(QWidget):
    """Stated confidence and claims of success against what became of the trials."""

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._theme = theme
        self._said = Said()
        self.chart: ReliabilityDiagram | None = None
        self.bins = RecordTable[Bin](
            (
                Column("Confidence", _range, is_number=True, width=12),
                Column("Trials", _trials, is_number=True, width=6),
                Column("Mean", _mean, is_number=True, width=6),
                Column("Right", _right, is_number=True, width=6),
                Column("95 % interval", _interval, is_number=True),
            ),
            _range,
            self,
        )
        self.bin_table = Table(self.bins, "Accuracy by stated confidence")
        self.figures = FigureTable("Calibration and claims", "What it says", theme)
        self.missing = PlainLabel("", "muted", wraps=True)
        self.place = ChartPlace()
        self._place()
        self.place.ready.connect(self._make_chart)

    def show_run(self, run: RunRow, rules: Sequence[Rule], measures: Sequence[Measure]) -> None:
        """Begin with the trials of another run, or of the same one by other rules."""
        specs = run.criteria.metrics
        confidence, claim = (key_of(specs, measures, name) for name in (CONFIDENCE, CLAIM))
        self._said = Said(
            rules, confidence, claim, run.plan.planned, len(run.plan.query_ids)
        )  # fmt: skip

    def take(self, rows: Sequence[TrialRow]) -> None:
        """Trials that are new or changed; `draw` shows the figures."""
        self._said.update(rows)

    def draw(self) -> None:
        """Show the figures as they are now."""
        found, claims = self._said.calibration(), self._said.claims()
        lines = [] if found is None else calibration_lines(found)
        lines += [] if claims is None else claim_lines(claims)
        agreed = line(
            "Agreement over trials", self._said.agreement(),
            "The share of a query's most frequent answer, the mean over queries.",
        )  # fmt: skip
        self.figures.show_lines([*lines, agreed._replace(counts=f"{agreed.counts} queries")])
        self.missing.setText(_NO_CLAIM if claims is None else "")
        self.missing.setVisible(claims is None)
        self._draw_bins(found)

    def _draw_bins(self, found: Calibration | None) -> None:
        nothing = _NO_CONFIDENCE if found is None else found.reason
        held = [] if found is None else [each for each in found.bins if each.accuracy.scored]
        self.bins.set_rows(held)
        self.bins_panel.setVisible(bool(held))
        self.place.say(_sentence(nothing) if nothing else "")
        if self.chart is not None:
            self.chart.draw(found.bins if found is not None else ())
        self.note.setText("" if nothing or found is None else f"{count(found.paired)} trials")

    def _place(self) -> None:
        chart_panel = Panel("How often right, by how sure")
        self.note = chart_panel.note
        chart_panel.body.addWidget(self.place, 1)
        self.bins_panel = Panel("Bins")
        self.bins_panel.body.addWidget(self.bin_table)
        figures_panel = Panel("Figures")
        figures_panel.body.addWidget(self.figures, 1)
        figures_panel.body.addWidget(rule())
        self.missing.setContentsMargins(12, 6, 12, 8)
        figures_panel.body.addWidget(self.missing)
        bins = beside("calibrationBins", (chart_panel, self.bins_panel), (660, 450))
        rows = above("calibrationRows", (bins, figures_panel), (340, 320))
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.addWidget(rows)

    def _make_chart(self) -> None:
        # Only here: the library is not to be loaded before a chart is seen.
        from studio.ui.charts.diagram import ReliabilityDiagram

        self.chart = ReliabilityDiagram(self._theme)
        self.place.put(self.chart)
        self.draw()


def _sentence(reason: str) -> str:
    return reason if reason.endswith(".") else f"{reason[:1].upper()}{reason[1:]}."


def _range(held: Bin) -> str:
    return f"{held.low:.1f}–{held.high:.1f}"


def _trials(held: Bin) -> str:
    return count(held.accuracy.scored)


def _mean(held: Bin) -> str:
    return score(held.confidence)


def _right(held: Bin) -> str:
    return score(held.accuracy.mean)


def _interval(held: Bin) -> str:
    low, high = held.accuracy.low, held.accuracy.high
    return "–" if low is None or high is None else f"{low:.2f}–{high:.2f}"
