"""How reliable an agent is: worked examples, and the laws that hold whatever the trials are."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from studio.engine.analysis.reliability import PASS_ALL, PASS_AT, POOLED, reliability
from tests.engine.analysis.made_trials import RULES, run

# Five tasks of which 8, 7, 6, 4 and 2 of 8 trials passed: the course module's example.
TOY = ["+" * c + "-" * (8 - c) for c in (8, 7, 6, 4, 2)]


def values(estimates):
    return {each.k: each.value for each in estimates}


def test_the_worked_example_of_the_course():
    found = reliability(run(*TOY), RULES)
    at, power = values(found.pass_at), values(found.pass_all)
    assert [at[k] for k in (1, 2, 4, 8)] == pytest.approx([0.675, 0.843, 0.954, 1.0], abs=5e-4)
    assert [power[k] for k in (1, 2, 4, 8)] == pytest.approx([0.675, 0.507, 0.346, 0.2], abs=5e-4)


def test_the_pooled_power_is_another_estimator_and_says_so():
    found = reliability(run(*TOY), RULES)
    assert values(found.pooled)[8] == pytest.approx(0.675**8)
    assert {each.estimator for each in found.pooled} == {POOLED}
    assert {each.estimator for each in found.pass_all} == {PASS_ALL}
    assert {each.estimator for each in found.pass_at} == {PASS_AT}
    assert [each.name for each in found.pass_all[:2]] == ["pass^1", "pass^2"]


def test_the_peak_of_agentarch_is_its_pooled_rate_to_the_power_of_eight():
    # 70.83 % of 480 trials, the best cell of its second table; 6.34 % in its eighth.
    queries = ["+" * 8] * 42 + ["+" * 4 + "-" * 4] + ["-" * 8] * 17
    assert values(reliability(run(*queries), RULES).pooled)[8] == pytest.approx(0.0634, abs=5e-5)


def test_each_query_has_its_own_line_with_an_interval():
    query = reliability(run("+++++---"), RULES).queries[0]
    assert (query.passed, query.counted) == (5, 8)
    assert (query.low, query.high) == pytest.approx((0.3057, 0.8632), abs=1e-4)
    assert query.flip_rate == pytest.approx(2 * 5 * 3 / (8 * 7))


def test_excused_and_undecided_trials_are_counted_apart():
    found = reliability(run("+-x", "?+.", "xx"), RULES)
    assert [(q.passed, q.counted, q.excused, q.undecided) for q in found.queries] == [
        (1, 2, 1, 0),
        (1, 1, 0, 1),
        (0, 0, 2, 0),
    ]
    assert found.trials == (2, 3)
    assert found.left_out == (3, 1)


def test_a_query_with_fewer_than_k_counted_trials_is_left_out_and_counted():
    found = reliability(run("++-", "+x?"), RULES, planned=4)
    one, two, _ = found.pass_all
    assert (one.over.counts, one.left_out) == ("2 of 4", 2)
    assert (two.over.counts, two.left_out, two.value) == ("1 of 4", 3, pytest.approx(1 / 3))


def test_a_run_of_which_nothing_is_known_has_no_figures():
    found = reliability([], RULES)
    assert found.queries == found.pass_at == found.pass_all == found.pooled == ()
    assert found.flip_rate.value is None
    undecided = reliability(run("??"), RULES)
    assert undecided.pass_all == ()


def test_one_trial_a_query_gives_the_interval_of_verdicts():
    found = reliability(run(*"++++++------"), RULES)
    assert found.pass_all[0].over.method == "Wilson, 95%"


def test_few_queries_give_a_wide_interval_however_many_trials_they_had():
    found = reliability(run("+" * 50, "+" * 49 + "-", "+" * 50), RULES)
    over = found.pass_all[0].over
    assert over.method == "Wilson, cautious, 95%"
    assert over.high - over.low > 0.4


def test_many_trials_have_only_telling_ks():
    found = reliability(run("+" * 20), RULES)
    assert [each.k for each in found.pass_at] == [1, 2, 3, 4, 5, 6, 7, 8, 16, 20]


signs = st.text("+-x?.", max_size=9)


@given(st.lists(signs, max_size=12))
def test_trying_more_often_helps_any_and_harms_all(queries):
    # With the same number of counted trials each figure is over the same queries.
    length = max(map(len, queries), default=0)
    full = [query.replace("x", "-").replace("?", "-").replace(".", "+") for query in queries]
    found = reliability(run(*(query.ljust(length, "-") for query in full)), RULES)
    at, power = values(found.pass_at), values(found.pass_all)
    for k in at:
        assert power[k] <= power[1] + 1e-12
        assert at[1] <= at[k] + 1e-12
        assert power[1] == pytest.approx(at[1])
    for before, after in zip(sorted(at), sorted(at)[1:], strict=False):
        assert at[before] <= at[after] + 1e-12
        assert power[before] >= power[after] - 1e-12


@given(st.lists(signs, max_size=12))
def test_every_figure_lies_in_its_interval_and_every_trial_in_one_count(queries):
    rows = run(*queries)
    found = reliability(rows, RULES)
    for each in (*found.pass_at, *found.pass_all, *found.pooled):
        if each.value is not None:
            assert 0 <= each.over.low <= each.value + 1e-12
            assert each.value - 1e-12 <= each.over.high <= 1
    ended = sum(row.outcome is not None for row in rows)
    assert found.trials[1] + sum(found.left_out) == ended
