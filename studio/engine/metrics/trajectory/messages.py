"""Messages as OpenAI, Anthropic and LangChain write them, reduced to roles and tool calls.

Understood as `langchain_core.messages.convert_to_openai_messages` (1.8) does it, on which
agentevals relies; what that refuses is refused here, too.
"""

import json
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple


class BadMessages(ValueError):
    """What was given is no list of messages; says what is wrong."""


class Call(NamedTuple):
    name: str
    arguments: Any


class Message(NamedTuple):
    """`calls` is None where the message has none."""

    role: str
    calls: tuple[Call, ...] | None = None


_ROLES = {
    "human": "user",
    "user": "user",
    "ai": "assistant",
    "assistant": "assistant",
    "system": "system",
    "developer": "developer",
    "tool": "tool",
    "function": "function",
}
_CLASSES = {
    f"{name}Message{chunk}": name.lower()
    for name in ("Human", "AI", "System", "Function", "Tool")
    for chunk in ("", "Chunk")
}
_CALL_KEYS = frozenset(("name", "args", "id", "type", "extras"))


def read_messages(messages: Any) -> list[Message]:
    """The messages of a list, of one message, or of `{"messages": [...]}`; none for null.

    Raises BadMessages.
    """
    if messages is None:
        return []
    if isinstance(messages, Mapping):
        if "role" in messages:
            messages = [messages]
        elif "messages" in messages:
            messages = messages["messages"]
        else:
            raise BadMessages("an object must be a message or have messages")
    if not isinstance(messages, list):
        messages = [messages]
    return [_message(message) for message in messages]


def _message(message: Any) -> Message:
    if not isinstance(message, dict):
        raise BadMessages(f"a {type(message).__name__} is no message")
    if message.get("lc") == 1 and message.get("type") == "constructor" and "role" not in message:
        return _serialized(message)
    role = _role(message)
    made = _stated_calls(message, role)
    content = message.get("content")
    if isinstance(content, list) and content:
        return _with_blocks(role, made, content, message.get("tool_calls") or ())
    if content and not isinstance(content, str) and role != "tool":
        raise BadMessages(f"the content of a message is a {type(content).__name__}")
    return Message(role, made or None)


def _role(message: dict[str, Any]) -> str:
    written = message["role"] if "role" in message else message.get("type")
    role = _ROLES.get(written) if isinstance(written, str) else None
    if role is None:
        raise BadMessages(f"{written!r:.40} is no role")
    if role == "function" and not message.get("name"):
        raise BadMessages("a message of the role function must have a name")
    return role


def _stated_calls(message: dict[str, Any], role: str) -> tuple[Call, ...]:
    calls = message.get("tool_calls")
    if calls is None:
        more = message.get("additional_kwargs")
        if role == "assistant" and isinstance(more, dict) and more.get("tool_calls"):
            raise BadMessages("calls below additional_kwargs are not read; write tool_calls")
        return ()
    if not isinstance(calls, list):
        raise BadMessages("tool_calls must be a list")
    if role != "assistant":
        for call in calls:
            _check_ignored(call)
        return ()
    # An id is made up for those that say their role, and only for those.
    needs_id = "role" not in message
    return tuple(_call(call, needs_id=needs_id) for call in calls)


def _check_ignored(call: Any) -> None:
    """Calls of a message that is not the assistant's are no calls, but they are looked at."""
    if call is None or isinstance(call, int | float):
        raise BadMessages(f"a {type(call).__name__} is no tool call")
    if isinstance(call, dict) and "function" in call:
        function = call["function"]
        if "id" not in call or not isinstance(function, dict) or "arguments" not in function:
            raise BadMessages("a tool call must have an id, a name and arguments")
        if isinstance(function["arguments"], str):
            parsed(function["arguments"], strict=False)


def _serialized(message: dict[str, Any]) -> Message:
    path, inside = message.get("id"), message.get("kwargs")
    name = path[-1] if isinstance(path, list) and path else None
    if not isinstance(inside, dict) or name not in _CLASSES:
        raise BadMessages("this is no message of LangChain")
    return _message({**inside, "type": _CLASSES[name], "role": _CLASSES[name]})


def _call(call: Any, *, needs_id: bool) -> Call:
    if not isinstance(call, dict):
        raise BadMessages(f"a {type(call).__name__} is no tool call")
    if needs_id and "id" not in call:
        raise BadMessages("a tool call has no id")
    if "function" in call:
        function = call["function"]
        if not isinstance(function, dict) or not function.keys() >= {"name", "arguments"}:
            raise BadMessages("the function of a tool call must have a name and arguments")
        name, arguments = function["name"], function["arguments"]
        if isinstance(arguments, str):
            arguments = parsed(arguments, strict=False)
    else:
        if not call.keys() >= {"name", "args"} or not call.keys() <= _CALL_KEYS:
            raise BadMessages("a tool call must have name, args and id, and nothing else")
        name, arguments = call["name"], call["args"]
    if not isinstance(name, str) or not isinstance(arguments, dict):
        raise BadMessages("a tool call must have a name and an object of arguments")
    return Call(name, arguments)


def parsed(text: str, *, strict: bool = True) -> Any:
    """The JSON that stands in a text; `strict` refuses control characters in it."""
    try:
        return json.loads(text, strict=strict)
    except (ValueError, RecursionError) as error:
        raise BadMessages(f"the arguments of a tool call are no JSON: {error}") from error


def _with_blocks(
    role: str, made: tuple[Call, ...], blocks: list[Any], stated: Sequence[dict[str, Any]]
) -> Message:
    """A message of content blocks: calls may stand in them, and results that make it a tool's."""
    calls, ids = list(made), {call.get("id", "") for call in stated}
    has_result = has_content = False
    for block in blocks:
        kind = block.get("type") if isinstance(block, dict) else None
        if kind == "tool_use":
            calls += _block_call(block, "id", role, ids, ("name", "input"))
        elif kind == "function_call":
            calls += _block_call(block, "call_id", role, ids, ("name", "arguments"))
            has_content = True
        elif kind == "tool_result":
            has_result = True
        elif kind is None and not isinstance(block, str):
            raise BadMessages("a block of content has no type")
        else:
            # A refusal without words, and text without letters, leave nothing.
            has_content = has_content or _is_content(block, kind)
    if has_result and not has_content:
        return Message("tool")
    return Message(role, tuple(calls) or None)


def _is_content(block: Any, kind: str | None) -> bool:
    if kind == "refusal":
        return bool(block.get("refusal"))
    return bool(block if isinstance(block, str) else kind != "text" or block.get("text"))


def _block_call(
    block: dict[str, Any], id_key: str, role: str, ids: set[Any], keys: tuple[str, str]
) -> list[Call]:
    if role != "assistant" or not block.keys() >= {id_key, *keys}:
        raise BadMessages("a call in a block of content must have an id, a name and arguments")
    if block[id_key] in ids:
        return []
    arguments = block[keys[1]]
    return [Call(block["name"], parsed(arguments) if keys[1] == "arguments" else arguments)]
