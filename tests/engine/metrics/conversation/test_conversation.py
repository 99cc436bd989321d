"""Memory, recovery and coherence: the guide's example, its variations, and how turns are read."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from studio.engine.events import ModelCalled
from studio.engine.grading import grade
from studio.engine.grading.case import read_case
from studio.engine.metrics.conversation.memory import corrections_in
from studio.engine.metrics.conversation.metrics import ErrorRecovery, MemoryScore, TurnCoherence
from studio.engine.metrics.conversation.stated import Correction
from studio.engine.metrics.conversation.turns import turns_of
from studio.engine.trace import Trace
from tests.engine.metrics.made_traces import query, trace

METRICS = (MemoryScore(), ErrorRecovery(), TurnCoherence())
OLD, NEW = "test@example.com", "lktinh@gmail.com"


def call(name: str, **arguments: Any) -> dict[str, Any]:
    return {"name": name, "args": arguments}


def turn(user: str, *calls: dict[str, Any], reply: str = "Yes.") -> dict[str, Any]:
    return {"user_query": user, "agent_response": reply, "tool_calls": list(calls)}


def reset(last: str = NEW, update: str = NEW) -> list[dict[str, Any]]:
    """The second guide's conversation: a password reset, another address, and again."""
    return [
        turn(f"I need to reset my password. My email is {OLD}", call("reset", email=OLD)),
        turn(f"Actually, my email changed. It's {NEW} now", call("update_email", email=update)),
        turn("Send it again", call("reset", email=last)),
    ]


def values(turns: list[dict[str, Any]], **case: Any) -> list[float | None]:
    return [grade(metric, {"turns": turns, **case}).value for metric in METRICS]


def test_the_guides_example_is_remembered_twice_recovered_and_coherent():
    assert values(reset()) == [1.0, 1.0, 1.0]
    # The guide counts: memory_score=2.
    assert grade(MemoryScore(), {"turns": reset()}).evidence["remembered"] == [2, 3]


def test_who_falls_back_on_the_old_value_is_not_coherent():
    assert values(reset(last=OLD)) == [0.5, 1.0, 0.0]
    assert values(reset(last=OLD, update=OLD)) == [0.0, 0.0, 0.0]


def test_who_makes_up_a_value_that_was_given_did_not_remember_it():
    assert values(reset(last="someone@else.org"))[0] == 0.5


def test_a_call_that_names_both_values_changes_one_into_the_other():
    both = reset()
    both[1]["tool_calls"] = [call("update_email", old=OLD, new=NEW)]
    assert values(both) == [1.0, 1.0, 1.0]


def test_a_value_that_the_user_takes_back_is_good_again():
    turns = [*reset(), turn(f"No, make it {OLD} after all", call("reset", email=OLD))]
    assert values(turns) == [1.0, 1.0, 1.0]
    found = corrections_in(turns_of(read_case({"turns": turns})[1]))
    assert found == [Correction(2, OLD, NEW), Correction(4, NEW, OLD)]


def test_a_second_thing_does_not_take_the_place_of_the_first():
    turns = [
        turn("Add order A17", call("add", order="A17")),
        turn("Also add the new order B20", call("add", order="B20")),
        turn("Ship the first one", call("ship", order="A17")),
    ]
    assert values(turns) == [1.0, None, None]


def test_a_time_is_the_same_with_and_without_its_nought():
    turns = [
        turn("Wake me at 7:30", call("alarm", time="07:30")),
        turn("No, make it 8:00", call("alarm", time="08:00")),
    ]
    assert values(turns) == [1.0, 1.0, 1.0]


def test_what_a_tool_told_is_no_lapse_of_memory():
    turns = [
        turn("Find order A17", {**call("find", order="A17"), "result": "the next one is B20"}),
        turn("And the next?", call("find", order="B20")),
    ]
    assert values(turns) == [None, None, None]


def test_what_the_query_states_goes_before_what_shows():
    stated = {
        "conversation": {
            "memory": [{"turn": 2, "value": "window"}, {"turn": 3, "value": "window"}],
            "corrections": [{"turn": 2, "old": "aisle", "new": "window"}],
        }
    }
    turns = [
        turn("An aisle seat to Oslo.", call("seat", kind="aisle")),
        turn("Window would be nicer.", call("seat", kind="Window")),
        turn("What did I choose?", reply="A window seat."),
    ]
    assert values(turns) == [None, None, None]
    assert values(turns, expected=stated) == [1.0, 1.0, 1.0]
    turns[2] = turn("Book it.", call("book", note="the aisle seat"))
    assert values(turns, expected=stated) == [0.5, 1.0, 0.0]


@pytest.mark.parametrize(
    "stated", [5, [], {"memory": [{"turn": 0, "value": 1}]}, {"corrections": [{}]}, {"x": 1}]
)
def test_a_statement_that_cannot_be_read_is_named(stated):
    for metric in METRICS:
        verdict = grade(metric, {"turns": reset(), "expected": {"conversation": stated}})
        assert verdict.value is None
        assert "conversation" in verdict.reason


def test_a_trial_of_one_turn_is_not_scored():
    for metric in METRICS:
        assert metric.score(query(), trace()).reason == "the conversation has one turn"


def test_messages_a_transcript_and_turns_are_the_same_conversation():
    called = {"id": "1", "function": {"name": "reset", "arguments": {"email": OLD}}}
    messages = [
        {"role": "system", "content": "Be kind."},
        {"role": "user", "content": "Hello."},
        {"role": "user", "content": f"My email is {OLD}"},
        {"role": "assistant", "content": "", "tool_calls": [called]},
        {"role": "tool", "tool_call_id": "1", "content": "sent"},
        {"role": "assistant", "content": "Sent."},
        {"role": "user", "content": "Thanks"},
        {"role": "assistant", "content": "Any time."},
    ]
    turns = turns_of(read_case({"messages": messages})[1])
    assert [each.user for each in turns] == [f"Hello.\nMy email is {OLD}", "Thanks"]
    assert [[made.name for made in each.calls] for each in turns] == [["reset"], []]
    assert [each.results for each in turns] == [["sent"], []]
    assert turns[1].said == ["Any time."]
    said = [{"role": "user", "text": "Hi"}, {"role": "agent", "text": "Hello"},
            {"role": "user", "text": "Bye"}, {"role": "agent", "text": "Bye"}]  # fmt: skip
    assert len(turns_of(read_case({"conversation": said})[1])) == 2


def test_a_request_that_holds_a_conversation_tells_the_turns_before_it():
    history = [
        {"role": "user", "content": f"My email is {OLD}"},
        {"role": "assistant", "content": "Sent.", "tool_calls": [
            {"function": {"name": "reset", "arguments": f'{{"email": "{OLD}"}}'}}]},
        {"role": "user", "content": f"Sorry, I meant {NEW}"},
    ]  # fmt: skip
    events = list(trace("Sent.", made=[("reset", {"email": NEW})]).events)
    request = ModelCalled(0.5, "m", "s", "model", {"messages": history})
    done = Trace([events[0], request, *events[1:]])
    assert [metric.score(query(), done).value for metric in METRICS] == [1.0, 1.0, 1.0]


def test_what_the_harness_says_as_the_user_is_no_turn():
    first = {"role": "user", "content": "How much?"}
    told = {"role": "user", "content": "Observation: 5"}
    asked = {"role": "user", "content": "And for two?"}
    events = list(trace(made=[("price", {"grams": 1})]).events)
    requests = [
        ModelCalled(0.5, "m", "s", "model", {"messages": messages})
        for messages in ([first], [first, told], [first, told, asked])
    ]
    done = Trace([events[0], requests[0], *events[1:-4], *requests[1:], *events[-4:]])
    assert [each.user for each in turns_of(done)] == ["How much?", "And for two?"]


words = st.sampled_from(
    [OLD, NEW, "Actually it is", "Send it again", "2026-01-31", "A17", "no", "5"]
)
turn_lists = st.lists(
    st.builds(
        lambda user, values: turn(" ".join(user), *(call("f", x=value) for value in values)),
        st.lists(words, max_size=4),
        st.lists(words | st.integers(0, 9), max_size=2),
    ),
    max_size=6,
)


@given(turn_lists)
def test_whatever_was_said_the_scores_are_shares_and_need_two_turns(turns):
    for metric, value in zip(METRICS, values(turns), strict=True):
        assert value is None or (0 <= value <= 1 and len(turns) > 1), metric
    _, recovered, coherent = values(turns)
    # Both are asked of the same corrections.
    assert (recovered is None) == (coherent is None)
