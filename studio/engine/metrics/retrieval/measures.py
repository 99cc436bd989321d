"""Figures of one ranking, best document first.  All are pure and lie between 0 and 1.

`gains` maps each relevant document to its gain, above 0; all others have none.  A document that
comes twice in a ranking counts where it comes first: pass the ranking through `without_repeats`.
"""

from collections.abc import Iterable, Mapping, Sequence
from math import log2

Gains = Mapping[str, float]


def without_repeats(ranking: Iterable[str]) -> list[str]:
    """The ranking with each document at its first place only."""
    return list(dict.fromkeys(ranking))


def recall_at(ranking: Sequence[str], gains: Gains, k: int) -> float:
    """Relevant documents among the first k / all relevant ones, of which there must be one."""
    return len(set(ranking[:k]) & gains.keys()) / len(gains)


def precision_at(ranking: Sequence[str], gains: Gains, k: int) -> float:
    """Relevant documents among the first k / k, also where the ranking is shorter."""
    return len(set(ranking[:k]) & gains.keys()) / k


def reciprocal_rank(ranking: Sequence[str], gains: Gains) -> float:
    """1 / place of the first relevant document; 0 if there is none.  Its mean is the MRR."""
    return next((1 / place for place, each in enumerate(ranking, 1) if each in gains), 0.0)


def dcg_at(gains_in_order: Iterable[float]) -> float:
    """The sum of gain / log2(place + 1): linear gains, not 2 to their power."""
    return sum(gain / log2(place + 1) for place, gain in enumerate(gains_in_order, 1))


def ndcg_at(ranking: Sequence[str], gains: Gains, k: int) -> float:
    """DCG of the first k / DCG of the k highest gains of all; there must be a relevant document."""
    found = dcg_at(gains.get(each, 0.0) for each in ranking[:k])
    return found / dcg_at(sorted(gains.values(), reverse=True)[:k])


def context_precision(verdicts: Sequence[bool], added: float = 0.0) -> float:
    """The mean of precision@i over the places i of relevant contexts; 0 if none is relevant.

    As the thesis has it (section 2.3.2): sum of precision@i × v_i / sum of v_i, v_i being 1 for a
    relevant context and 0 for any other.  RAGAS has 1e-10 `added` to the divisor.
    """
    found, total = 0, 0.0
    for place, is_relevant in enumerate(verdicts, 1):
        if is_relevant:
            found += 1
            total += found / place
    return total / (found + added) if found else 0.0
