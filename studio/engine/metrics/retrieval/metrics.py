"""Did retrieval find the documents that it had to find?"""

import math
import sys
from collections.abc import Mapping, Sequence
from typing import Annotated, Any, ClassVar

import msgspec
from typing_extensions import override

from studio.engine.metrics.base import Metric, Mode, Verdict
from studio.engine.metrics.retrieval import measures
from studio.engine.metrics.retrieval.documents import ids_of, ranked_in, ranking_of
from studio.engine.records import JsonObject, Query
from studio.engine.trace import Trace

Places = Annotated[int, msgspec.Meta(ge=1, le=10_000)]

_RANKED = (
    "retrieved", "ranking", "ranked", "ranked_ids", "retrieved_ids", "retrieved_context_ids",
)  # fmt: skip
_RELEVANT = (
    "documents", "gains", "relevant", "relevant_ids", "relevance", "qrels", "reference_context_ids",
)  # fmt: skip
_MOST_TOLD = 5


class _Ranking(Metric, frozen=True):
    """Base: one figure of the ranking that the results of the retrieval tools make."""

    known_by: ClassVar[tuple[str, ...]] = (*_RANKED, "relevance_verdicts")
    of_none: ClassVar[float | None] = 0.0
    """What the published code says where it is stated that no document is relevant."""

    mode: Mode = "corrected"
    tool: str = ""

    @override
    def verdict(self, query: Query, trace: Trace) -> Verdict:
        gains = _positive(query.expected.documents or {})
        if not gains:
            return self._of_none("query", query.expected.documents, "expected: documents")
        ranking = ranking_of(trace, self.tool)
        if ranking is None:
            return Verdict(0.0, "no document was looked for: no retrieval tool was called")
        return self._of(ranking, gains)

    def verdict_on(self, case: JsonObject) -> Verdict:
        """The verdict on a case that holds a ranking and the relevant documents, or their gains."""
        ranked = ranked_in(next((case[key] for key in _RANKED if key in case), []))
        stated: Any = next((case[key] for key in _RELEVANT if key in case), None)
        if "relevance" in case and _is_by_place(stated, ranked):
            stated = dict(zip(ranked, stated, strict=True))
        gains = gains_of(stated)
        if not gains:
            return self._of_none("case", stated, "relevant, or gains")
        return self.as_in(case)._of(ranked, gains)

    def as_in(self, case: JsonObject) -> "_Ranking":  # noqa: ARG002 - some read their k from it
        """The metric with the settings that the case itself states."""
        return self

    def _of_none(self, whose: str, stated: Any, name: str) -> Verdict:
        is_stated = isinstance(stated, list | Mapping) and self.mode == "published"
        value = self.of_none if is_stated else None
        return Verdict(value, f"the {whose} states no relevant documents ({name})")

    def _of(self, ranking: Sequence[str], gains: measures.Gains) -> Verdict:
        if self.mode == "corrected":
            ranking = measures.without_repeats(ranking)
        value = self.figure(ranking, gains)
        retrieved = set(ranking)
        found = sum(each in gains for each in retrieved)
        missing = [each for each in gains if each not in retrieved][:_MOST_TOLD]
        told = f"; not {', '.join(map(str, missing))}" if missing else ""
        reason = f"{found} of {len(gains)} relevant among {len(ranking)} retrieved{told}"
        return Verdict(value, reason, {"ranking": list(ranking[:100])})

    def figure(self, ranking: Sequence[str], gains: measures.Gains) -> float:
        """The figure of a ranking.  Pure; `gains` is not empty."""
        raise NotImplementedError


def _is_by_place(stated: Any, ranked: Sequence[str]) -> bool:
    """Whether it is the gain of each document in the order of the ranking."""
    is_numbers = isinstance(stated, list) and all(isinstance(each, int | float) for each in stated)
    return is_numbers and len(stated) == len(ranked) == len(set(ranked))


class _AtK(_Ranking, frozen=True):
    k: Places = 5

    @override
    def as_in(self, case: JsonObject) -> "_Ranking":
        stated = case.get("k")
        if stated is None:
            return self
        if isinstance(stated, bool) or not isinstance(stated, int) or not 1 <= stated <= 10_000:
            raise ValueError("k must be a whole number from 1 to 10,000")
        return msgspec.structs.replace(self, k=stated)


class RecallAtK(_AtK, frozen=True):
    """Relevant documents among the first `k` retrieved / all relevant documents.

    Range 0 to 1.  Not scored when the query states no relevant documents.  Source: the course
    module, "Agentic RAG evaluation".  Documents come from the results of the tools that the tool
    set names as retrieval, or of `tool`, in the order of calls.  Corrected: a document that comes
    twice takes one place; published: each time one.  (Where none is relevant, the published code
    divides by nothing here and says 0 for the other figures.)
    """

    name: ClassVar[str] = "recall_at_k"
    title: ClassVar[str] = "Recall@k"
    of_none: ClassVar[float | None] = None

    @override
    def figure(self, ranking: Sequence[str], gains: measures.Gains) -> float:
        return measures.recall_at(ranking, gains, self.k)


class PrecisionAtK(_AtK, frozen=True):
    """Relevant documents among the first `k` retrieved / `k`, also where fewer were retrieved.

    Range 0 to 1.  Otherwise as `recall_at_k`.
    """

    name: ClassVar[str] = "precision_at_k"
    title: ClassVar[str] = "Precision@k"
    version: ClassVar[str] = "2"

    @override
    def figure(self, ranking: Sequence[str], gains: measures.Gains) -> float:
        return measures.precision_at(ranking, gains, self.k)


class ReciprocalRank(_Ranking, frozen=True):
    """1 / the place of the first relevant document; 0 if none was retrieved.

    Range 0 to 1; the mean over trials is the MRR.  Otherwise as `recall_at_k`.
    """

    name: ClassVar[str] = "reciprocal_rank"
    title: ClassVar[str] = "Reciprocal rank (MRR)"
    version: ClassVar[str] = "2"

    @override
    def figure(self, ranking: Sequence[str], gains: measures.Gains) -> float:
        return measures.reciprocal_rank(ranking, gains)


class NdcgAtK(_AtK, frozen=True):
    """Discounted gain of the first `k` retrieved / that of the best possible `k`.

    Gains are linear and may be graded: `documents: {a: 3, b: 1}`.  Range 0 to 1.  Otherwise as
    `recall_at_k`; published: a document gains each time that it comes, so the figure may pass 1.
    """

    name: ClassVar[str] = "ndcg_at_k"
    title: ClassVar[str] = "nDCG@k"
    version: ClassVar[str] = "2"

    @override
    def holds(self, value: float) -> bool:
        return super().holds(value) or (self.mode == "published" and 1.0 < value < math.inf)

    @override
    def figure(self, ranking: Sequence[str], gains: measures.Gains) -> float:
        return measures.ndcg_at(ranking, gains, self.k)


class ContextPrecision(_Ranking, frozen=True):
    """The mean of precision@i over the places i of the relevant documents retrieved.

    Range 0 to 1; 0 if none is relevant.  The thesis, section 2.3.2, where a judge said what is
    relevant; here the query does.  Published: RAGAS' own division by the count + 1e-10.
    """

    name: ClassVar[str] = "context_precision"
    title: ClassVar[str] = "Context precision"
    version: ClassVar[str] = "2"

    @override
    def figure(self, ranking: Sequence[str], gains: measures.Gains) -> float:
        return self._mean([each in gains for each in ranking])

    @override
    def verdict_on(self, case: JsonObject) -> Verdict:
        """As the others; or of a case that holds the `relevance_verdicts` of a judge."""
        verdicts = case.get("relevance_verdicts")
        if verdicts is None:
            return super().verdict_on(case)
        if not isinstance(verdicts, list) or not all(each in (0, 1) for each in verdicts):
            raise ValueError("relevance_verdicts must be a list of true and false, or 1 and 0")
        return Verdict(self._mean([bool(each) for each in verdicts]), f"{verdicts}"[:200])

    def _mean(self, verdicts: Sequence[bool]) -> float:
        added = 1e-10 if self.mode == "published" else 0.0
        return measures.context_precision(verdicts, added)


def gains_of(value: Any) -> dict[str, float]:
    """The gain of each document, from a mapping or a list of ids, which have 1 each."""
    if isinstance(value, Mapping) and not any(isinstance(each, list) for each in value.values()):
        return _positive(value)
    return dict.fromkeys(ids_of(value), 1.0)


def _positive(gains: Mapping[str, Any]) -> dict[str, float]:
    return {id: float(gain) for id, gain in gains.items() if _is_gain(gain)}


def _is_gain(gain: Any) -> bool:
    return isinstance(gain, bool | int | float) and 0 < gain <= sys.float_info.max
