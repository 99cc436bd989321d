"""Rankings and their figures: the course's worked example, and what holds of any ranking."""

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from studio.engine.events import StepStarted, ToolCalled, ToolReturned, TrialEnded, TrialStarted
from studio.engine.grading import grade
from studio.engine.metrics import build
from studio.engine.metrics.retrieval import measures
from studio.engine.metrics.retrieval.documents import documents_in
from studio.engine.metrics.retrieval.metrics import (
    ContextPrecision,
    NdcgAtK,
    PrecisionAtK,
    RecallAtK,
    ReciprocalRank,
)
from studio.engine.outcomes import Outcome
from studio.engine.records import (
    Expected,
    MetricSpec,
    Query,
)
from studio.engine.trace import Trace

RANKED = ["gift", "window30", "shipping", "receipt", "hours"]
RELEVANT = dict.fromkeys(["window30", "receipt", "original_card"], 1.0)

ids = st.sampled_from("abcdef")
rankings = st.lists(ids, max_size=8)
gains = st.dictionaries(ids, st.floats(0.1, 3), min_size=1)
ks = st.integers(1, 10)


def test_the_worked_example_of_the_course():
    assert measures.recall_at(RANKED, RELEVANT, 5) == pytest.approx(2 / 3)
    assert measures.precision_at(RANKED, RELEVANT, 5) == 0.4
    assert measures.reciprocal_rank(RANKED, RELEVANT) == 0.5
    assert measures.ndcg_at(RANKED, RELEVANT, 5) == pytest.approx(0.498, abs=5e-4)


@pytest.mark.parametrize(
    ("verdicts", "value"),
    [([1, 0, 1], 0.8333), ([0, 1, 1], 0.5833), ([0, 0, 1], 0.3333), ([0, 0], 0), ([], 0), ([1], 1)],
)
def test_context_precision_as_ragas_computes_it(verdicts, value):
    assert measures.context_precision(verdicts) == pytest.approx(value, abs=5e-5)


def test_ragas_stores_a_perfect_context_precision_as_almost_one():
    case = {"relevance_verdicts": [True]}
    assert ContextPrecision(mode="published").verdict_on(case).value == 1 / (1 + 1e-10)
    assert ContextPrecision().verdict_on(case).value == 1.0


def test_graded_gains_decide_the_order():
    graded = {"a": 3.0, "b": 1.0}
    assert measures.ndcg_at(["a", "b"], graded, 2) == 1.0
    expected = (1 + 3 / math.log2(3)) / (3 + 1 / math.log2(3))
    assert measures.ndcg_at(["b", "a"], graded, 2) == pytest.approx(expected)


@given(rankings, gains, ks)
def test_every_figure_lies_between_nothing_and_all(ranking, gains, k):
    once = measures.without_repeats(ranking)
    figures = [
        measures.recall_at(once, gains, k),
        measures.precision_at(once, gains, k),
        measures.reciprocal_rank(once, gains),
        measures.ndcg_at(once, gains, k),
        measures.context_precision([each in gains for each in once]),
    ]
    assert all(0 <= figure <= 1 + 1e-12 for figure in figures)


@given(rankings, gains, ks)
def test_recall_never_falls_with_k(ranking, gains, k):
    assert measures.recall_at(ranking, gains, k) <= measures.recall_at(ranking, gains, k + 1)


@given(gains, ks)
def test_the_best_order_is_perfect(gains, k):
    best = sorted(gains, key=gains.__getitem__, reverse=True)
    assert measures.ndcg_at(best, gains, k) == pytest.approx(1)
    assert measures.context_precision([each in gains for each in best]) == 1


def test_a_document_that_comes_twice_takes_one_place():
    case = {"retrieved": ["a", "a", "b"], "relevant": ["b"], "k": 2}
    assert RecallAtK().verdict_on(case).value == 1.0
    assert RecallAtK(mode="published").verdict_on(case).value == 0.0


def test_published_a_document_that_comes_twice_gains_twice_and_may_pass_1():
    case = {"retrieved": ["a", "a"], "gains": {"a": 1}, "k": 2}
    twice = grade(NdcgAtK(mode="published"), case)
    assert twice.value == pytest.approx(1 + 1 / math.log2(3))
    assert grade(NdcgAtK(), case).value == 1.0
    part = {"weight": 1, "settings": {"mode": "published"}}
    [whole] = build([MetricSpec("composite", {"parts": {"ndcg_at_k": part}})])
    found = whole.score(
        Query("q", "?", Expected(documents={"a": 1.0})), trace(("find", '["a", "a"]', True))
    )
    assert found.value is None
    assert "no share" in found.reason


@pytest.mark.parametrize(
    ("content", "found"),
    [
        ('["a", "b"]', ["a", "b"]),
        ("[1, 2]", ["1", "2"]),
        ('{"documents": [{"id": "a", "text": "…"}, {"id": 7}]}', ["a", "7"]),
        ('{"results": [{"url": "u"}, {"text": "no id"}, null, true]}', ["u"]),
        ('{"id": "alone"}', ["alone"]),
        ("Gold is a metal.", []),
        ("", []),
        ("[" * 20_000, []),
        ('"a"', []),
    ],
)
def test_the_documents_that_a_result_names(content, found):
    assert documents_in(content) == found


def trace(*results: tuple[str, str, bool]) -> Trace:
    events = [TrialStarted(0.0, "q", "?", "v", 1), StepStarted(0.0, "s", None, "tools", 1)]
    for place, (name, content, is_retrieval) in enumerate(results):
        events.append(ToolCalled(0.0, f"c{place}", "s", name, {}, is_retrieval=is_retrieval))
        events.append(ToolReturned(0.0, f"c{place}", "s", content))
    return Trace([*events, TrialEnded(0.0, Outcome.FINISHED, "done")])


QUERY = Query("q", "?", Expected(documents={"a": 1.0, "b": 2.0}))


def test_only_tools_named_as_retrieval_are_ranked_in_the_order_of_calls():
    done = trace(("search", '["x", "a"]', True), ("other", '["b"]', False), ("find", '["b"]', True))
    assert RecallAtK(k=2).score(QUERY, done).value == 0.5
    assert RecallAtK(k=3).score(QUERY, done).value == 1.0
    assert ReciprocalRank().score(QUERY, done).value == 0.5
    assert ReciprocalRank(tool="other").score(QUERY, done).value == 1.0


def test_no_search_finds_nothing_and_nothing_expected_is_not_scored():
    names = "recall_at_k", "precision_at_k", "reciprocal_rank", "ndcg_at_k", "context_precision"
    for metric in build([MetricSpec(name) for name in names]):
        assert metric.score(QUERY, trace()).value == 0.0
        assert "no retrieval tool" in metric.score(QUERY, trace()).reason
        assert metric.score(Query("q", "?"), trace()).value is None


@pytest.mark.parametrize("gains", [{}, [], None, {"a": 0}, {"a": -1}, {"a": "x"}, {"a": math.nan}])
def test_a_case_without_relevant_documents_is_not_scored(gains):
    for metric in (RecallAtK(), PrecisionAtK(), NdcgAtK(), ReciprocalRank(), ContextPrecision()):
        assert metric.verdict_on({"retrieved": ["a"], "gains": gains}).value is None


def test_the_published_code_says_0_where_nothing_is_relevant_except_of_recall():
    case = {"retrieved": ["a"], "relevant": []}
    kinds = (PrecisionAtK, NdcgAtK, ReciprocalRank, ContextPrecision)
    assert [kind(mode="published").verdict_on(case).value for kind in kinds] == [0.0] * 4
    assert RecallAtK(mode="published").verdict_on(case).value is None
    query = Query("q", "?", Expected(documents={}))
    assert PrecisionAtK(mode="published").score(query, trace()).value == 0.0
    unstated = Query("q", "?")
    assert PrecisionAtK(mode="published").score(unstated, trace()).value is None


def test_the_case_states_its_own_k():
    case = {"retrieved": ["x", "a"], "relevant": ["a"]}
    assert RecallAtK().verdict_on({**case, "k": 1}).value == 0.0
    assert RecallAtK().verdict_on({**case, "k": 2}).value == 1.0
    for k in (0, -1, True, "2", 1.5):
        with pytest.raises(ValueError, match="k must be"):
            RecallAtK().verdict_on({**case, "k": k})


@pytest.mark.parametrize(
    "case",
    [
        {"retrieved": {"d1": 0.3, "d2": 0.9, "d3": 0.9}, "qrels": {"d2": 0, "d3": 1}},
        {"retrieved": ["d2", "d3", "d1"], "relevance": [0, 1, 0]},
        {"retrieved": ["d2", "d3", "d1"], "relevance": {"d3": 2}},
        {"retrieved": [7, 1], "relevance": [1]},
    ],
)
def test_a_ranking_may_be_scores_and_relevance_may_go_by_place(case):
    [metric] = build([MetricSpec("reciprocal_rank")])
    assert metric.verdict_on(case).value == 0.5


def test_a_gain_beyond_all_bounds_is_none():
    [metric] = build([MetricSpec("ndcg_at_k")])
    case = {"retrieved": ["a", "b"], "gains": {"a": 10**400, "b": 1}}
    assert grade(metric, case).value == pytest.approx(1 / math.log2(3))
