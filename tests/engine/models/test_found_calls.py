"""What models write instead of a call, case by case (`found_calls.jsonl`), and anything at all."""

import json
from pathlib import Path
from typing import Any

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from studio.engine.events import CallMade, ModelReplied, decode, encode
from studio.engine.models.found_calls import Found, decoded_arguments, find

CASES = [
    json.loads(line)
    for line in Path(__file__).with_name("found_calls.jsonl").read_text("utf-8").splitlines()
]


def schema(required: str = "", **types: str) -> dict[str, Any]:
    properties = {name: {"type": kind} for name, kind in types.items()}
    return {"type": "object", "properties": properties, "required": required.split()}


TOOLS = {
    "get_weather": schema("city", city="string", unit="string"),
    "search_wiki": schema("query", query="string"),
    "add": schema("a b", a="integer", b="integer"),
    "list_files": schema(),
    "pick": schema("ids", ids="array", label="string", filter="object", deep="boolean"),
}


def names_and_arguments(found: Found) -> list[list[Any]]:
    return [[call.name, call.arguments] for call in found.calls]


@pytest.mark.parametrize("case", CASES, ids=[case["id"] for case in CASES])
def test_a_reply_is_read_as_it_was_meant(case):
    found = find(case["text"], TOOLS)
    assert names_and_arguments(found) == case["calls"]
    assert any(call.repaired for call in found.calls) == case.get("repaired", False)
    assert all(call.form for call in found.calls)
    for field, value in (("answer", found.answer), ("thinking", found.thinking)):
        assert value == case.get(field, value)
    assert list(found.marks) == case.get("marks", list(found.marks))


@pytest.mark.parametrize(
    "case", [c for c in CASES if c["calls"] and not c.get("marks")], ids=lambda c: c["id"]
)
def test_a_good_call_makes_no_mark(case):
    assert find(case["text"], TOOLS).marks == ()


def test_a_call_of_a_tool_that_takes_parameters_is_not_unwrapped():
    tools = {"run": schema("parameters", parameters="object")}
    text = '{"name": "run", "arguments": {"parameters": {"a": 1}}}'
    assert names_and_arguments(find(text, tools)) == [["run", {"parameters": {"a": 1}}]]


def test_without_tools_a_call_is_still_one_to_be_refused():
    text = '<tool_call>{"name": "add", "arguments": {"a": 1}}</tool_call>'
    assert names_and_arguments(find(text, {})) == [["add", {"a": 1}]]


def test_arguments_of_a_native_call_are_decoded_where_the_schema_wants_it():
    given = {"ids": "[1,2]", "label": "[1,2]", "filter": "no object", "other": "[1]"}
    assert decoded_arguments(given, TOOLS["pick"]) == given | {"ids": [1, 2]}


def test_numbers_and_texts_that_no_record_can_hold_are_made_fit():
    text = '{"name": "add", "arguments": {"a": NaN, "b": %s, "c": "\\ud800"}}' % ("9" * 5_000)
    (call,) = find(text, TOOLS).calls
    assert call.arguments["a"] == "nan"
    assert json.loads(json.dumps(call.arguments)) == call.arguments
    msgspec.json.encode(call)


PIECES = [
    *(case["text"] for case in CASES),
    *"{}[]()<>\"'`:;,=/\\|\n \ud800“｜",
    "<tool_call>", "</tool_call>", "<function=add>", "<parameter=a>", "[TOOL_CALLS]", "[ARGS]",
    "<think>", "</think>", "<|channel|>", "<|message|>", "```", "```json", "add(", "call:add{",
    '{"name": "add", "arguments": ', "Action: add\n", "Action Input: ", "<tool_response>",
    '"parameters": {"type": "object", "properties": {', "<|tool_call>", '<|"|>', "None", "-1e999",
]  # fmt: skip


def is_fit_for_the_record(found: Found) -> bool:
    calls = tuple(CallMade("", call.name, call.arguments) for call in found.calls)
    event = ModelReplied(0.0, "", "", found.answer, found.thinking, calls, found.marks)
    return decode(encode([event])) == [event]


@settings(max_examples=300, deadline=None)
@given(st.lists(st.sampled_from(PIECES) | st.text(max_size=10), max_size=12).map("".join))
def test_no_text_is_too_odd_to_be_read(text):
    assert is_fit_for_the_record(find(text, TOOLS))


@settings(max_examples=200, deadline=None)
@given(st.sampled_from([case["text"] for case in CASES]), st.data())
def test_a_reply_cut_off_anywhere_can_be_read(text, data):
    cut = data.draw(st.integers(0, len(text)))
    assert is_fit_for_the_record(find(text[:cut], TOOLS))


@settings(max_examples=100, deadline=None)
@given(
    st.fixed_dictionaries({"city": st.text(max_size=20)}, optional={"unit": st.text(max_size=20)}),
    st.sampled_from(["%s", "<tool_call>%s</tool_call>", "```json\n%s\n```", "[TOOL_CALLS][%s]"]),
)
def test_arguments_come_through_unchanged(arguments, form):
    text = form % json.dumps({"name": "get_weather", "arguments": arguments})
    found = find(text, TOOLS)
    clean = {
        key: value.encode("utf-8", "replace").decode("utf-8") for key, value in arguments.items()
    }
    assert names_and_arguments(found) == [["get_weather", clean]]
    assert not any(call.repaired for call in found.calls)


HOSTILE = [
    "{", "[", '{"a":', "[[", "{{", "(", "<", '"', "`", "```", "\\", "{'", "“", "a", "-", "a.",
    "<tool_call>", '<tool_call>{"', "<tool_call>{", "<function=add>", '<function=add>{"a":',
    "<function=add><parameter=a>", "[TOOL_CALLS]", '[TOOL_CALLS]{"a"', "add[ARGS]", "add[ARGS]{",
    "<think>", "</think>", "<|channel|>", "<|message|>", "<|channel|>x to=add<|message|>{",
    "<|tool_call>call:add{", '<|"|>', "Action: add\n", "Action: add\nAction Input: {",
    "<tool_call><a>", "<tool_call>add<arg_key>a</arg_key><arg_value>", "<｜tool▁call▁begin｜>",
    '<｜tool▁call▁begin｜>add<｜tool▁sep｜>{"', '```json\n{"', "add(", "[add(a=1,b=2),", "await ",
    '{"name": "add", ', '{name: "add", ', '{"a":"\\', '{"parameters":{"properties":{"a":',
    '{"tool_calls":[', "\ud800", "<a>", " ", "\n", "//", "9",
]  # fmt: skip


@pytest.mark.parametrize("unit", HOSTILE)
def test_thirty_thousand_characters_of_anything_are_read(unit):
    text = (unit * 30_000)[:30_000]
    assert is_fit_for_the_record(find(text, TOOLS))


@pytest.mark.parametrize("unit", ['<tool_call>{"', '{"a":', '"a"'])
def test_a_megabyte_of_hostile_text_is_read(unit):
    # Read in time that grows with the square of the length, these took minutes.
    text = (unit * 1_000_000)[:1_000_000]
    assert is_fit_for_the_record(find(text, TOOLS))


def test_ten_thousand_levels_of_nesting_are_read():
    deep = "[" * 10_000 + "]" * 10_000
    text = f'{{"name": "add", "arguments": {{"a": {deep}, "b": 1}}}}'
    assert is_fit_for_the_record(find(text, TOOLS))
    assert is_fit_for_the_record(find(f"<tool_call>{text}</tool_call>", TOOLS))
    assert is_fit_for_the_record(find(f"add(a={deep})", TOOLS))
