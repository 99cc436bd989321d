"""The prompt as the model reads it, from servers that tell it and from those that do not."""

import asyncio

import pytest

from studio.engine.errors import ServerError
from studio.engine.model_messages import PromptRendered, RenderPrompt
from studio.engine.models.desk import Desk, InUse
from studio.engine.models.ollama import OllamaServer
from studio.engine.models.rendering import rendered
from tests.engine.models.recorded import recorded_chats

RENDERINGS = [chat for chat in recorded_chats() if chat.is_rendering]
SENT = {
    "model": "m", "messages": [{"role": "user", "content": "hi"}],
    "options": {"num_ctx": 2048, "seed": 3},
}  # fmt: skip


def ask(address: str, sent=SENT) -> str:
    async def work() -> str:
        async with OllamaServer(address) as server:
            return await rendered(server, sent)

    return asyncio.run(work())


@pytest.mark.parametrize("chat", RENDERINGS, ids=lambda chat: chat.name)
def test_what_real_servers_rendered_is_told_or_refused_with_a_sentence(chat, scripted_ollama):
    scripted_ollama.play({"default": chat.reply})
    if chat.status == 200:
        assert "<|im_start|>assistant" in ask(scripted_ollama.address, {**SENT, **chat.sent})
    else:
        with pytest.raises(ServerError, match="does not support tools"):
            ask(scripted_ollama.address, {**SENT, **chat.sent})


def test_the_request_is_the_one_that_was_sent_and_nothing_is_generated(scripted_ollama):
    scripted_ollama.play({"default": RENDERINGS[0].reply})
    ask(scripted_ollama.address)
    [body] = scripted_ollama.chats()
    assert body["_debug_render_only"] is True
    assert body["messages"] == SENT["messages"]
    assert body["options"] == {"num_ctx": 2048, "seed": 3, "num_predict": 1}


def test_a_server_that_answers_instead_is_left_at_once(scripted_ollama):
    scripted_ollama.play({"default": {"content": ["a"] * 100, "pause": 0.05}})
    with pytest.raises(ServerError, match="does not tell how") as caught:
        ask(scripted_ollama.address)
    assert "Sent" in caught.value.remedy
    log = scripted_ollama.wait_for(lambda log: log[-1]["ended"] is not None)
    assert log[-1]["ended"] == "client left"
    assert log[-1]["lines"] < 100


@pytest.mark.parametrize("line", ["[]", "no JSON", '{"_debug_info": 3}', '{"_debug_info": {}}'])
def test_a_line_that_tells_nothing_is_no_prompt(scripted_ollama, line):
    scripted_ollama.play({"default": {"lines": [line]}})
    with pytest.raises(ServerError, match="does not tell how"):
        ask(scripted_ollama.address)


class Addresses:
    """Every server is known by its address."""

    async def address(self, server: str) -> str:
        return server


@pytest.mark.parametrize(
    ("using", "is_asked"),
    [
        (None, True),
        (InUse(frozenset({"http://127.0.0.1:1"}), "other", 512), True),
        (InUse(frozenset(), "", 0), False),
        (InUse(frozenset({"there", "here"}), "m:latest", 2048), True),
        (InUse(frozenset({"here"}), "m", 4096), False),
        (InUse(frozenset({"here"}), "other", 2048), False),
    ],
)
def test_a_run_under_way_is_not_made_to_load_its_model_again(scripted_ollama, using, is_asked):
    scripted_ollama.play({"default": RENDERINGS[0].reply})
    address = scripted_ollama.address
    if using is not None and "here" in using.addresses:
        using = using._replace(addresses=using.addresses | {address})
    told: list[PromptRendered] = []
    desk = Desk(Addresses(), told.append, lambda: using)
    asyncio.run(desk.carry_out(RenderPrompt(address, SENT, "1:m1")))
    [answer] = told
    assert answer.key == "1:m1"
    assert bool(answer.text) == is_asked
    assert len(scripted_ollama.chats()) == is_asked
    assert is_asked or "when the run is over" in answer.remedy
