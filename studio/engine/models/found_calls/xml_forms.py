"""Calls written as XML: `<parameter=key>` of Qwen, `<arg_key>` of GLM, plain elements."""

import re
from typing import Any

from studio.engine.models.found_calls.arguments import NoArguments, arguments_of, from_text
from studio.engine.models.found_calls.values import Candidate, Tools

_PARAMETER = re.compile(
    r"<(?:｜DSML｜)?parameter(?:=|\s{1,8}name\s?=\s?)[\"']?([^<>\"'\n]{1,128})[\"']?"
    r"(?:\s[^<>]{0,80})?>"
)
_PARAMETER_END = re.compile(r"</(?:｜DSML｜)?parameter>")
_KEY = re.compile(r"<arg_key>([^<]{1,128})</arg_key>\s{0,8}<arg_value>")
_KEY_END = re.compile(r"</arg_value>")
_ELEMENT = re.compile(r"<([A-Za-z_][\w.\-]{0,127})>")
_NAMES = frozenset({"name", "tool_name", "function_name"})
_ARGUMENTS = frozenset({"arguments", "parameters", "args", "input", "tool_input"})


def parameters(body: str, name: str, tools: Tools) -> dict[str, Any] | None:
    """The arguments in the `<parameter>` elements of `body`; None if it has none."""
    return _pairs(body, _PARAMETER, _PARAMETER_END, name, tools)


def glm_call(body: str, tools: Tools) -> Candidate | None:
    """`name`, then pairs of `<arg_key>` and `<arg_value>`."""
    head = body.partition("<arg_key>")[0].strip()
    if not head or len(head) > 128 or any(character.isspace() for character in head):
        return None
    name = tools.name(head) or head
    given = _pairs(body, _KEY, _KEY_END, name, tools)
    return None if given is None else Candidate(name, given)


def element_call(body: str, tools: Tools) -> Candidate | None:
    """`<name>…</name><arguments>…</arguments>`, or elements named as the tool and its arguments."""
    found = _elements(body)
    written = next((text for key, text in found.items() if key in _NAMES), "").strip()
    if not written:
        return _named_element(found, tools)
    name = tools.name(written)
    given = next((text for key, text in found.items() if key in _ARGUMENTS), "")
    if name is None:
        return None
    return _from_body(given, name, tools)


def _named_element(found: dict[str, str], tools: Tools) -> Candidate | None:
    match [(tools.name(key), text) for key, text in found.items()]:
        case [(str(name), text)]:
            return _from_body(text, name, tools)
    return None


def _from_body(body: str, name: str, tools: Tools) -> Candidate | None:
    inner = _elements(body)
    if inner and inner.keys() <= tools.properties(name).keys():
        given = {key: from_text(text, tools.types(name, key)) for key, text in inner.items()}
        return Candidate(name, given)
    try:
        return arguments_of(body.strip(), name, tools)
    except NoArguments:
        return None


def _elements(body: str) -> dict[str, str]:
    """The outermost elements of `body`; empty if one is not closed."""
    found: dict[str, str] = {}
    position = 0
    while opening := _ELEMENT.search(body, position):
        closer = f"</{opening[1]}>"
        end = body.find(closer, opening.end())
        if end < 0:
            return {}
        found[opening[1]] = body[opening.end() : end]
        position = end + len(closer)
    return found


def _pairs(
    body: str, key: re.Pattern[str], closer: re.Pattern[str], name: str, tools: Tools
) -> dict[str, Any] | None:
    openings = list(key.finditer(body))
    if not openings:
        return None
    limits = [*(match.start() for match in openings[1:]), len(body)]
    given: dict[str, Any] = {}
    for opening, limit in zip(openings, limits, strict=True):
        end = closer.search(body, opening.end(), limit)
        written = body[opening.end() : end.start() if end else limit]
        argument = opening[1].strip()
        given[argument] = from_text(_trimmed(written), tools.types(name, argument))
    return given


def _trimmed(written: str) -> str:
    # One line break on either side belongs to the notation, further ones to the value.
    return written.removeprefix("\n").removesuffix("\n")
