"""Whose doing it was that trials gave no answer: counted by class, told in words."""

from collections import Counter
from collections.abc import Iterable, Mapping

from studio.engine.outcomes import FailureClass
from studio.engine.store.rows import TrialRow

Counts = Mapping[FailureClass, int]


def failures(trials: Iterable[TrialRow]) -> Counts:
    """How many trials gave no answer, by the class of their failure."""
    counted = Counter(trial.failure for trial in trials if trial.failure is not None)
    return {each: counted[each] for each in FailureClass if counted[each]}


def excused(counts: Counts) -> Counts:
    """Those that were not the agent's doing."""
    return {each: count for each, count in counts.items() if not each.is_agents_own}


def in_words(counts: Counts) -> str:
    """`2 truncated, 1 server`; "" for none."""
    return ", ".join(f"{count:,} {each.value}" for each, count in counts.items())
