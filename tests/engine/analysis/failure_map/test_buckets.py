"""Each bucket gets the trials that belong there, with the event that shows it."""

from studio.engine.analysis.passing import Tried
from studio.engine.outcomes import FailureClass, Outcome
from tests.engine.analysis.failure_map.made_cases import (
    ANSWER_WRONG,
    CALLS_RIGHT,
    CALLS_WRONG,
    Call,
    first,
    found,
    modes,
    query,
    trace,
    wants,
)

GOLD = ("price", {"metal": "gold"})
EURO = ("rate", {"base": "USD", "target": "EUR"})
RIGHT = Call("price", {"metal": "gold"}, "88.5")
RATE = Call("rate", {"base": "USD", "target": "EUR"}, "0.8")


def test_a_call_where_none_was_wanted():
    asked = query("Hello!", calls=())
    assert first(trace(RIGHT), asked, CALLS_WRONG) == ("called when not needed", "ToolCalled")


def test_a_call_of_another_tool_beyond_all_that_was_wanted():
    asked = query(calls=wants(GOLD), number=88.5)
    got = found(trace(RIGHT, RATE, answer="70.8"), asked, ANSWER_WRONG)
    assert got[0].mode.value == "called when not needed"
    assert "rate" in got[0].reason


def test_an_expected_empty_text_that_was_not_given():
    asked = query(calls=wants(("price", {"metal": "gold", "note": ""})))
    bare, whole = Call("price", {"metal": "gold"}), Call("price", {"metal": "gold", "note": ""})
    assert first(trace(bare), asked, CALLS_WRONG) == ("missing argument", "ToolCalled")
    assert "missing argument" not in modes(trace(whole), asked, CALLS_WRONG)


def test_a_call_that_is_forbidden():
    asked = query(more={"chain": {"forbidden": ["mail"]}})
    tried = (Tried("chain_check", holds=False),)
    assert first(trace(Call("mail")), asked, tried) == ("called when not needed", "ToolCalled")


def test_no_call_where_one_was_wanted():
    assert first(trace(), query(calls=wants(GOLD))) == ("no call when needed", "ModelReplied")


def test_another_tool_than_the_wanted_one():
    asked = query(calls=wants(GOLD))
    assert first(trace(RATE), asked, CALLS_WRONG) == ("wrong tool", "ToolCalled")


def test_a_tool_that_does_not_exist():
    asked = query(calls=wants(GOLD))
    call = Call("get_gold", {}, "There is no tool 'get_gold'.", "unknown tool")
    assert first(trace(call), asked, CALLS_WRONG) == ("hallucinated tool", "ToolCalled")


def test_a_tool_that_does_not_exist_where_nothing_is_known_of_the_calls():
    call = Call("get_gold", {}, "There is no tool 'get_gold'.", "unknown tool")
    assert first(trace(call), query(number=5.0), ANSWER_WRONG) == (
        "hallucinated tool",
        "ToolCalled",
    )


def test_one_call_of_two_was_never_made():
    asked = query(calls=wants(GOLD, EURO))
    assert first(trace(RIGHT), asked, CALLS_WRONG) == ("missing call", "ModelReplied")


def test_an_argument_that_was_not_given():
    asked = query(calls=wants(EURO))
    call = Call("rate", {"base": "USD"}, "target is missing", "bad arguments")
    assert modes(trace(call), asked, CALLS_WRONG) == ["missing argument"]


def test_an_argument_that_the_schema_does_not_have():
    asked = query(calls=wants(GOLD))
    call = Call("price", {"metal_name": "gold"}, "unexpected", "bad arguments")
    got = modes(trace(call), asked, CALLS_WRONG)
    assert got == ["hallucinated argument", "missing argument"]


def test_a_value_that_stands_nowhere():
    asked = query(calls=wants(EURO))
    call = Call("rate", {"base": "USD", "target": "penny"}, "No rate", "exception")
    assert first(trace(call), asked, CALLS_WRONG) == ("invented value", "ToolCalled")


def test_a_number_that_stands_nowhere():
    asked = query(calls=wants(("price", {"metal": "gold", "grams": 3})))
    call = Call("price", {"metal": "gold", "grams": 250})
    assert modes(trace(call), asked, CALLS_WRONG) == ["invented value"]


def test_a_value_of_the_wrong_type():
    asked = query(calls=wants(("price", {"metal": "gold", "grams": 3})))
    call = Call("price", {"metal": "gold", "grams": "three"}, "no integer", "bad arguments")
    assert modes(trace(call), asked, CALLS_WRONG) == ["wrong type"]


def test_a_value_of_the_wrong_type_where_no_schema_is_known():
    asked = query(calls=wants(("price", {"grams": 3})))
    bare = trace(Call("price", {"grams": "3"}), tools={})
    assert modes(bare, asked, CALLS_WRONG) == ["wrong type"]


def test_a_value_that_is_there_but_is_not_the_right_one():
    asked = query(calls=wants(GOLD))
    leaked = trace(Call("price", {"metal": "iron"}), prompt="For example: price(iron).")
    assert modes(leaked, asked, CALLS_WRONG) == ["wrong value"]


def test_a_result_that_holds_what_the_answer_lacks():
    asked = query(calls=wants(GOLD), number=88.5)
    told = trace(RIGHT, answer="It costs 12 dollars.")
    assert first(told, asked, CALLS_RIGHT + ANSWER_WRONG) == ("ignored result", "ToolReturned")


def test_a_number_of_a_long_table_that_the_answer_lacks():
    asked = query(calls=wants(GOLD), number=88.1553)
    table = RIGHT._replace(result=" ".join(map(str, [*range(50), 88.1553, *range(50)])))
    told = trace(table, answer="It costs 12 dollars.")
    assert modes(told, asked, CALLS_RIGHT + ANSWER_WRONG) == ["ignored result"]


def test_a_text_in_a_result_that_the_answer_lacks():
    asked = query("Who is in charge?", answers=("Sheinbaum",))
    told = trace(Call("price", {}, "Claudia Sheinbaum, since 2024"), answer="López Obrador")
    tried = (Tried("exact_match", holds=False),)
    assert first(told, asked, tried) == ("ignored result", "ToolReturned")


def test_one_of_two_results_that_an_answer_is_worked_out_from():
    # 88.5 USD x 0.8: the price was told as it is, the rate was ignored.
    asked = query(calls=wants(GOLD, EURO), number=70.8)
    got = found(trace(RIGHT, RATE, answer="88.5 EUR"), asked, CALLS_RIGHT + ANSWER_WRONG)
    assert [each.mode.value for each in got] == ["ignored result"]
    assert "rate gave 0.8" in got[0].reason


def test_the_same_call_three_times_with_the_same_result():
    asked = query(calls=wants(GOLD, EURO))
    ended = trace(*[RIGHT] * 4, outcome=Outcome.STEP_CAP, failure=FailureClass.STEP_CAP)
    assert modes(ended, asked, CALLS_WRONG) == ["loop", "step cap"]
    [circle, cap] = found(ended, asked, CALLS_WRONG)
    assert ended.events[circle.event] == ended.tool_calls[1]
    assert cap.event == len(ended.events) - 1


def test_two_calls_in_turn_three_times():
    ended = trace(*[RIGHT, RATE] * 3, outcome=Outcome.STEP_CAP, failure=FailureClass.STEP_CAP)
    assert modes(ended, query(calls=wants(GOLD, EURO)), CALLS_RIGHT)[:1] == []
    assert modes(ended, query(), ())[0] == "loop"


def test_the_step_cap():
    ended = trace(RIGHT, outcome=Outcome.STEP_CAP, failure=FailureClass.STEP_CAP)
    assert first(ended, query(), ()) == ("step cap", "TrialEnded")


def test_success_that_is_claimed_while_the_checks_say_no():
    asked = query("Mail the price.", calls=wants(GOLD, ("mail", {})))
    told = trace(RIGHT, answer="Done! I have sent the mail.")
    assert modes(told, asked, CALLS_WRONG) == ["missing call", "false success"]


def test_success_that_is_claimed_while_a_check_of_the_whole_says_no():
    told = trace(Call("mail"), answer="I have booked the table.")
    tried = (Tried("checklist", holds=False),)
    assert modes(told, query("Book a table."), tried) == ["false success"]


def test_no_answer():
    blank = trace(RIGHT, answer=None, failure=FailureClass.MODEL_OUTPUT)
    assert first(blank, query(number=5.0), ANSWER_WRONG) == ("no answer", "TrialEnded")


def test_a_wrong_answer_after_right_calls():
    asked = query(calls=wants(GOLD), number=99.0)
    told = trace(RIGHT, answer="It costs 12 dollars.")
    assert first(told, asked, CALLS_RIGHT + ANSWER_WRONG) == ("wrong answer", "ModelReplied")


def test_what_was_not_the_agents_doing():
    ended = trace(outcome=Outcome.TIMED_OUT, failure=FailureClass.TIME_OUT)
    assert modes(ended, query(calls=wants(GOLD)), ()) == ["not the agent's doing"]


def test_a_right_call_whose_tool_broke_down():
    asked = query(calls=wants(GOLD, EURO), number=70.8)
    broken = Call("price", {"metal": "gold"}, "took longer than 20 s", "time-out")
    got = modes(trace(broken, answer="I could not find out."), asked)
    assert got[0] == "not the agent's doing"
    assert "missing call" not in got


def test_the_calls_of_a_public_benchmark_are_read_too():
    wanted = {"ground_truth": [{"price": {"metal": ["gold", "Au"], "grams": [3, ""]}}]}
    asked = query(more={"bfcl": wanted})
    tried = (Tried("bfcl_ast", holds=False),)
    assert modes(trace(Call("price", {"metal": "tin"})), asked, tried) == ["invented value"]
    assert modes(trace(Call("price", {"grams": 3})), asked, tried) == ["missing argument"]


def test_the_tools_that_every_accepted_way_of_agentarch_has_are_wanted():
    ways = {"tool_order": [["price", "rate"], ["price"]], "tool_args": {"price": {"metal": "gold"}}}
    asked = query(more={"agentarch": ways})
    tried = (Tried("agentarch_tools", holds=False),)
    assert modes(trace(RATE), asked, tried) == ["wrong tool"]
    assert modes(trace(Call("price", {"metal": "unobtainium"})), asked, tried) == ["invented value"]
    assert modes(trace(Call("price", {"metal": "gold", "grams": 3})), asked, tried) == []
