"""Short answers: what each grader takes for right, as published and corrected."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from studio.engine.grading import grade
from studio.engine.metrics import build
from studio.engine.metrics.answers.choice import chosen
from studio.engine.records import MetricSpec
from tests.engine.metrics.made_traces import query, trace

GRADERS = ("exact_match", "gaia_match", "agentic_match", "multiple_choice")


def is_right(name, answer, gold, mode="corrected"):
    [metric] = build([MetricSpec(name, {"mode": mode})])
    return metric.is_right(answer, gold)


@pytest.mark.parametrize(
    ("name", "answer", "gold", "published", "corrected"),
    [
        ("exact_match", "paris.", "Paris", True, True),
        ("exact_match", "It is Paris", "Paris", False, False),
        ("exact_match", "**Paris**", "Paris", True, True),
        ("exact_match", "-5", "5", True, False),
        ("exact_match", "314", "3.14", True, False),
        ("exact_match", "Who", "The Who", True, False),
        ("exact_match", "Ｐａｒｉｓ", "Paris", False, True),
        ("exact_match", "...", "...", True, True),
        ("gaia_match", "17", "17", True, True),
        ("gaia_match", "$17.00", "17", True, True),
        ("gaia_match", "17 km", "17", False, False),
        ("gaia_match", "17.", "17", True, True),
        ("gaia_match", "1e3", "1000", True, True),
        ("gaia_match", "sea gull", "Seagull", True, True),
        ("gaia_match", "b, a", "a, b", False, False),
        ("gaia_match", "A;2", "a, 2.0", True, True),
        ("gaia_match", "FINAL ANSWER: 17", "17", False, True),
        ("gaia_match", "I think.\n**Final answer:** Paris", "Paris", False, True),
        ("gaia_match", "no idea", "inf", True, False),
        ("gaia_match", "nan", "nan", False, True),
        ("gaia_match", "1,000", "1000", True, True),
        ("gaia_match", "1000", "1,000", False, True),
        ("gaia_match", "1,0", "10", True, False),
        ("gaia_match", "?", "!", True, False),
        ("agentic_match", "It was April 1 2024.", "April 1, 2024", True, True),
        ("agentic_match", "Parish", "Paris", False, False),
        ("agentic_match", "it is 35 kg", "3.5", True, False),
        ("agentic_match", "it is 50% now", "50%", False, True),
        ("agentic_match", "it is 50%x", "50%", True, True),
        ("agentic_match", "it is well known", "well-known", False, True),
        ("agentic_match", "anything", "", True, False),
        ("multiple_choice", "Answer: B", "B", True, True),
        ("multiple_choice", "answer: $B$", "B", True, True),
        ("multiple_choice", "answer: b", "B", False, True),
        ("multiple_choice", "Answer: A, no. Answer: B", "B", False, True),
        ("multiple_choice", "The answer is (B).", "B", False, True),
        ("multiple_choice", "So $\\boxed{B}$.", "B", False, True),
        ("multiple_choice", "B", "B", False, True),
        ("multiple_choice", "B. Paris", "B", False, True),
        ("multiple_choice", "**Answer:** C", "C", False, True),
        ("multiple_choice", "A good question.", "A", False, False),
        ("multiple_choice", "Answer: E", "E", False, True),
        ("multiple_choice", "The answer is Berlin", "B", False, False),
        ("multiple_choice", "The answer is: **B**", "B", False, True),
        ("multiple_choice", "<answer>B</answer>", "B", False, True),
        ("multiple_choice", "I would choose option (B).", "B", False, True),
        ("multiple_choice", "Option B.", "B", False, True),
        ("multiple_choice", "Option B is right, option A is not.", "B", False, False),
        ("multiple_choice", "The answer is B. Option A is wrong.", "B", False, True),
        ("multiple_choice", "Answer: B or C", "B", True, False),
        ("multiple_choice", "Answer: (B) and (C)", "C", False, False),
        ("multiple_choice", "The answer is B and not C.", "B", False, True),
    ],
)
def test_what_is_right_in_either_mode(name, answer, gold, published, corrected):
    assert is_right(name, answer, gold, "published") is published
    assert is_right(name, answer, gold) is corrected


def test_the_letter_that_an_answer_chooses():
    assert [chosen(text) for text in ("(c)", " D ", "I would say so", "", "answer:\nB")] == [
        "C", "D", None, None, "B",
    ]  # fmt: skip


@pytest.mark.parametrize("name", GRADERS)
def test_any_one_of_the_right_answers_is_right(name):
    [metric] = build([MetricSpec(name)])
    golds = ("A", "B")
    assert metric.score(query(answers=golds), trace("B")).value == 1.0
    assert metric.score(query(answers=golds), trace("C")).value == 0.0
    assert metric.score(query(answers=golds), trace("  ")).value == 0.0
    for nothing in (None, (), (" ",)):
        assert metric.score(query(answers=nothing), trace("B")).value is None


@pytest.mark.parametrize("name", GRADERS)
@pytest.mark.parametrize(
    ("case", "value"),
    [
        ({"gold": "B", "response": "B"}, 1.0),
        ({"Final answer": "B", "model_answer": "B"}, 1.0),
        ({"possible_answers": ["A", "B"], "prediction": "B"}, 1.0),
        ({"answers": {"text": ["B"], "answer_start": [3]}, "prediction_text": "B"}, 1.0),
        ({"answers": [{"text": "B", "answer_start": 3}], "answer": {"text": "B"}}, 1.0),
        ({"expected_output": "B", "actual_output": "B"}, 1.0),
        ({"references": ["A", "B"], "predictions": ["B"]}, 1.0),
        ({"gold": "B", "messages": [{"role": "assistant", "content": "B"}]}, 1.0),
        ({"gold": "B", "messages": [{"role": "user", "content": "B"}]}, 0.0),
        ({"gold": "B", "response": None}, 0.0),
        ({"gold": "B"}, None),
        ({"gold": "B", "respones": "B"}, None),
        ({"gold": {"right": "B"}, "response": "B"}, None),
        ({"gold": "B", "conversation": [{"role": "agent", "text": "B"}]}, 1.0),
        ({"gold": [], "response": "B"}, None),
        ({"gold": None, "response": "B"}, None),
    ],
)
def test_a_case_is_read_as_public_data_write_it(name, case, value):
    [metric] = build([MetricSpec(name)])
    assert grade(metric, case).value == value


def test_a_number_as_the_right_answer_is_a_text():
    [metric] = build([MetricSpec("gaia_match")])
    assert metric.verdict_on({"gold": 17, "answer": 17.0}).value == 1.0


anything = st.text(st.characters(), max_size=30) | st.text("aA1,;. $%()-*\n\ud800", max_size=20)


@given(anything, anything, st.sampled_from(GRADERS), st.sampled_from(["published", "corrected"]))
def test_any_two_texts_have_a_verdict(answer, gold, name, mode):
    assert is_right(name, answer, gold, mode) in (True, False)


@given(anything.filter(str.strip))
def test_a_text_is_the_same_as_itself(text):
    assert is_right("exact_match", text, text)
    assert is_right("exact_match", text, text, "published")


@pytest.mark.parametrize("name", ["exact_match", "gaia_match", "agentic_match"])
def test_a_huge_answer_has_a_verdict(name):
    assert is_right(name, "a, " * 300_000, "b") is False
    assert is_right(name, "9" * 300_000, "9" * 300_000) in (True, False)


def test_the_answer_that_is_missing_is_none_by_name_to_gaias_scorer():
    [published] = build([MetricSpec("gaia_match", {"mode": "published"})])
    [corrected] = build([MetricSpec("gaia_match")])
    case = {"Final answer": "None", "model_answer": None}
    assert published.verdict_on(case).value == 1.0
    assert corrected.verdict_on(case).value == 0.0


def test_of_several_answers_bfcl_looks_at_the_first():
    [metric] = build([MetricSpec("agentic_match", {"mode": "published"})])
    assert metric.verdict_on({"gold": "Paris", "response": ["In Paris.", "Rome"]}).value == 1.0
    assert metric.verdict_on({"gold": "Rome", "response": ["In Paris.", "Rome"]}).value == 0.0
