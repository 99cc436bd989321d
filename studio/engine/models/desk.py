"""The desk for models: lists servers, pulls, deletes, unloads and probes, each when it is asked."""

import asyncio
import time
from collections.abc import Awaitable, Callable
from contextlib import aclosing
from typing import Any, NamedTuple, assert_never

from msgspec.structs import replace

from studio.engine.errors import RunError, ServerError, StudioError
from studio.engine.messages import Notice, Told
from studio.engine.model_messages import (
    CancelProbe,
    CancelPull,
    DeleteModel,
    FindModels,
    FindServers,
    ForgetServer,
    ModelCommand,
    ModelsFound,
    NameServer,
    ProbeModel,
    ProbeMoved,
    PromptRendered,
    PullModel,
    PullMoved,
    RenderPrompt,
    ServersKnown,
    SpreadRuns,
    UnloadModel,
)
from studio.engine.models import known
from studio.engine.models.addresses import local_address
from studio.engine.models.budget import window_of
from studio.engine.models.embedded.card import VERSION
from studio.engine.models.errands import Errand, Moved
from studio.engine.models.finding import completed, not_started, read_server
from studio.engine.models.names import model_missing, model_name, pick, same_model
from studio.engine.models.ollama import OllamaServer
from studio.engine.models.probe import asking, kept, reading
from studio.engine.models.probe.questions import Step
from studio.engine.models.pulling import pulled
from studio.engine.models.rendering import rendered
from studio.engine.models.servers import Servers
from studio.engine.offers import Standing, same_address
from studio.engine.records import EMBEDDED, JsonObject

_OfOneModel = PullModel | CancelPull | ProbeModel | CancelProbe | DeleteModel | UnloadModel
_Place = tuple[type[PullMoved | ProbeMoved], str, str]
"""What kind of errand, on which server, for which model."""


class InUse(NamedTuple):
    """What a run that is under way asks: nothing may change it under its hands.

    `addresses` are those of its servers, none while they are being found.
    """

    addresses: frozenset[str]
    model: str
    window: int = 0

    def is_at(self, address: str) -> bool:
        return any(same_address(address, each) for each in self.addresses)


class Desk:
    """Carries out what is asked of model servers.  Lives on one event loop.

    `in_use` says what a run is using just now, None if there is no run.
    """

    def __init__(
        self,
        servers: Servers,
        tell: Callable[[Notice], None],
        in_use: Callable[[], InUse | None] = lambda: None,
    ) -> None:
        self._servers = servers
        self._tell = tell
        self._in_use = in_use
        self._errands: dict[_Place, asyncio.Task[Any]] = {}

    async def carry_out(self, command: ModelCommand) -> None:
        """Do it; what comes of it, errors too, is told.  Cancelling this ends it early."""
        try:
            await self._carry_out(command)
        except StudioError as error:
            self._tell(Told(error.problem, error.remedy))

    def stop_probes(self) -> None:
        """End the probes that go on: a run comes first, and wants the model for itself."""
        for (kind, _, _), task in self._errands.items():
            if kind is ProbeMoved:
                task.cancel()

    async def _carry_out(self, command: ModelCommand) -> None:
        match command:
            case FindServers():
                await self._find_all()
            case NameServer(address=address):
                named = await asyncio.to_thread(known.name_server, address)
                await self._tell_known()
                await self.find(named)
            case ForgetServer(address=address):
                await asyncio.to_thread(known.forget_server, address)
                await self._tell_known()
            case SpreadRuns(over_all=over_all):
                await asyncio.to_thread(known.spread, over_all=over_all)
                await self._tell_known()
            case FindModels(server=server):
                await self.find(server)
            case RenderPrompt(server=server, sent=sent, key=key):
                self._tell(await self._rendered(server, sent, key))
            case _:
                await self._carry_out_with(command)

    async def _carry_out_with(self, command: _OfOneModel) -> None:
        match command:
            case PullModel(server=server, model=model):
                await self._pull(server, model)
            case CancelPull(server=server, model=model):
                self._cancel(PullMoved, server, model)
            case ProbeModel(server=server, model=model):
                await self._probe(server, model)
            case CancelProbe(server=server, model=model):
                self._cancel(ProbeMoved, server, model)
            case DeleteModel(server=server, model=model):
                await self._delete(server, model)
            case UnloadModel(server=server, model=model):
                await self._unload(server, model)
            case _:
                assert_never(command)

    async def find(self, server: str) -> ModelsFound:
        """Tell, and return, what a server has; the embedded one is started for it."""
        try:
            address = await self._servers.address(server)
        except StudioError as error:
            return await self._tell_found(_no_address(server, error))
        return await self._tell_found(
            await read_server(EMBEDDED if server == EMBEDDED else address, address)
        )

    async def _tell_found(self, found: ModelsFound) -> ModelsFound:
        version = found.facts.version if found.facts else VERSION
        probes = await asyncio.to_thread(kept.of_models, found.server, version, found.models)
        found = replace(found, probes=probes)
        self._tell(found)
        return found

    async def _find_all(self) -> None:
        await self._tell_known()
        servers = [each.server for each in await asyncio.to_thread(known.known_servers)]
        await asyncio.gather(*map(self._find_running, servers))
        local_address()  # raises what is wrong with OLLAMA_HOST, if anything is

    async def _find_running(self, server: str) -> None:
        if server == EMBEDDED and not self._servers.is_embedded_running:
            await self._tell_found(not_started())
        else:
            await self.find(server)

    async def _tell_known(self) -> None:
        servers = await asyncio.to_thread(known.known_servers)
        self._tell(ServersKnown(servers, spreads=await asyncio.to_thread(known.spreads)))

    async def _delete(self, server: str, model: str) -> None:
        address = await self._free(server, model, "deleted")
        async with OllamaServer(address) as asked:
            await asked.delete(model)
        self._tell(Told(f"{model} was deleted from {server}.", is_error=False))
        await self.find(server)

    async def _unload(self, server: str, model: str) -> None:
        address = await self._free(server, model, "unloaded")
        async with OllamaServer(address) as asked:
            await asked.unload(model)
        await self.find(server)

    async def _free(self, server: str, model: str, done: str) -> str:
        """The server's address; raises RunError if a run uses the model there."""
        address = await self._servers.address(server)
        using = self._in_use()
        if using and using.is_at(address) and same_model(using.model, model):
            raise RunError(
                f"{model} cannot be {done}: the run that is under way uses it.",
                "Stop the run first, or wait for its end.",
            )
        return address

    def is_pulled(self, server: str, model: str) -> bool:
        """Whether the server is fetching this model just now."""
        return any(
            kind is PullMoved and same_address(place, server) and same_model(name, model)
            for kind, place, name in self._errands
        )

    async def _rendered(self, server: str, sent: JsonObject, key: str) -> PromptRendered:
        try:
            address = await self._servers.address(server)
            self._check_quiet(address, sent)
            async with OllamaServer(address) as asked:
                return PromptRendered(key, await rendered(asked, sent))
        except StudioError as error:
            return PromptRendered(key, problem=error.problem, remedy=error.remedy)

    def _check_quiet(self, address: str, sent: JsonObject) -> None:
        """Raise RunError if asking this would load another model, or window, under a run."""
        using = self._in_use()
        if using is None or (using.addresses and not using.is_at(address)):
            return
        is_same = same_model(using.model, str(sent.get("model")))
        if not is_same or using.window != window_of(sent.get("options") or {}):
            raise RunError(
                "The run that is under way needs the server with its own model and window.",
                "Ask again when the run is over.",
            )

    async def _pull(self, server: str, written: str) -> None:
        model = model_name(written)
        # What is pulled may be another model than the one that is there.
        await self._free(server, model, "pulled")
        moved = PullMoved(server, model, "asking the server")
        if await self._run(Errand(moved, self._tell), self._pulling):
            await self.find(server)

    async def _pulling(self, errand: Errand[PullMoved]) -> None:
        address = await self._servers.address(errand.moved.server)
        async with (
            OllamaServer(address) as asked,
            aclosing(pulled(asked, errand.moved.model)) as steps,
        ):
            async for pull in steps:
                errand.move(status=pull.status, done=pull.done, total=pull.total)

    async def _probe(self, server: str, model: str) -> None:
        if self._in_use() is not None:
            raise RunError(
                "A run is under way: a probe would hold it up and change its model's window.",
                "Probe the model when the run is over.",
            )
        if await self._run(Errand(ProbeMoved(server, model), self._tell), self._probing):
            await self.find(server)

    async def _probing(self, errand: Errand[ProbeMoved]) -> None:
        server, name = errand.moved.server, errand.moved.model
        address = await self._servers.address(server)

        def report(step: Step, place: int, total: int) -> None:
            errand.move(at_once=True, asking=step.value, done=place, total=total)

        async with OllamaServer(address) as asked:
            version, models = await asked.version(), await asked.models()
            model = pick(name, models)
            if model is None:
                raise model_missing(name, address, models)
            [model] = await completed(asked, [model])
            observed = await asking.observe(asked, model, report)
        if observed.lost is not None:
            raise ServerError(observed.lost.problem, "See whether the server is still running.")
        probe = reading.read(model, observed, server=server, version=version, at=time.time())
        errand.move(probe=probe)
        await asyncio.to_thread(kept.keep, probe)

    async def _run(
        self, errand: Errand[Moved], work: Callable[[Errand[Moved]], Awaitable[None]]
    ) -> bool:
        """Whether the errand came to a good end; one that goes on already is not begun again."""
        place = (type(errand.moved), errand.moved.server, errand.moved.model)
        task = asyncio.current_task()
        if place in self._errands or task is None:
            return False
        self._errands[place] = task
        try:
            return await errand.run(work)
        finally:
            del self._errands[place]

    def _cancel(self, kind: type[PullMoved | ProbeMoved], server: str, model: str) -> None:
        errand = self._errands.get((kind, server, model))
        if errand is not None:
            errand.cancel()


def _no_address(server: str, error: StudioError) -> ModelsFound:
    """What is told of a server that cannot even be asked."""
    found = not_started() if server == EMBEDDED else ModelsFound(server, None)
    standing = Standing.IDLE if server == EMBEDDED else Standing.UNREACHABLE
    return replace(found, standing=standing, problem=error.problem, remedy=error.remedy)
