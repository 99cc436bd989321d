"""The one chat-model factory: langchain-ollama over a transport of ours.

The transport adds what langchain-ollama cannot say (`truncate` and `shift` off, so that a server
refuses a prompt that is too long rather than cutting it in silence; every option by its own name;
tool schemas and tool names as they are, which the client below thins out) and reads the facts of
the reply on the way back (see `exchange`).
"""

import logging
from collections.abc import AsyncIterator, Mapping
from typing import Any

import httpx
import langsmith
import msgspec
from typing_extensions import override

from studio.engine.models import exchange as wire
from studio.engine.models import failures
from studio.engine.models.client import ChatOllama
from studio.engine.models.exchange import Exchange
from studio.engine.models.options import options_of
from studio.engine.records import JsonObject, ModelSpec

CONNECT_SECONDS = 5.0
_MOST_CONNECTIONS = 64
_KEYS_HOST = "ollama.com"
"""Who may be told OLLAMA_API_KEY: the client below would tell it to every server."""

# The libraries below would send every run to a host of their own if the environment said so.
langsmith.configure(enabled=False)
# What it warns of is told with the trial, and would stand in the middle of a terminal.
logging.getLogger("langchain_ollama").setLevel(logging.ERROR)


class OllamaChat(ChatOllama):
    """ChatOllama whose connections can be closed."""

    async def aclose(self) -> None:
        """Close the pool of connections; the model cannot be asked any more."""
        await self._async_client.close()  # type: ignore[no-untyped-call]  # ollama leaves it out


def chat_model(spec: ModelSpec, address: str, *, time_limit: float) -> OllamaChat:
    """The chat model that `spec` describes, at the server with that address.

    `time_limit` is how many seconds the server may say nothing.  Requests of one model share a
    pool of connections, used from one event loop only; close it with `aclose`.
    """
    transport = RecordingTransport(
        httpx.AsyncHTTPTransport(
            verify=address.startswith("https"),
            trust_env=False,
            limits=httpx.Limits(max_connections=None, max_keepalive_connections=_MOST_CONNECTIONS),
        ),
        address,
        options_of(spec),
    )
    client = {
        "timeout": httpx.Timeout(time_limit, connect=min(CONNECT_SECONDS, time_limit)),
        "trust_env": False,
        # A redirect would contact a host that nobody named.
        "follow_redirects": False,
        "headers": {"Accept-Encoding": "identity"},
    }
    return OllamaChat(
        model=spec.name,
        base_url=address,
        reasoning=spec.think,
        keep_alive=spec.keep_alive,
        client_kwargs=client,
        async_client_kwargs={"transport": transport},
        # Never asked: the engine is asynchronous throughout.
        sync_client_kwargs={"transport": httpx.MockTransport(_refuse)},
    )


def _refuse(_request: httpx.Request) -> httpx.Response:
    raise RuntimeError("this model is asked with `await model.ainvoke(...)` only")


class RecordingTransport(httpx.AsyncBaseTransport):
    """Passes requests on; chat requests are completed, and their replies read, on the way."""

    def __init__(self, inner: httpx.AsyncBaseTransport, address: str, options: JsonObject) -> None:
        self._inner = inner
        self._address = address
        self._options = options

    @override
    async def handle_async_request(self, request: httpx.Request) -> httpx.Response:
        if not request.url.path.endswith("/api/chat"):
            return await self._inner.handle_async_request(request)
        exchange = wire.current()
        body = self._completed(request.content, exchange)
        completed = _with_body(request, body)
        exchange.began(body)
        is_answering = False
        try:
            response = await self._inner.handle_async_request(completed)
            is_answering = True
            if response.status_code != httpx.codes.OK:
                said = (await response.aread()).decode("utf-8", "replace")
                await response.aclose()
                raise failures.from_status(response.status_code, said)
        except httpx.TransportError as error:
            raise failures.from_transport(
                error, self._address, is_answering=is_answering
            ) from error
        return httpx.Response(
            response.status_code,
            headers={"Content-Type": response.headers.get("Content-Type", "")},
            stream=_ReplyStream(response, exchange, self._address),
            extensions=response.extensions,
        )

    def _completed(self, content: bytes, exchange: Exchange) -> dict[str, Any]:
        body: dict[str, Any] = msgspec.json.decode(content)
        body["options"] = {**self._options, **exchange.options, **(body.get("options") or {})}
        body["truncate"] = False
        body["shift"] = False
        body.update(exchange.fields)
        _name_tool_results(body["messages"])
        return body

    @override
    async def aclose(self) -> None:
        await self._inner.aclose()


def _with_body(request: httpx.Request, body: Mapping[str, Any]) -> httpx.Request:
    headers = request.headers.copy()
    del headers["Content-Length"]
    if request.url.host != _KEYS_HOST and "Authorization" in headers:
        del headers["Authorization"]
    return httpx.Request(
        request.method,
        request.url,
        headers=headers,
        content=msgspec.json.encode(body),
        extensions=request.extensions,
    )


def _name_tool_results(messages: list[dict[str, Any]]) -> None:
    """Say of each tool message which tool it is from: some models' templates ask for it."""
    names: list[str] = []
    for message in messages:
        if calls := message.get("tool_calls"):
            names = [call["function"]["name"] for call in calls]
        elif message["role"] == "tool" and names:
            message.setdefault("tool_name", names.pop(0))


class _ReplyStream(httpx.AsyncByteStream):
    """The reply, cut into whole lines, each read by the exchange before the client sees it."""

    def __init__(self, response: httpx.Response, exchange: Exchange, address: str) -> None:
        self._response = response
        self._exchange = exchange
        self._address = address

    @override
    async def __aiter__(self) -> AsyncIterator[bytes]:
        pending = b""
        try:
            async for data in self._response.aiter_raw():
                *lines, pending = (pending + data).split(b"\n")
                for line in lines:
                    if line.strip():
                        yield self._exchange.read(line) + b"\n"
        except httpx.TransportError as error:
            if not self._exchange.is_done:
                raise failures.from_transport(error, self._address) from error
        if pending.strip():
            yield self._exchange.read(pending) + b"\n"
        self._exchange.end()

    @override
    async def aclose(self) -> None:
        await self._response.aclose()
