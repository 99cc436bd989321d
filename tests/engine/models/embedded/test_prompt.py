"""The prompt: how messages and tools are told to the model, and how they are cut."""

import asyncio
from collections.abc import Sequence

from hypothesis import given, settings
from hypothesis import strategies as st

from studio.engine.models.embedded import template, window
from studio.engine.models.embedded.asked import (
    CalledFunction,
    Message,
    Tool,
    ToolCall,
    ToolFunction,
)

PRICE = ToolFunction(
    "price",
    "Price of a metal.",
    {"properties": {"metal": {"enum": ["gold", "tin"], "description": "Such as gold."},
                    "unit": {"type": ["string", "null"], "description": "Such as g."}}},
)  # fmt: skip


def test_tools_stand_in_the_system_prompt_and_a_call_reads_as_the_model_writes_it():
    messages = [
        Message("system", "Be brief."),
        Message("user", "Gold?"),
        Message("assistant", "", tool_calls=[ToolCall(CalledFunction("price", {"metal": "gold"}))]),
        Message("tool", "88"),
    ]
    assert template.render(messages, [PRICE]) == (
        "<|im_start|>system\nBe brief.\n\nFunctions:\n"
        "- price(metal: gold|tin, unit: string|null): Price of a metal.\n  unit: Such as g.\n"
        "- answer(text): Give the final answer<|im_end|>\n"
        "<|im_start|>user\nGold?<|im_end|>\n"
        '<|im_start|>assistant\nI will call `price` with {"metal": "gold"}<|im_end|>\n'
        "<|im_start|>user\nThe function `price` returned: 88<|im_end|>\n"
        "<|im_start|>assistant\n"
    )


def test_results_without_a_name_follow_the_order_of_the_calls():
    calls = [ToolCall(CalledFunction(name, {})) for name in ("a", "b")]
    messages = [Message("assistant", "", tool_calls=calls), Message("tool", "1"), Message("tool")]
    rendered = template.render(messages)
    assert "`a` returned: 1" in rendered
    assert "`b` returned: <" in rendered


def test_the_question_is_told_again_only_after_results():
    asked = [Message("user", "Gold?")]
    assert template.answer_cue(asked) == ""
    assert "Gold?" in template.answer_cue([*asked, Message("tool", "88")])


def test_tools_that_cannot_be_named_are_left_out():
    tools = [Tool(), Tool(ToolFunction()), Tool(ToolFunction("a`b")), Tool(ToolFunction("ok"))]
    assert [function.name for function in template.usable(tools)] == ["ok"]


async def _a_token_a_character(messages: Sequence[Message]) -> list[int]:
    return [ord(character) for message in messages for character in message.content or ""]


PARTS = st.tuples(st.sampled_from(["system", "user"]), st.text("abc", max_size=20))


@settings(deadline=None)
@given(
    st.lists(PARTS, min_size=1),
    st.integers(-3, 60),
    st.integers(0, 9),
)  # fmt: skip
def test_a_cut_prompt_fits_and_keeps_system_and_end(
    parts: list[tuple[str, str]], size: int, keep: int
):
    messages = [Message(role, text) for role, text in parts]
    tokens, kept = asyncio.run(window.fit(messages, _a_token_a_character, size, keep))
    assert len(tokens) <= max(size, 4)
    assert kept[-1] is messages[-1]
    assert [m for m in messages if m.role == "system"] == [m for m in kept if m.role == "system"]
    whole = asyncio.run(_a_token_a_character(messages))
    if len(whole) <= size:
        assert tokens == whole


def test_a_prompt_too_long_for_any_cut_of_messages_fills_about_half_the_window():
    # Seen on a real server: 130 of 256 tokens, and 3 where the window was given as 0.
    many = list(range(1810))
    assert len(window.cut(many, 256, 4)) == 130
    assert len(window.cut(many, 4, 4)) == 3
    assert window.cut(many, 256, 4)[:4] == [0, 1, 2, 3]
    assert window.cut(many, 256, 4)[-1] == 1809
