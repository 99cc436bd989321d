"""What fits into a window: estimates, the room for a reply, and larger windows."""

import subprocess
import sys

import pytest
from hypothesis import given
from hypothesis import strategies as st

from studio.engine.models.budget import budget, larger_window, reserve_of, window_of
from studio.engine.models.embedded.asked import Message, ToolFunction
from studio.engine.models.embedded.template import render
from studio.engine.models.estimate import (
    estimate_request,
    estimate_tokens,
    least_request,
    least_tokens,
    longest,
)
from studio.engine.models.signatures import describe
from studio.engine.models.window import Counts, cut
from studio.engine.records import ModelSpec, ToolSpec

PRICE = ToolSpec("price", "The price of some grams of gold.", {"type": "object", "properties": {}})


def asked(**options):
    return ModelSpec("small", options=options)


# Counted with three tokenizers of 32,000, 49,000 and 131,000 tokens; (fewest, most).
COUNTED = {
    "How much does a gram of gold cost in USD?": (11, 11),
    "Wie hoch ist der Preis für zwanzig Gramm Gold in amerikanischen Dollar? Bitte rechne die "
    "Währung um und antworte kurz.": (27, 41),
    "二十克黄金用美元计算是多少钱？请简短回答，并展示计算过程。谢谢你的帮助。": (30, 71),
}


@pytest.mark.parametrize(("text", "counted"), COUNTED.items())
def test_an_estimate_is_near_what_tokenizers_count_and_the_floor_below(text, counted):
    fewest, most = counted
    assert least_tokens(text) <= fewest
    assert fewest * 0.7 <= estimate_tokens(text) <= most * 1.3


@given(st.text())
def test_any_text_has_an_estimate_and_a_floor_that_is_not_above_its_bytes(text):
    assert estimate_tokens(text) >= 0
    assert 0 <= least_tokens(text) <= len(text.encode("utf-8", "surrogatepass"))


def test_a_huge_text_is_estimated_from_its_beginning():
    assert estimate_tokens("gold " * 1_000_000) == pytest.approx(1_150_000, rel=0.01)


def test_the_longest_of_many_texts_is_the_one_of_most_tokens():
    english = "What is the price of a kilogram of gold in New York today, please, and in what coin?"
    japanese = "東京の金価格はいくらですか、詳しく教えてください、そして通貨は何ですか"
    digits = "4111 1111 1111 1111 5500 0000 0000 0004 3400 0000 0000 009"
    many = [f"{english} {number}" for number in range(2_000)]
    assert longest([*many, japanese]) == japanese
    assert longest([*many, japanese, digits]) == digits
    assert longest([english, english * 1_000, "short"]) == english * 1_000
    assert longest([]) == ""


@given(st.lists(st.text(max_size=60), min_size=1, max_size=20))
def test_of_a_few_texts_none_takes_more_tokens_than_the_longest(texts):
    assert estimate_tokens(longest(texts)) == max(map(estimate_tokens, texts))


def test_nothing_takes_nothing():
    assert (estimate_tokens(""), least_tokens("")) == (0, 0)


@pytest.mark.parametrize(
    "sent", [{}, {"messages": None}, {"messages": ["odd", {"content": [1]}], "tools": [{"a": 1}]}]
)
def test_a_request_of_any_shape_has_an_estimate_above_its_floor(sent):
    assert 0 <= least_request(sent) <= estimate_request(sent)


def test_a_budget_adds_up_what_the_first_request_of_a_trial_takes():
    made = budget("Use the tools.", [PRICE], "What does gold cost?", asked(num_predict=100))
    assert made.system > 0
    assert made.tools > 20
    assert made.total == made.system + made.tools + made.query + 100
    assert made.left == 4096 - made.total


def test_an_empty_prompt_and_no_tools_take_no_room():
    made = budget(" ", [], "Hi", asked())
    assert (made.system, made.tools, made.reply, made.window) == (0, 0, 512, 4096)


@pytest.mark.parametrize(
    ("options", "window", "reserve"),
    [({}, 4096, 512), ({"num_ctx": 8192, "num_predict": 64}, 8192, 64),
     ({"num_predict": -1}, 4096, 512), ({"num_ctx": "8192"}, 4096, 512)],
)  # fmt: skip
def test_what_options_leave_open_has_a_default(options, window, reserve):
    assert (window_of(options), reserve_of(options)) == (window, reserve)


@pytest.mark.parametrize(
    ("asked", "trained", "needed", "window"),
    [
        (256, 8192, [1810], 4096),
        (4096, 8192, [5000], 8192),
        (4096, 8192, [90_000], 8192),
        (4096, None, [90_000], 131_072),
        (4096, 131_072, [], 8192),
        (8192, 8192, [9000], None),
        (4096, 6000, [], 6000),
        (4096, 2048, [], None),
    ],
)
def test_a_larger_window_has_room_for_the_prompts_and_never_more_than_was_trained(
    asked, trained, needed, window
):
    assert larger_window({"num_ctx": asked}, trained, needed) == window


def test_the_window_can_estimate_without_loading_a_library_for_it():
    script = (
        "import sys; import studio.engine.models.budget, studio.engine.again;"
        "print(*{'httpx', 'ollama', 'langchain_core', 'sqlite3', 'asyncio'} & set(sys.modules))"
    )
    told = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, text=True, check=True, timeout=60
    )
    assert told.stdout.strip() == ""


NESTED = {
    "type": "function",
    "function": {
        "name": "book",
        "description": "Book a trip.",
        "parameters": {
            "type": "object",
            "properties": {
                "trip": {
                    "type": "object",
                    "properties": {
                        f"leg_{place}": {"type": "object", "properties": {"to": {"type": "string"}}}
                        for place in "abcdefghijkl"
                    },
                }
            },
        },
    },
}


def test_a_template_that_tells_little_of_a_tools_schema_is_not_taken_for_a_cut():
    sent = {
        "messages": [{"role": "user", "content": "Book me a trip to Oslo."}],
        "tools": [NESTED],
        "options": {"num_ctx": 256},
    }
    function = ToolFunction("book", "Book a trip.", NESTED["function"]["parameters"])
    messages = [Message("user", "Book me a trip to Oslo.")]
    counted = estimate_tokens(render(messages, [function]))
    assert counted < 100 < 256 < estimate_request(sent)
    assert cut(sent, Counts(counted)) is None
    assert least_request(sent) <= counted


@pytest.mark.parametrize("server", ["auto", "embedded", ("embedded", "http://127.0.0.1:11434")])
def test_the_embedded_model_is_told_of_tools_in_few_words_and_the_budget_knows(server):
    model = ModelSpec("smollm2:135m", server)
    told = budget("", [PRICE], "Hi", model).tools
    assert told < budget("", [PRICE], "Hi", asked()).tools
    assert told == pytest.approx(estimate_tokens(describe([PRICE])), abs=10)
