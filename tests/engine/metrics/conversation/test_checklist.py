"""A checklist is scored by the answers that it was given, and not before it has them all."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from studio.engine.grading import grade
from studio.engine.metrics.conversation import Checklist
from tests.engine.metrics.made_traces import query, trace

VERIFIED = {"question": "Was the identity verified before any change?", "answer": "yes"}
RUDE = {"question": "Was the agent rude?", "answer": False, "wanted": "no"}
SENT = {"question": "Was a receipt sent?", "answer": "No"}


def test_the_score_is_the_share_of_questions_answered_as_wanted():
    verdict = grade(Checklist(), {"checklist": [VERIFIED, RUDE, SENT]})
    assert verdict.value == pytest.approx(2 / 3)
    assert verdict.evidence == {"failed": ["Was a receipt sent?"]}
    assert grade(Checklist(must_hold_all=True), {"checklist": [VERIFIED, SENT]}).value == 0
    assert grade(Checklist(must_hold_all=True), {"checklist": [VERIFIED, RUDE]}).value == 1


def test_a_query_states_it_and_an_object_of_answers_is_one_too():
    wanted = query(more={"checklist": {"Was it sent?": True, "Was it paid?": "no"}})
    assert Checklist().score(wanted, trace()).value == 0.5


def test_while_a_question_has_no_answer_nothing_is_scored():
    verdict = grade(Checklist(), {"checklist": [VERIFIED, {"question": "Was it kind?"}]})
    assert verdict.value is None
    assert verdict.reason == "1 of 2 questions have no answer: Was it kind?"


@pytest.mark.parametrize(
    "stated", [[], {}, 5, "x", [5], [{"answer": True}], [{"question": "?", "answer": "maybe"}],
               [{"question": "?", "wanted": None}], [VERIFIED] * 201],
    ids=lambda stated: str(stated)[:30],
)  # fmt: skip
def test_what_is_no_checklist_is_not_scored_with_the_reason(stated):
    verdict = grade(Checklist(), {"checklist": stated})
    assert verdict.value is None
    assert verdict.reason


@given(st.lists(st.tuples(st.booleans(), st.booleans()), min_size=1, max_size=20))
def test_all_is_never_above_the_share(answers):
    stated = [{"question": "?", "answer": answer, "wanted": wanted} for answer, wanted in answers]
    share = grade(Checklist(), {"checklist": stated}).value
    every = grade(Checklist(must_hold_all=True), {"checklist": stated}).value
    assert share is not None
    assert every == (share == 1)
