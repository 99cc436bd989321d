"""The model servers a workbench talks to, the embedded one among them, which it owns."""

import asyncio
from collections.abc import Callable

from studio.engine.errors import StudioError
from studio.engine.messages import ModelsFound, Notice, Preparing
from studio.engine.models.embedded import EmbeddedServer
from studio.engine.models.ollama import OllamaServer
from studio.engine.models.serving import find_models, resolve
from studio.engine.records import ModelSpec, ServerFacts


class Servers:
    """Owns the embedded server, which starts when it is first needed.

    `tell` hears of long waits; it is called on the loop that made this.
    """

    def __init__(self, tell: Callable[[Notice], None]) -> None:
        self._tell = tell
        self._loop = asyncio.get_running_loop()
        self._embedded = EmbeddedServer(self._fetched)

    async def resolve(self, spec: ModelSpec, *, with_tools: bool) -> ServerFacts:
        """The server that will answer for `spec`, with the model loaded into memory."""
        facts = await resolve(spec, self._embedded, with_tools=with_tools)
        self._tell(Preparing(f"Loading {spec.name}"))
        async with OllamaServer(facts.address) as server:
            await server.load(spec)
        return facts

    async def find(self, server: str) -> None:
        """Tell which models a server has."""
        try:
            found = await find_models(server, self._embedded)
        except StudioError as error:
            found = ModelsFound(server, None, problem=error.problem, remedy=error.remedy)
        self._tell(found)

    async def close(self) -> None:
        await self._embedded.close()

    def _fetched(self, done: int, total: int) -> None:
        notice = Preparing("Fetching the embedded model", done, total)
        self._loop.call_soon_threadsafe(self._tell, notice)
