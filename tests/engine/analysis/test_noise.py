from hypothesis import given
from hypothesis import strategies as st

from studio.engine.analysis.noise import Noise, noise
from studio.engine.records import Score
from studio.engine.store.rows import TrialRow


def rows(values, metric="accuracy"):
    return [
        TrialRow(n, 1, f"q{n}", "?", 1, n, n, 0.0, scores=(Score(metric, "1", value),))
        for n, value in enumerate(values)
    ]


def test_only_trials_that_both_runs_scored_are_compared():
    found = noise("accuracy", rows([1.0, 0.5, None, 0.0]), rows([1.0, 1.0, 1.0]))
    assert found == Noise("accuracy", paired=2, differing=1, first=0.75, second=1.0)
    assert found.apart == 0.25


def test_runs_with_nothing_in_common_have_no_noise_to_speak_of():
    found = noise("accuracy", rows([None]), rows([1.0]))
    assert found == Noise("accuracy", 0, 0, None, None)
    assert found.apart is None


def test_another_metric_is_not_mixed_in():
    assert noise("accuracy", rows([1.0], "steps"), rows([1.0])).paired == 0


@given(st.lists(st.none() | st.floats(0, 1)), st.lists(st.none() | st.floats(0, 1)))
def test_the_difference_is_the_same_from_both_sides(first, second):
    one, other = (
        noise("a", rows(first, "a"), rows(second, "a")),
        noise("a", rows(second, "a"), rows(first, "a")),
    )
    assert (one.paired, one.differing, one.apart) == (other.paired, other.differing, other.apart)
    assert 0 <= one.differing <= one.paired
