"""Servers that went away in the middle of a run: asked again until they are back as they were."""

import asyncio
import contextlib
from collections.abc import Iterator

from msgspec.structs import replace

from studio.engine.errors import ServerError
from studio.engine.models.names import pick
from studio.engine.models.ollama import OllamaServer
from studio.engine.models.serving import loaded
from studio.engine.records import ModelSpec
from studio.engine.server_facts import ServerFacts

FIRST_PAUSE, LONGEST_PAUSE = 2.0, 300.0


def pauses() -> Iterator[float]:
    """The seconds before each question, for as long as the run lasts.

    They grow, so that a server that comes and goes is trusted less each time.
    """
    pause = FIRST_PAUSE
    while True:
        yield min(pause, LONGEST_PAUSE)
        pause *= 2


async def returned(spec: ModelSpec, facts: ServerFacts, waiting: Iterator[float]) -> ServerFacts:
    """Wait until the server is back and has the model loaded; what it is then.

    `left_out` says why it is of no use all the same: its model is another one.
    """
    while True:
        await asyncio.sleep(next(waiting))
        with contextlib.suppress(ServerError):  # gone as before, which was told
            back = await _asked(spec, facts)
            if back is not None:
                return back


async def _asked(spec: ModelSpec, facts: ServerFacts) -> ServerFacts | None:
    """What the server is now; None while its model is not there, which may be on its way."""
    async with OllamaServer(facts.address) as server:
        version = await server.version()
        found = pick(spec.name, await server.models())
    if found is None:
        return None
    if found.digest != facts.model_digest:
        was, now = facts.model_digest[:12], found.digest[:12]
        why = f"It came back with another {spec.name} ({now}, not {was})."
        return replace(facts, version=version, left_out=why)
    # The first trial there is not to pay for the loading.
    return replace(await loaded(spec, facts), version=version, left_out="")
