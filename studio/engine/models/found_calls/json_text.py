"""JSON values in text: strict where it is JSON, mended where it nearly is, in linear time.

Attempts that fail late could be made again and again in a hostile text, so that every attempt is
paid for from a budget which is a small multiple of the text's length.
"""

import json
import re
from collections.abc import Iterator
from typing import Any, NamedTuple

import json_repair

from studio.engine.models.found_calls.literals import MAX_SOURCE, NotLiteral, read_literal
from studio.engine.plain import MAX_DEPTH

_REPAIR_LIMIT = 20_000
_REPAIRS = 8
_DEEP = 5_000
_SWIFT = 32
_SLOW = 4
_START = re.compile(r"""\{(?=\s{0,80}["'“”‘{}\w/])|\[(?=\s{0,80}[\[{])""")
_SEPARATORS = re.compile(r"[\s,;]*")
_BRACKETS = re.compile(r"""\\.|["'{}\[\]]""", re.DOTALL)
_BEFORE_A_QUOTE = frozenset("{[,:( \n\t")


class Value(NamedTuple):
    """A value, where it stood, and whether it had to be mended."""

    value: Any
    start: int
    end: int
    repaired: bool


class JsonText:
    """Reads JSON objects and arrays out of one text."""

    def __init__(self, text: str) -> None:
        self._text = text
        self._budget = 8 * len(text) + 100_000
        self._repairs = _REPAIRS
        self._decoder = json.JSONDecoder(strict=False, parse_int=_int)

    def strict_at(self, position: int) -> Value | None:
        """The JSON value that begins at `position`."""
        if self._budget <= 0:
            return None
        try:
            value, end = self._decoder.raw_decode(self._text, position)
        except json.JSONDecodeError as error:
            # An unterminated string is reported at its beginning and was read to the end.
            is_open = error.msg.startswith("Unterminated")
            reached = len(self._text) if is_open else error.pos
            # The error counts the lines before it, quickly but from the beginning of the text.
            self._budget -= max(1, reached - position) + position // _SWIFT
        except (ValueError, RecursionError):
            self._budget -= _DEEP
        else:
            self._budget -= end - position
            return Value(value, position, end, repaired=False)
        return None

    def value_at(self, position: int, limit: int) -> Value | None:
        """The value that begins at `position`, mended if need be but not beyond `limit`."""
        return self.strict_at(position) or self._mended_at(position, limit)

    def sequence(self, position: int, limit: int) -> list[Value]:
        """The values that follow each other from `position`, only separators between them."""
        values: list[Value] = []
        while True:
            position = self.after_separators(position)
            if position >= limit or self._text[position] not in "{[":
                return values
            value = self.value_at(position, limit)
            if value is None:
                return values
            values.append(value)
            position = value.end

    def values(self, position: int, limit: int) -> Iterator[Value]:
        """All objects, and arrays of them, between `position` and `limit`, whatever is around."""
        while match := _START.search(self._text, position, limit):
            value = self.value_at(match.start(), limit)
            if value is not None:
                yield value
            position = value.end if value else match.end()

    def after_separators(self, position: int) -> int:
        """The position after white space, commas and semicolons."""
        match = _SEPARATORS.match(self._text, position)
        return match.end() if match else position

    def _mended_at(self, position: int, limit: int) -> Value | None:
        if self._budget <= 0 or self._repairs <= 0:
            return None
        span = _bracket_span(self._text, position, min(limit, position + MAX_SOURCE))
        self._budget -= _SLOW * (span.end - position)
        written = self._text[position : span.end]
        if written.startswith("{{") and (value := _undoubled(written)) is not None:
            return Value(value, position, span.end, repaired=True)
        if span.is_closed and (value := _literal(written)) is not None:
            return Value(value, position, span.end, repaired=True)
        if len(written) > _REPAIR_LIMIT or span.depth > MAX_DEPTH:
            return None
        self._repairs -= 1
        value = _repaired(written.removeprefix("{") if written.startswith("{{") else written)
        return None if value is None else Value(value, position, span.end, repaired=True)


def _int(digits: str) -> int | str:
    # Python refuses to read integers of more than 4,300 digits.
    return int(digits) if len(digits) <= 4_000 else digits


class _Span(NamedTuple):
    end: int
    is_closed: bool
    depth: int


def _bracket_span(text: str, position: int, limit: int) -> _Span:
    """From the bracket at `position` to where it is closed, quotes heeded, or to `limit`."""
    quote = ""
    depth = deepest = 0
    for match in _BRACKETS.finditer(text, position, limit):
        token = match[0]
        if quote:
            quote = "" if token == quote else quote
        elif token in "{[":
            depth += 1
            deepest = max(deepest, depth)
        elif token in "}]":
            depth -= 1
            if depth == 0:
                return _Span(match.end(), is_closed=True, depth=deepest)
        elif token == '"' or (token == "'" and text[match.start() - 1] in _BEFORE_A_QUOTE):
            quote = token
    return _Span(limit, is_closed=False, depth=deepest)


def _literal(written: str) -> Any:
    try:
        return read_literal(written)
    except NotLiteral:
        return None


def _undoubled(written: str) -> Any:
    """The value of `{{...}}`, as models write it that copied the braces of a template."""
    inner = written[1:-1] if written.endswith("}}") else written[1:]
    for text in (inner, inner.replace("{{", "{").replace("}}", "}")):
        try:
            return json.loads(text, strict=False, parse_int=_int)
        except (ValueError, RecursionError):
            continue
    return None


def _repaired(written: str) -> Any:
    try:
        value = json_repair.loads(written, skip_json_loads=True)
    except Exception:
        # The library takes any text by its own word; whatever it stumbles over cannot be mended.
        return None
    return value if isinstance(value, dict | list) and value else None
