"""The turns of a trace: what the user said, and what the agent did until the user spoke again.

A trial holds no event for what the user says.  The first turn is the query; what else the user
said stands in the messages that the model was sent: those of its first request are the
conversation so far, and each further message of the user in a later request begins a turn.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import msgspec

from studio.engine.events import ModelCalled, ModelReplied, ToolCalled, ToolReturned, TrialStarted
from studio.engine.records import JsonObject
from studio.engine.trace import Trace

_OBSERVED = re.compile(r"\s*<?(?:observation|tool[_ ]re(?:sult|sponse)s?)\b", re.IGNORECASE)
_LONG = 20
"""Characters; a shorter result may stand in what the user says by chance."""


class Made(msgspec.Struct, frozen=True):
    """A call that was made."""

    name: str
    arguments: JsonObject


class Turn:
    """One message of the user, the calls made for it, their results, and what the agent said."""

    def __init__(self, user: str) -> None:
        self.user = user
        self.calls: list[Made] = []
        self.results: list[str] = []
        self.said: list[str] = []


def turns_of(trace: Trace) -> list[Turn]:
    """The turns in their order; one for a trial in which the user spoke once."""
    turns: list[Turn] = []
    query, seen = "", 0
    for event in trace.events:
        match event:
            case TrialStarted():
                query = event.query
            case ModelCalled(sent=sent) if isinstance(sent.get("messages"), list | tuple):
                users = list(_users(sent["messages"]))
                if seen:
                    results = [result for turn in turns for result in turn.results]
                    turns += (Turn(text) for text in users[seen:] if not _is_of(text, results))
                else:
                    turns = _history(sent["messages"]) or turns
                seen = max(seen, len(users))
            case ModelReplied(text=text):
                _last(turns, query).said.append(text)
            case ToolCalled(name=name, arguments=arguments):
                _last(turns, query).calls.append(Made(name, arguments))
            case ToolReturned(content=content):
                _last(turns, query).results.append(content)
    return turns or [Turn(query)]


def _last(turns: list[Turn], query: str) -> Turn:
    if not turns:
        turns.append(Turn(query))
    return turns[-1]


def _is_of(text: str, results: Sequence[str]) -> bool:
    """Whether it is the harness that speaks as the user, telling what a tool returned."""
    if _OBSERVED.match(text):
        return True
    plain = text.strip()
    return any(
        result.strip() == plain or (len(result) >= _LONG and result.strip() in plain)
        for result in results
    )


def _users(messages: Sequence[Any]) -> Iterator[str]:
    for message in messages:
        if isinstance(message, Mapping) and message.get("role") == "user":
            yield text_in(message)


def _history(messages: Sequence[Any]) -> list[Turn]:
    turns: list[Turn] = []
    for message in messages:
        role = message.get("role") if isinstance(message, Mapping) else None
        if role == "user":
            turns.append(Turn(text_in(message)))
        elif turns and role == "assistant":
            turns[-1].said.append(text_in(message))
            turns[-1].calls += _calls(message.get("tool_calls"))
        elif turns and role == "tool":
            turns[-1].results.append(text_in(message))
    return turns


def _calls(calls: Any) -> Iterator[Made]:
    for call in calls if isinstance(calls, list | tuple) else ():
        function = call.get("function", call) if isinstance(call, Mapping) else {}
        if not isinstance(function, Mapping) or not isinstance(function.get("name"), str):
            continue
        arguments = function.get("arguments", function.get("args"))
        if isinstance(arguments, str):
            try:
                arguments = msgspec.json.decode(arguments)
            except (msgspec.MsgspecError, UnicodeEncodeError, RecursionError):
                arguments = None
        yield Made(function["name"], arguments if isinstance(arguments, Mapping) else {})


def text_in(message: Mapping[str, Any]) -> str:
    """The text of a message, whose content may be written in blocks."""
    content = message.get("content")
    if isinstance(content, str):
        return content
    blocks = content if isinstance(content, list | tuple) else ()
    texts = (block.get("text") if isinstance(block, Mapping) else block for block in blocks)
    return "\n".join(text for text in texts if isinstance(text, str))
