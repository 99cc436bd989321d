"""Which queries changed sides, and whether so many could have by chance."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from studio.engine.analysis.flips import between_runs, between_trials, sign_test
from tests.engine.analysis.made_trials import RULES, run


def ids(pairs):
    return [pair.query_id for pair in pairs]


def test_every_pair_is_in_the_cell_of_its_two_verdicts():
    found = between_runs(run(*"++--"), run(*"+-+-", first_id=9), RULES)
    assert ids(found.pass_pass) == ["q0"]
    assert ids(found.pass_fail) == ["q1"]
    assert ids(found.fail_pass) == ["q2"]
    assert ids(found.fail_fail) == ["q3"]
    assert (found.pass_fail[0].first, found.pass_fail[0].second) == (2, 10)
    assert (found.compared, found.flipped) == (4, 2)
    assert found.p_value == 1.0


def test_what_cannot_be_compared_is_counted_apart():
    found = between_runs(run("+?", "x", "+"), run("++", "+", ".", "+"), RULES)
    assert ids(found.pass_pass) == ["q0"]
    assert (found.undecided, found.unpaired, found.changed) == (3, 1, 0)


def test_a_query_whose_text_was_changed_is_not_compared():
    [before], [after] = run("+"), run("-")
    found = between_runs([before], [type(after)(**{**_fields(after), "query": "Else?"})], RULES)
    assert (found.compared, found.changed, found.p_value) == (0, 1, None)


def _fields(row):
    return {name: getattr(row, name) for name in row.__struct_fields__}


def test_queries_are_paired_whatever_their_place_in_the_plan():
    first, second = run(*"+-"), run(*"+-")
    assert between_runs(first, second[::-1], RULES).flipped == 0


def test_two_trials_of_one_run_are_compared_by_their_numbers():
    found = between_trials(run("+-", "++", "-+"), RULES, 1, 2)
    assert (ids(found.pass_fail), ids(found.fail_pass)) == (["q0"], ["q2"])
    assert ids(between_trials(run("+--"), RULES, 2, 3).fail_fail) == ["q0"]


def test_many_trials_of_one_query_are_one_piece_of_evidence():
    found = between_runs(run("+" * 50), run("-" * 50), RULES)
    assert len(found.pass_fail) == 50
    assert (found.better, found.worse, found.p_value) == (0, 1, 1.0)


@pytest.mark.parametrize(
    ("one", "other"), [(0, 1), (0, 6), (5, 5), (1, 9), (30, 12), (400, 501), (9_000, 9_400)]
)
def test_the_sign_test_is_the_one_of_scipy(one, other):
    theirs = stats.binomtest(one, one + other, 0.5).pvalue
    assert sign_test(one, other) == pytest.approx(theirs, rel=1e-7)


def test_no_change_is_no_evidence():
    assert sign_test(0, 0) is None


@given(st.integers(0, 5_000), st.integers(0, 5_000))
def test_a_chance_lies_between_zero_and_one_and_has_no_side(one, other):
    p = sign_test(one, other)
    assert p == sign_test(other, one)
    assert (p is None) == (one + other == 0)
    assert p is None or 0 <= p <= 1


@given(st.text("+-?x", max_size=20), st.text("+-?x", max_size=20))
def test_turning_the_comparison_round_swaps_the_cells(before, after):
    one = between_runs(run(*before), run(*after), RULES)
    other = between_runs(run(*after), run(*before), RULES)
    assert ids(one.pass_fail) == ids(other.fail_pass)
    assert (one.better, one.p_value) == (other.worse, other.p_value)
    assert one.compared + one.undecided == min(len(before), len(after))
