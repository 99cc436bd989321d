"""The closed union of what happens in a trial: flat, frozen facts in the order they happened.

`at` is Unix time in seconds.  `step` is the id of the LangGraph task (node execution) during
which the event happened; steps nest by `parent`.  Handle the union with `match` and
`assert_never`, so that a new event breaks the build wherever it was forgotten.
"""

from collections.abc import Sequence
from typing import Any, Union, get_args

import msgspec

from studio.engine.outcomes import FailureClass, Outcome
from studio.engine.records import JsonObject


class _Event(msgspec.Struct, frozen=True, omit_defaults=True, tag_field="kind", gc=False):
    at: float


class TrialStarted(_Event, frozen=True, tag="trial started"):
    """The first event of every trial.  `server` is the one that is asked, as it is listed."""

    query_id: str
    query: str
    variant: str
    number: int
    server: str = ""


class TrialRetried(_Event, frozen=True, tag="trial retried"):
    """The trial was tried before on another server and failed by that one's fault: `reason`."""

    server: str
    reason: str


class StepStarted(_Event, frozen=True, tag="step started"):
    """A node of the graph began.  `number` counts the steps of the trial from 1."""

    step: str
    parent: str | None
    node: str
    number: int


class StepEnded(_Event, frozen=True, tag="step ended"):
    """A node of the graph ended; `error` is what it raised."""

    step: str
    error: str | None = None


class ModelCalled(_Event, frozen=True, tag="model called"):
    """The model was asked.  `sent` is the request body as it went over the wire."""

    call: str
    step: str
    model: str
    sent: JsonObject


class CallMade(msgspec.Struct, frozen=True, omit_defaults=True, gc=False):
    """A tool call that a model's reply held.

    `origin` is "native" (the server reported it), "found in text" or "repaired" (found in text
    that had to be mended).
    """

    id: str
    name: str
    arguments: JsonObject
    origin: str = "native"


class ModelReplied(_Event, frozen=True, tag="model replied"):
    """The model's reply: `text` exactly as it was written, `calls` as they were understood.

    `marks` are remarks such as "invented a tool result".  Token counts are None where the server
    did not say; `seconds` is the wall-clock time of the call, `load_seconds` the server's own time
    for loading the model, a part of it.  `needed`: as in ModelFailed, where it was cut in silence.
    """

    call: str
    step: str
    text: str
    thinking: str = ""
    calls: tuple[CallMade, ...] = ()
    marks: tuple[str, ...] = ()
    done_reason: str | None = None
    prompt_tokens: int | None = None
    reply_tokens: int | None = None
    seconds: float = 0.0
    load_seconds: float | None = None
    needed: int | None = None


class ModelFailed(_Event, frozen=True, tag="model failed"):
    """The model gave no usable reply.  `raw` is what the server said, cut to a readable length.

    `needed` are the tokens that the window would have to hold, where the prompt did not fit it.
    """

    call: str
    step: str
    failure: FailureClass
    message: str
    raw: str = ""
    seconds: float = 0.0
    needed: int | None = None


class ToolCalled(_Event, frozen=True, tag="tool called"):
    """A tool call is about to be carried out (or refused: unknown tool, bad arguments).

    `is_retrieval` as the tool set says of the tool.
    """

    call: str
    step: str
    name: str
    arguments: JsonObject
    origin: str = "native"
    is_retrieval: bool = False


class ToolReturned(_Event, frozen=True, tag="tool returned"):
    """What the model was given back.

    `error` names the kind of failure ("unknown tool", "bad arguments", "exception", "time-out",
    "crash", "not JSON"), None for a result.  `printed` is what the tool wrote to its output.
    """

    call: str
    step: str
    content: str
    error: str | None = None
    printed: str = ""
    seconds: float = 0.0


class TrialEnded(_Event, frozen=True, tag="trial ended"):
    """The last event of every trial.  `answer` is the last non-blank text of the model, if any.

    `seconds` is the trial's own time: without waiting for a free place or loading the model.
    """

    outcome: Outcome
    answer: str | None = None
    failure: FailureClass | None = None
    reason: str = ""
    seconds: float = 0.0


Event = (
    TrialStarted
    | TrialRetried
    | StepStarted
    | StepEnded
    | ModelCalled
    | ModelReplied
    | ModelFailed
    | ToolCalled
    | ToolReturned
    | TrialEnded
)

_ENCODER = msgspec.json.Encoder()
_DECODER = msgspec.json.Decoder(list[Event])


class _ModelCalledBriefly(_Event, frozen=True, tag="model called"):
    """The same without what was sent."""

    call: str
    step: str
    model: str


_BRIEF: Any = tuple(
    _ModelCalledBriefly if kind is ModelCalled else kind for kind in get_args(Event)
)
_BRIEF_DECODER = msgspec.json.Decoder(list[Union[_BRIEF]])  # noqa: UP007 - made of a tuple


def encode(events: Sequence[Event]) -> bytes:
    """Events as a JSON array.  What came from outside must be plain JSON already (see `plain`)."""
    return _ENCODER.encode(events)


def decode(data: bytes) -> list[Event]:
    """The inverse of `encode`; raises msgspec.DecodeError for anything that is no event."""
    return _DECODER.decode(data)


def decode_without_sent(data: bytes) -> list[Event]:
    """The same in half the time: in place of a ModelCalled stands a thing without its `sent`.

    That thing is none of the union; it only keeps the places of the others.
    """
    brief: list[Event] = _BRIEF_DECODER.decode(data)
    return brief
