"""A confidence is read where it is stated, and nowhere else."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from studio.engine.grading import grade
from studio.engine.metrics.confidence import StatedConfidence
from studio.engine.metrics.confidence.stated import stated_in
from studio.engine.outcomes import Outcome
from tests.engine.metrics.made_traces import query, trace

WORDS = {"high": 0.9, "low": 0.2, "fairly sure": 0.7}


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("Confidence: 80%", 0.8),
        ("It is 5.\nconfidence = 80 percent", 0.8),
        ("**Confidence:** 80 %", 0.8),
        ("**Confidence**: 0.8", 0.8),
        ("Confidence: .8", 0.8),
        ("Confidence level: 95%.", 0.95),
        ("Confidence score: 8/10", 0.8),
        ("Confidence: 4 out of 5", 0.8),
        ("Confidence (0-100): 85", 0.85),
        ("Confidence (0-100): 1", 0.01),
        ("Confidence (out of 10): 7", 0.7),
        ("Confidence [0 to 1]: 0.35", 0.35),
        ("Confidence (%): 7", 0.07),
        ("Confidence: 85", 0.85),
        ("Confidence: 100", 1.0),
        ("Confidence: 1", 1.0),
        ("Confidence: 0", 0.0),
        ('{"answer": "Paris", "confidence": 0.8}', 0.8),
        ("My confidence in this answer is about 75%.", 0.75),
        ("My certainty is 60%.", 0.6),
        ("I'm 90 % sure.", 0.9),
        ("I am 90% confident that it is gold.", 0.9),
        ("With 90 percent confidence: gold.", 0.9),
        ("I am 100% certain.", 1.0),
        ("8/10 confident", 0.8),
        ("0.8 confidence", 0.8),
        ("0,8 sure", 0.8),
        ("Confidence: High (90%)", 0.9),
        ("Confidence level: high — 0.9", 0.9),
        ("My confidence is very high: 95%", 0.95),
        ("My confidence is 85.", 0.85),
        ("Confidence: medium-high, maybe 70%", 0.7),
        ("Confidence (90%)", 0.9),
        ("Confidence: [85]", 0.85),
        ("<confidence>0.85</confidence>", 0.85),
        ("confidence_score: 0.92", 0.92),
        ('"confidence_level": "0.92"', 0.92),
        ("I am highly confident (95%).", 0.95),
        ("I'm fairly sure, around 80%.", 0.8),
        ("Probability that my answer is correct: 80%", 0.8),
        ("P(True) = 0.7", 0.7),
        ("Confidence: 50/50", 0.5),
        ("I'm 99.9% sure", 0.999),
        # The last statement counts, and a statement taken back is none.
        ("Confidence: 50%. On reflection, confidence: 90%.", 0.9),
        ("I was 50% sure, now I am 70% sure.", 0.7),
        ("I'm not 100% sure. Confidence: 60%", 0.6),
    ],
)
def test_a_confidence_is_read_as_it_is_written(text, value):
    found = stated_in(text)
    assert found is not None
    assert found.value == value


@pytest.mark.parametrize(
    "text",
    [
        "", "It is 5.", "80%", "0.8", "8/10", "There is a 30% chance of rain.",
        "The 95% confidence interval is 3 to 4.", "Confidence interval: 95%",
        "at a 95% confidence level", "I'm not 100% sure.", "I am not entirely 100 % certain.",
        "I am confident. 80 people came.", "I am sure.", "Confidence: high",
        "Consumer confidence rose in 2024 and 80% of all shops are open.", "2/80% sure",
        "There were 5 confident people.", "We asked 80 confident drivers.", "I'm 2 sure",
        "I am sure, 80% of all people agree.", "We are confident (95% CI 3 to 4).",
        "Confidence in 95 countries rose.", "I have confidence, 80 people came.",
        "Consumer confidence in 2024 fell.", "The probability of rain is 30%.", "Probability: 0.3",
        "overconfidence_80%",
    ],
)  # fmt: skip
def test_what_states_no_confidence_is_not_read_as_one(text):
    assert stated_in(text) is None


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("Confidence: 8", "scale is not stated"),
        ("Confidence: 120%", "outside its scale"),
        ("Confidence: 9/5", "outside its scale"),
        ("Confidence: 5/0", "outside its scale"),
        ("Confidence: 80-90%", "range"),
        ("Confidence: 80 to 90%", "range"),
        ("I am 80-90% sure", "range"),
        ("I am 80% to 90% sure", "range"),
    ],
)
def test_a_confidence_that_is_no_one_share_is_not_scored_and_says_why(text, why):
    score = StatedConfidence().score(query(), trace(text))
    assert score.value is None
    assert why in score.reason


@pytest.mark.parametrize(
    ("text", "numbers", "value"),
    [
        ("Confidence: 8", "ten", 0.8),
        ("Confidence: 8", "percent", 0.08),
        ("Confidence: 1", "percent", 0.01),
        ("Confidence: 80%", "ten", 0.8),
        ("Confidence: 0.8", "share", 0.8),
    ],
)
def test_the_scale_of_a_number_without_a_sign_can_be_set(text, numbers, value):
    assert StatedConfidence(numbers=numbers).score(query(), trace(text)).value == value


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("Confidence: high", 0.9),
        ("I have high confidence in this.", 0.9),
        ("Confidence is LOW", 0.2),
        ("I am fairly sure that it is gold.", 0.7),
        ("The price is high.", None),
        ("I am not fairly sure.", None),
        ("Confidence: high, that is 0.95 confidence", 0.95),
    ],
)
def test_words_count_only_where_the_project_says_what_they_mean(text, value):
    assert StatedConfidence(words=WORDS).score(query(), trace(text)).value == value
    assert hash(StatedConfidence(words=WORDS)) == hash(StatedConfidence(words=WORDS))


@pytest.mark.parametrize(
    ("stated", "value"),
    [(0.8, 0.8), ("8/10", 0.8), ("80%", 0.8), (85, 0.85), (1e-5, 1e-5), (0, 0), (1, 1), (2, None),
     (-0.5, None), (True, None), ([], None), ("often", None)],
)  # fmt: skip
def test_a_case_may_state_the_confidence_itself(stated, value):
    assert grade(StatedConfidence(), {"confidence": stated}).value == value
    assert grade(StatedConfidence(), {"answer": "Confidence: 80%"}).value == 0.8


def test_no_answer_states_no_confidence():
    score = StatedConfidence().score(query(), trace("Confidence: 80%", outcome=Outcome.STEP_CAP))
    assert score.value is None


@given(st.integers(0, 100))
def test_a_percentage_is_read_the_same_in_every_form(percent):
    share = percent / 100
    for text in (f"Confidence: {percent}%", f"I am {percent} % sure", f"Confidence: {percent}/100"):
        found = stated_in(text)
        assert found is not None
        assert found.value == share


@given(st.text(max_size=300))
def test_whatever_an_answer_holds_the_confidence_is_a_share_or_none(text):
    for made in (text, f"confidence {text}", f"confidence: 5{text}", f"{text}% sure"):
        found = stated_in(made, words=WORDS)
        assert found is None or found.value is None or 0 <= found.value <= 1
