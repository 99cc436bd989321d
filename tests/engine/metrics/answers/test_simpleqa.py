"""SimpleQA's three grades, the figures made of them, and the price of a wrong answer."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from studio.engine.metrics.answers.simpleqa import (
    Grade,
    SimpleQAGrade,
    f_score,
    figures,
    grade_of,
    penalised,
    published_grade,
)
from tests.engine.metrics.made_traces import query, trace

grades = st.sampled_from(Grade)


@pytest.mark.parametrize(
    ("reply", "published", "corrected"),
    [
        ("A", "correct", "correct"),
        ("B", "incorrect", "incorrect"),
        ("C", "not attempted", "not attempted"),
        ("CORRECT", "not attempted", "correct"),
        ("INCORRECT", "not attempted", "incorrect"),
        ("NOT_ATTEMPTED", "correct", "not attempted"),
        ("not attempted", "not attempted", "not attempted"),
        ("A: CORRECT", "correct", "correct"),
        ("Because of that: B.", "incorrect", "incorrect"),
        ("Grade: (A)", "correct", "correct"),
        ("It is A or B", "correct", None),
        ("no grade", "not attempted", None),
        ("", "not attempted", None),
    ],
)
def test_the_grade_that_a_judge_gives(reply, published, corrected):
    assert published_grade(reply) == published
    assert grade_of(reply) == corrected


def test_the_figures_of_the_course():
    # 38 right and 12 wrong of 100, the others left open.
    made = [Grade.CORRECT] * 38 + [Grade.INCORRECT] * 12 + [Grade.NOT_ATTEMPTED] * 50
    found = figures(made)
    assert found is not None
    assert (found.correct, found.incorrect, found.not_attempted) == (0.38, 0.12, 0.5)
    assert found.correct_given_attempted == 0.76
    assert round(found.f, 4) == 0.5067
    assert round(f_score(0.38, 0.76), 4) == 0.5067


def test_of_no_grades_there_are_no_figures_and_of_none_attempted_no_division():
    assert figures([]) is None
    found = figures([Grade.NOT_ATTEMPTED])
    assert found is not None
    assert (found.correct_given_attempted, found.f) == (0.0, 0.0)


@given(st.lists(grades, min_size=1))
def test_the_shares_add_up_and_the_f_score_lies_between_its_parts(made):
    found = figures(made)
    assert found is not None
    assert found.correct + found.incorrect + found.not_attempted == pytest.approx(1)
    low, high = sorted((found.correct, found.correct_given_attempted))
    assert low - 1e-9 <= found.f <= high + 1e-9


@pytest.mark.parametrize(("threshold", "price"), [(0.75, -3.0), (0.5, -1.0), (0.0, 0.0)])
def test_a_wrong_answer_costs_t_over_1_minus_t(threshold, price):
    assert penalised(Grade.INCORRECT, threshold) == pytest.approx(price)
    assert penalised(Grade.NOT_ATTEMPTED, threshold) == 0.0
    assert penalised(Grade.CORRECT, threshold) == 1.0


@pytest.mark.parametrize(
    ("figure", "values"),
    [
        ("correct", [1.0, 0.0, 0.0]),
        ("correct_given_attempted", [1.0, 0.0, None]),
        ("penalised", [1.0, -3.0, 0.0]),
    ],
)
def test_each_figure_of_a_reply(figure, values):
    metric = SimpleQAGrade(figure=figure)
    assert [metric.score(query(), trace(letter)).value for letter in "ABC"] == values
    assert [metric.verdict_on({"grade": letter}).value for letter in "ABC"] == values


def test_a_reply_that_cannot_be_read_is_not_scored():
    assert SimpleQAGrade().score(query(), trace("hmm")).value is None
    assert SimpleQAGrade().score(query(), trace(None)).value is None
    assert SimpleQAGrade(mode="published").verdict_on({"grade": "hmm"}).evidence == {
        "grade": "not attempted"
    }
