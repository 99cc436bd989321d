"""Harmony, the notation of gpt-oss: messages on channels, some of them addressed to a tool."""

import re
from typing import NamedTuple

from studio.engine.models.found_calls.arguments import NoArguments, arguments_of
from studio.engine.models.found_calls.json_text import JsonText
from studio.engine.models.found_calls.values import Candidate, FoundCall, Tools, noted

_BODY_END = re.compile(r"<\|(?:call|end|return|start|channel)\|>")
_HEADER_START = re.compile(r"<\|(?:start|channel)\|>")
_RECIPIENT = re.compile(r"to=([\w.\-]{1,128})")
_CHANNEL = re.compile(r"<\|channel\|>\s{0,8}(\w{1,40})")
_MESSAGE = "<|message|>"
_HEADER = 300


class Messages(NamedTuple):
    """The messages of a text, by whom they are for.

    `lost` says that one to a tool could not be read.
    """

    calls: list[FoundCall]
    thinking: str
    answer: str
    lost: bool


def read_messages(text: str, tools: Tools) -> Messages:
    """The messages of `text`; text that is not in this notation is an answer as a whole."""
    if "<|channel|>" not in text:
        return Messages([], "", text, lost=False)
    calls: list[Candidate] = []
    thinking: list[str] = []
    answer: list[str] = []
    lost = False
    position = 0
    while (place := text.find(_MESSAGE, position)) >= 0:
        header = _header(text, position, place)
        answer.append(text[position : place - len(header)])
        body = place + len(_MESSAGE)
        end = _BODY_END.search(text, body)
        position = end.start() if end else len(text)
        if recipient := _RECIPIENT.search(header):
            call = _call(recipient[1], text[body:position], tools)
            lost = lost or call is None
            calls += [call] if call else []
        else:
            channel = _CHANNEL.search(header)
            is_thinking = channel is not None and channel[1] == "analysis"
            (thinking if is_thinking else answer).append(text[body:position])
    answer.append(text[position:])
    found = noted(calls, "harmony")
    return Messages(found, "\n".join(thinking).strip(), "".join(answer), lost)


def _header(text: str, position: int, place: int) -> str:
    """What stands before a message, from the first control token on."""
    start = _HEADER_START.search(text, max(position, place - _HEADER), place)
    return text[start.start() : place] if start else ""


def _call(recipient: str, body: str, tools: Tools) -> Candidate | None:
    name = tools.name(recipient) or recipient.removeprefix("functions.")
    body = body.strip()
    if not body:
        return Candidate(name, {})
    source = JsonText(body)
    value = source.value_at(0, len(body)) if body.startswith("{") else None
    if value is None:
        return None
    try:
        call = arguments_of(value.value, name, tools)
    except NoArguments:
        return None
    return call._replace(repaired=call.repaired or value.repaired)
