"""Tool-call accuracy of the thesis, corrected and published."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from studio.engine.metrics.arguments import same_value
from studio.engine.metrics.calls import ToolCallAccuracy
from tests.engine.metrics.made_traces import calls, query, trace

PRICE = ("get_metal_price", {"metal_name": "gold"})
RATE = ("get_currency_exchange", {"base": "usd", "target": "eur"})
CORRECTED, PUBLISHED = ToolCallAccuracy(), ToolCallAccuracy(mode="published")


def value(metric, expected, made):
    return metric.score(query(calls=calls(*expected)), trace(made=made)).value


@pytest.mark.parametrize("metric", [CORRECTED, PUBLISHED])
@pytest.mark.parametrize(
    ("made", "expected"),
    [
        ([PRICE, RATE], 1.0),
        ([RATE, PRICE], 1.0),
        ([PRICE], 0.5),
        ([PRICE, ("get_currency_exchange", {"base": "usd", "target": "gbp"})], 0.5),
        # The key of the argument is another: the real cause of the 0.5s in the thesis.
        ([("get_metal_price", {"metal": "gold"}), RATE], 0.5),
        ([], 0.0),
        ([PRICE, RATE, RATE, PRICE], 1.0),
    ],
)
def test_it_is_the_share_of_expected_calls_that_were_made(metric, made, expected):
    assert value(metric, [PRICE, RATE], made) == expected


def test_a_superfluous_call_costs_nothing_but_is_told():
    score = CORRECTED.score(query(calls=calls(PRICE)), trace(made=[PRICE, RATE]))
    assert score.value == 1.0
    assert "1 beyond the expected: get_currency_exchange" in score.reason


def test_one_call_satisfies_one_expected_call_unless_published():
    assert value(CORRECTED, [PRICE, PRICE], [PRICE]) == 0.5
    assert value(PUBLISHED, [PRICE, PRICE], [PRICE]) == 1.0


def test_where_no_call_is_wanted_none_may_be_made_unless_published():
    assert value(CORRECTED, [], []) == 1.0
    assert value(CORRECTED, [], [PRICE]) == 0.0
    assert value(PUBLISHED, [], [PRICE]) == 1.0


def test_where_nothing_is_stated_nothing_is_scored():
    for metric in (CORRECTED, PUBLISHED):
        score = metric.score(query(), trace(made=[PRICE]))
        assert score.value is None
        assert score.reason == "the query states no expected calls (expected: calls)"


@pytest.mark.parametrize(
    ("expected", "made", "corrected", "published"),
    [
        (5, 5.0, 1.0, 0.0),
        (5, "5", 0.0, 1.0),
        (True, 1, 0.0, 0.0),
        (True, "true", 0.0, 1.0),
        ("gold", "Gold", 0.0, 1.0),
        ("gold", " gold", 0.0, 0.0),
        ({"a": 1, "b": 2}, {"b": 2, "a": 1}, 1.0, 0.0),
        ([1, 2], [2, 1], 0.0, 0.0),
        (None, "none", 0.0, 1.0),
        ("Z\u00fcrich", "Zu\u0308rich", 1.0, 0.0),
    ],
)
def test_arguments_are_compared_by_value_or_as_published(expected, made, corrected, published):
    want, done = [("tool", {"x": expected})], [("tool", {"x": made})]
    assert value(CORRECTED, want, done) == corrected
    assert value(PUBLISHED, want, done) == published


def test_published_keys_have_no_case():
    want, done = [("tool", {"Metal": "gold"})], [("tool", {"metal": "gold"})]
    assert value(PUBLISHED, want, done) == 1.0
    assert value(CORRECTED, want, done) == 0.0


def test_case_can_be_ignored_and_is_pointed_out_otherwise():
    want, done = [("tool", {"x": ["Gold"]})], [("tool", {"x": ["gold"]})]
    assert value(ToolCallAccuracy(ignore_case=True), want, done) == 1.0
    reason = CORRECTED.score(query(calls=calls(*want)), trace(made=done)).reason
    assert "only upper and lower case differ" in reason


def test_a_missing_an_extra_and_a_null_argument_all_differ():
    for made in ({}, {"x": 1, "y": 2}, {"x": None}):
        assert value(CORRECTED, [("tool", {"x": 1})], [("tool", made)]) == 0.0
    assert value(CORRECTED, [("tool", {"x": None})], [("tool", {})]) == 0.0


def test_the_reason_names_what_is_missing_and_the_nearest_call():
    made = [("get_metal_price", {"metal_name": "silver"})]
    reason = CORRECTED.score(query(calls=calls(PRICE)), trace(made=made)).reason
    assert 'missing get_metal_price(metal_name="gold")' in reason
    assert 'metal_name is "silver", not "gold"' in reason


def test_ten_thousand_levels_of_nesting_are_compared():
    deep, other = [1], [2]
    for _ in range(10_000):
        deep, other = [deep], [other]
    assert not same_value(deep, other)


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=3), inner),
    max_leaves=8,
)
CALLS = st.lists(
    st.tuples(st.sampled_from("ab"), st.dictionaries(st.sampled_from("xy"), JSON)), max_size=4
)


@given(JSON, JSON)
def test_being_the_same_is_symmetric_and_holds_for_itself(one, other):
    assert same_value(one, one)
    assert same_value(one, other) == same_value(other, one)


@given(CALLS, CALLS)
def test_scores_stay_in_range_and_more_calls_never_lower_them(expected, made):
    if not expected:
        return
    before, after = value(CORRECTED, expected, made), value(CORRECTED, expected, made + expected)
    assert 0.0 <= before <= after == 1.0
    assert value(ToolCallAccuracy(ignore_case=True), expected, made) >= before


@given(CALLS)
def test_doing_exactly_what_is_expected_scores_1_in_any_order(expected):
    assert value(CORRECTED, expected, expected[::-1]) == 1.0
