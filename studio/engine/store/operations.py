"""What the store is asked to write: small values that go through its queue."""

import msgspec

from studio.engine.events import Event
from studio.engine.records import Query


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


ScoreRow = tuple[int, str, str, float | None, str, str | None]
"""Trial, metric, version, value, reason, evidence as JSON."""

FindingRow = tuple[int, int, str, str, int | None]
"""Trial, place, mode, reason, event."""


class Judged(msgspec.Struct, frozen=True):
    """Scores and findings of a trial, as `opinions.judged` makes them.

    With `afresh`, all earlier scores of it are dropped.
    """

    trial: int
    scores: tuple[ScoreRow, ...]
    findings: tuple[FindingRow, ...]
    afresh: bool


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
