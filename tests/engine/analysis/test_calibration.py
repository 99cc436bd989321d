"""Calibration, claimed success and agreement: the worked examples, and what always holds."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from studio.engine.analysis.calibration import (
    Told,
    agreement,
    calibration,
    claimed_success,
    mean_agreement,
    told_in,
)
from studio.engine.analysis.intervals import wilson
from studio.engine.analysis.passing import Rule
from studio.engine.records import Score
from studio.engine.store.rows import TrialRow

WORKED = [(0.55, 10, 5), (0.65, 10, 6), (0.75, 20, 13), (0.85, 20, 14), (0.95, 40, 30)]

told = st.lists(
    st.builds(
        Told,
        st.none() | st.floats(0, 1) | st.integers(0, 10).map(lambda tenths: tenths / 10),
        st.none() | st.booleans(),
        st.none() | st.integers(0, 3),
    ),
    max_size=30,
)


def trials(said: float, count: int, right: int) -> list[Told]:
    return [Told(said, place < right) for place in range(count)]


def test_the_worked_example_of_the_course_has_an_error_of_0_14():
    found = calibration(pair for each in WORKED for pair in trials(*each))
    assert (found.paired, found.planned) == (100, 100)
    assert found.accuracy == pytest.approx(0.68)
    assert found.confidence == pytest.approx(0.82)
    assert found.error == pytest.approx(0.140, abs=5e-4)
    bars = [(each.accuracy.scored, each.accuracy.mean) for each in found.bins if each.confidence]
    assert bars == [(count, right / count) for _, count, right in WORKED]
    top = found.bins[-1].accuracy
    assert (top.low, top.high) == wilson(30 / 40, 40)
    assert top.method == "Wilson, 95%"


@pytest.mark.parametrize(
    ("said", "place"), [(0.0, 0), (0.1, 1), (0.3, 3), (0.6, 6), (0.7, 7), (0.99, 9), (1.0, 9)]
)
def test_a_confidence_on_an_edge_is_in_the_upper_bin_and_certainty_in_the_last(said, place):
    [used] = [at for at, each in enumerate(calibration([Told(said, True)]).bins) if each.confidence
              is not None]  # fmt: skip
    assert used == place


def test_the_published_edges_are_a_rounding_error_away():
    found = calibration([Told(0.3, True)], mode="published")
    assert found.bins[2].accuracy.scored == 1


def test_where_nothing_is_paired_there_is_no_figure_but_a_reason():
    found = calibration([Told(None, True), Told(0.8, None)], planned=5)
    assert (found.paired, found.planned) == (0, 5)
    assert (found.error, found.brier, found.accuracy, found.confidence) == (None,) * 4
    assert found.reason
    assert all(each.confidence is None and each.accuracy.mean is None for each in found.bins)


@pytest.mark.parametrize("said", [-0.1, 1.1, float("nan")])
def test_a_confidence_that_is_no_share_is_refused(said):
    with pytest.raises(ValueError, match="share"):
        calibration([Told(said, True)])


@given(told, st.integers(1, 20))
def test_error_and_brier_score_are_shares_of_every_pair_there_is(known, bins):
    found = calibration(known, bins)
    pairs = [each for each in known if each.said is not None and each.is_right is not None]
    assert found.paired == len(pairs) == sum(each.accuracy.scored for each in found.bins)
    assert (found.error is None) == (found.brier is None) == (not pairs)
    if found.error is not None and found.brier is not None:
        assert found.confidence is not None
        assert found.accuracy is not None
        assert -1e-9 <= found.error <= 1 + 1e-9
        assert 0 <= found.brier <= 1
        # The whole cannot be further off than its parts are together.
        assert abs(found.confidence - found.accuracy) <= found.error + 1e-9
    for each in found.bins:
        if each.confidence is not None:
            assert each.low - 1e-9 <= each.confidence <= each.high + 1e-9


def test_who_is_always_right_and_sure_of_it_is_calibrated():
    found = calibration(trials(1.0, 5, 5) + trials(0.0, 5, 0))
    assert (found.error, found.brier) == (0.0, 0.0)


@pytest.mark.parametrize(
    ("claimed", "confirmed", "silent_success", "precision"), [(80, 60, 0, 0.75), (66, 62, 0, 0.94)]
)
def test_the_worked_examples_of_claimed_success(claimed, confirmed, silent_success, precision):
    runs = trials(1, claimed, confirmed) + trials(0, 100 - claimed, silent_success)
    found = claimed_success(runs)
    assert (found.claimed, found.confirmed) == (claimed, confirmed)
    assert found.precision.counts == f"{claimed} of {claimed}"
    assert found.precision.mean == pytest.approx(precision, abs=5e-3)
    assert found.false_success.mean == (claimed - confirmed) / 100
    assert found.claims.mean == claimed / 100
    assert found.success.mean == confirmed / 100


@given(told)
def test_claims_are_confirmed_or_false(known):
    found = claimed_success(known)
    assert 0 <= found.confirmed <= found.claimed <= found.claims.scored <= len(known)
    if found.false_success.mean is not None:
        false = round(found.false_success.mean * found.false_success.scored)
        assert false == found.claimed - found.confirmed
    assert (found.precision.mean is None) == (found.claimed == 0)


def test_without_a_claim_there_is_no_precision():
    found = claimed_success([Told(0, True), Told(None, True)], planned=4)
    assert found.precision.mean is None
    assert found.success.counts == "1 of 4"


@pytest.mark.parametrize(
    ("answers", "share", "answer"),
    [
        (["30 dollars", "30 Dollars.", "31 dollars"], 2 / 3, "30 dollars"),
        (["**Paris**", "paris", '"Paris!"'], 1.0, "**Paris**"),
        (["a", "b"], 0.5, "a"),
        (["a", None, "a", " "], 1.0, "a"),
    ],
)
def test_agreement_is_the_share_of_the_most_frequent_answer(answers, share, answer):
    found = agreement(answers)
    assert found.share == pytest.approx(share)
    assert found.answer == answer
    assert found.planned == len(answers)


@pytest.mark.parametrize("answers", [[], ["a"], [None, None], ["a", ""]])
def test_one_answer_agrees_with_nothing(answers):
    found = agreement(answers)
    assert found.share is None
    assert "two are needed" in found.reason


def test_the_agreement_of_a_run_is_the_mean_over_its_queries():
    found = mean_agreement([["a", "a"], ["a", "b"], ["a"]])
    assert (found.mean, found.counts) == (0.75, "2 of 3")


def test_a_run_is_paired_by_the_scores_of_its_trials():
    def row(position: int, *scores: Score) -> TrialRow:
        return TrialRow(position, 1, "q", "?", 1, position, 1, 0.0, scores=scores)

    sure = Score("stated_confidence", "1", 0.9)
    rows = [
        row(0, sure, Score("exact_match", "1", 1.0)),
        row(1, sure, Score("exact_match", "1", None, "nothing stated")),
        row(2, Score("exact_match", "1", 0.0)),
    ]
    rules = (Rule("exact_match", 1.0), Rule("stated_confidence", 0.5))
    assert told_in(rows, "stated_confidence", rules) == [
        Told(0.9, True, 0),
        Told(0.9, None, 1),
        Told(None, False, 2),
    ]
