"""Figures of a run as lines: a name, a value, its interval, its counts, and what it means."""

from collections.abc import Sequence
from typing import NamedTuple

from studio.engine.analysis.calibration import Calibration, Claims
from studio.engine.analysis.summary import Summary
from studio.ui.text import count, score


class FigureLine(NamedTuple):
    """One figure.  `counts` never stands empty beside a value."""

    name: str
    value: str
    interval: str
    counts: str
    about: str


def line(name: str, summary: Summary, about: str) -> FigureLine:
    """A summary as a line."""
    low, high = summary.low, summary.high
    interval = "–" if low is None or high is None else f"{low:.2f}–{high:.2f}"
    return FigureLine(name, score(summary.value), interval, summary.counts, about)


def calibration_lines(found: Calibration) -> list[FigureLine]:
    """How far confidence and being right agree."""
    counts = f"{count(found.paired)} of {count(found.planned)}"
    figures = (
        (
            "Expected calibration error", found.error,
            "The mean gap between confidence and accuracy over the bins; 0 is best.",
        ),
        (
            "Brier score", found.brier,
            "The mean of (confidence − right)², right being 1 or 0; 0 is best.",
        ),
        ("Mean confidence", found.confidence, "What the answers state on average."),
        ("Accuracy", found.accuracy, "The share of these trials that passed."),
    )  # fmt: skip
    return [FigureLine(name, score(value), "–", counts, about) for name, value, about in figures]


def claim_lines(found: Claims) -> list[FigureLine]:
    """What claims of success are worth."""
    precision = line(
        "Claimed-success precision", found.precision,
        "Of the trials that claim success, the share that passed.",
    )  # fmt: skip
    claims = f"{count(found.claimed)} of {count(found.claims.planned)}"
    return [
        # The share of claims, and so told of how many trials there were.
        precision._replace(counts=claims),
        line(
            "False-success rate", found.false_success,
            "The share of trials that claim success and did not pass; 0 is best.",
        ),
        line("Claims of success", found.claims, "The share of trials that claim success."),
        line("Success", found.success, "The share of trials that passed."),
    ]  # fmt: skip


def described(lines: Sequence[FigureLine]) -> str:
    """The lines for who does not see the table."""
    return "; ".join(f"{each.name} {each.value} ({each.counts})" for each in lines)
