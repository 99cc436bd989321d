"""What an Ollama server is and has.  Every failure says which address, and what to do."""

import asyncio
import json
import re
from collections.abc import AsyncGenerator, AsyncIterator
from contextlib import asynccontextmanager
from types import TracebackType
from typing import Any, Self

import httpx

from studio.engine.errors import ServerError
from studio.engine.models import failures
from studio.engine.models.addresses import parse_address
from studio.engine.models.listed import found_model, loaded_model
from studio.engine.models.names import same_model
from studio.engine.models.options import options_of
from studio.engine.offers import FoundModel, LoadedModel
from studio.engine.plain import plain_text
from studio.engine.records import JsonObject, ModelSpec

OLDEST_VERSION = (0, 9, 0)
"""The first version that streams tool calls and tells thinking from text."""

_MOST_BYTES = 64_000_000
"""No list and no line of a server is longer: what goes on after that is no Ollama server."""

_VERSION = "/api/version"
_FROM_IN_FRONT = {httpx.codes.UNAUTHORIZED, httpx.codes.FORBIDDEN}

_LOAD_SECONDS = 600.0
"""A large model may take minutes to load; whoever waits may cancel."""


class NotOllama(ServerError):
    """Something answers at the address, but it is no Ollama server."""


class OllamaServer:
    """One server, asked over a connection of its own (never through a proxy).

    `seconds` is how long it may take to answer.  Every method raises ServerError.
    """

    def __init__(self, address: str, *, seconds: float = 10.0) -> None:
        self.address = parse_address(address)
        self._seconds = seconds
        self._client = httpx.AsyncClient(
            base_url=self.address,
            trust_env=False,
            # A redirect would contact a host that nobody named.
            follow_redirects=False,
            headers={"Accept-Encoding": "identity"},
            verify=self.address.startswith("https"),
        )

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        await self.close()

    async def close(self) -> None:
        await self._client.aclose()

    async def version(self) -> str:
        """The server's version; also the proof that it is an Ollama server at all."""
        said = await self._json("GET", _VERSION)
        version = said.get("version")
        if not isinstance(version, str):
            raise self._no_ollama()
        return plain_text(version, 100)

    async def models(self) -> tuple[FoundModel, ...]:
        """The models that the server has, in its own order."""
        said = await self._json("GET", "/api/tags")
        models = said.get("models")
        if not isinstance(models, list):
            raise self._no_ollama()
        found = (found_model(model) for model in models if isinstance(model, dict))
        return tuple(model for model in found if model.name)

    async def show(self, model: str) -> FoundModel:
        """What the server knows of one model; its digest and size are in `models` only."""
        return found_model(
            await self._json("POST", "/api/show", {"model": model}) | {"name": model}
        )

    async def ps(self) -> tuple[LoadedModel, ...]:
        """The models in memory, each with the window that was really allocated."""
        said = await self._json("GET", "/api/ps")
        models = said.get("models")
        return tuple(loaded_model(model) for model in models or () if isinstance(model, dict))

    async def held(self, model: str) -> LoadedModel | None:
        """The model as it stands in memory; None if it is not there, or the server does not say."""
        try:
            loaded = await self.ps()
        except ServerError:
            return None  # an older server
        return next((each for each in loaded if same_model(each.name, model)), None)

    async def load(self, spec: ModelSpec) -> None:
        """Load the model now, with its options, so that the first trial does not pay for it."""
        fields = {"options": options_of(spec), "keep_alive": spec.keep_alive}
        await self._chat_nothing(spec.name, fields)

    async def unload(self, model: str) -> None:
        """Free the memory that the model takes."""
        await self._chat_nothing(model, {"keep_alive": 0})

    async def delete(self, model: str) -> None:
        """Delete the model from the server's disk."""
        async with self._asked("DELETE", "/api/delete", {"model": model}) as answer:
            await _whole(answer)

    async def lines(
        self, path: str, body: JsonObject, *, silence: float
    ) -> AsyncGenerator[bytes, None]:
        """The lines of a streamed answer as they come, white space apart.

        `silence` is how many seconds the server may say nothing.  Closing it closes the
        connection, on which the server stops what it does.
        """
        pending = b""
        async with self._asked("POST", path, body, silence=silence) as answer:
            async for data in answer.aiter_raw():
                *lines, pending = (pending + data).split(b"\n")
                for line in lines:
                    if line.strip():
                        yield line
                if len(pending) > _MOST_BYTES:
                    raise self._no_ollama()
        if pending.strip():
            yield pending

    async def _chat_nothing(self, model: str, fields: JsonObject) -> None:
        body = {"model": model, "messages": [], "stream": False, **fields}
        await self._json("POST", "/api/chat", body, silence=_LOAD_SECONDS)

    async def _json(
        self, method: str, path: str, body: JsonObject | None = None, *, silence: float = 0.0
    ) -> dict[str, Any]:
        async with self._asked(method, path, body, silence=silence) as answer:
            try:
                said = json.loads(await _whole(answer))
            except (ValueError, RecursionError):
                raise self._no_ollama() from None
        if not isinstance(said, dict):
            raise self._no_ollama()
        return said

    @asynccontextmanager
    async def _asked(
        self, method: str, path: str, body: JsonObject | None, *, silence: float = 0.0
    ) -> AsyncIterator[httpx.Response]:
        """The answer once its head is here and says success."""
        limit = httpx.Timeout(self._seconds, read=silence or self._seconds)
        is_answering = False
        try:
            async with self._client.stream(method, path, json=body, timeout=limit) as answer:
                is_answering = True
                if answer.status_code != httpx.codes.OK:
                    raise self._refusal(path, answer.status_code, await _whole(answer))
                yield answer
        except httpx.RemoteProtocolError as error:
            if "illegal" in str(error):  # it speaks, but not HTTP
                raise self._no_ollama() from error
            raise self._lost(error, is_answering=is_answering) from error
        except httpx.TransportError as error:
            raise self._lost(error, is_answering=is_answering) from error

    def _lost(self, error: httpx.TransportError, *, is_answering: bool) -> ServerError:
        return failures.from_transport(error, self.address, is_answering=is_answering)

    def _refusal(self, path: str, status: int, body: bytes) -> ServerError:
        if _holds_error(body) and not (path == _VERSION and status == httpx.codes.NOT_FOUND):
            return failures.from_status(status, body.decode("utf-8", "replace"))
        # Ollama tells its errors as JSON.  Not so whatever stands before it and fails, or asks
        # who is there.
        if status in _FROM_IN_FRONT or status >= httpx.codes.INTERNAL_SERVER_ERROR:
            words = body.decode("utf-8", "replace").strip()
            told = f": {failures.quoted(words)}" if words and "<" not in words else "."
            return ServerError(
                f"What answers at {self.address} lets nothing through to a model server "
                f"(status {status}){told}",
                "See whether a proxy or a sign-in stands before the server, and whether it runs.",
            )
        return self._no_ollama()

    def _no_ollama(self) -> NotOllama:
        return NotOllama(
            f"What answers at {self.address} is no Ollama server.",
            f"Correct the address {failures.WHERE_NAMED}",
        )


async def _whole(answer: httpx.Response) -> bytes:
    """The body, read to its end; what is longer than any answer of Ollama's is cut."""
    parts: list[bytes] = []
    size = 0
    async for part in answer.aiter_raw():
        parts.append(part)
        size += len(part)
        if size > _MOST_BYTES:
            break
    return b"".join(parts)


def _holds_error(body: bytes) -> bool:
    try:
        said = json.loads(body)
    except (ValueError, RecursionError):
        return False
    return isinstance(said, dict) and isinstance(said.get("error"), str)


def is_too_old(version: str) -> bool:
    """Whether a server of that version lacks what the studio needs.

    A build from source calls itself 0.0.0; what cannot be read is not held against the server.
    """
    numbers = re.match(r"v?(\d+)\.(\d+)\.(\d+)", version)
    if numbers is None:
        return False
    parts = tuple(map(int, numbers.groups()))
    return (0, 0, 0) < parts < OLDEST_VERSION


def too_old(address: str, version: str) -> ServerError:
    """The error for a server that lacks what the studio needs."""
    oldest = ".".join(map(str, OLDEST_VERSION))
    return ServerError(
        f"The Ollama server at {address} has version {version}.", f"Update it to {oldest} or newer."
    )


async def answers(address: str, *, seconds: float = 1.0) -> bool:
    """Whether an Ollama server answers at that address within `seconds`."""
    async with OllamaServer(address, seconds=seconds) as server:
        try:
            async with asyncio.timeout(seconds):
                await server.version()
        except (ServerError, TimeoutError):
            return False
    return True
