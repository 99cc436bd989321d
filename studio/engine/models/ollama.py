"""What an Ollama server is and has.  Every failure says which address, and what to do."""

import asyncio
import difflib
import re
from collections.abc import Mapping, Sequence
from types import TracebackType
from typing import Any, Self
from urllib.parse import urlsplit

import httpx

from studio.engine.errors import ServerError
from studio.engine.messages import FoundModel
from studio.engine.models import failures
from studio.engine.plain import plain, plain_text
from studio.engine.records import JsonObject, ModelSpec

DEFAULT_ADDRESS = "http://127.0.0.1:11434"
OLDEST_VERSION = (0, 9, 0)
"""The first version that streams tool calls and tells thinking from text."""

DEFAULT_WINDOW = 4_096
"""The window in tokens (`num_ctx`) of a model whose spec states none."""

_PORTS = {"http": 80, "https": 443}


def options_of(spec: ModelSpec) -> JsonObject:
    """The options of every request to a model, a window always among them.

    They must be the same when it is loaded and when it is asked: a change loads it again.
    """
    return {"num_ctx": DEFAULT_WINDOW, **spec.options}


def parse_address(host: str) -> str:
    """`host` as Ollama itself reads OLLAMA_HOST, as an address that can be asked.

    A scheme, a port and a path may be missing; "" is the default address; the addresses that mean
    "listen everywhere" (0.0.0.0 and ::) are asked on loopback.  Raises ServerError.
    """
    text = host.strip().strip("\"'").rstrip("/")
    scheme, separator, rest = text.partition("://")
    if not separator:
        scheme, rest = "http", text
    if rest.count(":") > 1 and not rest.startswith("["):
        rest = f"[{rest}]"
    try:
        parts = urlsplit(f"{scheme}://{rest}")
        name, port = parts.hostname or "127.0.0.1", parts.port
        if scheme not in _PORTS or " " in name or parts.query or parts.fragment or parts.username:
            raise ValueError(text)
        if port is None:
            port = _PORTS[scheme] if separator else 11_434
        name = {"0.0.0.0": "127.0.0.1", "::": "::1"}.get(name, name)
        shown = f"[{name}]" if ":" in name else name
        return str(httpx.URL(f"{scheme}://{shown}:{port}{parts.path}"))
    except (ValueError, httpx.InvalidURL):
        problem = f"{plain_text(host, 200)!r} is no server address."
        raise ServerError(problem, f"Write it like {DEFAULT_ADDRESS}.") from None


class OllamaServer:
    """One server, asked over a connection of its own (never through a proxy).

    `seconds` is how long it may take to answer.  Every method raises ServerError.
    """

    def __init__(self, address: str, *, seconds: float = 10.0) -> None:
        self.address = parse_address(address)
        self._client = httpx.AsyncClient(
            base_url=self.address,
            timeout=httpx.Timeout(seconds),
            trust_env=False,
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
        said = await self._json("GET", "/api/version")
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
        return tuple(_found(model) for model in models if isinstance(model, dict))

    async def show(self, model: str) -> FoundModel:
        """What the server knows of one model; its digest and size are in `models` only."""
        said = await self._json("POST", "/api/show", {"model": model})
        info = said.get("model_info")
        lengths = (
            value
            for key, value in (info.items() if isinstance(info, dict) else ())
            if key.endswith(".context_length")
        )
        return _found({"name": model, "context_length": next(lengths, None)} | said)

    async def ps(self) -> tuple[FoundModel, ...]:
        """The models in memory; `context_length` is the window that was really allocated."""
        said = await self._json("GET", "/api/ps")
        models = said.get("models")
        return tuple(_found(model) for model in models or () if isinstance(model, dict))

    async def load(self, spec: ModelSpec) -> None:
        """Load the model now, with its options, so that the first trial does not pay for it."""
        fields = {"options": options_of(spec), "keep_alive": spec.keep_alive}
        await self._chat_nothing(spec.name, fields)

    async def unload(self, model: str) -> None:
        """Free the memory that the model takes."""
        await self._chat_nothing(model, {"keep_alive": 0})

    async def _chat_nothing(self, model: str, fields: JsonObject) -> None:
        body = {"model": model, "messages": [], "stream": False, **fields}
        # A large model may take minutes to load; whoever waits may cancel.
        await self._json("POST", "/api/chat", body, limit=httpx.Timeout(600.0))

    async def _json(
        self,
        method: str,
        path: str,
        body: JsonObject | None = None,
        *,
        limit: httpx.Timeout | None = None,
    ) -> dict[str, Any]:
        limit = limit or self._client.timeout
        try:
            answer = await self._client.request(method, path, json=body, timeout=limit)
        except httpx.TransportError as error:
            raise failures.from_transport(error, self.address) from error
        if answer.status_code == httpx.codes.NOT_FOUND and not _holds_error(answer):
            raise self._no_ollama()
        if answer.status_code != httpx.codes.OK:
            raise failures.from_status(answer.status_code, answer.text)
        try:
            said = answer.json()
        except (ValueError, RecursionError):
            raise self._no_ollama() from None
        if not isinstance(said, dict):
            raise self._no_ollama()
        return said

    def _no_ollama(self) -> ServerError:
        return ServerError(
            f"What answers at {self.address} is no Ollama server.",
            "Correct the server's address in the model settings.",
        )


def _holds_error(answer: httpx.Response) -> bool:
    try:
        said = answer.json()
    except (ValueError, RecursionError):
        return False
    return isinstance(said, dict) and "error" in said


def _found(said: Mapping[str, Any]) -> FoundModel:
    details = said.get("details")
    details = details if isinstance(details, dict) else {}
    capabilities = said.get("capabilities")
    length = said.get("context_length") or details.get("context_length")
    return FoundModel(
        name=_text(said.get("name") or said.get("model")),
        size=size if isinstance(size := said.get("size"), int) else 0,
        digest=_text(said.get("digest")),
        family=_text(details.get("family")),
        parameters=_text(details.get("parameter_size")),
        quantization=_text(details.get("quantization_level")),
        context_length=length if isinstance(length, int) else None,
        capabilities=(
            tuple(map(str, plain(capabilities))) if isinstance(capabilities, list) else None
        ),
    )


def _text(value: object) -> str:
    return plain_text(value, 500) if isinstance(value, str) else ""


def is_too_old(version: str) -> bool:
    """Whether a server of that version lacks what the studio needs.

    A build from source calls itself 0.0.0; what cannot be read is not held against the server.
    """
    numbers = re.match(r"v?(\d+)\.(\d+)\.(\d+)", version)
    if numbers is None:
        return False
    parts = tuple(map(int, numbers.groups()))
    return (0, 0, 0) < parts < OLDEST_VERSION


def full_name(model: str) -> str:
    """A model's name with its tag: `m` and `m:latest` are the same model."""
    return model if ":" in model.rpartition("/")[2] else f"{model}:latest"


def pick(model: str, found: Sequence[FoundModel]) -> FoundModel | None:
    """The model of that name among those found, whether or not its tag was written."""
    wanted = full_name(model).casefold()
    return next((each for each in found if full_name(each.name).casefold() == wanted), None)


def model_missing(model: str, address: str, found: Sequence[FoundModel]) -> ServerError:
    """The error for a model that the server does not have, with the names nearest to it."""
    names = [each.name for each in found]
    near = difflib.get_close_matches(model, names, n=3, cutoff=0.4)
    same_family = [name for name in names if name.partition(":")[0] == model.partition(":")[0]]
    nearest = list(dict.fromkeys([*same_family, *near]))[:3] or names[:3]
    remedy = f"Run `ollama pull {model}`"
    remedy += f", or choose {' or '.join(nearest)}." if nearest else "."
    return ServerError(f"The server at {address} has no model {model!r}.", remedy)


async def answers(address: str, *, seconds: float = 1.0) -> bool:
    """Whether an Ollama server answers at that address within `seconds`."""
    async with OllamaServer(address, seconds=seconds) as server:
        try:
            async with asyncio.timeout(seconds):
                await server.version()
        except (ServerError, TimeoutError):
            return False
    return True
