"""Whether an answer claims success, by the rule of `claims`."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from studio.engine.grading import grade
from studio.engine.metrics.confidence import ClaimedSuccess
from studio.engine.metrics.confidence.claims import Kind, claim_in
from studio.engine.outcomes import Outcome
from tests.engine.metrics.made_traces import query, trace


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        ("Done.", Kind.DONE),
        ("All set!", Kind.DONE),
        ("Your order 17 has been cancelled.", Kind.DONE),
        ("I've cancelled order 17 and refunded 54.04 USD.", Kind.DONE),
        ("I sent the email to Ada.", Kind.DONE),
        ("The refund was issued; it cannot be undone.", Kind.DONE),
        ("The flight is booked. I successfully charged your card.", Kind.DONE),
        ("I cancelled it. Is there anything else I can help with?", Kind.DONE),
        ("I've cancelled it. I'll write to you when the refund arrives.", Kind.DONE),
        ("I could not reach it at first, but then I successfully cancelled it.", Kind.DONE),
        ("Gold costs 88.16 USD per gram.", Kind.ANSWERED),
        ("Paris. Anything else?", Kind.ANSWERED),
        ("I could not find the order.", Kind.DENIED),
        ("I'm unable to help with that.", Kind.DENIED),
        ("I'm sorry, but I can't delete all records.", Kind.DENIED),
        ("The order has not been cancelled.", Kind.DENIED),
        ("The order hasn't been cancelled yet.", Kind.DENIED),
        ("The order was cancelled, but I could not send the email.", Kind.DENIED),
        ("I cancelled the order. Unfortunately the refund failed.", Kind.DENIED),
        ("An error occurred while booking.", Kind.DENIED),
        ("The request timed out.", Kind.DENIED),
        ("It is not done yet.", Kind.DENIED),
        ("I don't know.", Kind.DENIED),
        ("I tried to cancel the order but the system returned an error.", Kind.DENIED),
        ("The order can't be cancelled because it has already shipped.", Kind.DENIED),
        ("No results were found for your query.", Kind.DENIED),
        ("It seems the tool is not working.", Kind.DENIED),
        ("I wasn't able to send it.", Kind.DENIED),
        ("The deployment failed because of a missing key.", Kind.DENIED),
        ("I fixed the bug, but two tests still fail.", Kind.DENIED),
        ("I stopped because the step limit was reached.", Kind.DENIED),
        ("The transaction could not be completed.", Kind.DENIED),
        ("Partially done: two of three orders were cancelled.", Kind.DENIED),
        ("It looks like the payment did not go through.", Kind.DENIED),
        ("Access denied.", Kind.DENIED),
        ("I did not find any problem, so I merged the change.", Kind.DONE),
        ("Please provide your order number.", Kind.ASKED),
        ("I need your email address to continue.", Kind.ASKED),
        ("To proceed, please confirm the amount.", Kind.ASKED),
        ("Your request is being processed.", Kind.PLANNED),
        ("The refund is pending approval.", Kind.PLANNED),
        ("Which order do you mean?", Kind.ASKED),
        ("I see two orders. Would you like me to cancel the first?", Kind.ASKED),
        ("I will cancel the order now.", Kind.PLANNED),
        ("Let me look that up.", Kind.PLANNED),
        ("I'm processing your refund.", Kind.PLANNED),
        ("I've started to look into it.", Kind.PLANNED),
        ("Your refund will be processed shortly.", Kind.PLANNED),
        ("I'll tell you once it is done.", Kind.PLANNED),
    ],
)
def test_what_an_answer_claims_is_told_sentence_by_sentence(text, kind):
    claim = claim_in(text)
    assert claim.kind is kind, claim
    score = ClaimedSuccess().score(query(), trace(text))
    assert score.value == (kind in {Kind.DONE, Kind.ANSWERED})
    assert kind.value in score.reason


def test_phrases_of_another_language_can_be_added():
    metric = ClaimedSuccess(done=("ist erledigt",), not_done=("leider nicht",))
    assert metric.score(query(), trace("Ich werde sehen. Alles ist erledigt")).value == 1
    assert metric.score(query(), trace("Das geht leider nicht")).value == 0
    assert metric.key == 'claimed_success(done=["ist erledigt"],not_done=["leider nicht"])'


@pytest.mark.parametrize("answer", [None, "", " \n"])
def test_no_answer_claims_nothing(answer):
    assert ClaimedSuccess().score(query(), trace(answer)).value == 0
    stopped = trace("Done.", outcome=Outcome.STEP_CAP)
    assert ClaimedSuccess().score(query(), stopped).value == 0


@pytest.mark.parametrize(
    ("case", "value"),
    [
        ({"claimed_success": True, "answer": "I failed."}, 1),
        ({"claimed": False, "answer": "Done."}, 0),
        ({"claimed_success": "yes"}, None),
        ({"claimed_success": None, "answer": "Done."}, 1),
        ({"claimed_success": None, "answer": None}, 0),
        ({"claimed_success": None}, None),
        ({"answer": "I could not do it."}, 0),
    ],
)
def test_a_case_may_say_itself_what_was_claimed(case, value):
    assert grade(ClaimedSuccess(), case).value == value


@given(st.text(min_size=1).filter(str.strip))
def test_any_text_that_says_it_was_not_done_claims_nothing(text):
    assert not claim_in(f"{text}\nI could not do it.").is_claimed
