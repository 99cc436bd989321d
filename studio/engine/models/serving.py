"""One server and one model: whether the one can run the other, asked before a run starts.

AUTO means the server of this machine (OLLAMA_HOST, else port 11434 of loopback), except for the
embedded server's own model, which always runs there: a project that names it gives the same
results whether or not Ollama is installed.  (What the user's settings say of AUTO: see `pooling`.)
"""

import time
from typing import NamedTuple, Protocol

from msgspec.structs import replace

from studio.engine.errors import ServerError
from studio.engine.models import failures
from studio.engine.models.addresses import local_address, parse_address
from studio.engine.models.names import is_embedded_model, model_missing, pick
from studio.engine.models.ollama import OllamaServer, answers, is_too_old, too_old
from studio.engine.offers import EMBEDDED_MODEL
from studio.engine.records import AUTO, EMBEDDED, JsonObject, ModelSpec
from studio.engine.server_facts import ServerFacts


class Embedded(Protocol):
    """The embedded server, started when its address is first asked for."""

    async def address(self) -> str: ...


class Fit(NamedTuple):
    """A server found fit, and the options that the model's own file sets there."""

    facts: ServerFacts
    options: JsonObject


async def address_of(server: str, model: str, embedded: Embedded) -> tuple[str, bool]:
    """The address that `server` (AUTO, EMBEDDED or one) means for a model; whether it is embedded.

    Raises ServerError if nothing there can run the model.
    """
    is_own = is_embedded_model(model)
    if server == EMBEDDED or (server == AUTO and is_own):
        if not is_own:
            raise ServerError(
                f"The embedded server has no model {model!r}.",
                f"Choose {EMBEDDED_MODEL}, or an Ollama server.",
            )
        return await embedded.address(), True
    if server != AUTO:
        return parse_address(server), False
    address = local_address()
    if not await answers(address):
        advice = failures.start_advice(address)
        raise ServerError(
            f"No Ollama server answers at {address}, and the embedded one has no model {model!r}.",
            f"{advice} Or choose {EMBEDDED_MODEL}.",
        )
    return address, False


async def fit(server: str, spec: ModelSpec, embedded: Embedded, *, with_tools: bool) -> Fit:
    """The server (AUTO, EMBEDDED or an address), found fit to run what `spec` says.

    Raises ServerError: nothing answers, no Ollama server, too old, no such model, a model that
    cannot call tools though it will be offered some, or a window larger than it was trained for.
    """
    address, is_embedded = await address_of(server, spec.name, embedded)
    async with OllamaServer(address) as asked:
        version = await asked.version()
        if is_too_old(version):
            raise too_old(address, version)
        found = await asked.models()
        model = pick(spec.name, found)
        if model is None:
            raise model_missing(spec.name, address, found)
        shown = await asked.show(model.name)
    facts = ServerFacts(
        address=address,
        version=version,
        is_embedded=is_embedded,
        model_digest=model.digest,
        context_length=shown.context_length or model.context_length,
        capabilities=shown.capabilities or model.capabilities,
    )
    check_fit(spec, facts, with_tools=with_tools)
    return Fit(facts, shown.options)


async def loaded(spec: ModelSpec, facts: ServerFacts) -> ServerFacts:
    """Load the model there now; the facts with the window that it was given and the time it took.

    Raises ServerError.
    """
    began = time.monotonic()
    async with OllamaServer(facts.address) as server:
        await server.load(spec)
        took = time.monotonic() - began
        held = await server.held(spec.name)
    window = held.window if held is not None else None
    return replace(facts, window=window, load_seconds=took)


def check_fit(spec: ModelSpec, facts: ServerFacts, *, with_tools: bool) -> None:
    """Raise ServerError if the model cannot do what it will be asked for.

    A server that does not say what a model can do is not doubted.
    """
    if facts.capabilities is not None:
        _check_capabilities(spec, facts.capabilities, with_tools=with_tools)
    window = spec.options.get("num_ctx", 0)
    trained = facts.context_length
    if trained and isinstance(window, int) and window > trained:
        raise ServerError(
            f"num_ctx is {window:,}, but {spec.name} was trained for {trained:,} tokens and the "
            "server would cut the window to that without saying so.",
            f"Set num_ctx to at most {trained}.",
        )


def _check_capabilities(
    spec: ModelSpec, capabilities: tuple[str, ...], *, with_tools: bool
) -> None:
    if with_tools and "tools" not in capabilities:
        raise ServerError(
            f"{spec.name} cannot call tools on this server (its template has no place for them).",
            "Choose another model, or a tool set without tools.",
        )
    if spec.think and "thinking" not in capabilities:
        raise ServerError(
            f"{spec.name} cannot think on this server.",
            "Take `think: true` away from this model's settings.",
        )
