"""Gemma's own notation: `call:name{key:<|"|>text<|"|>,other:1}`."""

import json
import re

from studio.engine.models.found_calls.arguments import NoArguments, arguments_of
from studio.engine.models.found_calls.json_text import JsonText
from studio.engine.models.found_calls.values import Candidate, Tools

_CALL = re.compile(r"\s{0,8}call:\s?([\w.\-:]{1,128})\s{0,8}(?=\{)")
_QUOTE = re.compile(r'<\|"\|>|<escape>')
_KEY = re.compile(r"([{,]\s{0,8})([A-Za-z_][\w\-]{0,127})(?=\s{0,8}:)")


def gemma_call(body: str, tools: Tools) -> Candidate | None:
    """The call that `body` holds; None if it is written otherwise."""
    match = _CALL.match(body)
    if match is None:
        return None
    parts = _QUOTE.split(body[match.end() :])
    # Between the first quote and the second is text, and so on; keys stand outside.
    translated = "".join(
        json.dumps(part) if place % 2 else _KEY.sub(r'\1"\2"', part)
        for place, part in enumerate(parts)
    )
    value = JsonText(translated).value_at(0, len(translated))
    if value is None:
        return None
    name = tools.name(match[1]) or match[1]
    try:
        call = arguments_of(value.value, name, tools)
    except NoArguments:
        return None
    return call._replace(repaired=call.repaired or value.repaired)
