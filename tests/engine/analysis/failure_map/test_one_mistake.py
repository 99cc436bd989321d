"""A good run with one mistake put in: whatever calls stand around it, its bucket comes first."""

from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from studio.engine.records import ExpectedCall
from tests.engine.analysis.failure_map.made_cases import (
    ANSWER_WRONG,
    CALLS_RIGHT,
    CALLS_WRONG,
    Call,
    modes,
    query,
    trace,
)

TEXT = "Mail Ada what 3 grams of gold, 5 grams of tin and 7 grams of zinc cost in EUR and in GBP."
PROMPT = "Prices are in USD."
STRING, NUMBER = {"type": "string"}, {"type": "integer"}
TOOLS = {
    "price": {"properties": {"metal": STRING, "grams": NUMBER}, "required": ["metal", "grams"]},
    "rate": {"properties": {"base": STRING, "target": STRING}, "required": ["base", "target"]},
    "mail": {"properties": {"to": STRING}, "required": ["to"]},
    "weather": {"properties": {}},
}

calls = st.one_of(
    st.builds(
        lambda metal, grams: Call("price", {"metal": metal, "grams": grams}, "12.5"),
        st.sampled_from(["gold", "tin", "zinc"]),
        st.sampled_from([3, 5, 7]),
    ),
    st.builds(
        lambda target: Call("rate", {"base": "USD", "target": target}, "0.8"),
        st.sampled_from(["EUR", "GBP"]),
    ),
    st.just(Call("mail", {"to": "Ada"}, "sent")),
)
runs = st.lists(calls, min_size=1, max_size=5, unique_by=lambda call: str(call))
places = st.integers(0, 4)

Mistake = Callable[[Call], list[Call]]


def changed(call: Call, value: Any) -> list[Call]:
    key = next(iter(call.arguments))
    return [
        call._replace(arguments={**call.arguments, key: value}, result="refused", error="exception")
    ]


def without_first(call: Call) -> list[Call]:
    rest = dict(list(call.arguments.items())[1:])
    return [call._replace(arguments=rest, result="refused", error="bad arguments")]


def with_another(call: Call) -> list[Call]:
    arguments = {**call.arguments, "currency": "USD"}
    return [call._replace(arguments=arguments, result="refused", error="bad arguments")]


MISTAKES: dict[str, Mistake] = {
    "wrong tool": lambda call: [Call("weather", {}, "sunny")],
    "hallucinated tool": lambda call: [Call("ask_oracle", {}, "There is none.", "unknown tool")],
    "missing argument": without_first,
    "hallucinated argument": with_another,
    "invented value": lambda call: changed(call, "unobtainium"),
    "wrong value": lambda call: changed(call, "grams"),
    "wrong type": lambda call: changed(call, ["gold"]),
}


@pytest.mark.parametrize("mode", MISTAKES)
@given(made=runs, place=places)
def test_one_call_that_went_wrong(mode, made, place):
    place %= len(made)
    told = [*made[:place], *MISTAKES[mode](made[place]), *made[place + 1 :]]
    assert modes_of(made, told)[0] == mode


@given(made=runs.filter(lambda made: len(made) > 1), place=places)
def test_one_call_that_was_never_made(made, place):
    place %= len(made)
    assert modes_of(made, [*made[:place], *made[place + 1 :]])[0] == "missing call"


@given(made=runs)
def test_no_call_at_all(made):
    assert modes_of(made, [])[0] == "no call when needed"


@given(made=runs, place=places)
def test_one_call_too_many(made, place):
    told = [*made[:place], Call("weather", {}, "sunny"), *made[place:]]
    assert modes_of(made, told)[0] == "called when not needed"


@given(made=runs, place=places, mistake=st.sampled_from(sorted(MISTAKES)))
def test_a_mistake_that_was_made_good_is_not_found(made, place, mistake):
    place %= len(made)
    wrong = [call for call in MISTAKES[mistake](made[place]) if call.error]
    told = [*made[:place], *wrong, *made[place:]]
    assert modes_of(made, told, ANSWER_WRONG) == ["wrong answer"]
    assert modes_of(made, told, CALLS_RIGHT + ANSWER_WRONG) == ["wrong answer"]


@given(made=runs, order=st.randoms(use_true_random=False))
def test_the_order_of_calls_is_no_matter_of_the_map(made, order):
    told = list(made)
    order.shuffle(told)
    assert modes_of(made, told) == []


def modes_of(wanted: list[Call], told: list[Call], tried: Any = CALLS_WRONG) -> list[str]:
    asked = query(TEXT, calls=expected(wanted))
    return modes(trace(*told, text=TEXT, prompt=PROMPT, tools=TOOLS), asked, tried)


def expected(made: list[Call]) -> tuple[ExpectedCall, ...]:
    return tuple(ExpectedCall(call.name, call.arguments) for call in made)
