"""What is wrong with data is said in people's words, whatever it is."""

from typing import Annotated, Any, Literal

import msgspec
import pytest

from studio.engine.unfit import unfit


class Item(msgspec.Struct, forbid_unknown_fields=True):
    name: str
    count: Annotated[int, msgspec.Meta(ge=1)] | None = None
    kind: Literal["a", "b"] = "a"
    pairs: tuple[tuple[str, str], ...] = ()
    gains: dict[str, float] = {}
    value: str | int = 1


@pytest.mark.parametrize(
    ("given", "words"),
    [
        ([], "it must be an object, not a list"),
        ({}, "it lacks 'name'"),
        ({"name": 5}, "name must be a text, not a whole number"),
        ({"name": "x", "count": "1"}, "count must be a whole number, not a text"),
        ({"name": "x", "count": 0}, "count must be a whole number >= 1"),
        ({"name": "x", "count": 1.5}, "count must be a whole number, not one with decimals"),
        ({"name": "x", "kind": "c"}, "kind cannot be 'c'"),
        ({"name": "x", "pairs": [["a"]]}, "pairs[0] must be a list of length 2, got 1"),
        (
            {"name": "x", "gains": {"a": True}},
            "a value in gains must be a number, not true or false",
        ),
        ({"name": "x", "gains": {1: 1}}, "gains must be a text, not a whole number"),
        ({"name": "x", "value": None}, "value must be a whole number or a text, not null"),
        ({"name": "x", "more": 1}, "it cannot have 'more'"),
        ({"name": "\ud800"}, "a text in it holds half a surrogate pair"),
    ],
)
def test_what_does_not_fit_is_said_in_words(given: Any, words: str):
    with pytest.raises((msgspec.ValidationError, UnicodeEncodeError)) as raised:
        msgspec.json.encode(msgspec.convert(given, Item))
    assert unfit(raised.value) == words


def test_what_is_nested_too_deeply_is_said():
    assert unfit(RecursionError()) == "it is nested too deeply"
