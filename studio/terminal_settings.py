"""Settings of metrics as they are written in a terminal: values are JSON, or else texts."""

import json
import re
from collections.abc import Iterator
from typing import Any

_DECODER = json.JSONDecoder()
_END = re.compile(r",(?=\w+=)|\Z")


def value_of(text: str) -> Any:
    """The value that a text stands for: JSON, or the text itself."""
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        return text


def settings_of(text: str) -> Iterator[tuple[str, Any]]:
    """The settings of `name=value,name=value`.  Raises ValueError where there is no `=`.

    A comma in JSON parts nothing, and neither does one that no name follows.
    """
    while text:
        name, is_there, rest = text.partition("=")
        if not is_there:
            raise ValueError(f"{text!r} sets nothing")
        value, text = _first(rest)
        yield name, value


def _first(text: str) -> tuple[Any, str]:
    """The first value of the text, and what stands behind the comma after it."""
    try:
        value, end = _DECODER.raw_decode(text)
        if after := _END.match(text, end):
            return value, text[after.end() :]
    except (ValueError, RecursionError):
        pass  # a text, then
    after = _END.search(text)
    assert after is not None, "every text has an end"
    return text[: after.start()], text[after.end() :]
