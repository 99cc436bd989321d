"""Reads YAML into located values: data only, every line known, libyaml's speed.

The part of YAML that people write is read; what makes a file hard to trust or to compare is
refused with its line: tags (`!!python/...`), anchors and aliases (a few lines of them can stand for
gigabytes), keys that are no text, a key given twice, several documents.  Scalars follow YAML 1.2.

libyaml comes with PyYAML, whose own resolver and constructors (YAML 1.1, tags) are not used.
"""

import re
from bisect import bisect_right
from collections.abc import Callable
from typing import Any

import yaml
from yaml.events import (
    AliasEvent,
    DocumentStartEvent,
    MappingEndEvent,
    MappingStartEvent,
    ScalarEvent,
    SequenceEndEvent,
)

from studio.engine.project.located import Map, Mistakes, Seq
from studio.engine.project.scalars import resolve, shown, why_not_kept

try:
    from yaml._yaml import CParser as _Parser
except ImportError:  # a PyYAML that was built without libyaml: slower, the same events
    _Parser = yaml.SafeLoader  # type: ignore[assignment,misc]

MAX_DEPTH = 32

_BREAK = re.compile(r"\r\n|\n|\r")
UNPRINTABLE = re.compile(
    "[^\t\n\r\x20-\x7e\xa0-\u2027\u202a-\ud7ff\ue000-\ufefe\uff00-\ufffd\U00010000-\U0010ffff]"
)
_REMEDIES = (
    ("a tab stands", "Indent with spaces."),
    ("nesting depth", "Make it flatter."),
    ("mapping values are not allowed", "Put a text with a colon in quotes; check the indent."),
    ("unexpected end of stream", "Close the quote or the bracket."),
    ("could not find expected ':'", "Write `key: value`, or put text of several lines in quotes."),
    ("cannot start any token", "Put the text in quotes."),
    ("block collection", "Check the indent: what belongs together stands in one column."),
    ("block mapping", "Check the indent: what belongs together stands in one column."),
    ("flow mapping", "Put commas between the entries, and close the brace."),
    ("flow sequence", "Put commas between the items, and close the bracket."),
)  # fmt: skip
_SYNTAX = "Check the indent, the quotes and the colons."


class _Stop(Exception):
    """Nothing after this place can be read."""

    def __init__(self, line: int, problem: str, remedy: str) -> None:
        super().__init__(problem)
        self.line, self.problem, self.remedy = line, problem, remedy


def read_yaml(text: str, mistakes: Mistakes) -> Any:
    """The one document of `text` (None where it is empty), with what is wrong noted.

    The value may only be used if there was no mistake.
    """
    try:
        return _Reader(text, mistakes).document()
    except _Stop as stop:
        mistakes.add(stop.line, stop.problem, stop.remedy)
        return None


class _Reader:
    def __init__(self, text: str, mistakes: Mistakes) -> None:
        self._mistakes = mistakes
        self._text = text
        self._breaks = [match.end() for match in _BREAK.finditer(text)]
        bad = UNPRINTABLE.search(text)
        if bad is not None:
            problem = f"The character U+{ord(bad.group()):04X} cannot stand in YAML as it is."
            remedy = "Delete it, or write it as an escape in double quotes."
            raise _Stop(self._line_at(bad.start()), problem, remedy)
        # The stubs give every event's parts as optional, which the parser never leaves out.
        self._next: Callable[[], Any] = _Parser(text).get_event

    def document(self) -> Any:
        try:
            return self._document()
        except yaml.MarkedYAMLError as error:
            what = error.problem or "it cannot be understood"
            mark = error.problem_mark or error.context_mark
            if what.endswith("unexpected end of stream"):
                mark = error.context_mark or mark  # where the quote or the bracket was opened
            index = min(mark.index, len(self._text)) if mark else 0
            if self._text[index : index + 1] == "\t":
                what = "a tab stands where spaces must"
            remedy = next((remedy for part, remedy in _REMEDIES if part in what), _SYNTAX)
            raise _Stop(self._line_at(index), f"This is no YAML: {what}.", remedy) from error
        except yaml.YAMLError as error:
            raise _Stop(0, f"This is no YAML: {error}.", _SYNTAX) from error

    def _document(self) -> Any:
        self._next()  # the stream's start
        if not isinstance(self._next(), DocumentStartEvent):
            return None
        value = self._value(self._next(), 0)
        self._next()  # the document's end
        after = self._next()
        if isinstance(after, DocumentStartEvent):
            problem = "A second document begins here."
            raise _Stop(self._line(after), problem, "Delete the `---` and what does not belong.")
        return value

    def _value(self, event: Any, depth: int) -> Any:
        # Most events of a long list come by here: types are compared, not instances looked up.
        kind = type(event)
        if kind is ScalarEvent:
            return self._scalar(event)
        if kind is AliasEvent:
            self._note(event, f"`*{event.anchor}` refers to another place.", "Write the value out.")
            return None
        if depth == MAX_DEPTH:
            raise _Stop(self._line(event), "This is nested too deeply.", "Make it flatter.")
        if kind is MappingStartEvent:
            return self._map(event, depth + 1)
        return self._seq(event, depth + 1)

    def _scalar(self, event: Any) -> Any:
        if event.anchor is not None or event.tag is not None:
            self._refuse_extras(event)
        if event.style:  # quoted, or a block of text
            return event.value
        value = resolve(event.value)
        if type(value) is not str and (why := why_not_kept(value)) is not None:
            self._note(event, f"{shown(event.value)}: {why}", "Write a plain number, or quote it.")
        return value

    def _map(self, event: Any, depth: int) -> Map:
        self._refuse_extras(event)
        found = Map(self._line(event), event.start_mark.column, is_flow=event.flow_style)
        while type(at := self._next()) is not MappingEndEvent:
            key, line = self._key(at, depth), at.start_mark.line + 1
            value = self._value(self._next(), depth)
            if key in found:
                problem = f"{shown(key)} was given before, in line {found.lines[key]}."
                self._mistakes.add(line, problem, "Keep one of the two.")
            found[key] = value
            found.lines[key] = line
        found.end = self._line(at)
        return found

    def _seq(self, event: Any, depth: int) -> Seq:
        self._refuse_extras(event)
        found = Seq(self._line(event), event.start_mark.column, is_flow=event.flow_style)
        while type(at := self._next()) is not SequenceEndEvent:
            found.lines.append(at.start_mark.line + 1)
            found.append(self._value(at, depth))
        found.end = self._line(at)
        return found

    def _key(self, event: Any, depth: int) -> str:
        if isinstance(event, ScalarEvent):
            self._refuse_extras(event)
            return str(event.value)
        self._note(event, "A key must be a text.", "Put a value that begins with { or [ in quotes.")
        self._value(event, depth)
        return ""

    def _refuse_extras(self, event: Any) -> None:
        if event.anchor is not None:
            self._note(event, f"`&{event.anchor}` marks a place to refer to.", "Delete the mark.")
        if event.tag is not None:
            self._note(event, f"The tag {shown(event.tag)} is not allowed.", "Write plain data.")

    def _note(self, event: Any, problem: str, remedy: str) -> None:
        self._mistakes.add(self._line(event), problem, remedy)

    def _line(self, event: Any) -> int:
        # libyaml counts more characters as line breaks, but those are refused above.
        return int(event.start_mark.line) + 1

    def _line_at(self, index: int) -> int:
        return bisect_right(self._breaks, index) + 1
