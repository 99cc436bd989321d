"""Reads the head of a GGUF file: its metadata and the list of its tensors, no weights.

Source: the format's specification, docs/gguf.md of ggml (version 3; version 2 reads the same).
"""

import struct
from pathlib import Path
from typing import Any, BinaryIO

from studio.engine.errors import WeightsError
from studio.engine.records import JsonObject, Record

_SCALARS = {
    0: "<B", 1: "<b", 2: "<H", 3: "<h", 4: "<I", 5: "<i", 6: "<f", 7: "<?", 10: "<Q", 11: "<q",
    12: "<d",
}  # fmt: skip
_STRING, _ARRAY = 8, 9
_TYPES = {
    0: "F32", 1: "F16", 2: "Q4_0", 3: "Q4_1", 6: "Q5_0", 7: "Q5_1", 8: "Q8_0", 10: "Q2_K",
    11: "Q3_K", 12: "Q4_K", 13: "Q5_K", 14: "Q6_K", 30: "BF16",
}  # fmt: skip


class Tensor(Record, frozen=True):
    """One tensor: its name, its quantisation and its extents, fastest varying first."""

    name: str
    type: str
    shape: tuple[int, ...]


class Head(Record, frozen=True):
    """What a GGUF file says about itself.  Arrays (the vocabulary) are left out as None."""

    metadata: JsonObject
    tensors: tuple[Tensor, ...]

    @property
    def parameter_count(self) -> int:
        total = 0
        for tensor in self.tensors:
            elements = 1
            for extent in tensor.shape:
                elements *= extent
            total += elements
        return total


def read_head(path: Path) -> Head:
    """The head of the GGUF file at `path`; raises WeightsError if it is none."""
    try:
        with path.open("rb") as file:
            if file.read(4) != b"GGUF":
                raise WeightsError(f"{path.name} is no GGUF file.")
            _version, tensors, entries = struct.unpack("<IQQ", file.read(20))
            metadata = {_string(file): _value(file, _scalar(file, 4)) for _ in range(entries)}
            return Head(metadata, tuple(_tensor(file) for _ in range(tensors)))
    except (struct.error, KeyError, UnicodeDecodeError) as error:
        raise WeightsError(f"{path.name} is a damaged GGUF file.") from error


def _scalar(file: BinaryIO, kind: int) -> Any:
    form = _SCALARS[kind]
    return struct.unpack(form, file.read(struct.calcsize(form)))[0]


def _string(file: BinaryIO) -> str:
    return file.read(_scalar(file, 10)).decode("utf-8")


def _value(file: BinaryIO, kind: int) -> Any:
    if kind == _STRING:
        return _string(file)
    if kind != _ARRAY:
        return _scalar(file, kind)
    of, count = _scalar(file, 4), _scalar(file, 10)
    for _ in range(count):
        _value(file, of)
    return None


def _tensor(file: BinaryIO) -> Tensor:
    name = _string(file)
    shape = tuple(_scalar(file, 10) for _ in range(_scalar(file, 4)))
    kind = _scalar(file, 4)
    _scalar(file, 10)  # Where its data begins.
    return Tensor(name, _TYPES.get(kind, str(kind)), shape)
