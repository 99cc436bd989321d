"""Messages whose content is a list of blocks: calls may stand in them, and results of tools."""

from collections.abc import Sequence
from typing import Any

from studio.engine.metrics.trajectory.message import BadMessages, Call, Message, parsed


def read_blocks(
    role: str, made: tuple[Call, ...] | None, blocks: list[Any], stated: Sequence[dict[str, Any]]
) -> Message:
    """The message; one that only holds results is a tool's.  Raises BadMessages.

    A call in a block is one of the `stated` calls if it has the id of one.
    """
    if role == "tool":
        # What is no block in a result is taken for its text.
        blocks = [block if isinstance(block, str | dict) else str(block) for block in blocks]
    calls, ids = list(made or ()), {call.get("id", "") for call in stated}
    has_result = has_content = False
    for block in blocks:
        kind = _kind(block)
        if kind == "tool_use":
            calls += _call(block, "id", role, ids, ("name", "input"))
        elif kind == "function_call":
            calls += _call(block, "call_id", role, ids, ("name", "arguments"))
            has_content = True
        elif kind == "tool_result":
            if not block.keys() >= {"content", "tool_use_id"}:
                raise BadMessages("a result in a block must have content and tool_use_id")
            has_result = True
        else:
            # A refusal without words, and text without letters, leave nothing.
            has_content = has_content or _is_content(block, kind)
    if has_result and not has_content:
        return Message("tool")
    return Message(role, tuple(calls) or None)


def _kind(block: Any) -> Any:
    if isinstance(block, str):
        return "text"
    if not isinstance(block, dict) or "type" not in block:
        raise BadMessages("a block of content has no type")
    kind = block["type"]
    if isinstance(kind, list | dict):
        raise BadMessages("the type of a block must be a text")
    if kind == "text" and not isinstance(block.get("text"), str):
        raise BadMessages("a block of text has no text")
    return kind


def _is_content(block: Any, kind: Any) -> bool:
    if kind == "text":
        return bool(block if isinstance(block, str) else block["text"])
    return bool(block.get("refusal")) if kind == "refusal" else True


def _call(
    block: dict[str, Any], id_key: str, role: str, ids: set[Any], keys: tuple[str, str]
) -> list[Call]:
    if role != "assistant" or not block.keys() >= {id_key, *keys}:
        raise BadMessages("a call in a block of content must have an id, a name and arguments")
    id = block[id_key]
    if not isinstance(id, list | dict) and id in ids:
        return []
    arguments = block[keys[1]]
    return [Call(block["name"], parsed(arguments) if keys[1] == "arguments" else arguments)]
