"""What model servers have, and what was found out about their models: frozen values.

Light to import: the window's process holds them too.
"""

import contextlib
import socket
from collections.abc import Mapping
from enum import StrEnum
from ipaddress import ip_address
from urllib.parse import urlsplit

import msgspec

from studio.engine.records import JsonObject, Record

EMBEDDED_MODEL = "smollm2:135m"
"""The only model of the embedded server, which alone answers for it where nothing else is said."""


class Standing(StrEnum):
    """What a server was found to be."""

    RUNNING = "running"
    TOO_OLD = "too old"
    NOT_OLLAMA = "not an Ollama server"
    UNREACHABLE = "not reachable"
    IDLE = "not started"
    """Only the embedded server is so: it starts when it is first needed."""


class Origin(StrEnum):
    """Why a server is in the list."""

    LOCAL = "this machine"
    """Where OLLAMA_HOST points, or the default port of loopback."""

    NAMED = "named"
    EMBEDDED = "embedded"


class KnownServer(Record, frozen=True):
    """A server that the studio may ask: `server` is an address, or "embedded"."""

    server: str
    origin: Origin


_PORTS = {"http": 80, "https": 443}
_THIS_MACHINE = "127.0.0.1"


def same_address(one: str, other: str) -> bool:
    """Whether two addresses, each with its scheme, are the same server's, as far as they tell.

    Nobody is asked for it, no name server either: the names of this machine are known without.
    (127.0.0.2 is not one of them: what listens there may be another server.)
    """
    return _place(one) == _place(other)


def _place(address: str) -> tuple[str, str, int | None, str]:
    """What stays of an address once it is spelled in one way."""
    parts = urlsplit(address)
    host = (parts.hostname or "").rstrip(".")
    with contextlib.suppress(ValueError):  # a name, no number
        host = str(ip_address(host))
    host = _THIS_MACHINE if host in _own_names() else host
    return parts.scheme, host, parts.port or _PORTS.get(parts.scheme), parts.path.rstrip("/")


def _own_names() -> set[str]:
    """What this machine is called, by itself; the unspecified addresses are asked on loopback."""
    full = socket.gethostname().lower()
    short = full.partition(".")[0]
    return {"localhost", "::1", "0.0.0.0", "::", full, short, f"{short}.local"}


class FoundModel(Record, frozen=True):
    """A model that a server lists; sizes in bytes, `context_length` in tokens.

    `capabilities` is None where the server does not say (older ones do not).  `remote_host` is set
    for a model that the server only passes on to a host elsewhere.  `options` are what the model's
    own file sets (in `show` only).
    """

    name: str
    size: int = 0
    digest: str = ""
    family: str = ""
    parameters: str = ""
    quantization: str = ""
    context_length: int | None = None
    capabilities: tuple[str, ...] | None = None
    remote_host: str = ""
    options: JsonObject = msgspec.field(default_factory=dict)


class LoadedModel(Record, frozen=True):
    """A model in a server's memory: bytes in all and of these on the GPU.

    `window` is the context length that was really allocated, in tokens; `expires` the Unix time at
    which the server will free it.  None where the server does not say.
    """

    name: str
    digest: str = ""
    size: int = 0
    size_on_gpu: int | None = None
    window: int | None = None
    expires: float | None = None

    @property
    def gpu_share(self) -> float | None:
        """The part of the model that is on the GPU, from 0 to 1; None if it is not known."""
        if not self.size or self.size_on_gpu is None:
            return None
        return min(1.0, self.size_on_gpu / self.size)


class ToolCalls(StrEnum):
    """How a model calls tools."""

    NATIVE = "native"
    AS_TEXT = "as text"
    NONE = "none"


class Guard(StrEnum):
    """What a server does with a prompt that is longer than the window asked for."""

    REFUSES = "refuses"
    CUTS = "cuts"
    READS_ALL = "reads all"
    """It took another window than the one asked for."""


class Thinking(StrEnum):
    """Where a model's thinking goes."""

    APART = "apart"
    IN_TEXT = "in the text"
    NONE = "none"


class Probe(Record, frozen=True):
    """What a few questions to a model on one server showed.

    A finding is None where it could not be made.  `reasons` says of each finding, by the name of
    its field, what it was seen by or why there is none.  Speeds in tokens per second.
    """

    server: str
    server_version: str
    model: str
    digest: str
    at: float
    answers: bool | None = None
    tools: ToolCalls | None = None
    schema: bool | None = None
    window: Guard | None = None
    thinking: Thinking | None = None
    prompt_speed: float | None = None
    reply_speed: float | None = None
    load_seconds: float | None = None
    window_asked: int = 0
    window_allocated: int | None = None
    reasons: Mapping[str, str] = {}

    def is_of(self, server: str, version: str, digest: str) -> bool:
        """Whether it holds for the model with this digest on this server at this version."""
        return (self.server, self.server_version, self.digest) == (server, version, digest)
