"""What came back to the calls that messages hold, each found by the id of its call."""

from collections import deque
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NamedTuple

import msgspec

from studio.engine.metrics.trajectory.messages import Message
from studio.engine.plain import plain
from studio.engine.records import JsonObject

_FAILED = "exception"


class Returned(NamedTuple):
    """A result, and the kind of its error; both None where nothing came back."""

    result: str | None = None
    error: str | None = None


class Results:
    """The results of a conversation.

    One whose id is that of no call belongs to the next call that has no result of its own.
    """

    def __init__(self, read: Sequence[Message], raw: Sequence[Any]) -> None:
        known = {
            id for message, each in zip(read, raw, strict=True) for id in ids_in(message, each)
        }
        self._named: dict[str, deque[Returned]] = {}
        self._unnamed: deque[Returned] = deque()
        for message, each in zip(read, raw, strict=True):
            for id, returned in _returned(message.role, as_written(each)):
                is_named = id is not None and id in known
                at = self._named.setdefault(id, deque()) if is_named and id else self._unnamed
                at.append(returned)

    def of(self, id: str | None) -> Returned:
        """What came back to the call, which is asked for once and in the order of the calls."""
        if id is not None and self._named.get(id):
            return self._named[id].popleft()
        return self._unnamed.popleft() if self._unnamed else Returned()


def _returned(role: str, message: JsonObject) -> Iterator[tuple[str | None, Returned]]:
    blocks = [block for block in _blocks(message) if block.get("type") == "tool_result"]
    for block in blocks:
        yield _id(block.get("tool_use_id")), _as_returned(block, block.get("is_error") is True)
    if not blocks and role == "tool":
        is_error = message.get("status") == "error"
        yield _id(message.get("tool_call_id")), _as_returned(message, is_error)


def ids_in(message: Message, written: JsonObject) -> list[str | None]:
    """The ids of the calls of a message, in their order; None where they are not known."""
    count = len(message.calls or ())
    written = as_written(written)
    stated = written.get("tool_calls")
    calls = stated if isinstance(stated, list) and stated else _blocks(written)
    ids = [
        _id(call.get("call_id", call.get("id")))
        for call in calls
        if calls is stated or call.get("type") in ("tool_use", "function_call")
    ]
    return ids if len(ids) == count else [None] * count


def as_written(message: Any) -> JsonObject:
    """The message itself, also where LangChain wrapped it."""
    inner = message.get("kwargs") if isinstance(message, dict) and message.get("lc") == 1 else None
    return inner if isinstance(inner, dict) else message


def _blocks(message: JsonObject) -> list[JsonObject]:
    content = message.get("content")
    listed = content if isinstance(content, list) else []
    return [block for block in listed if isinstance(block, dict)]


def _as_returned(of: JsonObject, is_error: bool) -> Returned:  # noqa: FBT001 - what it is of
    return Returned(text_in(of), _FAILED if is_error else None)


def _id(stated: Any) -> str | None:
    return stated if isinstance(stated, str) and stated else None


def text_in(message: JsonObject) -> str:
    """The text of a message or a block, its parts below each other."""
    content = message.get("content")
    if isinstance(content, list):
        parts = (part.get("text") if isinstance(part, Mapping) else part for part in content)
        return "\n".join(part for part in parts if isinstance(part, str) and part)
    return content if isinstance(content, str) else as_text(content) or ""


def as_text(value: Any) -> str | None:
    """A text as it is, anything else as JSON."""
    if value is None or isinstance(value, str):
        return value
    return msgspec.json.encode(plain(value)).decode()
