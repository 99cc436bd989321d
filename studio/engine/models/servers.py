"""The model servers a workbench talks to, the embedded one among them, which it owns."""

import asyncio
from collections.abc import Callable, Sequence
from typing import NamedTuple

from msgspec.structs import replace

from studio.engine.errors import ServerError
from studio.engine.messages import Notice, Preparing, Told
from studio.engine.models.addresses import local_address, parse_address
from studio.engine.models.embedded import EmbeddedServer
from studio.engine.models.options import completed
from studio.engine.models.pooling import as_set, sharing
from studio.engine.models.serving import loaded
from studio.engine.records import AUTO, EMBEDDED, POOL, ModelSpec
from studio.engine.server_facts import ServerFacts


class Ready(NamedTuple):
    """A model as it will be asked, and the servers of a run, those that take part first."""

    spec: ModelSpec
    servers: tuple[ServerFacts, ...]

    @property
    def sharing(self) -> tuple[ServerFacts, ...]:
        """Those that take part."""
        return tuple(each for each in self.servers if not each.left_out)


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

    async def ready(self, spec: ModelSpec, *, with_tools: bool) -> Ready:
        """Find the servers for a new run and load the model there; its options are completed.

        What AUTO means is settled too.  Raises StudioError if no server can run the model.
        """
        spec = await asyncio.to_thread(as_set, spec)
        found = await sharing(spec, self._embedded, with_tools=with_tools)
        spec = replace(spec, options=completed(spec.options, found[0].options))
        servers, errors = await self._loaded(spec, [each.facts for each in found])
        if servers[0].left_out:
            raise errors[0]
        self._tell_left_out(servers)
        return Ready(spec, servers)

    async def ready_again(
        self, specs: Sequence[ModelSpec], digest: str, *, with_tools: bool
    ) -> Ready:
        """Find the servers that have just the model with this digest, and load it there.

        `specs` differ in the servers that they name, and are gone through until some can take
        part; perhaps none can.
        """
        out: tuple[ServerFacts, ...] = ()
        for spec in specs:
            found = await sharing(spec, self._embedded, with_tools=with_tools, digest=digest)
            servers, _ = await self._loaded(spec, [each.facts for each in found])
            names = {each.name for each in servers}
            out = (*servers, *(each for each in out if each.name not in names))
            if not servers[0].left_out:
                break
        self._tell_left_out(out)
        return Ready(specs[0], out)

    async def _loaded(
        self, spec: ModelSpec, servers: Sequence[ServerFacts]
    ) -> tuple[tuple[ServerFacts, ...], list[ServerError]]:
        """The same servers, the model in the memory of those that take part, which come first.

        One that cannot load it is left out; the errors say why.
        """
        taking = [each for each in servers if not each.left_out]
        where = f" on {len(taking)} servers" if len(taking) > 1 else ""
        if taking:
            self._tell(Preparing(f"Loading {spec.name}{where}"))
        done = await asyncio.gather(*(self._load(spec, each) for each in taking))
        whole = [
            replace(facts, left_out=outcome.problem, took_part=False)
            if isinstance(outcome, ServerError)
            else outcome
            for facts, outcome in zip(taking, done, strict=True)
        ]
        whole += (each for each in servers if each.left_out)
        ordered = tuple(sorted(whole, key=_is_left_out))
        self._tell_windows(spec, ordered)
        return ordered, [each for each in done if isinstance(each, ServerError)]

    async def _load(self, spec: ModelSpec, facts: ServerFacts) -> ServerFacts | ServerError:
        try:
            return await loaded(spec, facts)
        except ServerError as error:
            return error

    def _tell_left_out(self, servers: Sequence[ServerFacts]) -> None:
        out = [each for each in servers if each.left_out]
        if out and len(out) < len(servers):
            each_why = " ".join(f"{each.name}: {each.left_out}" for each in out)
            self._tell(Told(f"Not taking part in this run: {each_why}", is_error=False))

    def _tell_windows(self, spec: ModelSpec, servers: Sequence[ServerFacts]) -> None:
        """Tell of windows smaller than the one that the spec states."""
        asked = spec.options.get("num_ctx")
        for facts in servers:
            if facts.window is None or not isinstance(asked, int) or facts.window >= asked:
                continue
            who = "The server" if len(servers) == 1 else f"The server {facts.name}"
            self._tell(
                Told(
                    f"{who} gave {spec.name} a window of {facts.window:,} tokens, not the "
                    f"{asked:,} that were asked for (num_ctx).",
                    "Trials whose prompt is longer are counted as invalid, not as wrong.",
                    is_error=False,
                )
            )

    async def address(self, server: str) -> str:
        """The address of a server that is "auto" (this machine's own), "embedded" or an address.

        The embedded one is started for it.  Raises StudioError, also for "pool", which is many.
        """
        if server == POOL:
            raise ServerError("A pool is many servers, and this is done on one.", "Name that one.")
        if server == EMBEDDED:
            return await self._embedded.address()
        return local_address() if server == AUTO else parse_address(server)

    async def close(self) -> None:
        await self._embedded.close()

    def _fetched(self, done: int, total: int) -> None:
        notice = Preparing("Fetching the embedded model", done, total)
        self._loop.call_soon_threadsafe(self._tell, notice)


def _is_left_out(facts: ServerFacts) -> bool:
    return bool(facts.left_out)
