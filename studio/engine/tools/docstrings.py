"""What a docstring says about a function and its arguments: Google, NumPy and Sphinx styles."""

import inspect
import re
from typing import NamedTuple

_SECTION = re.compile(r"(Args|Arguments|Parameters|Params):?\Z")
_RULE = re.compile(r"-{3,}\Z")
_GOOGLE = re.compile(r"\*{0,2}(\w+)\s*(?:\([^)]*\))?\s*:\s?(.*)\Z")
_NUMPY = re.compile(r"\*{0,2}(\w+)\s*(?::.*)?\Z")
_SPHINX = re.compile(r":param\s+(?:[^:]*\s)?(\w+)\s*:\s?(.*)\Z")


class Documentation(NamedTuple):
    """The first paragraph of a docstring, and a description of each argument that it names."""

    summary: str
    arguments: dict[str, str]


def read_docstring(docstring: str | None) -> Documentation:
    """What `docstring` says; empty where it says nothing."""
    if not docstring or not docstring.strip():
        return Documentation("", {})
    lines = inspect.cleandoc(docstring).splitlines()
    return Documentation(_summary(lines), _sphinx(lines) | _section(lines))


def _summary(lines: list[str]) -> str:
    paragraph: list[str] = []
    for line in lines:
        text = line.strip()
        if not text or _SECTION.match(text) or _SPHINX.match(text):
            break
        paragraph.append(text)
    return " ".join(paragraph)


def _sphinx(lines: list[str]) -> dict[str, str]:
    found: dict[str, list[str]] = {}
    current: list[str] | None = None
    for line in lines:
        text = line.strip()
        if match := _SPHINX.match(text):
            current = found[match[1]] = [match[2]]
        elif current is not None and line.startswith(" ") and text:
            current.append(text)
        else:
            current = None
    return _joined(found)


def _section(lines: list[str]) -> dict[str, str]:
    for place, line in enumerate(lines):
        if _SECTION.match(line.strip()) and not line.startswith(" "):
            body = lines[place + 1 :]
            if body and _RULE.match(body[0].strip()):
                return _entries(body[1:], _NUMPY, indent=0)
            return _entries(body, _GOOGLE, indent=None)
    return {}


def _entries(lines: list[str], entry: re.Pattern[str], indent: int | None) -> dict[str, str]:
    """The named entries at `indent` (None: that of the first line); deeper lines continue them."""
    found: dict[str, list[str]] = {}
    current: list[str] | None = None
    for line, following in zip(lines, [*lines[1:], ""], strict=False):
        text = line.strip()
        if not text:
            continue
        depth = len(line) - len(line.lstrip())
        if indent is None:
            indent = depth
        if depth < indent or (indent == 0 and _RULE.match(following.strip())):
            break
        if depth > indent:
            if current is not None:
                current.append(text)
        elif match := entry.match(text):
            current = found[match[1]] = [match[2]] if match.lastindex == 2 else []
        else:
            break
    return _joined(found)


def _joined(found: dict[str, list[str]]) -> dict[str, str]:
    return {name: " ".join(filter(None, parts)) for name, parts in found.items()}
