"""What stands behind one control token: a block, a named call, the notation of a family."""

import re
from typing import NamedTuple

from studio.engine.models.found_calls import gemma, xml_forms
from studio.engine.models.found_calls.arguments import NoArguments, arguments_of
from studio.engine.models.found_calls.json_forms import candidates, holds_schema
from studio.engine.models.found_calls.json_text import JsonText, Value
from studio.engine.models.found_calls.pythonic import pythonic_calls
from studio.engine.models.found_calls.tokens import Kind, Token
from studio.engine.models.found_calls.values import Candidate, Tools

_HEAD = re.compile(r"\s{0,80}(?:functions\.)?([A-Za-z_][\w.\-]{0,127})\s{0,80}(?=\{)")
_NOT_NAME = re.compile(r"[^\w.\-]")
_SEPARATOR = re.compile(r"<[｜|]tool[▁_ ]sep[｜|]>|<\|tool_call_argument_begin\|>")
_NUMBERED = re.compile(r"(?:functions\.)?([\w.\-]{1,128})(?::\d{1,6})?\Z")
_FENCE = re.compile(r"\s{0,80}```\w{0,20}\s?")
_BEFORE = 220


class Block(NamedTuple):
    """What a token led to: calls, and the part of the text that they took up."""

    calls: list[Candidate]
    start: int
    end: int
    has_schema: bool = False


class Reader:
    """Reads what stands behind control tokens in one text."""

    def __init__(self, text: str, tools: Tools) -> None:
        self._text = text
        self._source = JsonText(text)
        self._tools = tools

    def read(self, token: Token, limit: int, *, is_closed: bool) -> Block:
        """The calls behind `token`; `limit` is where the next token stands.

        `is_closed` says that the next token ends this one.
        """
        match token.kind:
            case Kind.OPEN:
                return self._block(token, limit)
            case Kind.NAMED:
                return self._named(token, limit, is_closed=is_closed)
            case Kind.BEGIN:
                return self._separated(token, limit)
            case Kind.GEMMA:
                call = gemma.gemma_call(self._text[token.end : limit], self._tools)
                return Block([call] if call else [], token.start, limit)
            case Kind.ARGUMENTS:
                return self._behind_args(token, limit)
        return Block([], token.start, token.end)

    def _block(self, token: Token, limit: int) -> Block:
        values = self._source.sequence(token.end, limit)
        calls = _all_calls(values, self._tools)
        schema = any(holds_schema(value.value) for value in values)
        if values and (calls or schema):
            return Block(calls, token.start, values[-1].end, schema)
        body = self._text[token.end : limit]
        calls = self._in_body(body, token.end, limit) if body.strip() else []
        return Block(calls, token.start, limit)

    def _in_body(self, body: str, start: int, limit: int) -> list[Candidate]:
        if head := _HEAD.match(body):
            value = self._source.value_at(start + head.end(), limit)
            name = self._tools.name(head[1]) or head[1]
            return self._with(name, value)
        for read in (xml_forms.glm_call, xml_forms.element_call):
            if call := read(body, self._tools):
                return [call]
        if calls := pythonic_calls(body, self._tools, known_only=False):
            return calls
        values = self._source.values(start, limit)
        found = (candidates(value.value, self._tools, in_prose=True) for value in values)
        return [call for calls in found for call in calls]

    def _named(self, token: Token, limit: int, *, is_closed: bool) -> Block:
        name = self._tools.name(token.name) or token.name
        position = self._source.after_separators(token.end)
        if self._text.startswith("{", position):
            value = self._source.value_at(position, limit)
            calls = self._with(name, value)
            return Block(calls, token.start, max(limit, value.end) if value else limit)
        body = self._text[token.end : limit]
        given = xml_forms.parameters(body, name, self._tools)
        if given is None and not body.strip(" \t\r\n>") and (is_closed or self._tools.name(name)):
            given = {}
        calls = [] if given is None else [arguments_of(given, name, self._tools)]
        return Block(calls, token.start, limit)

    def _separated(self, token: Token, limit: int) -> Block:
        body = self._text[token.end : limit]
        separator = _SEPARATOR.search(body)
        if separator is None:
            return Block(self._in_body(body, token.end, limit), token.start, limit)
        written, start = body[: separator.start()].strip(), separator.end()
        if written in ("function", ""):
            # R1 says what kind of call it is first; the name is the line behind the separator.
            line = body[start:].partition("\n")[0]
            written, start = line.strip(), start + len(line)
        if fence := _FENCE.match(body, start):
            start = fence.end()
        numbered = _NUMBERED.match(written)
        if numbered is None:
            return Block([], token.start, limit)
        name = self._tools.name(numbered[1]) or numbered[1]
        position = self._source.after_separators(token.end + start)
        is_object = self._text.startswith("{", position) and position < limit
        value = self._source.value_at(position, limit) if is_object else None
        end = max(limit, value.end) if value else limit
        return Block(self._with(name, value), token.start, end)

    def _behind_args(self, token: Token, limit: int) -> Block:
        before = self._text[max(0, token.start - _BEFORE) : token.start]
        before = before.rpartition("[ARGS]")[2]
        written = _NOT_NAME.split(before.partition("[CALL_ID]")[0].rstrip())[-1]
        position = self._source.after_separators(token.end)
        if not written or not self._text.startswith("{", position):
            return Block([], token.start, token.end)
        value = self._source.value_at(position, limit)
        name = self._tools.name(written) or written
        start = token.start - len(before) + before.rfind(written)
        return Block(self._with(name, value), start, value.end if value else token.end)

    def _with(self, name: str, value: Value | None) -> list[Candidate]:
        if value is None or not isinstance(value.value, dict):
            return []
        try:
            call = arguments_of(value.value, name, self._tools)
        except NoArguments:
            return []
        return [call._replace(repaired=call.repaired or value.repaired)]


def _all_calls(values: list[Value], tools: Tools) -> list[Candidate]:
    return [
        call._replace(repaired=call.repaired or value.repaired)
        for value in values
        for call in candidates(value.value, tools)
    ]
