"""The routes of the embedded server: Ollama's API, in the shapes of a server of August 2026."""

import asyncio
import json
from collections.abc import AsyncGenerator, AsyncIterator, Awaitable, Callable, Coroutine
from contextlib import aclosing, asynccontextmanager
from datetime import UTC, datetime
from typing import Any, TypeVar

from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import JSONResponse, PlainTextResponse, Response, StreamingResponse
from starlette.routing import Route

from studio.engine.models.embedded import asked, embeddings
from studio.engine.models.embedded.asked import (
    ChatRequest,
    EmbedRequest,
    GenerateRequest,
    Message,
    NamedRequest,
    Refusal,
)
from studio.engine.models.embedded.card import VERSION, rfc3339
from studio.engine.models.embedded.engine import Engine
from studio.engine.models.embedded.options import Options
from studio.engine.models.embedded.reply import Line, Turn, folded

_T = TypeVar("_T")
_JSON = "application/json; charset=utf-8"
_LINES = "application/x-ndjson"
_GONE = 499


class Api:
    """The endpoints over one model."""

    def __init__(self, engine: Engine) -> None:
        self._engine = engine

    async def root(self, _request: Request) -> Response:
        return PlainTextResponse("Ollama is running")

    async def version(self, _request: Request) -> Response:
        return _answer({"version": VERSION})

    async def tags(self, _request: Request) -> Response:
        return _answer({"models": [self._engine.card.listed()]})

    async def ps(self, _request: Request) -> Response:
        return _answer({"models": self._engine.loaded()})

    async def show(self, request: Request) -> Response:
        wanted = asked.decode(NamedRequest, await request.body())
        asked.named(wanted.model or wanted.name)
        return _answer(self._engine.card.shown())

    async def delete(self, request: Request) -> Response:
        wanted = asked.decode(NamedRequest, await request.body())
        asked.named(wanted.model or wanted.name)
        raise Refusal(500, "the embedded model cannot be deleted")

    async def pull(self, request: Request) -> Response:
        wanted = asked.decode(NamedRequest, await request.body())
        name = wanted.model or wanted.name or ""
        return _pulled(name, stream=wanted.stream is not False)

    async def chat(self, request: Request) -> Response:
        wanted = asked.decode(ChatRequest, await request.body())
        return await self._talk(request, wanted, _as_is, {"message": _NOTHING})

    async def generate(self, request: Request) -> Response:
        wanted = asked.decode(GenerateRequest, await request.body())
        as_chat = _as_chat(wanted)
        return await self._talk(request, as_chat, _as_generated, {"response": ""}, raw=wanted.raw)

    async def embed(self, request: Request) -> Response:
        wanted = asked.decode(EmbedRequest, await request.body())
        return _answer(await asyncio.to_thread(embeddings.embed, wanted))

    async def _talk(
        self,
        request: Request,
        wanted: ChatRequest,
        shaped: Callable[[Line], Line],
        nothing: dict[str, Any],
        *,
        raw: bool | None = None,
    ) -> Response:
        model = asked.named(wanted.model)
        asked.check_thinking(model, wanted.think)
        seconds = asked.keep_alive(wanted.keep_alive)
        asked.check_messages(wanted.messages or [])
        head = {"model": model, "created_at": rfc3339(datetime.now(UTC))}
        options = Options(wanted.options, self._engine.card.trained_window)
        if not wanted.messages:
            return _answer(head | nothing | await self._only_load(options, seconds))
        turn = Turn(self._engine.llama, wanted, options, raw=bool(raw))
        if wanted.debug_render_only:
            debug = {"rendered_template": turn.rendered()}
            return _answer(head | _UNSAID | {"done": False, "_debug_info": debug})
        lines = self._lines(turn, options, seconds)
        if wanted.stream is False:
            whole = folded(await _unless_gone(request, _all(lines)))
            return _answer(shaped(whole))
        first = await _unless_gone(request, anext(lines))
        return StreamingResponse(_written(first, lines, shaped), media_type=_LINES)

    async def _only_load(self, options: Options, seconds: float) -> dict[str, Any]:
        if seconds == 0:
            await self._engine.unload()
        else:
            async with self._engine.turn(options.window, seconds) as llama:
                await llama.load(options.window)
        return {"done": True, "done_reason": "load" if seconds else "unload"}

    async def _lines(
        self, turn: Turn, options: Options, seconds: float
    ) -> AsyncGenerator[Line, None]:
        async with self._engine.turn(options.window, seconds), aclosing(turn.lines()) as lines:
            async for line in lines:
                yield line


_NOTHING = {"role": "assistant", "content": ""}
_UNSAID = {"message": {"role": "", "content": ""}}


def make_app(engine: Engine) -> Starlette:
    """The server's application; the model is freed when it ends."""
    api = Api(engine)

    @asynccontextmanager
    async def lifespan(_app: Starlette) -> AsyncIterator[None]:
        yield
        await engine.unload()

    return Starlette(
        routes=[
            Route("/", api.root),
            Route("/api/version", api.version),
            Route("/api/tags", api.tags),
            Route("/api/ps", api.ps),
            Route("/api/show", api.show, methods=["POST"]),
            Route("/api/chat", api.chat, methods=["POST"]),
            Route("/api/generate", api.generate, methods=["POST"]),
            Route("/api/embed", api.embed, methods=["POST"]),
            Route("/api/pull", api.pull, methods=["POST"]),
            Route("/api/delete", api.delete, methods=["DELETE"]),
        ],
        exception_handlers={Refusal: _refuse, HTTPException: _no_route, Exception: _broke},
        lifespan=lifespan,
    )


async def _unless_gone(request: Request, work: Coroutine[Any, Any, _T] | Awaitable[_T]) -> _T:
    """The result of `work`, which is cancelled when the client closes the connection."""
    task = asyncio.ensure_future(work)
    gone = asyncio.ensure_future(_disconnected(request))
    try:
        await asyncio.wait({task, gone}, return_when=asyncio.FIRST_COMPLETED)
        if not task.done():
            raise Refusal(_GONE, "request canceled")
        return task.result()
    finally:
        for one in (task, gone):
            one.cancel()
        await asyncio.gather(task, gone, return_exceptions=True)


async def _disconnected(request: Request) -> None:
    while (await request.receive())["type"] != "http.disconnect":
        pass


async def _all(lines: AsyncGenerator[Line, None]) -> list[Line]:
    async with aclosing(lines):
        return [line async for line in lines]


async def _written(
    first: Line, lines: AsyncGenerator[Line, None], shaped: Callable[[Line], Line]
) -> AsyncIterator[bytes]:
    async with aclosing(lines):
        yield _line(shaped(first))
        try:
            async for line in lines:
                yield _line(shaped(line))
        except Refusal as refusal:
            # The status has gone out; the last line tells.
            yield _line({"error": refusal.text})


def _as_is(line: Line) -> Line:
    return line


def _as_generated(line: Line) -> Line:
    shaped = {"response" if key == "message" else key: value for key, value in line.items()}
    return shaped | {"response": line["message"]["content"]}


def _as_chat(wanted: GenerateRequest) -> ChatRequest:
    messages = [Message("system", wanted.system)] if wanted.system and wanted.prompt else []
    if wanted.prompt:
        messages.append(Message("user", wanted.prompt))
    return ChatRequest(
        model=wanted.model,
        messages=messages,
        options=wanted.options,
        stream=wanted.stream,
        keep_alive=wanted.keep_alive,
        truncate=wanted.truncate,
        shift=wanted.shift,
        format=wanted.format,
        think=wanted.think,
        logprobs=wanted.logprobs,
        top_logprobs=wanted.top_logprobs,
        debug_render_only=wanted.debug_render_only,
    )


def _pulled(name: str, *, stream: bool) -> Response:
    """What a pull brings: our model is here, others cannot be had by this server."""
    if not name or any(character.isspace() for character in name):
        raise Refusal(400, "invalid model name")
    try:
        asked.named(name)
        last = {"status": "success"}
    except Refusal:
        last = {"error": "pull model manifest: the embedded server has no registry"}
    if not stream:
        return _answer(last, 500 if "error" in last else 200)
    text = "".join(json.dumps(line) + "\n" for line in ({"status": "pulling manifest"}, last))
    return Response(text, media_type=_LINES)


def _line(line: Line) -> bytes:
    return json.dumps(line, ensure_ascii=False, separators=(",", ":")).encode() + b"\n"


def _answer(body: dict[str, Any], status: int = 200) -> Response:
    return JSONResponse(body, status, media_type=_JSON)


async def _refuse(_request: Request, error: Exception) -> Response:
    if not isinstance(error, Refusal):
        raise error
    return _answer({"error": error.text}, error.status)


async def _broke(_request: Request, error: Exception) -> Response:
    # Starlette logs it too; a client is told in the shape that it reads.
    return _answer({"error": f"an error was encountered while running the model: {error}"}, 500)


async def _no_route(_request: Request, error: Exception) -> Response:
    if not isinstance(error, HTTPException):
        raise error
    known = {404: "404 page not found", 405: "405 method not allowed"}
    return Response(
        known.get(error.status_code, error.detail), error.status_code, media_type="text/plain"
    )
