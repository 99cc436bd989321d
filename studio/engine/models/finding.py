"""What a server is and has: asked in one go, and told whatever comes of it."""

import asyncio
from collections.abc import Sequence

from msgspec.structs import replace

from studio.engine.errors import ServerError
from studio.engine.model_messages import ModelsFound
from studio.engine.models.embedded.card import CAPABILITIES
from studio.engine.models.embedded.weights import MODEL, WEIGHTS
from studio.engine.models.ollama import NotOllama, OllamaServer, is_too_old, too_old
from studio.engine.offers import FoundModel, LoadedModel, Standing
from studio.engine.records import EMBEDDED
from studio.engine.server_facts import ServerFacts

# What these very weights say of themselves once somebody looks into them.
_EMBEDDED_MODEL = FoundModel(
    MODEL, WEIGHTS.size, WEIGHTS.sha256, "llama", "134.52M", "Q4_1", 8_192, CAPABILITIES
)
_ANSWER_SECONDS = 5.0
_MOST_SECONDS = 60.0
_SHOWN_AT_ONCE = 4


async def read_server(server: str, address: str) -> ModelsFound:
    """Ask the server at `address`, which is listed as `server`.  Never raises a ServerError."""
    try:
        async with (
            asyncio.timeout(_MOST_SECONDS),
            OllamaServer(address, seconds=_ANSWER_SECONDS) as asked,
        ):
            return await _read(server, asked)
    except NotOllama as error:
        return _failed(server, Standing.NOT_OLLAMA, error)
    except ServerError as error:
        return _failed(server, Standing.UNREACHABLE, error)
    except TimeoutError:
        slow = ServerError(
            f"The server at {address} has not told in {_MOST_SECONDS:.0f} seconds what it has.",
            "See what it is doing, and ask again.",
        )
        return _failed(server, Standing.UNREACHABLE, slow)


def not_started() -> ModelsFound:
    """What is known of the embedded server before it was started."""
    return ModelsFound(EMBEDDED, None, (_EMBEDDED_MODEL,), standing=Standing.IDLE, loaded=())


async def _read(server: str, asked: OllamaServer) -> ModelsFound:
    version = await asked.version()
    facts = ServerFacts(asked.address, version, is_embedded=server == EMBEDDED)
    if is_too_old(version):
        error = too_old(asked.address, version)
        found = ModelsFound(
            server, facts, standing=Standing.TOO_OLD, problem=error.problem, remedy=error.remedy
        )
        try:
            return replace(found, models=await asked.models(), loaded=await _loaded(asked))
        except ServerError:
            return found  # what so old a server cannot tell is no news
    models = await completed(asked, await asked.models())
    return ModelsFound(server, facts, models, loaded=await _loaded(asked))


async def _loaded(asked: OllamaServer) -> tuple[LoadedModel, ...] | None:
    try:
        return await asked.ps()
    except NotOllama:
        return None  # older servers do not know the question


async def completed(asked: OllamaServer, models: Sequence[FoundModel]) -> tuple[FoundModel, ...]:
    """The models with what a server may tell of them in /api/show only."""
    one_of_few = asyncio.Semaphore(_SHOWN_AT_ONCE)

    async def complete(model: FoundModel) -> FoundModel:
        if model.capabilities is not None and model.context_length is not None:
            return model
        async with one_of_few:
            try:
                shown = await asked.show(model.name)
            except ServerError:
                return model  # a damaged model is listed with what the list says of it
        return replace(
            model,
            capabilities=shown.capabilities if model.capabilities is None else model.capabilities,
            context_length=model.context_length or shown.context_length,
        )

    return tuple(await asyncio.gather(*map(complete, models)))


def _failed(server: str, standing: Standing, error: ServerError) -> ModelsFound:
    return ModelsFound(server, None, problem=error.problem, remedy=error.remedy, standing=standing)
