"""The expected number in the answer, corrected and published."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from studio.engine.metrics.number import NumberInAnswer
from tests.engine.metrics.made_traces import query, trace

CORRECTED, PUBLISHED = NumberInAnswer(), NumberInAnswer(mode="published")


def value(metric, answer, expected, question="How much?", unit=None):
    asked = query(question, number=expected, unit=unit)
    return metric.score(asked, trace(answer)).value


@pytest.mark.parametrize(
    ("answer", "expected", "corrected", "published"),
    [
        ("Gold costs 70.52424 EUR per gram.", 70.52424, 1, 1),
        ("Gold costs 70.52 EUR per gram.", 70.52424, 1, 0),
        ("Platinum costs $32.17 per gram.", 32.169, 1, 0),
        ("Silver costs 0.73 GBP per gram.", 0.73661, 0, 0),
        # What the expression of the thesis cannot read:
        ("It costs 3,452.60 USD.", 3452.6, 1, 0),
        ("It costs 3,452.60 USD.", 452.6, 0, 1),
        ("It fell to -5 degrees.", -5, 1, 0),
        ("It fell to -5 degrees.", 5, 0, 1),
        ("About 1e3 of them", 1000, 1, 0),
        ("v5.0.1 has it", 5, 0, 1),
        # An absolute tolerance of 0.001 passes what is wrong by half for cheap metals.
        ("Zinc costs 0.0021 USD.", 0.0026, 0, 1),
        ("In 2023 it was 17.", 2023, 1, 1),
        ("In 2023 it was 17.", 17, 1, 1),
        ("It came 2nd.", 2, 1, 1),
        ("Nothing to say", 5, 0, 0),
    ],
)
def test_it_reads_the_answer_or_does_as_published(answer, expected, corrected, published):
    assert value(CORRECTED, answer, expected) == corrected
    assert value(PUBLISHED, answer, expected) == published


def test_the_published_tolerance_of_the_text_is_ten_times_that_of_the_code():
    answer, expected = "Silver costs 0.73 GBP.", 0.73661
    assert value(NumberInAnswer(mode="published", absolute=0.01), answer, expected) == 1
    assert value(NumberInAnswer(mode="published", absolute=0.001), answer, expected) == 0
    # The bound itself does not count.
    assert value(NumberInAnswer(mode="published", absolute=1.0), "6", 5.0) == 0


def test_the_expected_unit_may_be_left_out_but_not_replaced():
    assert value(CORRECTED, "It is 70.52.", 70.52, unit="EUR") == 1
    assert value(CORRECTED, "It is 70.52 €.", 70.52, unit="EUR") == 1
    assert value(CORRECTED, "It is 70.52 USD.", 70.52, unit="EUR") == 0


def test_a_number_copied_from_the_question_is_no_answer():
    question = "How many ml are 4 l?"
    assert value(CORRECTED, "4 l are 5 ml.", 4000, question, "ml") == 0
    assert value(CORRECTED, "4 l are 4000 ml.", 4000, question, "ml") == 1
    loose = NumberInAnswer(absolute=1.0)
    assert value(loose, "100 g cost 70 EUR.", 100.4, "What do 100 g cost?") == 0
    score = loose.score(query("What do 100 g cost?", number=100.4), trace("100 g cost 70 EUR."))
    assert score.reason.startswith("only a number of the question is near")


def test_a_copy_counts_where_it_cannot_be_told_from_an_answer():
    assert value(CORRECTED, "7 is larger than 5 by 2.", 7, "Is 5 or 7 larger?") == 1
    assert value(NumberInAnswer(absolute=1.0), "It is 100.", 100.4, "Is 100 g right?") == 1


def test_a_range_counts_only_if_asked_for():
    assert value(CORRECTED, "It takes 3-5 days.", 4) == 0
    assert value(NumberInAnswer(in_range=True), "It takes 3-5 days.", 4) == 1
    assert value(NumberInAnswer(in_range=True), "It takes 3-5 days.", 6) == 0


def test_only_the_marked_answer_counts():
    assert value(CORRECTED, "I got 5.\nAnswer: 7", 5) == 0
    assert value(CORRECTED, "I got 5.\nAnswer: 7", 7) == 1


@pytest.mark.parametrize(
    ("answer", "expected", "right"),
    [
        ("Apollo 11 landed on July 20, 1969.", 1969, 1),
        ("In March 1492", 1492, 1),
        ("It was 1969-07-20T20:17Z.", 1969, 1),
        ("On 5 May 2024 it cost 7.", 5, 0),
        ("On 5 May 2024 it cost 7.", 2024.5, 0),
        ("Not on July 20, 1969.\nAnswer: 1970", 1969, 0),
        ("Answer: July 20, 1969", 1969, 1),
        ("05/06/24", 24, 0),
    ],
)
def test_the_year_of_a_date_is_right_where_that_year_was_expected(answer, expected, right):
    assert value(CORRECTED, answer, expected) == right


def test_the_year_of_a_date_is_no_amount_and_no_copy():
    assert value(CORRECTED, "It was sold on July 20, 1969.", 1969, unit="EUR") == 0
    asked = "What came after July 20, 1969?"
    assert value(CORRECTED, "July 20, 1969 was a Sunday.", 1969, asked) == 0


def test_the_reason_tells_the_nearest_number_and_how_many_there_were():
    score = CORRECTED.score(query(number=10), trace("3, 9.5 or 40"))
    assert score.reason == "“9.5” at 3 is not 10 (off by 0.5); 2 more numbers are not either"
    score = CORRECTED.score(query(number=10), trace("none"))
    assert score.reason == "the answer gives no number; 10 was expected"


def test_where_no_number_is_stated_nothing_is_scored():
    assert value(CORRECTED, "5", None) is None
    assert value(PUBLISHED, "5", None) is None


@given(st.text(), st.floats(-1e12, 1e12))
def test_every_answer_gets_a_verdict_with_a_reason(answer, expected):
    for metric in (CORRECTED, PUBLISHED):
        score = metric.score(query(number=expected), trace(answer))
        assert score.value in (0.0, 1.0)
        assert score.reason


@given(st.decimals(-(10**6), 10**6, places=3), st.floats(0, 10))
def test_a_wider_tolerance_never_fails_what_a_narrower_one_passes(expected, more):
    answer = f"It is {expected} or 5."
    narrow = value(NumberInAnswer(absolute=0.1), answer, float(expected) + 0.3)
    wide = value(NumberInAnswer(absolute=0.1 + more), answer, float(expected) + 0.3)
    assert narrow <= wide
