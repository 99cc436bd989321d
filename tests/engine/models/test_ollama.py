"""What a server is and has, and the message for each way in which it can be unfit."""

import asyncio
import os
import socket
import subprocess
import sys

import pytest
from hypothesis import given
from hypothesis import strategies as st

from studio.engine.errors import ServerError
from studio.engine.models.addresses import local_address, parse_address
from studio.engine.models.ollama import OllamaServer, is_too_old
from studio.engine.models.serving import EMBEDDED_MODEL, fit
from studio.engine.offers import same_address
from studio.engine.records import ModelSpec


class Embedded:
    """An embedded server that is a scripted one, and counts how often it was asked for."""

    def __init__(self, address: str = "") -> None:
        self._address = address
        self.asked = 0

    async def address(self) -> str:
        self.asked += 1
        return self._address


MODELS = [
    {"name": "qwen3:4b", "context_length": 8192, "capabilities": ["completion", "tools"]},
    {"name": "llama3.2:latest", "capabilities": ["completion"]},
    {"name": "old:latest", "capabilities": None, "digest": "abc"},
    {"name": EMBEDDED_MODEL},
]


def resolved(spec: ModelSpec, embedded: Embedded | None = None, *, with_tools: bool = True):
    embedded = embedded or Embedded()
    return asyncio.run(fit(spec.server, spec, embedded, with_tools=with_tools)).facts


def refused(spec: ModelSpec, *, with_tools: bool = True) -> ServerError:
    with pytest.raises(ServerError) as caught:
        resolved(spec, with_tools=with_tools)
    assert caught.value.remedy
    return caught.value


@pytest.mark.parametrize(
    ("host", "address"),
    [
        ("", "http://127.0.0.1:11434"),
        ("0.0.0.0", "http://127.0.0.1:11434"),
        ("0.0.0.0:8000", "http://127.0.0.1:8000"),
        (":8000", "http://127.0.0.1:8000"),
        ("box", "http://box:11434"),
        ("box:1/", "http://box:1"),
        ("http://box", "http://box"),
        ("https://box/ollama/", "https://box:443/ollama"),
        ("::1", "http://[::1]:11434"),
        ("[::1]:80", "http://[::1]"),
        (' "10.0.0.5" ', "http://10.0.0.5:11434"),
        ("HTTP://Box:1", "http://box:1"),
        ("http://", "http://127.0.0.1"),
    ],
)
def test_an_address_is_read_as_ollama_reads_it(host, address):
    assert parse_address(host) == address.replace("https://box:443", "https://box")


@pytest.mark.parametrize(
    "host", ["ftp://box", "box:99999", "http://a b", "\x00", "http://u:p@box", "^", "a%2fb"]
)
def test_what_is_no_address_is_refused_with_an_example(host):
    with pytest.raises(ServerError, match=r"127\.0\.0\.1:11434"):
        parse_address(host)


@given(st.text(max_size=40))
def test_any_text_is_an_address_or_a_server_error(text):
    try:
        address = parse_address(text)
    except ServerError:
        return
    assert parse_address(address) == address


OWN = "http://127.0.0.1:11434"


@pytest.mark.parametrize(
    "other",
    [
        "http://localhost:11434", "HTTP://LOCALHOST:11434/", "http://localhost.:11434",
        "http://[::1]:11434", "http://[0:0:0:0:0:0:0:1]:11434", "http://0.0.0.0:11434",
        f"http://{socket.gethostname().upper()}:11434",
        f"http://{socket.gethostname().partition('.')[0]}.local:11434",
    ],
)  # fmt: skip
def test_this_machine_is_one_server_under_all_its_names(other):
    assert same_address(OWN, other)


@pytest.mark.parametrize(
    ("one", "other", "is_same"),
    [
        ("http://Box", "http://box:80/", True),
        ("https://box", "https://box:443", True),
        ("https://box/ollama/", "https://box:443/ollama", True),
        ("http://box", "https://box", False),
        ("http://box:1", "http://box:2", False),
        ("http://box/a", "http://box/b", False),
        (OWN, "http://localhost:11435", False),
        (OWN, "http://127.0.0.2:11434", False),
        (OWN, "http://localhost.example.com:11434", False),
        ("embedded", "embedded", True),
        ("", OWN, False),
    ],
)
def test_two_spellings_of_an_address_are_one_server(one, other, is_same):
    assert same_address(one, other) is is_same
    assert same_address(other, one) is is_same


@given(st.text(max_size=40))
def test_every_address_that_is_read_is_the_same_as_itself(text):
    try:
        address = parse_address(text)
    except ServerError:
        return
    assert same_address(address, address)


def test_a_run_needs_no_address_in_the_environment_that_it_does_not_use():
    code = (
        "import os; from studio.engine.models.chat import chat_model; "
        "from studio.engine.records import ModelSpec; "
        "chat_model(ModelSpec('m'), 'http://127.0.0.1:1', time_limit=1); "
        "print(os.environ['OLLAMA_HOST'])"
    )
    environment = {**os.environ, "OLLAMA_HOST": "host:abc"}
    said = subprocess.check_output([sys.executable, "-c", code], env=environment, text=True)
    assert said.strip() == "host:abc"


def test_this_machines_address_is_told_by_the_name_of_what_holds_it():
    with pytest.raises(ServerError, match="OLLAMA_HOST"):
        local_address({"OLLAMA_HOST": "host:abc"})


def test_a_server_tells_its_models_and_what_they_can(scripted_ollama):
    scripted_ollama.play({"models": MODELS, "version": "0.30.1"})

    async def ask():
        async with OllamaServer(scripted_ollama.address) as server:
            await server.load(ModelSpec("qwen3:4b", options={"seed": 1}))
            await server.unload("qwen3:4b")
            return await server.version(), await server.models(), await server.show("qwen3:4b")

    version, models, shown = asyncio.run(ask())
    assert version == "0.30.1"
    assert [model.name for model in models] == [model["name"] for model in MODELS]
    assert (models[0].quantization, models[0].size) == ("Q4_1", 98_000_000)
    assert (shown.context_length, shown.capabilities) == (8192, ("completion", "tools"))
    loaded, unloaded = scripted_ollama.chats()
    assert loaded["options"] == {"num_ctx": 4096, "seed": 1}
    assert unloaded["keep_alive"] == 0


def test_resolving_records_what_will_answer(scripted_ollama):
    scripted_ollama.play({"models": MODELS})
    facts = resolved(ModelSpec("qwen3:4b", scripted_ollama.address, {"num_ctx": 4096}))
    assert facts.address == scripted_ollama.address
    assert (facts.is_embedded, facts.context_length) == (False, 8192)
    assert facts.capabilities == ("completion", "tools")
    assert len(facts.model_digest) == 64


def test_a_name_without_a_tag_is_the_latest(scripted_ollama):
    scripted_ollama.play({"models": MODELS})
    resolved(ModelSpec("llama3.2", scripted_ollama.address), with_tools=False)
    resolved(ModelSpec("llama3.2:latest", scripted_ollama.address), with_tools=False)


def test_what_an_older_server_does_not_say_is_not_held_against_it(scripted_ollama):
    scripted_ollama.play({"models": MODELS})
    spec = ModelSpec("old", scripted_ollama.address, think=True)
    assert resolved(spec).capabilities is None


@pytest.mark.parametrize(
    ("spec", "said"),
    [
        (ModelSpec("qwen3:8b"), "no model 'qwen3:8b'"),
        (ModelSpec("llama3.2"), "cannot call tools"),
        (ModelSpec("qwen3:4b", think=True), "cannot think"),
        (ModelSpec("qwen3:4b", options={"num_ctx": 65_536}), "trained for 8,192"),
    ],
)
def test_a_model_that_cannot_do_what_is_asked_is_refused_before_the_run(
    scripted_ollama, spec, said
):
    scripted_ollama.play({"models": MODELS})
    error = refused(ModelSpec(spec.name, scripted_ollama.address, spec.options, think=spec.think))
    assert said in error.problem


def test_a_missing_model_is_told_with_the_nearest_names(scripted_ollama):
    scripted_ollama.play({"models": MODELS})
    remedy = refused(ModelSpec("qwen3:8b", scripted_ollama.address)).remedy
    assert "ollama pull qwen3:8b" in remedy
    assert "qwen3:4b" in remedy


def test_an_old_server_is_refused_and_a_build_from_source_is_not(scripted_ollama):
    scripted_ollama.play({"models": MODELS, "version": "0.3.0"})
    error = refused(ModelSpec("qwen3:4b", scripted_ollama.address))
    assert "0.3.0" in error.problem
    assert [is_too_old(version) for version in ("0.8.9", "0.9.0", "0.0.0", "v0.3.1", "?")] == [
        True, False, False, True, False,
    ]  # fmt: skip


def test_a_server_that_does_not_answer_is_named_with_what_to_do(closed_address):
    error = refused(ModelSpec("m", closed_address))
    assert closed_address in error.problem
    assert "Start Ollama" in error.remedy


@pytest.mark.parametrize(
    "script",
    [
        {"routes": {"/api/version": {"body": "<html>hello</html>"}}},
        {"routes": {"/api/version": {"body": ["0.1"]}}},
        {"routes": {"/api/version": {"body": {"name": "other"}}}},
        {"routes": {"/api/version": {"status": 404, "body": "not here"}}},
        {"routes": {"/api/version": {"status": 404, "body": {"error": "not here"}}}},
        {"routes": {"/api/version": {"status": 404, "body": {"detail": "Not Found"}}}},
        {"routes": {"/api/version": {"status": 404, "body": {"error": {"code": 404}}}}},
        {"routes": {"/api/version": {"body": {"error": "Unexpected endpoint."}}}},
        {"routes": {"/api/tags": {"body": {"models": 3}}}},
    ],
)
def test_what_is_no_ollama_server_is_called_so(scripted_ollama, script):
    scripted_ollama.play(script)
    assert "no Ollama server" in refused(ModelSpec("m", scripted_ollama.address)).problem


def test_a_page_that_stands_in_front_is_not_shown_and_nobody_is_told_to_continue_a_run(
    scripted_ollama,
):
    page = {"status": 502, "body": "<html><h1>Bad gateway</h1></html>"}
    scripted_ollama.play({"routes": {"/api/version": page}})
    error = refused(ModelSpec("m", scripted_ollama.address))
    assert "(status 502)." in error.problem
    assert "proxy" in error.remedy


def test_a_server_that_fails_to_list_tells_its_own_words(scripted_ollama):
    broken = {"status": 500, "body": {"error": "disk is on fire"}}
    scripted_ollama.play({"routes": {"/api/tags": broken}})
    with pytest.raises(ServerError, match="disk is on fire"):
        resolved(ModelSpec("m", scripted_ollama.address))


def test_auto_is_the_server_of_this_machine(scripted_ollama, monkeypatch):
    scripted_ollama.play({"models": MODELS})
    monkeypatch.setenv("OLLAMA_HOST", scripted_ollama.address.removeprefix("http://"))
    embedded = Embedded()
    facts = resolved(ModelSpec("qwen3:4b"), embedded)
    assert (facts.address, facts.is_embedded) == (scripted_ollama.address, False)
    assert embedded.asked == 0


def test_the_embedded_model_runs_embedded_whether_or_not_ollama_is_there(
    scripted_ollama, monkeypatch
):
    scripted_ollama.play({"models": MODELS})
    monkeypatch.setenv("OLLAMA_HOST", scripted_ollama.address)
    for server in ("auto", "embedded"):
        embedded = Embedded(scripted_ollama.address)
        assert resolved(ModelSpec(EMBEDDED_MODEL, server), embedded).is_embedded
        assert embedded.asked == 1


def test_without_ollama_another_model_is_refused_with_both_ways_out(closed_address, monkeypatch):
    monkeypatch.setenv("OLLAMA_HOST", closed_address)
    error = refused(ModelSpec("qwen3:4b"))
    assert closed_address in error.problem
    assert "Start Ollama" in error.remedy
    assert EMBEDDED_MODEL in error.remedy


def test_the_embedded_server_is_not_asked_for_a_model_that_it_does_not_have():
    assert EMBEDDED_MODEL in refused(ModelSpec("qwen3:4b", "embedded")).remedy
