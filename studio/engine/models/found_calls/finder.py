"""The order of attempts: whole JSON, thinking, control tokens, actions, fences, bare text.

The first attempt that finds calls wins.  Everything is read in time linear in the text.
"""

import re
from collections.abc import Mapping

from studio.engine.models.found_calls import marks
from studio.engine.models.found_calls.bare import bare_calls, has_schema, whole_json
from studio.engine.models.found_calls.fences import fenced
from studio.engine.models.found_calls.harmony import read_messages
from studio.engine.models.found_calls.markers import has_opening, marked_calls
from studio.engine.models.found_calls.react import actions
from studio.engine.models.found_calls.thinking import split_thinking
from studio.engine.models.found_calls.values import Attempt, Found, Tools
from studio.engine.plain import plain_text
from studio.engine.records import JsonObject

_TALK = re.compile(r"\b(?:function|tool) call\b", re.IGNORECASE)
_TALK_LENGTH = 400
_EMPTY_FENCE = re.compile(r"```\w{0,20}\s{0,80}```")


def find(text: str, tools: Mapping[str, JsonObject]) -> Found:
    """Takes the reply `text` apart.  `tools` maps each tool's name to its parameters' JSON Schema.

    Never raises.  Calls of unknown tools are returned where nothing else can have been meant; who
    asks must refuse them.
    """
    known = Tools(tools)
    if whole := whole_json(text, known):
        return _found(whole, "")
    thinking, rest = split_thinking(text)
    messages = read_messages(rest, known)
    thinking = "\n".join(filter(None, [thinking, messages.thinking]))
    attempt = _attempt(messages.answer, known)
    seen = dict.fromkeys(attempt.marks)
    if messages.lost:
        seen[marks.MARKER] = None
    if has_opening(thinking):
        seen[marks.THOUGHT] = None
    calls = messages.calls or attempt.calls
    if not calls and len(attempt.rest) < _TALK_LENGTH and _TALK.search(attempt.rest):
        seen[marks.TALK] = None
    return _found(Attempt(calls, attempt.rest, tuple(seen)), thinking)


def _attempt(text: str, tools: Tools) -> Attempt:
    """What the first attempt that finds calls makes of `text`, with the marks of all."""
    attempt = marked_calls(text, tools)
    seen = dict.fromkeys(attempt.marks)
    for next_attempt in (actions, fenced, bare_calls):
        if attempt.calls:
            break
        attempt = next_attempt(attempt.rest, tools)
        seen |= dict.fromkeys(attempt.marks)
        if attempt.calls:
            seen.pop(marks.MARKER, None)  # here is its call
    if attempt.calls:
        attempt = attempt._replace(rest=_EMPTY_FENCE.sub("", attempt.rest))
    if has_schema(attempt.rest):
        seen[marks.SCHEMA] = None
    return attempt._replace(marks=tuple(seen))


def _found(attempt: Attempt, thinking: str) -> Found:
    answer = plain_text(attempt.rest.strip())
    return Found(tuple(attempt.calls), attempt.marks, answer, plain_text(thinking))
