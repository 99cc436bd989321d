"""Calls in code fences, as JSON or as Python."""

import re
from collections.abc import Iterator
from typing import NamedTuple

from studio.engine.models.found_calls.bare import is_prose
from studio.engine.models.found_calls.json_forms import candidates
from studio.engine.models.found_calls.json_text import JsonText
from studio.engine.models.found_calls.pythonic import pythonic_calls
from studio.engine.models.found_calls.values import Attempt, FoundCall, Tools, noted, without

_FENCE = re.compile(r"```+|~~~+")
_LANGUAGE = re.compile(r"[ \t]*([\w+.\-]{0,40})[ \t]*(?:\r?\n|(?=\s*[{\[<]))")


_CODE = frozenset({"", "python", "py", "tool_code", "tool_call", "tool_calls", "tool"})


class Fence(NamedTuple):
    """A fence from `start` to `end`; its body from `body` to `body_end`."""

    language: str
    start: int
    body: int
    body_end: int
    end: int


def fences(text: str, source: JsonText) -> Iterator[Fence]:
    """The fences of `text` in order; the last one may be open to the end."""
    position = 0
    while opening := _FENCE.search(text, position):
        language = _LANGUAGE.match(text, opening.end())
        body = language.end() if language else opening.end()
        # A string in the JSON of the body may hold a fence itself.
        value = source.strict_at(body) if text.startswith(("{", "["), body) else None
        closing = text.find(opening[0], value.end if value else body)
        body_end = closing if closing >= 0 else len(text)
        end = closing + len(opening[0]) if closing >= 0 else len(text)
        yield Fence(language[1].lower() if language else "", opening.start(), body, body_end, end)
        position = end


def fenced(text: str, tools: Tools) -> Attempt:
    """The calls in the fences of `text`; beside prose, only such of known tools."""
    source = JsonText(text)
    found = list(fences(text, source))
    in_prose = is_prose(without(text, [(fence.start, fence.end) for fence in found]))
    calls: list[FoundCall] = []
    gone: list[tuple[int, int]] = []
    for fence in found:
        inside = _json(source, fence, tools, in_prose=in_prose)
        inside = inside or _code(text[fence.body : fence.body_end], fence.language, tools)
        if inside:
            calls += inside
            gone.append((fence.start, fence.end))
    return Attempt(calls, without(text, gone))


def _json(source: JsonText, fence: Fence, tools: Tools, *, in_prose: bool) -> list[FoundCall]:
    return [
        call
        for value in source.sequence(fence.body, fence.body_end)
        for call in noted(
            candidates(value.value, tools, in_prose=in_prose),
            "fenced json",
            repaired=value.repaired,
        )
    ]


def _code(body: str, language: str, tools: Tools) -> list[FoundCall]:
    if language not in _CODE:
        return []
    is_code = language.startswith("tool")
    return noted(pythonic_calls(body, tools, known_only=True, is_code=is_code), "fenced code")
