import pytest
from hypothesis import given
from hypothesis import strategies as st

from studio.engine.outcomes import Outcome
from studio.engine.progress import count, seconds_left
from studio.engine.records import Tally


@pytest.mark.parametrize("outcome", set(Outcome) - {Outcome.INTERRUPTED})
def test_every_outcome_is_counted_once(outcome):
    tally = count(Tally(planned=5), outcome)
    counted = (tally.done, tally.failed, tally.skipped, tally.cancelled, tally.invalid)
    assert sum(counted) == 1
    assert tally.left == 4


def test_an_interrupted_trial_is_still_to_be_run():
    assert count(Tally(5), Outcome.INTERRUPTED) == Tally(5)


def test_a_timed_out_trial_is_failed_and_a_capped_one_is_done():
    assert count(Tally(2), Outcome.TIMED_OUT) == Tally(2, failed=1)
    assert count(Tally(2), Outcome.STEP_CAP) == Tally(2, done=1)


def test_a_trial_whose_prompt_did_not_fit_is_neither_failed_nor_run_again():
    tally = count(Tally(2), Outcome.TRUNCATED)
    assert tally == Tally(2, invalid=1)
    assert tally.left == 1


def test_two_trials_say_too_little_for_an_estimate():
    assert seconds_left([60.0, 1.0], 18, 1) is None


def test_the_time_left_is_a_range_over_the_middle_half_of_the_latest_trials():
    assert seconds_left([1.0, 2.0, 3.0, 4.0, 5.0], 10, 1) == (20.0, 40.0)
    assert seconds_left([1.0, 2.0, 3.0, 4.0, 5.0], 10, 2) == (10.0, 20.0)


@given(st.lists(st.floats(0, 1e6), min_size=3), st.integers(0, 10**6), st.integers(1, 64))
def test_the_range_is_never_negative_and_never_inverted(durations, left, at_once):
    low, high = seconds_left(durations, left, at_once)
    assert 0 <= low <= high
