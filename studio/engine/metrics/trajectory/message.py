"""What is kept of a message: its role and its calls."""

import json
from typing import Any

import msgspec


class BadMessages(ValueError):
    """What was given is no list of messages; says what is wrong."""


class Call(msgspec.Struct, frozen=True, gc=False):
    name: str
    arguments: Any


class Message(msgspec.Struct, frozen=True, gc=False):
    """`calls` is None where the message has none."""

    role: str
    calls: tuple[Call, ...] | None = None


def parsed(text: str, *, strict: bool = True) -> Any:
    """The JSON that stands in a text; `strict` refuses control characters in it."""
    try:
        return json.loads(text, strict=strict)
    except (ValueError, RecursionError) as error:
        raise BadMessages(f"the arguments of a tool call are no JSON: {error}") from error
