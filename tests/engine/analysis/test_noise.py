from hypothesis import given
from hypothesis import strategies as st

from studio.engine.analysis.noise import Noise, Pairs, pairs_of
from studio.engine.records import Score
from studio.engine.store.rows import TrialRow


def rows(values, metric="accuracy"):
    return [
        TrialRow(n, 1, f"q{n}", "?", 1, n, n, 0.0, scores=(Score(metric, "1", value),))
        for n, value in enumerate(values)
    ]


def test_only_trials_that_both_runs_scored_are_compared():
    found = pairs_of(rows([1.0, 0.5, None, 0.0]), rows([1.0, 1.0, 1.0])).noise("accuracy")
    assert found == Noise("accuracy", paired=2, differing=1, first=0.75, second=1.0)
    assert found.apart == 0.25


def test_runs_with_nothing_in_common_have_no_noise_to_speak_of():
    found = pairs_of(rows([None]), rows([1.0])).noise("accuracy")
    assert found == Noise("accuracy", 0, 0, None, None)
    assert found.apart is None


def test_another_metric_is_not_mixed_in():
    assert pairs_of(rows([1.0], "steps"), rows([1.0])).noise("accuracy").paired == 0


@given(st.lists(st.none() | st.floats(0, 1)), st.lists(st.none() | st.floats(0, 1)))
def test_the_difference_is_the_same_from_both_sides(first, second):
    one, other = (
        pairs_of(rows(first, "a"), rows(second, "a")).noise("a"),
        pairs_of(rows(second, "a"), rows(first, "a")).noise("a"),
    )
    assert (one.paired, one.differing, one.apart) == (other.paired, other.differing, other.apart)
    assert 0 <= one.differing <= one.paired


@given(
    st.lists(st.tuples(st.integers(0, 1), st.integers(0, 5), st.floats(0, 1))),
    st.integers(0, 1),
    st.lists(st.none() | st.floats(0, 1), max_size=6),
)
def test_a_run_that_is_read_anew_is_compared_as_if_nothing_had_been_before(before, side, values):
    pairs, again = Pairs(), rows(values)
    for on, place, value in before:
        pairs.take(on, rows([None] * place + [value])[place])
    pairs.restart(side)
    for row in again:
        pairs.take(side, row)
    kept = {}
    for on, place, value in before:
        if on != side:
            kept.setdefault(place, value)
    other = rows([kept.get(place) for place in range(6)])
    found, fresh = pairs.noise("accuracy"), pairs_of(again, other).noise("accuracy")
    assert (found.paired, found.differing) == (fresh.paired, fresh.differing)
    assert found.apart == fresh.apart
