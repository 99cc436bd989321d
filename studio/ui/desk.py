"""What the window knows of model servers.  The only owner of that; the engine does the asking."""

from collections.abc import Mapping

from msgspec.structs import replace
from PySide6.QtCore import QObject, Signal

from studio.engine.messages import EngineReady, Notice
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
from studio.engine.models.names import pick, same_model
from studio.engine.offers import EMBEDDED_MODEL, KnownServer, Origin, Probe, same_address
from studio.engine.records import AUTO, EMBEDDED, POOL, JsonObject, ModelSpec
from studio.ui.link import EngineLink

_ENGINE_ENDED = "The engine ended."
Place = tuple[str, str]
"""A server and a model's name."""


class Desk(QObject):
    """The known servers, what each was found to have, and what is going on there."""

    changed = Signal()
    """Other servers are known, or something else was found on one of them."""

    pull_moved = Signal(object)
    """PullMoved, as soon as it comes."""

    probe_moved = Signal(object)
    """ProbeMoved, as soon as it comes."""

    rendered = Signal(object)
    """PromptRendered: the answer to `render`."""

    def __init__(self, link: EngineLink, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._link = link
        self._servers: tuple[KnownServer, ...] = ()
        self._found: dict[str, ModelsFound] = {}
        self._pulls: dict[Place, PullMoved] = {}
        self._probes: dict[Place, ProbeMoved] = {}
        self._asked: set[str] = set()
        self._spreads = False

    @property
    def servers(self) -> tuple[KnownServer, ...]:
        return self._servers

    @property
    def pulls(self) -> Mapping[Place, PullMoved]:
        """Every pull that was not put away, the ended ones too."""
        return self._pulls

    def found(self, server: str) -> ModelsFound | None:
        """What was found there; None before the first answer."""
        return self._found.get(server)

    def is_asked(self, server: str) -> bool:
        """An answer is awaited."""
        return server in self._asked

    def probing(self, server: str, model: str) -> ProbeMoved | None:
        """How far the probe of the model is, None if none was asked for."""
        return self._probes.get((server, model))

    @property
    def spreads(self) -> bool:
        """Whether a run is spread over all servers unless its project names one."""
        return self._spreads

    def probe_of(self, spec: ModelSpec) -> Probe | None:
        """The probe of a project's model on the first server that would answer for it."""
        for found in map(self.found, self.meant(spec)):
            models = found.models if found is not None else ()
            model = pick(spec.name, models)
            if found is not None and model is not None:
                return next((each for each in found.probes if each.digest == model.digest), None)
        return None

    def known_as(self, server: str) -> str:
        """How the server is listed, whatever way a project writes its address."""
        known = (each.server for each in self._servers)
        return next((each for each in known if same_address(each, server)), server.rstrip("/"))

    def settled(self, spec: ModelSpec) -> ModelSpec:
        """The spec with what AUTO means just now in place of it, as a run that begins has it."""
        is_own = same_model(spec.name, EMBEDDED_MODEL)
        is_spread = spec.server == AUTO and self._spreads and not is_own
        return replace(spec, server=POOL) if is_spread else spec

    def meant(self, spec: ModelSpec) -> tuple[str, ...]:
        """The known servers that a spec means, as a run that begins would find them."""
        is_own = same_model(spec.name, EMBEDDED_MODEL)
        meant: dict[str, None] = {}
        for server in self.settled(spec).servers:
            if server == AUTO and is_own:
                meant[EMBEDDED] = None
            elif server == POOL:
                known = (each.server for each in self._servers)
                meant.update(dict.fromkeys(each for each in known if each != EMBEDDED or is_own))
            elif server == AUTO:
                local = (each.server for each in self._servers if each.origin is Origin.LOCAL)
                meant.update(dict.fromkeys(local))
            else:
                meant[self.known_as(server)] = None
        return tuple(meant)

    def find_all(self) -> None:
        """Ask every known server; the embedded one is not started for it."""
        self._asked.update(each.server for each in self._servers if each.server != EMBEDDED)
        self._send(FindServers())

    def find(self, server: str) -> None:
        """Ask one server; the embedded one is started for it."""
        self._asked.add(server)
        self._send(FindModels(server))

    def name_server(self, address: str) -> None:
        self._send(NameServer(address))

    def forget_server(self, address: str) -> None:
        self._found.pop(address, None)
        self._send(ForgetServer(address))

    def spread_runs(self, over_all: bool) -> None:  # noqa: FBT001 - what a check box says
        """Set where models run of which a project does not say it."""
        self._send(SpreadRuns(over_all))

    def pull(self, server: str, model: str) -> None:
        """Begin a pull, or go on with one that ended early."""
        self._send(PullModel(server, model))

    def cancel_pull(self, server: str, model: str) -> None:
        self._send(CancelPull(server, model))

    def put_pull_away(self, server: str, model: str) -> None:
        """Show a pull that ended no more."""
        self._pulls.pop((server, model), None)
        self.changed.emit()

    def delete(self, server: str, model: str) -> None:
        self._send(DeleteModel(server, model))

    def unload(self, server: str, model: str) -> None:
        self._send(UnloadModel(server, model))

    def probe(self, server: str, model: str) -> None:
        self._send(ProbeModel(server, model))

    def cancel_probe(self, server: str, model: str) -> None:
        self._send(CancelProbe(server, model))

    def render(self, server: str, sent: JsonObject, key: str) -> None:
        """Ask how the server puts a request together for the model; `rendered` follows."""
        self._link.send(RenderPrompt(server, sent, key))

    def take(self, notice: Notice) -> bool:
        """Take in what the engine said; False if it is about something else."""
        match notice:
            case EngineReady():
                self.find_all()
                return False
            case ServersKnown(servers=servers, spreads=spreads):
                self._servers, self._spreads = servers, spreads
                self.changed.emit()
            case ModelsFound(server=server):
                self._asked.discard(server)
                self._found[server] = notice
                self.changed.emit()
            case PullMoved(server=server, model=model):
                self._pulls[server, model] = notice
                self.pull_moved.emit(notice)
            case ProbeMoved(server=server, model=model):
                self._probes[server, model] = notice
                self.probe_moved.emit(notice)
            case PromptRendered():
                self.rendered.emit(notice)
            case _:
                return False
        return True

    def engine_ended(self) -> None:
        """The engine is gone, and what it was doing with it."""
        self._asked.clear()
        for pull in self._pulls.values():
            if not pull.ending:
                self.take(replace(pull, ending="failed", problem=_ENGINE_ENDED))
        for probe in self._probes.values():
            if not probe.ending:
                self.take(replace(probe, ending="failed", problem=_ENGINE_ENDED))
        self.changed.emit()

    def _send(self, command: ModelCommand) -> None:
        self._link.send(command)
        self.changed.emit()
