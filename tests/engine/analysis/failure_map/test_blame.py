"""What a naive rule would blame, and what is not to blame."""

import pytest

from studio.engine.analysis.passing import Tried
from studio.engine.outcomes import FailureClass, Outcome
from tests.engine.analysis.failure_map.made_cases import (
    ANSWER_WRONG,
    CALLS_RIGHT,
    CALLS_WRONG,
    WRONG,
    Call,
    modes,
    query,
    trace,
    wants,
)

GOLD = ("price", {"metal": "gold"})
EURO = ("rate", {"base": "USD", "target": "EUR"})
RIGHT = Call("price", {"metal": "gold"}, "88.5")
RATE = Call("rate", {"base": "USD", "target": "EUR"}, "0.8")


def test_a_trial_that_passed_has_no_findings():
    assert modes(trace(RIGHT, RIGHT, RIGHT), query(calls=()), CALLS_RIGHT) == []


def test_nothing_is_found_where_nothing_was_expected():
    assert modes(trace(RATE, answer="Rome"), query(), ()) == []


def test_a_rule_that_no_bucket_is_about_leaves_the_trial_unexplained():
    assert modes(trace(RIGHT), query(calls=wants(GOLD)), (Tried("steps", holds=False),)) == []


def test_success_that_came_late_is_no_false_success():
    told = trace(RIGHT, answer="I have found the price: 88.5.")
    assert modes(told, query(calls=wants(GOLD)), (Tried("steps", holds=False),)) == []


def test_a_call_that_was_made_right_at_the_second_attempt():
    asked = query(calls=wants(GOLD), number=99.0)
    mistaken = Call("price", {"metal": "golld"}, "No price", "exception")
    refused = Call("get_price", {}, "There is no tool", "unknown tool")
    assert modes(trace(mistaken, refused, RIGHT), asked, ANSWER_WRONG) == ["wrong answer"]


def test_calls_that_the_projects_own_rules_find_right():
    # `ignore_case` of the metric makes this call right: the answer alone is wrong.
    asked = query(calls=wants(GOLD), number=99.0)
    told = trace(Call("price", {"metal": "GOLD"}, "88.5"))
    assert modes(told, asked, CALLS_RIGHT + ANSWER_WRONG) == ["wrong answer"]
    assert modes(told, asked, ANSWER_WRONG) == ["wrong answer"]


def test_calls_that_are_good_enough_to_pass_may_still_be_why_the_answer_is_wrong():
    asked = query(calls=wants(GOLD, EURO), number=70.8)
    enough = Tried("tool_call_accuracy", holds=True, is_full=False)
    told = trace(RIGHT, answer="88.5 EUR")
    assert modes(told, asked, (enough, *ANSWER_WRONG)) == ["missing call", "wrong answer"]


def test_upper_and_lower_case_come_after_everything_else():
    asked = query(calls=wants(GOLD, EURO), number=70.8)
    shouted = Call("price", {"metal": "GOLD"}, "88.5")
    assert modes(trace(shouted, answer="It costs 5."), asked) == [
        "missing call",
        "wrong answer",
        "wrong value",
    ]


def test_asking_until_a_job_is_done_is_no_loop():
    states = [Call("price", {"metal": "gold"}, text) for text in ("queued", "running", "done")]
    assert "loop" not in modes(trace(*states), query(number=9.0), ANSWER_WRONG)


def test_two_calls_alike_are_no_loop():
    assert "loop" not in modes(trace(RIGHT, RIGHT), query(number=9.0), ANSWER_WRONG)


def test_what_the_step_cap_cut_off_is_not_a_missing_call():
    ended = trace(RIGHT, outcome=Outcome.STEP_CAP, failure=FailureClass.STEP_CAP)
    assert modes(ended, query(calls=wants(GOLD, EURO)), CALLS_WRONG) == ["step cap"]


def test_a_call_that_the_step_cap_kept_from_being_made_was_decided_on():
    ended = trace(RIGHT, outcome=Outcome.STEP_CAP, failure=FailureClass.STEP_CAP)
    cut = type(ended)(
        [
            event
            for event in ended.events
            if type(event).__name__ not in ("ToolCalled", "ToolReturned")
        ]
    )
    assert modes(cut, query(calls=wants(GOLD, EURO)), CALLS_WRONG) == ["step cap"]


def test_a_reply_that_could_not_be_read_is_no_decision_against_a_call():
    ended = trace(outcome=Outcome.FAILED, failure=FailureClass.MODEL_OUTPUT)
    assert modes(ended, query(calls=wants(GOLD)), CALLS_WRONG) == ["no answer"]


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("What do 3 grams of gold cost?", "Gold"),
        ("What happened on March 5th, 2024?", "2024-03-05"),
        ("Between 40 and 100, how many?", 60),
        ("What is 20 percent of 350?", 70),
        ("A dozen eggs, please.", 12),
        ("Who leads Mexico?", "current president of Mexico"),
        ("It costs 1,250.50 in all.", 1250.5),
        ("Is it open?", True),
        ("Fly me to New York.", "new_york"),
        ("Compare gold and silver.", "gold,silver"),
        ("Call me at 555 12 34.", "(555) 12-34"),
        ("What is the price of copper?", "copper_price"),
        ("What is gold worth?", "gold}"),
        ("Give me 5 of them.", "five"),
        ("A German car, please.", "Germany"),
        ("How much are 2 kg?", 2000),
        ("Wait for 3 hours.", 180),
        ("Show the first page.", 1),
    ],
)
def test_what_was_there_or_follows_from_it_is_not_invented(text, value):
    asked = query(text, calls=wants(("price", {"metal": "nothing of the kind"})))
    told = trace(Call("price", {"metal": value}), text=text, tools={"price": {}})
    assert "invented value" not in modes(told, asked, CALLS_WRONG)


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("Mail John Smith.", "john.smith@example.com"),
        ("Cancel my order.", "A-10042"),
        ("Compare gold and silver.", "gold,unobtainium"),
        ("Book a table for four.", "2025-07-19"),
        ("How far is it?", 384_400),
        ("Cancel my order.", {"order": {"id": "A-10042"}}),
    ],
)
def test_what_cannot_be_known_is_invented(text, value):
    asked = query(text, calls=wants(("price", {"metal": "B-7" if isinstance(value, str) else 7})))
    told = trace(Call("price", {"metal": value}), text=text, tools={"price": {}})
    got = modes(told, asked, CALLS_WRONG)
    assert got == ["invented value"] or (got == ["wrong type"] and isinstance(value, dict))


def test_only_what_is_not_right_in_an_object_is_looked_at():
    # Nobody named Paris, but it is right; the order is not, and was named.
    asked = query("Send A-7.", calls=wants(("price", {"to": {"order": "B-9", "city": "Paris"}})))
    given = {"to": {"order": "A-7", "city": "Paris"}}
    told = trace(Call("price", given), text="Send A-7.", tools={})
    assert modes(told, asked, CALLS_WRONG) == ["wrong value"]


def test_a_value_from_an_earlier_result_or_a_schema_is_not_invented():
    asked = query("Cancel it.", calls=wants(("rate", {"base": "A-1", "target": "B"})))
    looked = Call("price", {"metal": "gold"}, '{"order": "A-10042"}')
    told = trace(looked, Call("rate", {"base": "A-10042", "target": "B"}), text="Cancel it.")
    assert "invented value" not in modes(told, asked, CALLS_WRONG)
    later = trace(Call("rate", {"base": "A-10042", "target": "B"}), looked, text="Cancel it.")
    assert "invented value" in modes(later, asked, CALLS_WRONG)
    schema = {"rate": {"properties": {"base": {"enum": ["A-10042"]}}}}
    listed = trace(Call("rate", {"base": "A-10042", "target": "B"}), tools=schema)
    assert "invented value" not in modes(listed, asked, CALLS_WRONG)


def test_what_the_agent_said_itself_is_no_ground():
    # The second call repeats the order number that the first one made up.
    asked = query("Cancel it.", calls=wants(("rate", {"base": "A-1"}), ("rate", {"base": "A-2"})))
    made_up = Call("rate", {"base": "A-10042"}, "unknown", "exception")
    told = trace(made_up, made_up, text="Cancel it.")
    assert modes(told, asked, CALLS_WRONG) == ["invented value", "invented value"]


def test_arguments_that_a_schema_leaves_open_are_not_hallucinated():
    for schema in (
        {},
        {"properties": {}, "additionalProperties": True},
        {"properties": {}, "patternProperties": {"^m": {}}},
        {"properties": {}, "allOf": [{"properties": {"metal": {}}}]},
    ):
        told = trace(Call("price", {"metal": "gold", "x": 1}), tools={"price": schema})
        assert modes(told, query(calls=wants(GOLD)), CALLS_WRONG) == ["wrong value"]


def test_a_required_call_may_have_more_arguments_than_the_chain_states():
    asked = query(more={"chain": {"required": [{"price": {"metal": "gold"}}]}}, number=99.0)
    told = trace(Call("price", {"metal": "gold", "grams": 1}, "88.5"))
    assert modes(told, asked, ANSWER_WRONG) == ["wrong answer"]


def test_a_repeated_call_of_a_wanted_tool_is_not_the_wrong_tool():
    asked = query(calls=wants(GOLD, EURO))
    assert modes(trace(RIGHT, RIGHT), asked, CALLS_WRONG) == ["missing call"]


def test_a_tool_that_is_not_declared_but_gave_a_result_exists():
    asked = query(calls=wants(GOLD))
    told = trace(Call("own_tool", {}, "fine"))
    assert modes(told, asked, CALLS_WRONG) == ["wrong tool"]


def test_an_answer_that_uses_all_results_and_miscalculates_ignores_none():
    asked = query(calls=wants(GOLD, EURO), number=70.8)
    for answer in ("88.5 x 0.8 = 71.8 EUR", "71.8 EUR"):
        told = trace(RIGHT, RATE, answer=answer)
        assert modes(told, asked, CALLS_RIGHT + ANSWER_WRONG) == ["wrong answer"]


def test_a_number_that_stands_in_a_long_result_by_accident_was_not_ignored():
    asked = query("How many orders?", number=4.0)
    listed = Call("price", {}, '{"orders": [[1, 2, 3], [4, 5, 6]]}')
    assert modes(trace(listed, answer="7"), asked, ANSWER_WRONG) == ["wrong answer"]
    asked = query("Is it open?", answers=("no",))
    told = trace(Call("price", {}, "ask another time"), answer="Yes.")
    assert modes(told, asked, (Tried("exact_match", holds=False),)) == ["wrong answer"]


def test_a_text_that_the_question_holds_is_no_result_to_use():
    asked = query("Is gold dear?", contains=("gold",))
    told = trace(Call("price", {}, "gold: 88.5"), answer="Yes.")
    tried = (Tried("answer_contains", holds=False),)
    assert modes(told, asked, tried) == ["wrong answer"]


def test_an_answer_that_admits_its_failure_claims_no_success():
    asked = query("Mail the price.", calls=wants(GOLD, ("mail", {})))
    told = trace(RIGHT, answer="I could not send the mail.")
    assert modes(told, asked, CALLS_WRONG) == ["missing call"]


def test_a_tool_that_says_no_is_not_broken():
    # What a tool raises is meant for the agent, which had to tell it.
    asked = query(
        "What does tin cost?", calls=wants(("price", {"metal": "tin"})), contains=("no price",)
    )
    told = trace(Call("price", {"metal": "tin"}, "No price for tin.", "exception"), answer="12 USD")
    tried = (*CALLS_RIGHT, Tried("answer_contains", holds=False))
    assert modes(told, asked, tried) == ["wrong answer"]


def test_a_tool_that_broke_down_is_to_blame_however_right_the_call_is():
    asked = query(calls=wants(GOLD), number=99.0)
    broken = Call("price", {"metal": "gold"}, "took longer than 20 s", "time-out")
    told = trace(broken, answer="I could not find out.")
    assert modes(told, asked, CALLS_RIGHT + ANSWER_WRONG)[0] == "not the agent's doing"


def test_a_sentence_with_a_comma_is_no_list_of_values():
    asked = query("Tell Ann that we meet at noon.", calls=wants(("mail", {"body": "Noon."})))
    tools = {"mail": {"type": "object", "properties": {"body": {"type": "string"}}}}
    worded = trace(
        Call("mail", {"body": "Hi Ann, let us meet at noon!"}), text=asked.text, tools=tools
    )
    assert modes(worded, asked)[0] == "wrong value"
    listed = trace(Call("mail", {"body": "noon, midnight"}), text=asked.text, tools=tools)
    assert modes(listed, asked)[0] == "invented value"


def test_a_tool_that_broke_down_once_and_answered_then_is_no_excuse():
    asked = query(calls=wants(GOLD), number=99.0)
    broken = Call("price", {"metal": "gold"}, "crashed", "crash")
    assert modes(trace(broken, RIGHT), asked, WRONG) == ["wrong answer"]
