"""Chunks: how the events of a trial lie in the file.

A chunk is a JSON array of events that follow one another, compressed by zlib.  The last chunk of a
running trial is written again, longer, with every commit until it is full; so a short trial is one
small row, and a trial of a million steps can be read from any place.  What every trace of a run
repeats (prompt, tools, names of fields) is kept once, as the run's compression dictionary.
"""

import zlib
from collections.abc import Sequence

import msgspec

from studio.engine import events
from studio.engine.events import (
    CallMade,
    Event,
    ModelCalled,
    ModelReplied,
    StepEnded,
    StepStarted,
    ToolCalled,
    ToolReturned,
    TrialEnded,
    TrialStarted,
)
from studio.engine.plain import plain
from studio.engine.records import Outcome, RunPlan

MAX_EVENTS = 256
MAX_BYTES = 64 * 1024
"""A chunk is full at this many events, or bytes of JSON."""

_MAX_UNPACKED = 256 * 2**20
_WINDOW = 32 * 1024
"""How far back zlib looks: more dictionary than this is never used."""

_ENCODER = msgspec.json.Encoder()


class Chunk:
    """The chunk of a trial that is being filled.  `first` is the place of its first event."""

    def __init__(self, dictionary: bytes, first: int = 0) -> None:
        self.first = first
        self._dictionary = dictionary
        self._events: list[bytes] = []
        self._size = 0

    def __len__(self) -> int:
        return len(self._events)

    def add(self, event: Event) -> None:
        encoded = encode(event)
        self._events.append(encoded)
        self._size += len(encoded)

    @property
    def is_full(self) -> bool:
        return len(self._events) >= MAX_EVENTS or self._size >= MAX_BYTES

    def next(self) -> "Chunk":
        """The empty chunk that comes after this one."""
        return Chunk(self._dictionary, self.first + len(self._events))

    def body(self) -> bytes:
        return pack(self._events, self._dictionary)


def encode(event: Event) -> bytes:
    """An event as JSON.  What is no JSON in it becomes text: a trace can always be written."""
    try:
        return _ENCODER.encode(event)
    except (TypeError, ValueError, OverflowError, RecursionError):
        return _ENCODER.encode(plain(msgspec.to_builtins(event, str_keys=True, enc_hook=str)))


def pack(encoded: Sequence[bytes], dictionary: bytes) -> bytes:
    packer = zlib.compressobj(zdict=dictionary)
    return packer.compress(b"[" + b",".join(encoded) + b"]") + packer.flush()


def unpack(body: bytes, dictionary: bytes) -> list[Event]:
    """The events of a chunk; raises zlib.error, ValueError or msgspec's errors if it is damaged."""
    unpacker = zlib.decompressobj(zdict=dictionary)
    data = unpacker.decompress(body, _MAX_UNPACKED)
    if not unpacker.eof:
        raise ValueError("a chunk of events is cut or too long")
    return events.decode(data)


def dictionary(plan: RunPlan) -> bytes:
    """What the traces of a run will repeat, the most frequent last, as zlib wants it."""
    variant = plan.variant
    sent = {
        "model": variant.model.name,
        "messages": [{"role": "system", "content": variant.prompt.text}],
        "tools": [
            {
                "type": "function",
                "function": {
                    "name": tool.name,
                    "description": tool.description,
                    "parameters": tool.parameters,
                },
            }
            for tool in variant.tool_set.tools
        ],
        "options": variant.model.options,
    }
    conversation = [
        {"role": "user", "content": ""},
        {"role": "assistant", "content": "", "tool_calls": [{"function": {"arguments": {}}}]},
        {"role": "tool", "content": "", "tool_name": "", "tool_call_id": ""},
    ]
    call = CallMade(id="", name="", arguments={})
    typical: list[Event] = [
        TrialEnded(at=0.0, outcome=Outcome.FINISHED, answer="", seconds=0.5),
        TrialStarted(at=0.0, query_id="", query="", variant=variant.name, number=1),
        ModelCalled(at=0.0, call="", step="", model=variant.model.name, sent=sent),
        ModelCalled(at=0.0, call="", step="", model="", sent={"messages": conversation}),
        ModelReplied(
            at=0.0, call="", step="", text="", calls=(call,), done_reason="stop",
            prompt_tokens=0, reply_tokens=0, seconds=0.5, load_seconds=0.5,
        ),
        ToolCalled(at=0.0, call="", step="", name="", arguments={}),
        ToolReturned(at=0.0, call="", step="", content="", seconds=0.5),
        StepStarted(at=0.0, step="", parent=None, node="assistant", number=1),
        StepEnded(at=0.0, step=""),
        StepStarted(at=0.0, step="", parent="", node="tools", number=2),
        StepEnded(at=0.0, step=""),
        StepStarted(at=0.0, step="", parent="", node="agent", number=2),
    ]  # fmt: skip
    return b",".join(map(encode, typical))[-_WINDOW:]
