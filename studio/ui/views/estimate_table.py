"""pass@k and pass^k as a table and as curves, each with its interval and its estimator."""

from collections.abc import Sequence
from typing import NamedTuple

from PySide6.QtWidgets import QWidget

from studio.engine.analysis.reliability import Estimate, Reliability
from studio.ui.models.curves import Curve, Point
from studio.ui.models.records import Column, RecordTable
from studio.ui.text import score
from studio.ui.widgets.table import Table

POOLED_COLUMN = 3
_WIDTH, _COUNTS = 19, 12
"""Characters: of a figure with its interval, and of the counts."""


class Line(NamedTuple):
    """The figures for one k."""

    k: int
    at: Estimate
    all: Estimate
    pooled: Estimate


class EstimateTable(Table):
    """One line a k."""

    def __init__(self, parent: QWidget | None = None) -> None:
        self.model_ = RecordTable[Line](
            (
                Column("k", _k, is_number=True, width=3),
                Column("pass@k", _at, is_number=True, width=_WIDTH),
                Column("pass^k", _all, is_number=True, width=_WIDTH),
                Column("pooled", _pooled, is_number=True, width=_WIDTH),
                Column("Queries", _queries, is_number=True, width=_COUNTS),
            ),
            _k,
        )
        super().__init__(self.model_, "pass@k and pass^k with their intervals", parent=parent)
        self.model_.setParent(self)
        self._lines: tuple[Line, ...] = ()
        self.setColumnHidden(POOLED_COLUMN, True)

    def show_figures(self, found: Reliability, *, with_pooled: bool) -> None:
        self.setColumnHidden(POOLED_COLUMN, not with_pooled)
        figures = zip(found.pass_at, found.pass_all, found.pooled, strict=True)
        lines = tuple(Line(at.k, at, every, pooled) for at, every, pooled in figures)
        if lines != self._lines:
            self._lines = lines
            row = self.currentIndex().row()
            self.model_.set_rows(lines)
            if 0 <= row < len(lines):
                self.setCurrentIndex(self.model_.index(row, 0))


def curves(found: Reliability, *, with_pooled: bool) -> list[Curve]:
    """What the chart draws."""
    series = [("pass@k", "accent", found.pass_at), ("pass^k", "good", found.pass_all)]
    if with_pooled:
        series.append(("pooled^k", "mark", found.pooled))
    return [Curve(name, token, _points(estimates)) for name, token, estimates in series]


def estimators(found: Reliability, *, with_pooled: bool) -> list[str]:
    """How the figures are come by, in words."""
    if not found.pass_at:
        return ["No trial was counted yet."]
    series = [("pass@k", found.pass_at), ("pass^k", found.pass_all)]
    if with_pooled:
        series.append(("pooled", found.pooled))
    lines = [f"{name}: {estimates[0].estimator}" for name, estimates in series]
    lines.append("n: counted trials of a query, c: those that passed; pass@k, pass^k are unbiased")
    if found.most == 1:
        lines.append("One trial a query: more of them tell how far it repeats itself.")
    return lines


def _points(estimates: Sequence[Estimate]) -> tuple[Point, ...]:
    return tuple(
        Point(str(each.k), each.value, each.over.low, each.over.high) for each in estimates
    )


def _figure(estimate: Estimate) -> str:
    over = estimate.over
    if over.low is None or over.high is None:
        return score(estimate.value)
    return f"{score(estimate.value)} ({over.low:.2f}–{over.high:.2f})"


def _k(line: Line) -> str:
    return str(line.k)


def _at(line: Line) -> str:
    return _figure(line.at)


def _all(line: Line) -> str:
    return _figure(line.all)


def _pooled(line: Line) -> str:
    return _figure(line.pooled)


def _queries(line: Line) -> str:
    return line.all.over.counts
