"""Which servers share the trials of a run: all that are meant, answer and have the same model.

A name says little: `m:latest` may be another model on each server.  Its digest says it.  The first
server that is fit, in the order in which they are named, decides which model is meant; what has
another under its name would mix two models in one figure and is left out.
"""

import asyncio
import contextlib
from collections.abc import Sequence

from msgspec.structs import replace

from studio import settings
from studio.engine.errors import ServerError, StudioError
from studio.engine.models.addresses import local_address, parse_address
from studio.engine.models.known import known_servers
from studio.engine.models.names import is_embedded_model
from studio.engine.models.serving import Embedded, Fit, fit
from studio.engine.offers import KnownServer, same_address
from studio.engine.records import AUTO, EMBEDDED, POOL, ModelSpec
from studio.engine.server_facts import ServerFacts


def as_set(spec: ModelSpec) -> ModelSpec:
    """The spec with what the user's settings say in place of AUTO, if they say something."""
    chosen = settings.load()[0].server
    if spec.server != AUTO or is_embedded_model(spec.name):
        return spec
    return replace(spec, server=chosen)


def meant(spec: ModelSpec, known: Sequence[KnownServer]) -> tuple[str, ...]:
    """The servers that a spec names, each once: AUTO, EMBEDDED or an address.

    Of all that are known the embedded one is none unless the model is its own.  Raises ServerError
    if none is left.
    """
    if spec.server != POOL:
        return spec.servers
    servers = (each.server for each in known)
    found = tuple(each for each in servers if each != EMBEDDED or is_embedded_model(spec.name))
    if not found:
        raise ServerError("No model server is known.", "Name one on the Models page.")
    return found


async def sharing(
    spec: ModelSpec, embedded: Embedded, *, with_tools: bool, digest: str | None = None
) -> tuple[Fit, ...]:
    """The servers that are meant by `spec`, those that can take part first.

    The others follow, with the reason in `left_out`.  `digest` is that of the model that it has to
    be, where that is settled; then it may be that none can take part.  Where it is not, raises
    ServerError if none can run the model at all.
    """
    servers = meant(spec, await asyncio.to_thread(known_servers))
    unfit: list[Fit] = []
    if len(servers) == 1 and digest is None:
        fits = [await fit(servers[0], spec, embedded, with_tools=with_tools)]
    else:
        fits, unfit, problems = await _ask(servers, spec, embedded, with_tools=with_tools)
        if not fits and digest is None:
            raise ServerError(f"No server can run {spec.name}.", "\n".join(problems))
    wanted = fits[0].facts.model_digest if digest is None else digest
    same = [each for each in fits if each.facts.model_digest == wanted]
    if not wanted:
        same = same[:1]  # who does not tell which model it has may have any
    others = [
        _out(each.facts, _other_model(each.facts, wanted)) for each in fits if each not in same
    ]
    return (*same, *others, *unfit)


async def _ask(
    servers: Sequence[str], spec: ModelSpec, embedded: Embedded, *, with_tools: bool
) -> tuple[list[Fit], list[Fit], list[str]]:
    """Which of the servers are fit, each once, which are not under any of their names, and why."""

    async def ask(server: str) -> Fit | StudioError:
        try:
            return await fit(server, spec, embedded, with_tools=with_tools)
        except StudioError as error:
            return error

    fits: list[Fit] = []
    unfit: list[Fit] = []
    problems: list[str] = []
    for server, answer in zip(servers, await asyncio.gather(*map(ask, servers)), strict=True):
        if isinstance(answer, StudioError):
            problems.append(f"{server}: {answer}")
            unfit.append(_out(_unasked(server, spec.name), answer.problem))
        elif not _is_among(answer, fits):
            fits.append(answer)
    return fits, [each for each in unfit if not _is_among(each, fits)], problems


def _is_among(one: Fit, others: Sequence[Fit]) -> bool:
    """Whether the same server is there, under whatever name."""
    return any(same_address(one.facts.address, each.facts.address) for each in others)


def _out(facts: ServerFacts, why: str) -> Fit:
    return Fit(replace(facts, left_out=why, took_part=False), {})


def _unasked(server: str, model: str) -> ServerFacts:
    is_embedded = server == EMBEDDED or (server == AUTO and is_embedded_model(model))
    if is_embedded:
        return ServerFacts(EMBEDDED, "", is_embedded=True)
    address = server if server == AUTO else parse_address(server)
    with contextlib.suppress(ServerError):  # OLLAMA_HOST is no address, which was told
        address = local_address() if server == AUTO else address
    return ServerFacts(address, "", is_embedded=False)


def _other_model(facts: ServerFacts, wanted: str) -> str:
    if not (facts.model_digest and wanted):
        return "It does not tell which model it has under that name."
    return f"It has another model under that name ({facts.model_digest[:12]}, not {wanted[:12]})."
