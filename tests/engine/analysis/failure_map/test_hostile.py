"""Whatever a trace and a query hold, the map gives findings and raises nothing."""

import logging

from hypothesis import given, settings
from hypothesis import strategies as st

from studio.engine import metrics
from studio.engine.analysis import failure_map
from studio.engine.analysis.failure_map import _findings, findings
from studio.engine.analysis.failure_map.judged import OF_ANSWERS, OF_CALLS, OF_THE_WHOLE
from studio.engine.analysis.passing import Tried
from studio.engine.events import (
    CallMade,
    ModelCalled,
    ModelFailed,
    ModelReplied,
    ToolCalled,
    ToolReturned,
    TrialEnded,
)
from studio.engine.outcomes import FailureClass, Outcome
from studio.engine.records import (
    Expected,
    ExpectedCall,
    Query,
)
from studio.engine.trace import Trace
from tests.engine.analysis.failure_map.made_cases import WRONG, Call, query, trace, wants

scalars = st.one_of(
    st.none(), st.booleans(), st.integers(), st.floats(), st.text(max_size=8),
    st.sampled_from(["gold", "price", "", "1e999", "２", "2024-99-99", 10**400, "\ud800"]),
)  # fmt: skip
texts = st.text(max_size=8)
values = st.recursive(
    scalars,
    lambda inner: (
        st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=3), inner, max_size=3)
    ),
)
names = st.sampled_from(["price", "rate", "none", ""])
arguments = st.dictionaries(st.sampled_from(["a", "b", "metal"]), values, max_size=3)
ids = st.sampled_from(["1", "2"])
schemas = st.fixed_dictionaries(
    {}, optional={"properties": values, "required": values, "type": values, "allOf": values}
)
functions = st.fixed_dictionaries({"name": names, "parameters": schemas})
offered = st.lists(st.fixed_dictionaries({"function": functions}), max_size=2)
sent = st.dictionaries(st.sampled_from(["messages", "tools"]), values | offered, max_size=2)
made = st.lists(st.builds(CallMade, ids, names, arguments), max_size=2).map(tuple)
errors = st.sampled_from([None, "exception", "unknown tool", "crash"])
now, failures = st.just(0.0), st.sampled_from(FailureClass)
events = st.one_of(
    st.builds(ModelCalled, now, ids, ids, names, sent),
    st.builds(ModelReplied, now, ids, ids, texts, texts, made),
    st.builds(ModelFailed, now, ids, ids, failures, texts),
    st.builds(ToolCalled, now, ids, ids, names, arguments),
    st.builds(ToolReturned, now, ids, ids, texts, errors),
)
ends = st.builds(
    TrialEnded, now, st.sampled_from(Outcome), st.none() | texts, st.none() | failures
)  # fmt: skip
wanted = st.lists(st.builds(ExpectedCall, names, arguments), max_size=3).map(tuple)
some_texts = st.none() | st.lists(st.text(max_size=3), max_size=2).map(tuple)
expectations = st.builds(
    Expected,
    calls=st.none() | wanted,
    contains=some_texts,
    number=st.none() | st.floats(),
    answers=some_texts,
    more=st.dictionaries(
        st.sampled_from(["chain", "call", "bfcl", "agentarch"]), values, max_size=2
    ),
)
rules = st.sampled_from(["tool_call_accuracy", "exact_match", "steps"])
tried = st.lists(st.builds(Tried, rules, st.booleans()), max_size=3)


@settings(max_examples=200)
@given(st.lists(events, max_size=8), ends, expectations, tried)
def test_no_trace_makes_it_raise(happened, end, expected, tried):
    asked = Query("q", "What does gold cost?", expected)
    whole = Trace([*happened, end])
    got = _findings(asked, whole, tried)
    assert got == _findings(asked, Trace([*happened, end]), tried)
    for finding in got:
        assert finding.event is None or 0 <= finding.event < len(whole.events)
        assert finding.reason
    if (
        tried
        and all(rule.holds for rule in tried)
        and (end.failure is None or end.failure.is_agents_own)
    ):
        assert got == []


def test_a_trial_that_has_not_ended_has_no_findings():
    assert findings(query(), Trace(trace().events[:-1]), WRONG) == ()
    assert findings(query(), Trace(()), WRONG) == ()


def test_a_fault_of_the_map_itself_leaves_the_trial_unexplained(caplog, monkeypatch):
    def broken(*_anything):
        raise ZeroDivisionError

    monkeypatch.setattr(failure_map, "loop", broken)
    with caplog.at_level(logging.WARNING):
        assert findings(query(), trace(), WRONG) == ()
    assert "the failure map failed on query q1" in caplog.text


def test_arguments_nested_too_deeply_are_compared_all_the_same():
    nested = leaf = []
    for _ in range(10_000):
        leaf.append([])
        leaf = leaf[0]
    asked = query(calls=wants(("price", {"metal": "gold"})))
    assert findings(asked, trace(Call("price", {"metal": nested})), WRONG)[0].mode == "wrong type"


def test_so_many_calls_that_nobody_would_look_at_them_are_not_compared():
    calls = [Call("price", {"metal": f"m{number}"}, "x" * 200) for number in range(5_000)]
    asked = query(calls=wants(*(("price", {"metal": f"n{n}"}) for n in range(150))))
    got = findings(asked, trace(*calls), WRONG)
    assert [each.mode.value for each in got] == ["wrong answer"]


def test_the_metrics_that_the_map_knows_are_in_the_catalogue():
    assert set(metrics.CATALOGUE) >= OF_CALLS | OF_ANSWERS
    assert not OF_CALLS & OF_ANSWERS


def test_every_metric_that_tells_success_is_about_calls_or_answers_or_the_whole():
    telling = {name for name, metric in metrics.CATALOGUE.items() if metric.tells_success}
    assert telling <= OF_CALLS | OF_ANSWERS | OF_THE_WHOLE
    assert not OF_THE_WHOLE & (OF_CALLS | OF_ANSWERS)
