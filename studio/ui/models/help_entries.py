"""The help text of a metric, read from its Markdown into entries of plain words."""

import re
from textwrap import dedent
from typing import NamedTuple

_ENTRY = re.compile(r"^- \*\*(?P<name>[^*]+):\*\*", re.MULTILINE)
_SPAN = re.compile(r"`(?P<code>[^`\n]+)`|(?<!\w)\*(?=\S)(?P<name>[^*\n]+)(?<=\S)\*(?!\w)")
_FENCE = re.compile(r"^[ ]*```\w*\n(?P<code>.*?)^[ ]*```$", re.MULTILINE | re.DOTALL)
_EXAMPLE = "Example"


class Span(NamedTuple):
    """A stretch of words in one look: "", "code" or "strong"."""

    text: str
    look: str = ""


class Entry(NamedTuple):
    """What the page says under one name, such as Formula."""

    name: str
    spans: tuple[Span, ...]


def entries(section: str) -> tuple[Entry, ...]:
    """The entries of a section of the metrics' help page; the example has a place of its own."""
    found = list(_ENTRY.finditer(section))
    ends = [each.start() for each in found[1:]] + [len(section)]
    made = []
    opening = section[: found[0].start()] if found else section
    if opening.strip():
        made.append(Entry("", _read(opening)))
    for match, end in zip(found, ends, strict=True):
        if match["name"] != _EXAMPLE:
            made.append(Entry(match["name"], _read(section[match.end() : end])))
    return tuple(made)


def _read(text: str) -> tuple[Span, ...]:
    """The words of an entry, and its code set apart from them."""
    made: list[Span] = []
    last = 0
    for match in _FENCE.finditer(text):
        made += spans(_joined(text[last : match.start()]))
        made.append(Span(f"\n\n{dedent(match['code'])}\n", "code"))
        last = match.end()
    return (*made, *spans(_joined(text[last:])))


def spans(text: str) -> tuple[Span, ...]:
    """The text with its marks of code and stress taken off."""
    made, last = [], 0
    for match in _SPAN.finditer(text):
        if match.start() > last:
            made.append(Span(text[last : match.start()]))
        made.append(Span(match["code"], "code") if match["code"] else Span(match["name"], "strong"))
        last = match.end()
    if last < len(text):
        made.append(Span(text[last:]))
    return tuple(made)


def _joined(text: str) -> str:
    """Its paragraphs, each on one line."""
    paragraphs = re.split(r"\n\s*\n|\n(?=\s*(?:[-|]|\d+\.) )", text.strip())
    return "\n".join(" ".join(each.split()) for each in paragraphs)
