"""The scripted server speaks as a real one does, as far as the official client can tell."""

import http.client
import json
import socket

import ollama
import pytest

from tests.ollama_fixture import ScriptedOllama


@pytest.fixture
def client(scripted_ollama: ScriptedOllama):
    with ollama.Client(host=scripted_ollama.address, trust_env=False) as client:
        yield client


def test_the_official_client_reads_its_lists(scripted_ollama, client):
    scripted_ollama.play({"models": [{"name": "m:latest", "context_length": 2048}]})
    assert [model.model for model in client.list().models] == ["m:latest"]
    assert client.show("m").modelinfo["llama.context_length"] == 2048
    assert client.ps().models[0].context_length == 2048
    with pytest.raises(ollama.ResponseError, match="model 'other' not found"):
        client.show("other")


def test_replies_follow_the_last_user_text_and_the_number_of_tool_results(scripted_ollama, client):
    call = {"tool_calls": [{"name": "add", "arguments": {"a": 1}}]}
    rules = [
        {"user": "sum", "tool_results": 0, "reply": call},
        {"user": "sum", "tool_results": 1, "reply": {"content": ["It is ", "2."]}},
    ]
    scripted_ollama.play({"rules": rules, "default": {"content": "What?"}})
    question = {"role": "user", "content": "the sum"}
    first = client.chat("m", [question])
    assert first.message.tool_calls[0].function.arguments == {"a": 1}
    result = {"role": "tool", "content": "2"}
    streamed = client.chat("m", [question, first.message, result], stream=True)
    assert "".join(part.message.content for part in streamed) == "It is 2."
    assert client.chat("m", [{"role": "user", "content": "hi"}]).message.content == "What?"
    assert len(scripted_ollama.chats()) == 3


def test_replies_come_in_order_and_the_last_one_stays(scripted_ollama, client):
    scripted_ollama.play({"replies": [{"content": "one"}, {"content": "two"}]})
    ask = [{"role": "user", "content": "?"}]
    said = [client.chat("m", ask).message.content for _ in range(3)]
    assert said == ["one", "two", "two"]


def test_a_client_that_leaves_is_seen(scripted_ollama):
    scripted_ollama.play({"default": {"fault": "silence"}})
    host, port = scripted_ollama.address.removeprefix("http://").split(":")
    connection = http.client.HTTPConnection(host, int(port))
    body = json.dumps({"model": "m", "messages": [{"role": "user", "content": "?"}]})
    connection.request("POST", "/api/chat", body)
    scripted_ollama.wait_for(lambda log: len(log) == 1)
    connection.close()
    [entry] = scripted_ollama.wait_for(lambda log: log[0]["ended"] is not None)
    assert entry["ended"] == "client left"


def test_a_status_and_its_body_are_sent_as_scripted(scripted_ollama, client):
    scripted_ollama.play({"default": {"status": 503, "error": "server busy"}})
    with pytest.raises(ollama.ResponseError) as caught:
        client.chat("m", [{"role": "user", "content": "?"}])
    assert (caught.value.status_code, caught.value.error) == (503, "server busy")


def test_an_own_server_can_be_killed():
    server = ScriptedOllama()
    server.kill()
    host, port = server.address.removeprefix("http://").split(":")
    with pytest.raises(ConnectionError), socket.create_connection((host, int(port)), 2):
        pass
