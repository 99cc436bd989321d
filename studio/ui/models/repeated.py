"""How far a run is from the one that it repeats, in words: what nothing but noise makes."""

from collections.abc import Sequence

from studio.engine.analysis.noise import Noise
from studio.ui.text import count, score


def repeated(run: int, planned: int, noise: Sequence[tuple[str, Noise]]) -> str:
    """How far the means are from those of `run`, by label; "" while nothing is known.

    A mean is of the pairs of trials that both have a score, so what a server failed in one of the
    runs is no noise; how many of the `planned` pairs these are stands beside it.
    """
    gaps = [
        f"{label} {score(each.apart)} ({count(each.paired)} of {count(planned)})"
        for label, each in noise
        if each.paired
    ]
    again = f"Run {run} again with nothing changed"
    if not noise:
        return ""
    if not gaps:
        return f"{again}; no trial has a score in both"
    return f"{again}; apart, over the pairs of trials with both scores, by {' · '.join(gaps)}"
