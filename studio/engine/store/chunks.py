"""Chunks: how the events of a trial lie in the file.

A chunk is a JSON array of events that follow one another, compressed by zlib.  The last chunk of a
running trial is written again, longer, with every commit until it is full; so a short trial is one
small row, and a trial of a million steps can be read from any place.  What every trace of a run
repeats (prompt, tools, names of fields) is kept once: the first trace of the run that came to its
end is the compression dictionary of the others.
"""

import zlib
from collections.abc import Sequence

import msgspec

from studio.engine import events
from studio.engine.events import Event
from studio.engine.plain import plain
from studio.engine.records import Query

MAX_EVENTS = 256
MAX_BYTES = 64 * 1024
"""A chunk is full at this many events (or queries), or bytes of JSON."""

_MAX_UNPACKED = 256 * 2**20
_MIN_DICTIONARY = 1024
_MAX_DICTIONARY = 16 * 1024

_ENCODER = msgspec.json.Encoder()


class Chunk:
    """The chunk of a trial that is being filled.  `first` is the place of its first event."""

    def __init__(self, first: int = 0) -> None:
        self.first = first
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
        return Chunk(self.first + len(self._events))

    def body(self, dictionary: bytes) -> bytes:
        return pack(self._events, dictionary)

    def as_dictionary(self) -> bytes:
        """The end of what it holds, which repeats what came before; empty if it holds little."""
        if self._size < _MIN_DICTIONARY:
            return b""
        return b",".join(self._events)[-_MAX_DICTIONARY:]


def encode(value: msgspec.Struct) -> bytes:
    """An event or record as JSON.  What is no JSON in it becomes text: it can always be written."""
    try:
        return _ENCODER.encode(value)
    except (TypeError, ValueError, OverflowError, RecursionError):
        return _ENCODER.encode(plain(msgspec.to_builtins(value, str_keys=True, enc_hook=str)))


def pack(encoded: Sequence[bytes], dictionary: bytes = b"") -> bytes:
    packer = zlib.compressobj(zdict=dictionary) if dictionary else zlib.compressobj()
    return packer.compress(b"[" + b",".join(encoded) + b"]") + packer.flush()


def unpack(body: bytes, dictionary: bytes = b"") -> list[Event]:
    """The events of a chunk; it says itself whether the dictionary is needed.

    Raises zlib.error, ValueError or msgspec's errors if the chunk is damaged.
    """
    return events.decode(expand(body, dictionary))


def pack_queries(queries: Sequence[Query]) -> list[tuple[int, bytes]]:
    """The queries of a run in chunks: the position of the first one, and the packed chunk."""
    return [
        (first, pack([encode(query) for query in queries[first : first + MAX_EVENTS]]))
        for first in range(0, len(queries), MAX_EVENTS)
    ]


def unpack_queries(body: bytes) -> list[Query]:
    """The inverse for one chunk; raises as `unpack` does."""
    return msgspec.json.decode(expand(body, b""), type=list[Query])


def expand(body: bytes, dictionary: bytes) -> bytes:
    """The JSON of a chunk; raises zlib.error or ValueError if it is damaged."""
    unpacker = zlib.decompressobj(zdict=dictionary)
    data = unpacker.decompress(body, _MAX_UNPACKED)
    if not unpacker.eof:
        raise ValueError("a chunk is cut or too long")
    return data
