"""The desk over real server processes: lists, pulls, deletion, unloading, whatever goes wrong."""

import asyncio
import contextlib

import pytest

from studio import settings
from studio.engine.model_messages import (
    CancelPull,
    DeleteModel,
    FindModels,
    FindServers,
    ForgetServer,
    ModelsFound,
    NameServer,
    PullModel,
    PullMoved,
    ServersKnown,
    SpreadRuns,
    UnloadModel,
)
from studio.engine.models.desk import InUse
from studio.engine.offers import Origin, Standing
from studio.engine.records import EMBEDDED
from tests.engine.models.desk_bench import Bench, at_desk, done
from tests.ollama_fixture import ScriptedOllama

NEWER = {"capabilities": ["completion", "tools"], "details": {"context_length": 40_960}}
MODELS = [
    {"name": "qwen3:4b", "digest": "a" * 64, "size": 2_600_000_000},
    {"name": "llama3.2:latest", "digest": "b" * 64, "capabilities": ["completion"]},
]


@contextlib.asynccontextmanager
async def speaking(first_words: bytes, *, goes_on: bytes = b"", waits: bool = True):
    """Something that is no Ollama server: says this to whoever connects."""

    async def serve(reader, writer):
        with contextlib.suppress(ConnectionError):
            if waits:
                await reader.readuntil(b"\r\n\r\n")
            writer.write(first_words)
            while goes_on:
                writer.write(goes_on)
                await writer.drain()
        writer.close()

    server = await asyncio.start_server(serve, "127.0.0.1", 0)
    try:
        yield f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}"
    finally:
        server.close()


class TestServers:
    def test_this_machines_own_and_the_embedded_one_are_always_known(self, closed_address, local):
        local(closed_address)
        bench = done(FindServers())
        assert [each.server for each in bench.last(ServersKnown).servers] == [
            closed_address, EMBEDDED,
        ]  # fmt: skip
        found = {each.server: each for each in bench.all(ModelsFound)}
        assert found[closed_address].standing is Standing.UNREACHABLE
        assert "Start Ollama" in found[closed_address].remedy
        # It is listed, with its model, and not started for it.
        assert found[EMBEDDED].standing is Standing.IDLE
        assert [model.name for model in found[EMBEDDED].models] == ["smollm2:135m"]
        assert not bench.servers.is_embedded_running

    def test_a_server_that_is_named_is_kept_and_asked(self, scripted_ollama, local, closed_address):
        local(closed_address)
        scripted_ollama.play({"models": MODELS})
        bench = done(NameServer(f" {scripted_ollama.address}/ "))
        assert bench.found.server == scripted_ollama.address
        assert bench.found.standing is Standing.RUNNING
        assert settings.load()[0].servers == (scripted_ollama.address,)
        again = scripted_ollama.address.replace("127.0.0.1", "LocalHost")
        done(NameServer(again))
        known = done(FindServers()).last(ServersKnown).servers
        assert len(known) == 3, "a second name makes no second server"
        assert (known[1].server, known[1].origin) == (scripted_ollama.address, Origin.NAMED)
        bench = done(ForgetServer(scripted_ollama.address))
        assert [each.origin for each in bench.last(ServersKnown).servers] == [
            Origin.LOCAL, Origin.EMBEDDED,
        ]  # fmt: skip

    def test_a_server_is_listed_once_however_it_is_written(self, scripted_ollama, local):
        local(scripted_ollama.address)
        port = scripted_ollama.address.rpartition(":")[2]
        again = (f"localhost:{port}", f"http://127.0.0.1:{port}/", scripted_ollama.address)
        bench = done(*map(NameServer, again))
        assert len(bench.last(ServersKnown).servers) == 2
        assert {each.server for each in bench.all(ModelsFound)} == {scripted_ollama.address}

    def test_where_runs_are_spread_is_kept_and_told(self, local, closed_address):
        local(closed_address)
        assert not done(FindServers()).last(ServersKnown).spreads
        assert done(SpreadRuns(over_all=True)).last(ServersKnown).spreads
        assert settings.load()[0].server == "pool"
        assert not done(SpreadRuns(over_all=False)).last(ServersKnown).spreads
        assert settings.load()[0].server == "auto"

    def test_what_is_no_address_is_told_and_not_kept(self):
        bench = done(NameServer("ftp://box"))
        assert "'ftp://box' is no server address" in bench.error.problem
        assert not settings.load()[0].servers

    def test_a_wrong_ollama_host_is_told_and_the_others_are_listed(self, monkeypatch):
        monkeypatch.setenv("OLLAMA_HOST", "http://a b")
        bench = done(FindServers())
        assert [each.server for each in bench.last(ServersKnown).servers] == [EMBEDDED]
        assert "'http://a b'" in bench.error.problem

    def test_no_server_but_the_named_ones_is_asked(self, scripted_ollama, local, closed_address):
        local(closed_address)

        async def work(bench: Bench) -> None:
            answer = (
                b"HTTP/1.1 302 Found\r\nContent-Length: 0\r\nLocation: "
                + scripted_ollama.address.encode()
                + b"/api/version\r\n\r\n"
            )
            async with speaking(answer) as address:
                await bench.do(FindModels(address))

        bench = at_desk(work)
        assert bench.found.standing is Standing.NOT_OLLAMA
        assert scripted_ollama.log() == []


class TestWhatAServerHas:
    def test_models_with_all_that_is_said_of_them(self, scripted_ollama):
        loaded = {
            "name": "qwen3:4b", "size": 4000, "size_vram": 1000, "context_length": 8192,
            "expires_at": "2026-01-01T10:00:00.123456789+01:00",
        }  # fmt: skip
        new = {**MODELS[0], "tag": NEWER}
        scripted_ollama.play({"models": [new, MODELS[1]], "loaded": [loaded]})
        found = done(FindModels(scripted_ollama.address)).found
        first, second = found.models
        assert (first.digest, first.size, first.context_length) == ("a" * 64, 2_600_000_000, 40_960)
        assert first.capabilities == ("completion", "tools")
        # The older form of the list: what it does not say is asked for.
        assert (second.capabilities, second.context_length) == (("completion",), 8192)
        asked = [entry["body"] for entry in scripted_ollama.log() if entry["path"] == "/api/show"]
        assert asked == [{"model": "llama3.2:latest"}]
        assert found.loaded is not None
        [held] = found.loaded
        assert (held.window, held.gpu_share) == (8192, 0.25)
        assert held.expires == pytest.approx(1767258000.123, abs=0.01)

    def test_a_model_that_runs_elsewhere_is_told(self, scripted_ollama):
        tag = {**NEWER, "remote_host": "https://ollama.com:443", "remote_model": "gpt-oss:120b"}
        scripted_ollama.play({"models": [{"name": "gpt-oss:120b-cloud", "tag": tag}]})
        [model] = done(FindModels(scripted_ollama.address)).found.models
        assert model.remote_host == "https://ollama.com:443"

    def test_what_an_old_server_does_not_say_is_unknown_not_none(self, scripted_ollama):
        models = [{"name": "m:latest", "capabilities": None}]
        routes = {"/api/ps": {"status": 404, "body": "404 page not found"}}
        scripted_ollama.play({"version": "0.3.0", "models": models, "routes": routes})
        found = done(FindModels(scripted_ollama.address)).found
        assert found.standing is Standing.TOO_OLD
        assert "0.3.0" in found.problem
        assert "0.9.0" in found.remedy
        assert found.models[0].name == "m:latest"
        scripted_ollama.play({"models": models, "routes": routes})
        found = done(FindModels(scripted_ollama.address)).found
        assert found.standing is Standing.RUNNING
        assert found.models[0].capabilities is None
        assert found.loaded is None

    def test_a_list_with_nonsense_in_it_is_read_as_far_as_it_goes(self, scripted_ollama):
        odd = [
            5, {}, {"name": 7}, {"name": "m", "size": 10**30, "digest": 5, "details": [],
            "capabilities": "all", "context_length": -1, "expires_at": "soon", "size_vram": True},
        ]  # fmt: skip
        scripted_ollama.play({"routes": {
            "/api/tags": {"body": {"models": odd}}, "/api/ps": {"body": {"models": odd}},
            "/api/show": {"status": 500, "body": {"error": "damaged"}},
        }})  # fmt: skip
        found = done(FindModels(scripted_ollama.address)).found
        [model] = found.models
        assert (model.name, model.size, model.context_length, model.capabilities) == (
            "m", 0, None, None,
        )  # fmt: skip
        assert found.loaded is not None
        assert found.loaded[-1].expires is None

    @pytest.mark.parametrize(
        ("words", "goes_on"),
        [
            (
                b"HTTP/1.0 400 Bad Request\r\n\r\nClient sent an HTTP request to an HTTPS server.",
                b"",
            ),
            (b"SSH-2.0-OpenSSH_9.6\r\n\r\n", b""),
            (b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n\r\n<html>", b""),
            (b"HTTP/1.1 404 Not Found\r\nContent-Length: 2\r\n\r\nno", b""),
            (b"HTTP/1.1 405 No\r\nContent-Length: 0\r\n\r\n", b""),
            (b'HTTP/1.1 200 OK\r\nContent-Length: 13\r\n\r\n{"version":5}', b""),
            (b"HTTP/1.1 200 OK\r\n\r\n", b"x" * 1_000_000),
        ],
    )
    def test_what_is_no_ollama_server_is_called_so(self, words, goes_on):
        async def work(bench: Bench) -> None:
            async with speaking(words, goes_on=goes_on) as address:
                await bench.do(FindModels(address))

        found = at_desk(work).found
        assert found.standing is Standing.NOT_OLLAMA
        assert "no Ollama server" in found.problem
        assert found.remedy

    def test_what_hangs_up_at_once_may_have_another_port_or_scheme(self):
        async def work(bench: Bench) -> None:
            async with speaking(b"") as address:
                await bench.do(FindModels(address))

        found = at_desk(work).found
        assert found.standing is Standing.UNREACHABLE
        assert "closed the connection before it answered" in found.problem
        assert "http or https" in found.remedy

    def test_a_server_that_speaks_no_https_is_asked_for_by_http(self):
        async def work(bench: Bench) -> None:
            async with speaking(b"HTTP/1.1 400 Bad Request\r\n\r\n", waits=False) as address:
                await bench.do(FindModels(address.replace("http:", "https:")))

        found = at_desk(work).found
        assert found.standing is Standing.UNREACHABLE
        assert "No safe connection (https)" in found.problem
        assert "Write the address with http://" in found.remedy

    def test_who_stands_in_front_and_refuses_is_told_in_its_own_words(self, scripted_ollama):
        refuses = {"/api/version": {"status": 502, "body": "Bad Gateway"}}
        scripted_ollama.play({"routes": refuses})
        found = done(FindModels(scripted_ollama.address)).found
        assert found.standing is Standing.UNREACHABLE
        assert "(status 502): “Bad Gateway”." in found.problem
        assert "proxy" in found.remedy


class TestPulls:
    def test_a_pull_is_told_as_it_goes_and_the_model_is_listed(self, scripted_ollama):
        scripted_ollama.play({"models": [], "pulls": {"m:1b": {"pause": 0.06, "steps": 4}}})
        bench = done(PullModel(scripted_ollama.address, "ollama pull m:1b"))
        moves = bench.all(PullMoved)
        assert {move.model for move in moves} == {"m:1b"}
        assert (moves[-1].ending, moves[-1].done, moves[-1].total) == ("finished", 4000, 4000)
        amounts = [move.done for move in moves]
        assert amounts == sorted(amounts)
        assert len(set(amounts)) > 2
        assert [model.name for model in bench.found.models] == ["m:1b"]

    def test_a_cancelled_pull_ends_at_the_server_and_goes_on_where_it_stopped(
        self, scripted_ollama
    ):
        address = scripted_ollama.address
        scripted_ollama.play({"models": [], "pulls": {"m:1b": {"pause": 0.03, "steps": 200}}})

        async def cancel(bench: Bench) -> None:
            pulling = bench.begin(PullModel(address, "m:1b"))
            await bench.until(lambda bench: bool(bench.all(PullMoved)) and bench.pull.done > 30)
            await bench.do(CancelPull(address, "m:1b"))
            with pytest.raises(asyncio.CancelledError):
                await pulling

        first = at_desk(cancel).pull
        assert (first.ending, first.problem) == ("cancelled", "")
        scripted_ollama.wait_for(lambda log: log[-1]["ended"] == "client left")

        async def resume(bench: Bench) -> None:
            pulling = bench.begin(PullModel(address, "m:1b"))
            await bench.until(lambda bench: bool(bench.all(PullMoved)) and bench.pull.done > 0)
            pulling.cancel()
            await asyncio.wait([pulling])

        moves = at_desk(resume).all(PullMoved)
        assert next(move.done for move in moves if move.done) >= first.done

    @pytest.mark.parametrize(
        ("pull", "problem"),
        [
            ({"fault": "error line", "after": 3, "error": "write: no space left on device"},
             "disk is full"),
            ({"fault": "error line", "after": 1, "error": "dial tcp: lookup r: no such host"},
             "cannot reach the registry"),
            ({"status": 400, "error": "invalid model name"}, "no model name"),
            ({"status": 500, "error": "pull model manifest: file does not exist"}, "no model of"),
            ({"fault": "drop"}, "closed the connection before it answered"),
            ({"fault": "reset", "after": 2}, "broke in the middle"),
            ({"fault": "end", "after": 2}, "ended the pull before it was complete"),
            ({"fault": "garbage", "after": 2}, "sent a line that is no reply"),
        ],
    )  # fmt: skip
    def test_a_pull_that_fails_says_why_and_can_be_resumed(self, scripted_ollama, pull, problem):
        scripted_ollama.play({"models": [], "pulls": {"m": pull}})
        bench = done(PullModel(scripted_ollama.address, "m"))
        assert bench.pull.ending == "failed"
        assert problem in bench.pull.problem
        assert bench.pull.remedy
        # The same again, from where it stopped, once what was wrong is mended.
        scripted_ollama.play({"models": [], "pulls": {}})
        assert done(PullModel(scripted_ollama.address, "m")).pull.ending == "finished"

    def test_a_server_that_dies_in_the_middle_of_a_pull_is_told(self):
        server = ScriptedOllama({"pulls": {"m": {"pause": 0.05, "steps": 100}}})

        async def work(bench: Bench) -> None:
            pulling = bench.begin(PullModel(server.address, "m"))
            await bench.until(lambda bench: bool(bench.all(PullMoved)) and bench.pull.done > 0)
            await asyncio.to_thread(server.kill)
            await pulling

        pull = at_desk(work).pull
        assert (pull.ending, pull.done > 0) == ("failed", True)
        assert "goes on where it stopped" in pull.remedy

    def test_without_a_server_there_is_no_pull(self, closed_address):
        pull = done(PullModel(closed_address, "m")).pull
        assert (pull.ending, closed_address in pull.problem) == ("failed", True)

    def test_what_is_no_name_is_not_asked_for(self, scripted_ollama):
        bench = done(PullModel(scripted_ollama.address, "no such name!"))
        assert "no model name" in bench.error.problem
        assert scripted_ollama.log() == []

    def test_a_pull_that_goes_on_is_not_begun_again(self, scripted_ollama):
        scripted_ollama.play({"models": [], "pulls": {"m": {"pause": 0.02}}})

        async def work(bench: Bench) -> None:
            command = PullModel(scripted_ollama.address, "m")
            await asyncio.gather(bench.begin(command), bench.begin(command))

        at_desk(work)
        assert sum(entry["path"] == "/api/pull" for entry in scripted_ollama.log()) == 1


class TestDeletingAndUnloading:
    def test_a_deleted_model_is_gone_from_the_list(self, scripted_ollama):
        scripted_ollama.play({"models": MODELS})
        bench = done(DeleteModel(scripted_ollama.address, "qwen3:4b"))
        assert [model.name for model in bench.found.models] == ["llama3.2:latest"]

    def test_a_model_that_is_not_there_cannot_be_deleted(self, scripted_ollama):
        scripted_ollama.play({"models": MODELS})
        error = done(DeleteModel(scripted_ollama.address, "other")).error
        assert "'other' not found" in error.problem

    def test_an_unloaded_model_is_gone_from_memory(self, scripted_ollama):
        scripted_ollama.play({"models": MODELS, "loaded": [MODELS[0]]})
        bench = done(UnloadModel(scripted_ollama.address, "qwen3:4b"))
        assert bench.found.loaded == ()
        assert scripted_ollama.chats() == [
            {"model": "qwen3:4b", "messages": [], "stream": False, "keep_alive": 0}
        ]

    @pytest.mark.parametrize("command", [DeleteModel, UnloadModel, PullModel])
    def test_what_a_run_uses_is_left_alone(self, scripted_ollama, command):
        scripted_ollama.play({"models": MODELS})
        # Another way to write the same server, and the same model.
        address = scripted_ollama.address.replace("127.0.0.1", "localhost")
        used = InUse(frozenset({address}), "Llama3.2")
        error = done(command(scripted_ollama.address, "llama3.2:latest"), in_use=used).error
        assert "the run that is under way uses it" in error.problem
        assert scripted_ollama.log() == []


@pytest.fixture
def local(monkeypatch):
    """Sets where this machine's own server is."""
    return lambda address: monkeypatch.setenv("OLLAMA_HOST", address)
