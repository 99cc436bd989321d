"""The model servers a workbench talks to, the embedded one among them, which it owns."""

import asyncio
from collections.abc import Callable

from msgspec.structs import replace

from studio.engine.messages import Notice, Preparing, Told
from studio.engine.models.addresses import local_address, parse_address
from studio.engine.models.embedded import EmbeddedServer
from studio.engine.models.ollama import OllamaServer
from studio.engine.models.serving import resolve
from studio.engine.offers import EMBEDDED
from studio.engine.records import ModelSpec, ServerFacts


class Servers:
    """Owns the embedded server, which starts when it is first needed.

    `tell` hears of long waits; it is called on the loop that made this.
    """

    def __init__(self, tell: Callable[[Notice], None]) -> None:
        self._tell = tell
        self._loop = asyncio.get_running_loop()
        self._embedded = EmbeddedServer(self._fetched)

    @property
    def is_embedded_running(self) -> bool:
        return self._embedded.is_running

    async def resolve(self, spec: ModelSpec, *, with_tools: bool) -> ServerFacts:
        """The server that will answer for `spec`, with the model loaded into memory.

        A window smaller than the one that the spec states is told of.
        """
        facts = await resolve(spec, self._embedded, with_tools=with_tools)
        self._tell(Preparing(f"Loading {spec.name}"))
        async with OllamaServer(facts.address) as server:
            await server.load(spec)
            held = await server.held(spec.name)
            facts = replace(facts, window=held.window if held is not None else None)
        asked = spec.options.get("num_ctx")
        if facts.window is not None and isinstance(asked, int) and facts.window < asked:
            self._tell(
                Told(
                    f"The server gave {spec.name} a window of {facts.window:,} tokens, not the "
                    f"{asked:,} that were asked for (num_ctx).",
                    "Trials whose prompt is longer are counted as invalid, not as wrong.",
                    is_error=False,
                )
            )
        return facts

    async def address(self, server: str) -> str:
        """The address of a server that is "auto" (this machine's own), "embedded" or an address.

        The embedded one is started for it.  Raises StudioError.
        """
        if server == EMBEDDED:
            return await self._embedded.address()
        return local_address() if server == "auto" else parse_address(server)

    async def close(self) -> None:
        await self._embedded.close()

    def _fetched(self, done: int, total: int) -> None:
        notice = Preparing("Fetching the embedded model", done, total)
        self._loop.call_soon_threadsafe(self._tell, notice)
