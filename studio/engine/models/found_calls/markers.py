"""Calls behind control tokens, one token after the other through a text."""

from collections.abc import Iterator

from studio.engine.models.found_calls import marks
from studio.engine.models.found_calls.blocks import Reader
from studio.engine.models.found_calls.tokens import Kind, Token, tokens
from studio.engine.models.found_calls.values import Attempt, FoundCall, Tools, noted, without

_OPENING = frozenset({Kind.OPEN, Kind.NAMED, Kind.BEGIN, Kind.GEMMA, Kind.ARGUMENTS})
_FORMS = {
    Kind.NAMED: "<function=…>", Kind.BEGIN: "tool call begin", Kind.GEMMA: "gemma call",
    Kind.ARGUMENTS: "[ARGS]",
}  # fmt: skip


def has_opening(text: str) -> bool:
    """Whether a token that begins a call stands in `text`."""
    return any(token.kind in _OPENING for token in tokens(text))


def marked_calls(text: str, tools: Tools) -> Attempt:
    """The calls behind the control tokens of `text`, which lose their place in the rest."""
    walk = _Walk(text, tools)
    for token, following in _pairs(text):
        walk.take(token, following)
    return walk.attempt()


def _pairs(text: str) -> Iterator[tuple[Token, Token | None]]:
    found = list(tokens(text))
    return zip(found, [*found[1:], None], strict=False)


class _Walk:
    def __init__(self, text: str, tools: Tools) -> None:
        self._text = text
        self._reader = Reader(text, tools)
        self._calls: list[FoundCall] = []
        self._marks: dict[str, None] = {}
        self._gone: list[tuple[int, int]] = []
        self._position = 0
        self._has_tags = False

    def take(self, token: Token, following: Token | None) -> None:
        """Reads what stands between two neighbouring tokens."""
        if token.start < self._position:
            return  # part of a string in the call before
        self._position = token.end
        self._gone.append((token.start, token.end))
        limit = following.start if following else len(self._text)
        if token.kind in (Kind.RESULT, Kind.RESULT_END):
            self._marks[marks.RESULT] = None
        if token.kind is Kind.RESULT:
            self._gone.append((token.start, limit))
        self._has_tags |= token.kind is Kind.CLOSE
        if token.kind in _OPENING:
            self._open(token, following, limit)

    def attempt(self) -> Attempt:
        if self._has_tags and not self._calls and not self._marks:
            self._marks[marks.MARKER] = None
        return Attempt(self._calls, without(self._text, self._gone), tuple(self._marks))

    def _open(self, token: Token, following: Token | None, limit: int) -> None:
        self._has_tags = True
        is_closed = following is not None and following.kind is Kind.CLOSE
        block = self._reader.read(token, limit, is_closed=is_closed)
        self._calls += noted(block.calls, _FORMS.get(token.kind, token.text))
        if block.calls:
            self._gone.append((block.start, block.end))
            self._position = max(self._position, block.end)
        elif block.has_schema:
            self._marks[marks.SCHEMA] = None
        elif self._is_unused(token, following):
            self._marks[marks.MARKER] = None

    def _is_unused(self, token: Token, following: Token | None) -> bool:
        """Whether a token that led to no call should have: one that holds another need not."""
        if following is None or following.kind not in _OPENING:
            return True
        body = self._text[token.end : following.start].strip()
        return bool(body) and following.kind is not Kind.ARGUMENTS
