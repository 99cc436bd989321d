"""What the window and the engine process say to each other: two closed unions.

Commands go down, notices come up, each message one frame on the pipe: four bytes of length (big
endian), then MessagePack.  Traces and scores are not sent: the window reads them from the store,
live and past runs alike; a notice only says that there is more to read.  What is said about model
servers stands in `model_messages`, about metrics in `scoring_messages`.
"""

import struct
from collections.abc import Iterator

import msgspec

from studio.engine.errors import Problem
from studio.engine.model_messages import Message, ModelCommand, ModelNotice
from studio.engine.records import Project, Query, RunPlan, Tally, ToolSpec
from studio.engine.scoring_messages import MetricCommand, MetricNotice
from studio.engine.server_facts import ServerFacts

_LENGTH = struct.Struct(">I")


class OpenProject(Message, frozen=True):
    """Load the folder; answered by ProjectOpened and QueriesRead, or by ProjectRefused."""

    folder: str


class TrustProject(Message, frozen=True):
    """The user allowed this project's code to run (until the trust is taken back)."""

    folder: str


class SavePrompt(Message, frozen=True):
    name: str
    text: str


class DeletePrompt(Message, frozen=True):
    name: str


class RenamePrompt(Message, frozen=True):
    """Give a prompt's file another name; a default prompt stays the default."""

    name: str
    to: str


class SaveTool(Message, frozen=True):
    """Write what `tools.yaml` says of a tool."""

    tool: ToolSpec


class SaveToolSet(Message, frozen=True):
    """Write which tools a set holds: in place of the set `replaces`, else as a new one."""

    name: str
    tools: tuple[str, ...]
    replaces: str | None = None


class DeleteToolSet(Message, frozen=True):
    name: str


class SaveQuery(Message, frozen=True):
    """Write a query to the list: in place of the one with id `replaces`, else at the end."""

    query: Query
    replaces: str | None = None


class DeleteQuery(Message, frozen=True):
    id: str


class StartRun(Message, frozen=True):
    plan: RunPlan


class StopRun(Message, frozen=True):
    """Cancel what runs; trials that ended keep their scores."""


class FinishRun(Message, frozen=True):
    """Begin no more trials; those that run go on to their end, then the run is stopped."""


class PauseRun(Message, frozen=True):
    """Begin no more trials until ResumeRun; those that run go on to their end."""


class ResumeRun(Message, frozen=True):
    """Begin trials again."""


class RunAtOnce(Message, frozen=True):
    """Run so many trials together on each server from now on, in the run under way."""

    trials: int


Steering = FinishRun | PauseRun | ResumeRun | RunAtOnce
"""How a run under way is steered; ignored when there is none."""


class ContinueRun(Message, frozen=True):
    """Run what is missing of a stored run, on the servers that have its very model.

    `server` (or several) is asked in place of those with which it was begun.
    """

    run: int
    server: str | tuple[str, ...] | None = None


class RunInvalidAgain(Message, frozen=True):
    """Start a new run of the queries whose trials were invalid in a stored run.

    With `window` as num_ctx, or with one into which their prompts fit.
    """

    run: int
    window: int | None = None


class RunAgain(Message, frozen=True):
    """Start a new run of exactly what a stored run was: its queries, prompt, model and options."""

    run: int


RunCommand = StartRun | ContinueRun | RunInvalidAgain | RunAgain


class Shutdown(Message, frozen=True):
    """End the engine process after cancelling and storing what runs."""


Command = (
    OpenProject
    | TrustProject
    | SavePrompt
    | DeletePrompt
    | RenamePrompt
    | SaveTool
    | SaveToolSet
    | DeleteToolSet
    | SaveQuery
    | DeleteQuery
    | RunCommand
    | StopRun
    | Steering
    | ModelCommand
    | MetricCommand
    | Shutdown
)


class EngineReady(Message, frozen=True):
    """The engine answers; sent once, before the heavy libraries are loaded."""

    pid: int
    version: str


class ProjectOpened(Message, frozen=True):
    """The project was read, or read again after a save.

    `store` is the path of the runs' database, which may not exist before the first run.
    `read_only` says why nothing can be written ("" if it can).
    """

    project: Project
    query_count: int
    is_trusted: bool
    store: str
    read_only: str = ""


class QueriesRead(Message, frozen=True):
    """A part of the query list, from position `first` on; the parts come in order."""

    first: int
    queries: tuple[Query, ...]


class ProjectRefused(Message, frozen=True):
    folder: str
    problems: tuple[Problem, ...]


class TrustNeeded(Message, frozen=True):
    """A run was asked for that would run the project's code (`files`), which nobody allowed yet."""

    folder: str
    files: tuple[str, ...]


class Preparing(Message, frozen=True):
    """Something slow before a run, such as fetching weights (`done` of `total` bytes)."""

    what: str
    done: int = 0
    total: int = 0


class RunStarted(Message, frozen=True):
    run: int
    plan: RunPlan
    servers: tuple[ServerFacts, ...]


class RunProgressed(Message, frozen=True):
    """More of the run is on disk.  `seconds_left` is a range (low, high), None while unknown.

    `at_once` trials run together on each of so many `servers`.
    """

    run: int
    tally: Tally
    running: tuple[str, ...] = ()
    seconds_left: tuple[float, float] | None = None
    is_paused: bool = False
    at_once: int = 1
    servers: int = 1


class RunEnded(Message, frozen=True):
    """The run is over: `ending` is "finished", "stopped" or "failed" (then `problem` says why).

    `run` is 0 when it came to nothing before it got a number.
    """

    run: int
    ending: str
    tally: Tally
    problem: str = ""
    remedy: str = ""


class Told(Message, frozen=True):
    """Something for the user to know: an error with what to do, or (`is_error` False) a success."""

    problem: str
    remedy: str = ""
    is_error: bool = True


Notice = (
    EngineReady
    | ProjectOpened
    | QueriesRead
    | ProjectRefused
    | TrustNeeded
    | ModelNotice
    | MetricNotice
    | Preparing
    | RunStarted
    | RunProgressed
    | RunEnded
    | Told
)

_ENCODER = msgspec.msgpack.Encoder()
_COMMANDS = msgspec.msgpack.Decoder(Command)
_NOTICES = msgspec.msgpack.Decoder(Notice)


def frame(message: Command | Notice) -> bytes:
    """The bytes of a message as they go over the pipe."""
    body = _ENCODER.encode(message)
    return _LENGTH.pack(len(body)) + body


def as_command(body: bytes) -> Command:
    return _COMMANDS.decode(body)


def as_notice(body: bytes) -> Notice:
    return _NOTICES.decode(body)


class Frames:
    """Cuts a stream of bytes, arriving in any pieces, into the bodies of its frames."""

    def __init__(self) -> None:
        self._pending = bytearray()

    def feed(self, data: bytes) -> Iterator[bytes]:
        """The bodies that `data` completes; the rest is kept for the next call."""
        self._pending += data
        while len(self._pending) >= _LENGTH.size:
            (length,) = _LENGTH.unpack_from(self._pending)
            end = _LENGTH.size + length
            if len(self._pending) < end:
                return
            body = bytes(self._pending[_LENGTH.size : end])
            del self._pending[:end]
            yield body
