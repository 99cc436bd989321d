"""A summary says how much is known: counts, interval, and what the unscored could change."""

import math
import random

import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from studio.engine.analysis.intervals import wilson
from studio.engine.analysis.summary import (
    AMOUNT,
    SHARE,
    VERDICT,
    Running,
    Scale,
    summarise,
)
from studio.engine.metrics import CATALOGUE, build
from studio.engine.records import MetricSpec

MEDIAN = Scale(0.0, None, average="median")


def test_the_means_of_the_thesis_come_with_their_counts():
    # Agent 1, tool-call accuracy over its 20 queries: prompt 1 and prompt 2.
    first = summarise([1.0] * 16 + [0.5] * 4)
    second = summarise([1.0] * 19 + [0.5])
    assert (first.mean, first.counts) == (0.9, "20 of 20")
    assert second.mean == 0.975
    # Value correctness: 12 of 20.
    value = summarise([1.0] * 12 + [0.0] * 8, 20, VERDICT)
    assert value.mean == 0.6
    assert (value.low, value.high) == pytest.approx((0.3866, 0.7812), abs=1e-4)


def test_verdicts_get_wilsons_interval_as_scipy_computes_it():
    for right, count in ((0, 1), (0, 20), (12, 20), (20, 20), (999, 1000)):
        theirs = stats.binomtest(right, count).proportion_ci(method="wilson")
        summary = summarise([1.0] * right + [0.0] * (count - right), scale=VERDICT)
        assert (summary.low, summary.high) == pytest.approx((theirs.low, theirs.high), abs=1e-9)
        assert summary.method == "Wilson, 95%"


def test_other_values_get_students_interval_as_scipy_computes_it():
    values = [3.0, 4.5, 2.25, 8.0, 5.5]
    summary = summarise(values, scale=AMOUNT)
    theirs = stats.t.interval(0.95, 4, loc=summary.mean, scale=stats.sem(values))
    assert (summary.low, summary.high) == pytest.approx(theirs)
    assert summary.method == "Student t, 95%"


@given(
    st.lists(st.floats(0, 1), min_size=1, max_size=30),
    st.sampled_from([(-1.0, 0.0), (-3.0, -1.0), (0.0, 5.0), (2.0, 4.0)]),
)
def test_an_interval_moves_with_the_range_of_the_values(shares, ends):
    low, high = ends
    moved = summarise([low + share * (high - low) for share in shares], scale=Scale(low, high))
    assert low <= moved.low <= moved.mean <= moved.high <= high
    plain = summarise(shares)
    if moved.method == plain.method:
        expected = [low + end * (high - low) for end in (plain.low, plain.high)]
        assert (moved.low, moved.high) == pytest.approx(expected, abs=1e-6)


def test_few_or_equal_shares_are_not_taken_for_certain():
    few, equal = summarise([1.0, 1.0, 0.5]), summarise([1.0] * 30)
    assert few.method == "Wilson, cautious, 95%"
    assert (few.low, few.high) == pytest.approx(wilson(2.5 / 3, 3))
    assert equal.method == "Student t, ends added, 95%"
    assert (equal.low, equal.high) == pytest.approx((0.9048, 1.0), abs=1e-4)


@pytest.mark.parametrize(
    ("values", "scale", "method"),
    [
        ([], SHARE, "nothing scored"),
        ([None, None], SHARE, "nothing scored"),
        ([3.0], AMOUNT, "no interval: fewer than 2 independent values"),
        ([6.0, 6.0, 6.0], AMOUNT, "no interval: all values are equal"),
        ([1.0, 2.0, 3.0, 4.0, 5.0], MEDIAN, "no interval: too few values for a median"),
    ],
)
def test_where_there_is_no_interval_it_says_why(values, scale, method):
    summary = summarise(values, scale=scale)
    assert (summary.low, summary.high, summary.method) == (None, None, method)


def test_what_is_not_scored_is_counted_and_bounds_the_mean():
    summary = summarise([1.0, None, 0.5], planned=4)
    assert (summary.scored, summary.planned, summary.mean) == (2, 4, 0.75)
    assert (summary.least, summary.most) == (0.375, 0.875)
    assert summary.counts == "2 of 4"


def test_nothing_scored_is_no_mean_but_anything_is_possible():
    summary = summarise([None, None])
    assert (summary.mean, summary.value, summary.least, summary.most) == (None, None, 0.0, 1.0)


def test_an_amount_has_no_highest_case():
    summary = summarise([5.0, None], scale=AMOUNT)
    assert (summary.least, summary.most) == (2.5, None)
    assert summarise([5.0], scale=AMOUNT).most == 5.0


def test_seconds_show_the_median_which_one_slow_trial_does_not_move():
    seconds = [1.0, 1.1, 1.2, 1.3, 1.4, 60.0]
    summary = summarise(seconds, scale=MEDIAN)
    assert summary.value == summary.median == pytest.approx(1.25)
    assert (summary.low, summary.high) == (1.0, 60.0)
    assert summary.method == "order statistics, 95%"


def test_trials_of_one_query_are_one_piece_of_evidence():
    values = [1.0] * 10 + [0.0] * 10
    queries = [f"q{index // 5}" for index in range(20)]
    alone, grouped = (
        summarise(values, scale=VERDICT),
        summarise(values, None, VERDICT, groups=queries),
    )
    assert alone.mean == grouped.mean == 0.5
    assert grouped.high - grouped.low > alone.high - alone.low
    assert "Wilson, cautious" in grouped.method


def test_many_groups_use_the_spread_between_them():
    rng = random.Random(7)
    values, queries = [], []
    for query in range(30):
        level = rng.random()
        for _ in range(4):
            values.append(min(1.0, max(0.0, level + rng.gauss(0, 0.01))))
            queries.append(query)
    grouped = summarise(values, groups=queries)
    means = [sum(values[at : at + 4]) / 4 for at in range(0, len(values), 4)]
    with_ends = [*means, 0.0, 1.0]
    centre = sum(with_ends) / 32
    low, high = stats.t.interval(0.95, 29, loc=centre, scale=stats.sem(with_ends))
    assert grouped.method == "Student t over groups, ends added, 95%"
    assert (grouped.low, grouped.high) == pytest.approx((low, high))


@pytest.mark.parametrize("value", [math.nan, math.inf, -math.inf])
def test_a_value_that_is_no_number_is_refused(value):
    with pytest.raises(ValueError, match="finite number or None"):
        summarise([value])


def test_more_scores_than_planned_are_refused():
    with pytest.raises(ValueError, match="3 scores of only 2 planned"):
        summarise([1.0, 1.0, None], planned=2)


def test_each_metric_says_on_which_scale_its_values_are():
    scales = {metric.name: metric.scale for metric in build([MetricSpec(n) for n in CATALOGUE])}
    assert scales["number_in_answer"] == VERDICT
    assert scales["tool_call_accuracy"] == SHARE
    assert scales["steps"] == AMOUNT
    assert scales["seconds"] == MEDIAN


SHARES = st.lists(st.none() | st.floats(0, 1), min_size=1, max_size=40)
SCALES = st.sampled_from([SHARE, Scale(0.0, 1.0, average="median")])


@given(SHARES, SCALES, st.integers(0, 10))
def test_a_summary_is_consistent(values, scale, more):
    summary = summarise(values, len(values) + more, scale)
    assert summary.scored == sum(value is not None for value in values)
    assert summary.planned == len(values) + more
    assert 0 <= summary.least <= summary.most <= 1
    if summary.mean is not None:
        assert summary.least - 1e-12 <= summary.mean <= summary.most + 1e-12
    if summary.low is not None:
        assert 0 <= summary.low <= summary.value <= summary.high <= 1


@given(SHARES, st.randoms())
def test_the_order_of_the_scores_does_not_matter(values, rng):
    shuffled = list(values)
    rng.shuffle(shuffled)
    one, other = summarise(values), summarise(shuffled)
    assert (one.mean, one.median, one.least, one.most) == (
        other.mean, other.median, other.least, other.most,
    )  # fmt: skip
    assert one.low == pytest.approx(other.low, abs=1e-6)


@given(st.lists(st.none() | st.floats(0, 1e6), max_size=30))
def test_a_running_summary_is_the_summary_of_what_it_has_seen(values):
    running = Running(AMOUNT)
    for count, value in enumerate(values, 1):
        running.add(value)
        assert running.summary(count) == summarise(values[:count], scale=AMOUNT)


@given(st.integers(1, 500), st.data())
def test_wilsons_interval_holds_the_share_and_narrows_with_more_verdicts(count, data):
    right = data.draw(st.integers(0, count))
    low, high = wilson(right / count, count)
    narrow_low, narrow_high = wilson(right / count, count * 10)
    assert 0 <= low <= right / count <= high <= 1
    assert narrow_high - narrow_low < high - low


@given(
    st.lists(st.tuples(st.none() | st.floats(0, 1), st.integers(0, 3), st.booleans())), st.data()
)
def test_scores_that_are_taken_back_leave_what_the_others_give(
    scores: list[tuple[float | None, int, bool]], data: st.DataObject
):
    kept = [data.draw(st.booleans()) for _ in scores]
    after, fresh = Running(), Running()
    for value, group, is_excused in scores:
        after.add(value, group, is_excused=is_excused)
    for (value, group, is_excused), is_kept in zip(scores, kept, strict=True):
        if is_kept:
            fresh.add(value, group, is_excused=is_excused)
        else:
            after.remove(value, group, is_excused=is_excused)
    found, wanted = after.summary(), fresh.summary()
    assert (found.scored, found.planned, found.excused) == (
        wanted.scored,
        sum(kept),
        wanted.excused,
    )
    assert (found.mean, found.median) == (wanted.mean, wanted.median)
    assert (found.low, found.high) == pytest.approx((wanted.low, wanted.high), abs=1e-6)
