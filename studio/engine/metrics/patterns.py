"""Regular expressions that somebody wrote for a query: searched, counted, and never trusted.

What holds only plain characters is searched here and now; anything else may take for ever and
is searched in a child with a time limit (see `limited`).
"""

import re
from typing import Any, Literal, NamedTuple

from studio.engine.metrics.limited import Failed, ask

Task = Literal["search", "count", "split"]

TIME_LIMIT = 5.0
"""Seconds that one pattern may take."""

_SPECIAL = re.compile(r"[\\.^$*+?{}\[\]|()]")
_PLAIN_LIMIT = 20_000


class BadPattern(ValueError):
    """The text is no regular expression; says why."""


class Pattern(NamedTuple):
    r"""A pattern from outside, and trusted pieces of ours around it (such as `\b`)."""

    text: str
    before: str = ""
    after: str = ""
    ignore_case: bool = False

    @property
    def is_plain(self) -> bool:
        return len(self.text) <= _PLAIN_LIMIT and not _SPECIAL.search(self.text)


def found(pattern: Pattern, text: str, seconds: float = TIME_LIMIT) -> bool:
    """Whether the pattern is found.  Raises BadPattern, TookTooLong."""
    return bool(_run("search", pattern, text, seconds))


def count(pattern: Pattern, text: str, seconds: float = TIME_LIMIT) -> int:
    """How often the pattern is found, without overlaps.  Raises BadPattern, TookTooLong."""
    return _run("count", pattern, text, seconds)


def pieces(pattern: Pattern, text: str, seconds: float = TIME_LIMIT) -> int:
    """How many pieces `re.split` makes of the text.  Raises BadPattern, TookTooLong."""
    return _run("split", pattern, text, seconds)


def _run(task: Task, pattern: Pattern, text: str, seconds: float) -> int:
    if pattern.is_plain:
        return _done(task, pattern, text)
    request = {"task": task, "pattern": pattern, "text": text}
    try:
        answer = ask("pattern", request, seconds)
    except Failed as error:
        raise BadPattern(str(error)) from error
    return int(answer)


def carry_out(request: dict[str, Any]) -> int:
    """In the child: raises what `re` raises."""
    return _done(request["task"], Pattern(*request["pattern"]), request["text"])


def _done(task: Task, pattern: Pattern, text: str) -> int:
    flags = re.IGNORECASE if pattern.ignore_case else 0
    compiled = re.compile(pattern.before + pattern.text + pattern.after, flags)
    match task:
        case "search":
            return int(compiled.search(text) is not None)
        case "count":
            return len(compiled.findall(text))
        case "split":
            return len(compiled.split(text))
