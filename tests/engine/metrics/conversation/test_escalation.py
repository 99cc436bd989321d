"""Hand-offs: what counts as one, and that each rate counts only who can make its fault."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from studio.engine.grading import grade
from studio.engine.metrics.conversation import MissedEscalation, UnnecessaryEscalation
from tests.engine.metrics.made_traces import query, trace

HANDED_OVER = [
    ("Ok.", [("transfer_to_human_agents", {})]),
    ("Ok.", [("escalate_case", {})]),
    ("Ok.", [("handoff", {})]),
    ("I am transferring you to a human agent.", []),
    ("Let me connect you with our support team.", []),
    ("I've escalated this to a specialist.", []),
    ("I'll pass you on to a colleague.", []),
    ("A human colleague will take over from here.", []),
    ("Your case has been escalated.", []),
    ("I'm handing you over to our team.", []),
    ("A representative will contact you shortly. Anything else?", []),
]
KEPT = [
    ("Your order was cancelled.", [("cancel_order", {})]),
    ("I cannot transfer you to a human agent.", []),
    ("There is no need to escalate this.", []),
    ("The manager of the shop is Ada.", []),
    ("I sent the money to your account.", [("transfer_money", {})]),
    ("I don't connect you with a person.", []),
    ("No need to escalate this.", []),
    ("Would you like me to transfer you to a human agent?", []),
    ("I connected your account with the agent portal.", []),
    ("Escalation is not needed.", []),
]


def both(required, done):
    wanted = query(more={"escalation": required})
    return [m().score(wanted, done).value for m in (MissedEscalation, UnnecessaryEscalation)]


@pytest.mark.parametrize(("answer", "made"), HANDED_OVER)
def test_a_hand_off_is_known_by_a_call_or_by_what_is_said(answer, made):
    assert both(True, trace(answer, made=made)) == [0.0, None]
    assert both(False, trace(answer, made=made)) == [None, 1.0]


@pytest.mark.parametrize(("answer", "made"), KEPT)
def test_what_is_no_hand_off_is_not_taken_for_one(answer, made):
    assert both(True, trace(answer, made=made)) == [1.0, None]
    assert both(False, trace(answer, made=made)) == [None, 0.0]


def test_the_query_may_name_its_own_tools_and_words():
    own = {"required": True, "tools": ["page_oncall"], "says": ["ich verbinde sie"]}
    assert both(own, trace(made=[("page_oncall", {})])) == [0.0, None]
    assert both(own, trace("Ich verbinde Sie.")) == [0.0, None]
    assert both(own, trace("I am transferring you to a human agent.")) == [1.0, None]


@pytest.mark.parametrize("stated", [None, 5, [], {"tools": []}, {"required": "yes"}])
def test_without_a_statement_that_can_be_read_neither_is_scored(stated):
    assert both(stated, trace()) == [None, None]


@given(st.booleans(), st.booleans())
def test_a_case_may_say_itself_what_happened(required, escalated):
    case = {"escalation_required": required, "escalated": escalated}
    missed, unnecessary = (grade(m(), case) for m in (MissedEscalation, UnnecessaryEscalation))
    # A trial can make one of the two faults only, and is counted for that one alone.
    assert (missed.value is None) == (not required)
    assert (unnecessary.value is None) == required
    assert missed.value in (None, float(not escalated))
    assert unnecessary.value in (None, float(escalated))


@pytest.mark.parametrize(
    "case", [{"escalated": True}, {"escalated": 1, "escalation_required": True}]
)
def test_a_case_without_its_label_is_not_scored(case):
    assert grade(MissedEscalation(), case).value is None
