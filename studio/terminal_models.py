"""Model servers in a terminal: what they have, pulling, deleting, unloading, probing."""

import asyncio
import sys
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager
from dataclasses import dataclass

from rich.console import Console
from rich.markup import escape
from rich.progress import BarColumn, Progress, TextColumn

from studio.engine.errors import ServerError, StudioError
from studio.engine.messages import Notice, Preparing, Told
from studio.engine.model_messages import (
    DeleteModel,
    FindModels,
    FindServers,
    ModelCommand,
    ModelsFound,
    ProbeModel,
    ProbeMoved,
    PullModel,
    PullMoved,
    ServersKnown,
    UnloadModel,
)
from studio.engine.models.desk import Desk
from studio.engine.models.names import full_name, model_missing, pick
from studio.engine.models.probe import words
from studio.engine.models.servers import Servers
from studio.engine.offers import FoundModel, LoadedModel, Probe, Standing
from studio.engine.records import EMBEDDED, POOL
from studio.terminal_console import PlainConsole
from studio.terminal_tables import show_table

_HEADINGS = (
    "Model", "Kind", "Size", "Window", "Can", "In memory", "Digest", "Probe",
)  # fmt: skip
_SPREAD = "Runs are spread over all of these that have the model (server = pool in the settings)."
_SIGNS = {"good": "[green]●[/]", "bad": "[red]◆[/]", "mark": "[yellow]▲[/]", "muted": "○"}


@dataclass(frozen=True, slots=True)
class Orders:
    """What is to be done on a server before its models are listed; "" for nothing.

    `is_agreed` says that the deletion was agreed to beforehand; else it is asked about.
    """

    pull: str = ""
    delete: str = ""
    unload: str = ""
    is_agreed: bool = False


def list_models(server: str, orders: Orders) -> int:
    """List the models of a server ("auto", "embedded" or an address), or of all known ones ("").

    What was ordered is done first.  Raises StudioError if something of it cannot be, or if the one
    server that was asked does not answer.
    """
    return asyncio.run(_list(server, orders))


def probe_model(model: str, server: str) -> int:
    """Probe a model and tell what was found, in words; 0 if it answers, 1 if it does not."""
    return asyncio.run(_probe(model, server))


class _Talk:
    """Puts commands to a desk, shows what moves, and keeps what was told."""

    def __init__(self, bar: Progress) -> None:
        self.console = bar.console
        self.desk: Desk
        self._bar = bar
        self._task = bar.add_task("", total=None, visible=False)
        self.told: list[Notice] = []
        """What came of the latest command."""

    async def ask(self, command: ModelCommand) -> list[Notice]:
        """What came of a command.  Raises StudioError for what was told as an error."""
        self.told = []
        await self.desk.carry_out(command)
        self._bar.update(self._task, visible=False)
        for notice in self.told:
            if isinstance(notice, Told) and notice.is_error:
                raise StudioError(notice.problem, notice.remedy)
            if isinstance(notice, PullMoved | ProbeMoved) and notice.ending == "failed":
                raise StudioError(notice.problem, notice.remedy)
        return self.told

    async def found(self, command: FindModels | FindServers) -> list[ModelsFound]:
        return [each for each in await self.ask(command) if isinstance(each, ModelsFound)]

    def take(self, notice: Notice) -> None:
        self.told.append(notice)
        match notice:
            case Preparing(what=what, done=done, total=total):
                self._show(what, done, total)
            case PullMoved(status=status, done=done, total=total):
                self._show(status, done, total)
            case ProbeMoved(asking=asking) if asking:
                self._show(f"Asking: {asking}", 0, 0)
            case Told(problem=said, is_error=False):
                self.console.print(escape(said))

    def _show(self, what: str, done: int, total: int) -> None:
        amount = f"{done / 1e6:,.0f} of {total / 1e6:,.0f} MB" if total else ""
        self._bar.update(
            self._task, visible=True, completed=done, total=total or None,
            description=f"{escape(what)} {amount}",
        )  # fmt: skip


@asynccontextmanager
async def _talk() -> AsyncIterator[_Talk]:
    columns = (TextColumn("{task.description}"), BarColumn())
    with Progress(*columns, console=PlainConsole(), transient=True) as bar:
        talk = _Talk(bar)
        servers = Servers(talk.take)
        talk.desk = Desk(servers, talk.take)
        try:
            yield talk
        finally:
            await servers.close()


async def _list(server: str, orders: Orders) -> int:
    async with _talk() as talk:
        ordered = orders.pull or orders.delete or orders.unload
        if server in ("", POOL) and not ordered:
            try:
                await talk.ask(FindServers())
            finally:  # what was found is worth showing even where this machine's address is none
                _show_known(talk)
            return 0
        [found] = await talk.found(FindModels(server or "auto"))
        _require(found)
        await _carry_out(talk, found, orders)
        if ordered:
            [found] = await talk.found(FindModels(found.server))
        _show_server(talk.console, found)
    return 0


def _show_known(talk: _Talk) -> None:
    servers = [each for each in talk.told if isinstance(each, ModelsFound)]
    for found in sorted(servers, key=_embedded_last):
        _show_server(talk.console, found)
    if any(isinstance(each, ServersKnown) and each.spreads for each in talk.told):
        talk.console.print(_SPREAD, soft_wrap=True)


async def _carry_out(talk: _Talk, found: ModelsFound, orders: Orders) -> None:
    server = found.server
    if orders.unload:
        await talk.ask(UnloadModel(server, _known(found, orders.unload, is_to_run=False).name))
    if orders.delete:
        model = _known(found, orders.delete, is_to_run=False)
        if not orders.is_agreed:
            _agree(model, server)
        await talk.ask(DeleteModel(server, model.name))
    if orders.pull:
        await talk.ask(PullModel(server, orders.pull))


async def _probe(name: str, server: str) -> int:
    async with _talk() as talk:
        [found] = await talk.found(FindModels(server))
        if server == "auto" and (found.facts is None or pick(name, found.models) is None):
            # As a run would: the embedded model needs no Ollama.
            [own] = await talk.found(FindModels(EMBEDDED))
            found = own if pick(name, own.models) is not None else found
        _require(found)
        told = await talk.ask(ProbeModel(found.server, _known(found, name, is_to_run=True).name))
        probes = [each.probe for each in told if isinstance(each, ProbeMoved) and each.probe]
        _show_probe(talk.console, probes[-1])
        return 0 if probes[-1].answers else 1


def _require(found: ModelsFound) -> None:
    if found.facts is None:
        raise ServerError(found.problem, found.remedy)


def _known(found: ModelsFound, name: str, *, is_to_run: bool) -> FoundModel:
    model = pick(name, found.models)
    if model is None:
        raise model_missing(name, found.server, found.models, is_to_run=is_to_run)
    return model


def _agree(model: FoundModel, server: str) -> None:
    """Ask whether to delete; raises StudioError unless the answer is yes."""
    if not sys.stdin.isatty():
        raise StudioError(f"{model.name} was not deleted.", "Say --yes to delete it unasked.")
    answer = input(f"Delete {model.name} ({_size(model.size)}) from {server}? [y/N] ")
    if answer.strip().casefold() not in {"y", "yes"}:
        raise StudioError(f"{model.name} was not deleted.")


def _embedded_last(found: ModelsFound) -> tuple[bool, str]:
    return (found.server == EMBEDDED, found.server)


def _show_server(console: Console, found: ModelsFound) -> None:
    name = "The embedded server" if found.server == EMBEDDED else found.server
    version = f", version {found.facts.version}" if found.facts is not None else ""
    standing = "" if found.standing is Standing.RUNNING else f": {found.standing.value}"
    console.print(f"[bold]{escape(name)}[/]{escape(version)}{escape(standing)}")
    for text in filter(None, (found.problem, found.remedy)):
        console.print(f"  {escape(text)}")
    if found.models:
        _show_models(console, found)
    elif found.facts is not None:
        console.print("  It has no models yet.")


def _show_models(console: Console, found: ModelsFound) -> None:
    loaded = {full_name(each.name): each for each in found.loaded or ()}
    probes = {each.digest: each for each in found.probes}
    rows = []
    for model in found.models:
        probe = probes.get(model.digest)
        kind = " ".join(filter(None, (model.family, model.parameters, model.quantization)))
        row = [model.name, kind or "–", _size(model.size)]
        row.append(f"{model.context_length:,}" if model.context_length else "–")
        row += [_abilities(model), _memory(loaded.get(full_name(model.name)))]
        rows.append([*row, model.digest[:12], words.badge(probe)[0] if probe is not None else ""])
    show_table(console, _HEADINGS, rows, numbers=_HEADINGS[2:4])


def _abilities(model: FoundModel) -> str:
    if model.remote_host:
        return f"runs at {model.remote_host}"
    return "not said" if model.capabilities is None else ", ".join(model.capabilities)


def _memory(loaded: LoadedModel | None) -> str:
    if loaded is None:
        return ""
    return ", ".join(_memory_parts(loaded))


def _memory_parts(loaded: LoadedModel) -> Iterator[str]:
    yield f"window {loaded.window:,}" if loaded.window else "yes"
    if loaded.gpu_share is not None:
        yield f"{loaded.gpu_share:.0%} GPU" if loaded.gpu_share else "CPU"


def _size(bytes_: int) -> str:
    if not bytes_:
        return "–"
    return f"{bytes_ / 1e9:,.1f} GB" if bytes_ >= 1e9 else f"{bytes_ / 1e6:,.0f} MB"


def _show_probe(console: Console, probe: Probe) -> None:
    console.print(f"[bold]{escape(probe.model)}[/] on {escape(probe.server)}")
    for tone, said, by in words.findings(probe):
        console.print(f"{_SIGNS[tone]} {escape(said)}", highlight=False)
        if by:
            console.print(f"    [dim]{escape(by)}[/]", highlight=False)
    if figures := words.figures(probe):
        console.print(f"{escape(figures)}.", highlight=False)
