"""Messages as OpenAI, Anthropic and LangChain write them, reduced to roles and tool calls.

Understood as `langchain_core.messages.convert_to_openai_messages` (1.8) does it, on which
agentevals relies; what that refuses is refused here, too.
"""

import json
from collections.abc import Mapping
from functools import lru_cache
from typing import Any

import msgspec

from studio.engine.metrics.trajectory.blocks import read_blocks
from studio.engine.metrics.trajectory.message import BadMessages, Call, Message, parsed

__all__ = ["BadMessages", "Call", "Message", "read_messages"]

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
_AGENTS = ("assistant", "ai")
_PLAIN: Mapping[Any, Message] = {
    name: Message(role) for name, role in _ROLES.items() if role not in ("tool", "function")
}
_RESULT = Message("tool")
_PLAIN_KEYS = frozenset(("role", "content", "tool_calls", "tool_call_id"))


def read_messages(messages: Any, *, twice: bool = False) -> list[Message]:
    """The messages of a list, of one message, or of `{"messages": [...]}`; none for null.

    `twice`: whether what LangChain serialized is refused, as it is by whoever converts messages
    that were converted before.  Raises BadMessages.
    """
    if messages is None:
        return []
    if isinstance(messages, dict):
        if "role" in messages:
            messages = [messages]
        elif "messages" in messages:
            messages = messages["messages"]
        else:
            raise BadMessages("an object must be a message or have messages")
    if not isinstance(messages, list):
        messages = [messages]
    try:
        return [_plain_message(message) or _message(message, twice=twice) for message in messages]
    except (TypeError, AttributeError) as error:
        # A list for a role, a number for a call: no kind of value is looked for beforehand.
        raise BadMessages("a part of a message is of another kind than it can be") from error


def _plain_message(message: Any) -> Message | None:
    """The message, if it is one as OpenAI writes it and as most are; else None."""
    try:
        role, content, count = message["role"], message["content"], len(message)
    except (KeyError, TypeError):
        return None
    if count == 2 and type(content) is str:
        return _PLAIN.get(role)
    if count != 3 or (type(content) is not str and content is not None):
        return None
    if role == "tool":
        return _RESULT if type(message.get("tool_call_id")) is str else None
    calls = message.get("tool_calls")
    if type(calls) is list and calls and role in _AGENTS:
        return Message("assistant", tuple(map(_call, calls)))
    return None


def _message(message: Any, *, twice: bool) -> Message:
    if type(message) is not dict:
        raise BadMessages(f"a {type(message).__name__} is no message")
    if message.get("lc") == 1:
        message = _unpacked(message, twice=twice)
    role = _role(message)
    if not message.keys() <= _PLAIN_KEYS:
        _check_other_keys(message, role)
    if role == "tool" and type(message.get("tool_call_id", "")) not in _IDS_OF_RESULTS:
        raise BadMessages("the tool_call_id of a message must be a text")
    made = _stated_calls(message, role)
    content = message.get("content")
    if content and type(content) is not str:
        if type(content) is list:
            return read_blocks(role, made, content, message.get("tool_calls") or ())
        if role != "tool":
            raise BadMessages(f"the content of a message is a {type(content).__name__}")
    return Message(role, made)


_IDS_OF_RESULTS = (str, int, float, bool, type(None))


def _role(message: dict[str, Any]) -> str:
    written = message["role"] if "role" in message else message.get("type")
    role = _ROLES.get(written) if isinstance(written, str) else None
    if role is None:
        raise BadMessages(f"{written!r:.40} is no role")
    if role == "function" and not isinstance(message.get("name"), str):
        raise BadMessages("a message of the role function must have a name")
    if role == "tool" and "role" not in message and "tool_call_id" not in message:
        raise BadMessages("a message of the type tool must have a tool_call_id")
    return role


def _check_other_keys(message: dict[str, Any], role: str) -> None:
    if not isinstance(message.get("name"), str | None):
        raise BadMessages("the name of a message must be a text")
    id = message.get("id")
    if isinstance(id, bool) or not isinstance(id, str | int | float | None):
        raise BadMessages("the id of a message must be a text")
    if not isinstance(message.get("response_metadata") or {}, dict):
        raise BadMessages("response_metadata must be an object")
    more = message.get("additional_kwargs", {})
    if not isinstance(more, dict) and more not in ("", []):
        raise BadMessages("additional_kwargs must be an object")
    if role == "tool" and message.get("status") not in (None, "success", "error"):
        raise BadMessages("the status of a result must be success or error")


def _stated_calls(message: dict[str, Any], role: str) -> tuple[Call, ...] | None:
    calls = message.get("tool_calls")
    if not calls:
        if calls is not None and not isinstance(calls, list | dict | str):
            raise BadMessages("tool_calls must be a list")
        more = message.get("additional_kwargs")
        if role == "assistant" and isinstance(more, dict) and more.get("tool_calls"):
            return _raw_calls(more["tool_calls"])
        return None
    if role != "assistant" and isinstance(calls, str | dict):
        return None
    if not isinstance(calls, list):
        raise BadMessages("tool_calls must be a list")
    if role != "assistant":
        for call in calls:
            _check_ignored(call)
        return None
    # An id is made up for those that say their role, and only for those.
    needs_id = "role" not in message
    return tuple([_call(call, needs_id=needs_id) for call in calls])


def _raw_calls(calls: Any) -> tuple[Call, ...] | None:
    """Calls as OpenAI's interface gave them, below `additional_kwargs`; bad ones are left out."""
    found = []
    for call in calls if isinstance(calls, list) else ():
        if not isinstance(call, dict) or "function" not in call:
            continue
        try:
            name, text = call["function"]["name"], call["function"]["arguments"]
            arguments = json.loads(text) or {}
        except json.JSONDecodeError:
            continue
        except (LookupError, TypeError, RecursionError):
            return None
        if not isinstance(name or "", str) or not isinstance(arguments, dict):
            raise BadMessages("a tool call must have a name and an object of arguments")
        found.append(Call(name or "", arguments))
    return tuple(found) or None


def _check_ignored(call: Any) -> None:
    """Calls of a message that is not the assistant's are no calls, but they are looked at."""
    if call is None or isinstance(call, int | float):
        raise BadMessages(f"a {type(call).__name__} is no tool call")
    if isinstance(call, dict) and "function" in call:
        function = call["function"]
        if not isinstance(function, dict) or not {"name", "arguments"} <= function.keys():
            raise BadMessages("a tool call must have an id, a name and arguments")
        if "id" not in call:
            raise BadMessages("a tool call has no id")
        if isinstance(function["arguments"], str):
            parsed(function["arguments"], strict=False)


def _unpacked(message: dict[str, Any], *, twice: bool) -> dict[str, Any]:
    """A message as LangChain serializes it: what stands below `kwargs`, by the class's name."""
    if twice:
        raise BadMessages("a message of LangChain cannot be converted twice")
    if message.get("type") != "constructor":
        return message
    path, inside = message.get("id"), message.get("kwargs")
    name = path[-1] if isinstance(path, list) and path else None
    if not isinstance(inside, dict) or not isinstance(name, str) or name not in _CLASSES:
        raise BadMessages("this is no message of LangChain")
    if "content" not in inside:
        raise BadMessages("a message of LangChain must have content")
    return {"type": _CLASSES[name], **inside}


def _call(call: Any, *, needs_id: bool = False) -> Call:
    if type(call) is not dict:
        raise BadMessages(f"a {type(call).__name__} is no tool call")
    if type(call.get("id")) is not str:
        _check_id(call, needs_id=needs_id)
    function = call.get("function")
    if type(function) is dict:
        name, arguments = function.get("name"), function.get("arguments")
        if type(arguments) is str:
            arguments = _loaded(arguments)
    else:
        if function is not None or not {"name", "args"} <= call.keys() <= _CALL_KEYS:
            raise BadMessages("a tool call must have name, args and id, and nothing else")
        name, arguments = call["name"], call["args"]
    if type(name) is not str or type(arguments) is not dict:
        raise BadMessages("a tool call must have a name and an object of arguments")
    return Call(name, arguments)


def _check_id(call: dict[str, Any], *, needs_id: bool) -> None:
    if call.get("id") is not None:
        raise BadMessages("the id of a tool call must be a text")
    if needs_id and "id" not in call:
        raise BadMessages("a tool call has no id")


_LONGEST_KEPT = 200
_decode = msgspec.json.Decoder().decode
# A good trajectory repeats the arguments of its reference.
_kept = lru_cache(maxsize=1024)(_decode)


def _loaded(text: str) -> Any:
    try:
        return _kept(text) if len(text) <= _LONGEST_KEPT else _decode(text)
    except (msgspec.MsgspecError, UnicodeEncodeError, RecursionError):
        # Wider than the standard: line ends within texts, NaN, halves of surrogate pairs.
        return parsed(text, strict=False)
