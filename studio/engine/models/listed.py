"""What a server says of its models, read into our values: nothing in it is taken on trust."""

from collections.abc import Mapping
from datetime import datetime
from typing import Any

from studio.engine.models.options import read_parameters
from studio.engine.offers import FoundModel, LoadedModel
from studio.engine.plain import plain, plain_text

_MOST = 2**63 - 1
_LONGEST = 500


def found_model(said: Mapping[str, Any]) -> FoundModel:
    """An item of /api/tags, or the answer of /api/show with its name added."""
    details = said.get("details")
    details = details if isinstance(details, dict) else {}
    capabilities = said.get("capabilities")
    length = count(said.get("context_length")) or count(details.get("context_length"))
    return FoundModel(
        name=_name(said),
        size=count(said.get("size")) or 0,
        digest=_text(said.get("digest")),
        family=_text(details.get("family")),
        parameters=_text(details.get("parameter_size")),
        quantization=_text(details.get("quantization_level")),
        context_length=length or trained_length(said.get("model_info")),
        capabilities=(
            tuple(map(str, plain(capabilities))) if isinstance(capabilities, list) else None
        ),
        remote_host=_text(said.get("remote_host")),
        options=read_parameters(said.get("parameters")),
    )


def loaded_model(said: Mapping[str, Any]) -> LoadedModel:
    """An item of /api/ps."""
    return LoadedModel(
        name=_name(said),
        digest=_text(said.get("digest")),
        size=count(said.get("size")) or 0,
        size_on_gpu=count(said.get("size_vram")),
        window=count(said.get("context_length")) or None,
        expires=_moment(said.get("expires_at")),
    )


def trained_length(info: object) -> int | None:
    """The context length that a model was trained for, from the `model_info` of /api/show."""
    for key, value in info.items() if isinstance(info, dict) else ():
        if key.endswith(".context_length"):
            return count(value) or None
    return None


def count(value: object) -> int | None:
    """A number of something, None if it is none."""
    if isinstance(value, int) and not isinstance(value, bool) and 0 <= value <= _MOST:
        return value
    return None


def _name(said: Mapping[str, Any]) -> str:
    return _text(said.get("name") or said.get("model"))


def _text(value: object) -> str:
    return plain_text(value, _LONGEST) if isinstance(value, str) else ""


def _moment(value: object) -> float | None:
    try:
        return datetime.fromisoformat(value).timestamp() if isinstance(value, str) else None
    except (ValueError, OverflowError, OSError):
        return None
