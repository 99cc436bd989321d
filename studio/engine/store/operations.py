"""What the store is asked to write: small values that go through its queue."""

import msgspec

from studio.engine.events import Event
from studio.engine.records import Finding, Query, Score


class NewRun(msgspec.Struct, frozen=True):
    """A run begins.  `plan` and each of `servers` are JSON."""

    run: int
    created: float
    planned: int
    plan: str
    servers: tuple[str, ...]
    queries: tuple[Query, ...] = ()


class ServersSet(msgspec.Struct, frozen=True):
    """The servers of a run are these now, each JSON."""

    run: int
    servers: tuple[str, ...]


class NewTrial(msgspec.Struct, frozen=True):
    trial: int
    run: int
    position: int
    number: int
    query_id: str
    query: str
    started: float


class Judged(msgspec.Struct, frozen=True):
    """Scores and findings of a trial; with `afresh`, all earlier ones of it are dropped."""

    trial: int
    scores: tuple[Score, ...]
    findings: tuple[Finding, ...] = ()
    afresh: bool = False


class Rejudged(msgspec.Struct, frozen=True):
    """A run is judged by other criteria from now on.  `criteria` is JSON."""

    run: int
    criteria: str


class RunClosed(msgspec.Struct, frozen=True):
    """The run ended, or (both None) goes on."""

    run: int
    ended: float | None
    ending: str | None


Operation = tuple[int, Event] | NewRun | ServersSet | NewTrial | Judged | Rejudged | RunClosed
"""A tuple is an event of a trial."""
