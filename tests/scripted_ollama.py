"""An Ollama-shaped server that says what a script tells it to: a real process on loopback.

``python -m tests.scripted_ollama`` reads a script (JSON) from its standard input, prints its
address as one line and serves until it is ended.  A script::

    {"version": "0.12.0", "port": 40123,               # default: a free one
     "models": [{"name": "m:latest", "capabilities": ["completion", "tools"],
                 "context_length": 8192}],          # default: any name is known
     "replies": [REPLY, ...],                       # by order of the chat requests
     "rules": [{"user": "last user text", "tool_results": 0, "model": "m", "reply": REPLY}],
     "default": REPLY,
     "load": REPLY,                                    # to requests without messages
     "loaded": [{"name": "m:latest", "size": 4000, "size_vram": 1000, "context_length": 4096,
                 "expires_at": "..."}],                # default: every model
     "pulls": {"m": {...}}}                            # see `scripted_pull`

A model may state `size` and `digest`, and, under `tag`, what only newer servers list.

A chat request takes the first rule whose stated keys all hold (`user` must be contained in the
last user message; `tool_results` counts the tool messages after it), else the next of `replies`
(the last one again once they are used up), else `default`.  A REPLY, every key optional::

    {"content": "text" or ["in", "pieces"], "thinking": "...",
     "tool_calls": [{"name": "add", "arguments": {"a": 1}, "id": "call_1"}],
     "done_reason": "stop", "counts": {"prompt_eval_count": null, ...},   # null: left out
     "delay": seconds before the first byte, "pause": seconds between lines,
     "lines": ["exact line", ...],                  # instead of the lines made of the above
     "status": 400, "error": "text", "body": "raw", # an answer that is no stream
     "fault": "drop" | "silence" | "reset" | "end" | "error line" | "garbage", "after": lines}

`drop` closes before the first byte, `silence` never answers, and after `after` lines (all of them
but the last, if not stated) `reset` breaks the connection, `end` ends without the last line,
`error line` sends {"error": ...} and ends, `garbage` sends `body` as a line and goes on.

`routes` gives other paths an answer of their own: {"/api/tags": {"status": 500, "body": {...}}}.

`GET /scripted/log` is the list of the requests so far: number, path, body, the client's port,
lines sent, and `ended` ("done", "client left", the fault, or None while it runs).  `together` is
how many chat requests were being answered when one came, itself included.
`POST /scripted/script` takes a new script and forgets the log.
"""

import asyncio
import json
import sys
import time
from collections.abc import Iterator
from typing import Any

from tests.scripted_pull import Pulls

Json = dict[str, Any]

_REASONS = {200: "OK", 400: "Bad Request", 404: "Not Found", 500: "Internal Server Error"}
_COUNTS = {
    "total_duration": 5_000_000, "load_duration": 1_000_000, "prompt_eval_count": 26,
    "prompt_eval_duration": 2_000_000, "eval_count": 8, "eval_duration": 2_000_000,
}  # fmt: skip
_CREATED = "2026-01-01T10:00:00.1Z"


class ClientLeft(Exception):
    """The client closed the connection while it was being answered."""


class Script:
    """What to say, and what was heard so far."""

    def __init__(self, script: Json) -> None:
        self.version: str | None = script.get("version", "0.12.0")
        self.models: list[Json] | None = script.get("models")
        self.replies: list[Json] = script.get("replies", [])
        self.rules: list[Json] = script.get("rules", [])
        self.default: Json = script.get("default", {"content": "Hello."})
        self.load: Json | None = script.get("load")
        self.routes: dict[str, Json] = script.get("routes", {})
        self.loaded: list[Json] | None = script.get("loaded")
        self.pulls = Pulls(script.get("pulls", {}))
        self.log: list[Json] = []
        self.answering = 0
        self._next = 0

    def heard(self, path: str, body: Any) -> Json:
        entry = {
            "number": len(self.log) + 1, "path": path, "body": body, "lines": 0, "ended": None,
            "at": time.time(),
        }  # fmt: skip
        self.log.append(entry)
        return entry

    def model(self, name: str) -> Json | None:
        if self.models is None:
            return {"name": name}
        wanted = name if ":" in name else f"{name}:latest"
        return next((model for model in self.models if model["name"] == wanted), None)

    def unload(self, name: str) -> None:
        if self.loaded is not None:
            self.loaded = [model for model in self.loaded if model["name"] != name]

    def delete(self, name: str) -> bool:
        """Whether there was such a model."""
        model = self.model(name)
        if model is None or self.models is None:
            return model is not None
        self.models = [each for each in self.models if each["name"] != model["name"]]
        return True

    def add(self, name: str) -> None:
        full = name if ":" in name else f"{name}:latest"
        self.models = [*(self.models or ()), {"name": full, "digest": full.rjust(64, "0")}]

    def reply(self, body: Json) -> Json:
        for rule in self.rules:
            if _holds(rule, body):
                return rule["reply"]
        if not self.replies:
            return self.default
        self._next += 1
        return self.replies[min(self._next, len(self.replies)) - 1]


def _holds(rule: Json, body: Json) -> bool:
    messages = body.get("messages", [])
    users = [place for place, message in enumerate(messages) if message["role"] == "user"]
    last = users[-1] if users else 0
    results = sum(message["role"] == "tool" for message in messages[last:])
    return (
        ("user" not in rule or (bool(users) and rule["user"] in messages[last]["content"]))
        and rule.get("tool_results", results) == results
        and rule.get("model", body.get("model")) == body.get("model")
    )


def lines_of(reply: Json, model: str) -> Iterator[str]:
    """The NDJSON lines of a reply in the order in which a server sends them."""
    if "lines" in reply:
        yield from reply["lines"]
        return
    head = {"model": model, "created_at": _CREATED}
    if thinking := reply.get("thinking"):
        yield _line(head, {"content": "", "thinking": thinking})
    content = reply.get("content", "")
    for piece in [content] if isinstance(content, str) else content:
        if piece:
            yield _line(head, {"content": piece})
    if calls := reply.get("tool_calls"):
        yield _line(head, {"content": "", "tool_calls": [*map(_call, calls, range(len(calls)))]})
    end: Json = {"done": True, "done_reason": reply.get("done_reason", "stop")}
    counts = _COUNTS | reply.get("counts", {})
    end |= {name: count for name, count in counts.items() if count is not None}
    yield _line(head, {"content": ""}, end)


def _line(head: Json, message: Json, end: Json | None = None) -> str:
    return json.dumps(
        head | {"message": {"role": "assistant"} | message} | (end or {"done": False})
    )


def _call(call: Json, index: int) -> Json:
    function = {"index": index, "name": call["name"]}
    if "arguments" in call:
        function["arguments"] = call["arguments"]
    return {"function": function} | ({"id": call["id"]} if "id" in call else {})


class Connection:
    """One client: requests are answered one after another until it leaves."""

    def __init__(
        self, server: "ScriptedServer", reader: asyncio.StreamReader, writer: asyncio.StreamWriter
    ) -> None:
        self._server = server
        self._reader = reader
        self._writer = writer

    async def serve(self) -> None:
        try:
            while await self._one():
                pass
        except (asyncio.IncompleteReadError, ConnectionError, ClientLeft):
            pass
        finally:
            self._writer.close()

    async def _one(self) -> bool:
        head = await self._reader.readuntil(b"\r\n\r\n")
        request, *headers = head.decode("latin-1").split("\r\n")
        method, path, _ = request.split(" ", 2)
        named = dict(header.lower().split(": ", 1) for header in headers if header)
        raw = await self._reader.readexactly(int(named.get("content-length", 0)))
        try:
            body = json.loads(raw) if raw else None
        except ValueError as error:
            return self._answer(400, {"error": str(error)})
        return await self._route(method, path, body)

    async def _route(self, method: str, path: str, body: Any) -> bool:
        script = self._server.script
        if path == "/scripted/log":
            return self._answer(200, script.log)
        if path == "/scripted/script":
            self._server.script = Script(body)
            return self._answer(200, {})
        entry = script.heard(path, body)
        entry["client"] = self._writer.get_extra_info("peername")[1]
        if path == "/api/chat":
            script.answering += 1
            entry["together"] = script.answering
            try:
                return await self._chat(script, body, entry)
            finally:
                script.answering -= 1
        if path == "/api/pull" and path not in script.routes:
            return await self._pull(script, body, entry)
        status, said = _plain_answer(script, method, path, body)
        entry["ended"] = "done"
        return self._answer(status, said)

    async def _chat(self, script: Script, body: Json, entry: Json) -> bool:
        model = body.get("model", "")
        if script.model(model) is None:
            entry["ended"] = "done"
            return self._answer(404, {"error": f"model '{model}' not found"})
        is_empty = not body.get("messages")
        if is_empty and body.get("keep_alive") == 0:
            script.unload(model)
        if is_empty and script.load is None:
            entry["ended"] = "done"
            return self._answer(200, _loaded(body))
        reply = script.load if is_empty and script.load else script.reply(body)
        try:
            await self._wait(reply.get("delay", 0))
            goes_on = await self._play(reply, body, entry)
        except (ConnectionError, ClientLeft):
            entry["ended"] = "client left"
            raise
        entry["ended"] = "done" if goes_on else reply.get("fault", "done")
        return goes_on

    async def _pull(self, script: Script, body: Json, entry: Json) -> bool:
        name = body["model"]
        reply = script.pulls.reply(name)
        try:
            goes_on = await self._play(reply, body, entry)
            entry["ended"] = "done" if goes_on else reply.get("fault", "done")
            return goes_on
        except (ConnectionError, ClientLeft):
            entry["ended"] = "client left"
            raise
        finally:
            if script.pulls.sent(name, entry["lines"]):
                script.add(name)

    async def _play(self, reply: Json, body: Json, entry: Json) -> bool:
        if reply.get("fault") == "drop":
            return False
        if reply.get("fault") == "silence":
            await self._wait(3600)
        if "status" in reply:
            said = reply["body"] if "body" in reply else {"error": reply.get("error", "")}
            return self._answer(reply["status"], said)
        lines = list(lines_of(reply, body["model"]))
        if not body.get("stream", True):
            return self._answer(200, _joined(lines))
        self._head(200, "application/x-ndjson", "Transfer-Encoding: chunked")
        for number, line in enumerate(_with_faults(lines, reply)):
            if number and reply.get("pause"):
                await self._wait(reply["pause"])
            self._chunk(line)
            entry["lines"] += 1
        return await self._finish(reply)

    async def _finish(self, reply: Json) -> bool:
        if reply.get("fault") == "reset":
            await self._writer.drain()
            self._writer.transport.abort()
            return False
        self._writer.write(b"0\r\n\r\n")
        await self._writer.drain()
        return True

    async def _wait(self, seconds: float) -> None:
        """Sleep, but notice at once when the client leaves."""
        if not seconds:
            return
        try:
            await asyncio.wait_for(self._reader.read(1), seconds)
        except TimeoutError:
            return
        raise ClientLeft

    def _answer(self, status: int, said: Any) -> bool:
        body = said.encode() if isinstance(said, str) else json.dumps(said).encode()
        self._head(status, "application/json; charset=utf-8", f"Content-Length: {len(body)}")
        self._writer.write(body)
        return True

    def _head(self, status: int, kind: str, length: str) -> None:
        reason = _REASONS.get(status, "Status")
        head = f"HTTP/1.1 {status} {reason}\r\nContent-Type: {kind}\r\n{length}\r\n\r\n"
        self._writer.write(head.encode())

    def _chunk(self, line: str) -> None:
        if self._writer.is_closing():
            raise ClientLeft
        data = line.encode("utf-8", "surrogatepass") + b"\n"
        self._writer.write(b"%x\r\n%b\r\n" % (len(data), data))


def _with_faults(lines: list[str], reply: Json) -> list[str]:
    fault = reply.get("fault")
    if fault is None:
        return lines
    after = reply.get("after", len(lines) - 1)
    if fault == "garbage":
        return [*lines[:after], str(reply.get("body", "upstream connect error")), *lines[after:]]
    error = [json.dumps({"error": reply.get("error", "it broke")})] if fault == "error line" else []
    return lines[:after] + error


def _loaded(body: Json) -> Json:
    reason = "unload" if body.get("keep_alive") == 0 else "load"
    message = {"role": "assistant", "content": ""}
    head = {"model": body.get("model", ""), "created_at": _CREATED, "message": message}
    return head | {"done": True, "done_reason": reason}


def _joined(lines: list[str]) -> Json:
    parts = [json.loads(line) for line in lines]
    message: Json = {"role": "assistant"}
    message["content"] = "".join(part["message"].get("content", "") for part in parts)
    if thinking := "".join(part["message"].get("thinking", "") for part in parts):
        message["thinking"] = thinking
    if calls := [call for part in parts for call in part["message"].get("tool_calls", ())]:
        message["tool_calls"] = calls
    return parts[-1] | {"message": message}


def _plain_answer(script: Script, method: str, path: str, body: Any) -> tuple[int, Any]:
    match path:
        case _ if path in script.routes:
            route = script.routes[path]
            return route.get("status", 200), route["body"]
        case "/":
            return 200, "Ollama is running"
        case "/api/version":
            return 200, {"version": script.version}
        case "/api/tags":
            return 200, {"models": [_tag(model) for model in script.models or ()]}
        case "/api/ps":
            loaded = script.models or () if script.loaded is None else script.loaded
            return 200, {"models": [_running(model) for model in loaded]}
        case "/api/show":
            model = script.model(body["model"])
            return (200, _shown(model)) if model else _not_found(body["model"])
        case "/api/delete" if method == "DELETE":
            gone = script.delete(body["model"])
            return (200, "") if gone else _not_found(body["model"])
    return 404, "404 page not found"


def _not_found(model: str) -> tuple[int, Json]:
    return 404, {"error": f"model '{model}' not found"}


def _tag(model: Json) -> Json:
    details = {
        "parent_model": "", "format": "gguf", "family": "llama", "families": ["llama"],
        "parameter_size": "134.52M", "quantization_level": "Q4_1",
    }  # fmt: skip
    tag = {
        "name": model["name"], "model": model["name"], "modified_at": _CREATED, "size": 98_000_000,
        "digest": "0" * 64, "details": details,
    }  # fmt: skip
    stated = {key: value for key, value in model.items() if key in ("size", "digest")}
    return tag | stated | model.get("tag", {})


def _running(model: Json) -> Json:
    return _tag(model) | {
        "expires_at": model.get("expires_at", _CREATED),
        "size_vram": model.get("size_vram", 0),
        "context_length": model.get("context_length", 8192),
    }


def _shown(model: Json) -> Json:
    length = model.get("context_length", 8192)
    shown = {
        "modelfile": "", "parameters": "", "template": "", "details": _tag(model)["details"],
        "model_info": {"general.architecture": "llama", "llama.context_length": length},
        "capabilities": model.get("capabilities", ["completion", "tools"]), "modified_at": _CREATED,
    }  # fmt: skip
    # A capability list of null stands for an older server, which does not say.
    return {key: value for key, value in shown.items() if value is not None}


class ScriptedServer:
    """Listens on a free port of loopback and serves every client from one script."""

    def __init__(self, script: Json) -> None:
        self.script = Script(script)

    async def listen(self, port: int) -> tuple[asyncio.Server, str]:
        server = await asyncio.start_server(self._serve, "127.0.0.1", port, backlog=512)
        port = server.sockets[0].getsockname()[1]
        return server, f"http://127.0.0.1:{port}"

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await Connection(self, reader, writer).serve()


async def _main() -> None:
    script = json.loads(sys.stdin.readline() or "{}")
    server, address = await ScriptedServer(script).listen(script.get("port", 0))
    print(address, flush=True)
    loop = asyncio.get_running_loop()
    # The one who started this process holds the other end of the pipe: it ends with its parent.
    await loop.run_in_executor(None, sys.stdin.read)
    server.close()


if __name__ == "__main__":
    asyncio.run(_main())
