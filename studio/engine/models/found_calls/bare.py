"""Calls without any token or fence: the text itself is one, or one stands amid prose."""

import re

from studio.engine.models.found_calls import marks
from studio.engine.models.found_calls.json_forms import candidates, holds_schema
from studio.engine.models.found_calls.json_text import JsonText
from studio.engine.models.found_calls.pythonic import pythonic_calls
from studio.engine.models.found_calls.values import Attempt, FoundCall, Tools, noted, without

_NOT_JUNK = re.compile(r"[^\s\]\[{}().,;:!`>'\"]")
_COMMENT = re.compile(r"(?://|#)[^\n]*")


def is_prose(outside: str) -> bool:
    """Whether what stands around a call is more than stray punctuation and comments."""
    return _NOT_JUNK.search(_COMMENT.sub("", outside)) is not None


def whole_json(text: str, tools: Tools) -> Attempt | None:
    """Strict JSON from end to end: what looks like a control token in it is part of a string."""
    stripped = text.strip()
    if not stripped.startswith(("{", "[")):
        return None
    value = JsonText(stripped).strict_at(0)
    if value is None or value.end < len(stripped):
        return None
    calls = noted(candidates(value.value, tools), "json")
    if calls:
        return Attempt(calls, "")
    return Attempt([], text, (marks.SCHEMA,) if holds_schema(value.value) else ())


def bare_calls(text: str, tools: Tools) -> Attempt:
    """The calls that `text` is made of; amid prose, JSON objects that call known tools."""
    is_listed = text.lstrip().startswith("[")
    if calls := pythonic_calls(text, tools, known_only=not is_listed):
        return Attempt(noted(calls, "pythonic"), "")
    values = list(JsonText(text).values(0, len(text)))
    in_prose = is_prose(without(text, [(value.start, value.end) for value in values]))
    form = "json in prose" if in_prose else "json"
    found: list[FoundCall] = []
    gone: list[tuple[int, int]] = []
    for value in values:
        read = candidates(value.value, tools, in_prose=in_prose)
        if read:
            found += noted(read, form, repaired=value.repaired)
            gone.append((value.start, value.end))
    if found and not in_prose and len(gone) == len(values):
        return Attempt(found, "")
    return Attempt(found, without(text, gone))


def has_schema(text: str) -> bool:
    """Whether a tool's description stands in `text`."""
    if '"parameters"' not in text and '"properties"' not in text:
        return False
    return any(holds_schema(value.value) for value in JsonText(text).values(0, len(text)))
