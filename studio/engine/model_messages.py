"""What the window and the engine process say to each other about model servers.

A `server` is an address that the user named, or "embedded".  A part of the unions in `messages`.
"""

import msgspec

from studio.engine.offers import FoundModel, KnownServer, LoadedModel, Probe, Standing
from studio.engine.records import JsonObject
from studio.engine.server_facts import ServerFacts


class Message(msgspec.Struct, frozen=True, omit_defaults=True, tag=True):
    """Base of commands and notices; each is told by its name."""


class FindServers(Message, frozen=True):
    """Ask every known server what it has: ServersKnown, then one ModelsFound each.

    The embedded server is not started for it.
    """


class NameServer(Message, frozen=True):
    """The user names a server, from now on among the known ones; answered as FindServers is."""

    address: str


class ForgetServer(Message, frozen=True):
    """The user takes a server from the list; answered by ServersKnown."""

    address: str


class SpreadRuns(Message, frozen=True):
    """Set where models run of which a project does not say it; answered by ServersKnown.

    On all known servers that have the model, or on this machine's own.
    """

    over_all: bool


class FindModels(Message, frozen=True):
    """Ask one server which models it has; answered by ModelsFound.  "auto": this machine's own."""

    server: str


class PullModel(Message, frozen=True):
    """Let a server fetch a model; what a pull that was cancelled or failed had got is not lost."""

    server: str
    model: str


class CancelPull(Message, frozen=True):
    server: str
    model: str


class DeleteModel(Message, frozen=True):
    server: str
    model: str


class UnloadModel(Message, frozen=True):
    server: str
    model: str


class ProbeModel(Message, frozen=True):
    """Ask a model a few questions to find out what it can do; answered by ProbeMoved."""

    server: str
    model: str


class CancelProbe(Message, frozen=True):
    server: str
    model: str


class RenderPrompt(Message, frozen=True):
    """Ask how a server puts a chat request together for the model; nothing is generated.

    `sent` is the request's body; the answer is a PromptRendered with the same `key`.
    """

    server: str
    sent: JsonObject
    key: str


ModelCommand = (
    FindServers
    | NameServer
    | ForgetServer
    | SpreadRuns
    | FindModels
    | PullModel
    | CancelPull
    | DeleteModel
    | UnloadModel
    | ProbeModel
    | CancelProbe
    | RenderPrompt
)


class ServersKnown(Message, frozen=True):
    """The servers that may be asked, in the order in which they are shown.

    `spreads` says that a run is spread over all that have its model, unless the project names one.
    """

    servers: tuple[KnownServer, ...]
    spreads: bool = False


class ModelsFound(Message, frozen=True):
    """What a server is and has.  `problem` and `remedy` say what is wrong with it, if anything.

    `facts` is None when nothing answered as an Ollama server does; `loaded` is None where the
    server does not tell what it holds in memory.  `probes` are those of its models as they are.
    """

    server: str
    facts: ServerFacts | None
    models: tuple[FoundModel, ...] = ()
    problem: str = ""
    remedy: str = ""
    standing: Standing = Standing.RUNNING
    loaded: tuple[LoadedModel, ...] | None = None
    probes: tuple[Probe, ...] = ()


class PullMoved(Message, frozen=True):
    """How far a pull is: `status` in the server's words, `done` of `total` bytes as far as known.

    `ending` is "" while it goes on, then "finished", "cancelled" or "failed" (`problem` says why).
    """

    server: str
    model: str
    status: str = ""
    done: int = 0
    total: int = 0
    ending: str = ""
    problem: str = ""
    remedy: str = ""


class ProbeMoved(Message, frozen=True):
    """How far a probe is: `done` of `total` questions, and what is being asked.

    `ending` as in PullMoved; with "finished" comes the probe.
    """

    server: str
    model: str
    asking: str = ""
    done: int = 0
    total: int = 0
    ending: str = ""
    probe: Probe | None = None
    problem: str = ""
    remedy: str = ""


class PromptRendered(Message, frozen=True):
    """The prompt as the model reads it, or (`problem`, `remedy`) why it cannot be told."""

    key: str
    text: str = ""
    problem: str = ""
    remedy: str = ""


ModelNotice = ServersKnown | ModelsFound | PullMoved | ProbeMoved | PromptRendered
