"""How far a run is from the one that it repeats, in words: what nothing but noise makes."""

from collections.abc import Iterable, Iterator, Mapping

from studio.engine.analysis.summary import Summary
from studio.ui.text import score


def repeated(run: int, before: Mapping[str, Summary], now: Iterable[tuple[str, Summary]]) -> str:
    """How far the averages are from those of `run`, by label; "" while nothing is known.

    Only where both are over the same trials: what a server failed in one of them is no noise.
    """
    pairs = [(label, before[label], each) for label, each in now if label in before]
    again = f"Run {run} again with nothing changed"
    if any(one.excused or other.excused for _, one, other in pairs):
        why = "trials that say nothing of the agent are among them"
        return f"{again}; how far they are apart is no noise: {why}"
    gaps = list(_gaps(pairs))
    return f"{again}; apart by {' · '.join(gaps)}" if gaps else ""


def _gaps(pairs: Iterable[tuple[str, Summary, Summary]]) -> Iterator[str]:
    for label, one, other in pairs:
        if one.value is not None and other.value is not None:
            yield f"{label} {score(abs(one.value - other.value))}"
