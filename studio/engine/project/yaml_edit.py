"""Changes one entry of a YAML file and leaves every other byte of it as it is.

The lines of the entry alone are cut out, changed by ruamel.yaml (which keeps their comments, order
and quotes) and put back.  Where that is not possible, because the surrounding list or mapping is
written in one line with brackets, ruamel.yaml rewrites the whole file.
"""

import re
from collections.abc import Callable
from typing import Any

from ruamel.yaml.comments import CommentedMap, CommentedSeq
from ruamel.yaml.error import YAMLError
from ruamel.yaml.scalarstring import DoubleQuotedScalarString, LiteralScalarString

from studio.engine.project.located import Map, Seq
from studio.engine.project.round_trip import round_trip, written
from studio.engine.project.writing import cannot
from studio.engine.project.yaml_reader import UNPRINTABLE

_LINE = re.compile(r"[^\r\n]*(?:\r\n|\n|\r|\Z)")
_MISREAD = re.compile(r"^[?:]|:[^\w\s/]")


class Block:
    """The lines of one entry of a block list or block mapping, and how they are indented."""

    def __init__(self, lines: list[str], first: int, bound: int, column: int) -> None:
        """`first` is the entry's first line and `bound` that of the next entry, from 0."""
        self.first = first
        self.column = column
        self.end = bound
        while self.end > first + 1 and _is_between(lines[self.end - 1], column):
            self.end -= 1


def _is_between(line: str, column: int) -> bool:
    """Whether a line behind an entry belongs to nobody: it is blank, or a comment further left."""
    text = line.strip()
    return not text or (text.startswith("#") and len(line) - len(line.lstrip(" ")) <= column)


def split(text: str) -> list[str]:
    """The lines of a text with their ends; the last one is given an end if it has none."""
    lines = [line for line in _LINE.findall(text) if line]
    if lines and not lines[-1].endswith(("\n", "\r")):
        lines[-1] += newline_of(text)
    return lines


def joined(text: str, lines: list[str], first: int, last: int, new: list[str]) -> str:
    """The text whose `lines` from `first` to `last` are replaced, with the line ends it has."""
    end = newline_of(text)
    fresh = [line.removesuffix("\n") + end for line in new]
    return "".join([*lines[:first], *fresh, *lines[last:]])


def without(lines: list[str], block: Block) -> str:
    """The text without the entry, and without the blank lines that parted it from its neighbour."""
    first, last = block.first, block.end
    while last < len(lines) and not lines[last].strip():
        last += 1
    while last == len(lines) and first and not lines[first - 1].strip():
        first -= 1
    return "".join([*lines[:first], *lines[last:]])


def newline_of(text: str) -> str:
    """The line end that most lines of the text have."""
    return "\r\n" if 2 * text.count("\r\n") > text.count("\n") else "\n"


def item_block(lines: list[str], items: Seq, position: int) -> Block:
    """The lines of one item of a block list."""

    def dash(index: int) -> int:
        line = items.lines[index] - 1
        while not re.match(rf" {{{items.column}}}-(\s|$)", lines[line]) and line > 0:
            line -= 1
        return line

    bound = dash(position + 1) if position + 1 < len(items) else items.end - 1
    bound = max(bound, items.lines[position])
    return Block(lines, dash(position), min(bound, len(lines)), items.column)


def entry_block(lines: list[str], mapping: Map, key: str) -> Block:
    """The lines of one entry of a block mapping, the key's own line included."""
    keys = list(mapping)
    after = keys.index(key) + 1
    bound = mapping.lines[keys[after]] - 1 if after < len(keys) else mapping.end - 1
    first = mapping.lines[key] - 1
    return Block(lines, first, min(max(bound, first + 1), len(lines)), mapping.column)


def changed_item(lines: list[str], block: Block, old: Any, new: dict[str, Any]) -> list[str]:
    """The lines of a list's item after `old` became `new`."""
    first = lines[block.first]
    inner = block.column + 1
    while inner < len(first) and first[inner] == " ":
        inner += 1
    if not isinstance(old, dict) or not first[inner:].strip() or first[inner] == "#":
        return fresh_item(new, block.column)
    rest = [_dedented(line, inner) for line in lines[block.first + 1 : block.end]]
    text = "".join([first[inner:], *rest])
    try:
        changed = _changed(text, lambda data: _update(data, old, new))
    except (YAMLError, _NotPlain):
        return fresh_item(new, block.column)
    return _indented(changed, first[:inner], inner)


def changed_entry(lines: list[str], block: Block, key: str, new: Any) -> list[str]:
    """The lines of a mapping's entry after its value became `new`."""
    text = "".join(_dedented(line, block.column) for line in lines[block.first : block.end])

    def update(data: Any) -> None:
        if not isinstance(data.get(key), CommentedMap):
            data[key] = _fresh(new, key if isinstance(new, str) else "")
            return
        _update(data[key], _plain(data[key]), new)

    try:
        changed = _changed(text, update)
    except (YAMLError, _NotPlain):
        return fresh_entry(key, new, block.column)
    return _indented(changed, " " * block.column, block.column)


def renamed_entry(lines: list[str], block: Block, key: str, to: str) -> list[str]:
    """The lines of a mapping's entry under another key.  Raises StudioError."""
    text = "".join(_dedented(line, block.column) for line in lines[block.first : block.end])
    try:
        changed = _changed(text, lambda data: rename(data, key, to))
    except (YAMLError, _NotPlain) as error:
        raise cannot("The file") from error
    return _indented(changed, " " * block.column, block.column)


def rename(data: Any, key: str, to: str) -> None:
    """Give an entry of ruamel.yaml's mapping another key, in its place and with its comments."""
    place, comments = list(data).index(key), data.ca.items.get(key)
    data.insert(place, _text(to), data.pop(key))
    if comments is not None:
        data.ca.items[to] = comments


def fresh_item(item: dict[str, Any], column: int) -> list[str]:
    """The lines of a new item of a block list."""
    return _indented(written(round_trip(""), _fresh(item)), " " * column + "- ", column + 2)


def fresh_entry(key: str, value: Any, column: int) -> list[str]:
    """The lines of a new entry of a block mapping."""
    text = written(round_trip(""), CommentedMap({key: _fresh(value)}))
    return _indented(text, " " * column, column)


def changed_file(text: str, change: Callable[[Any], None]) -> str:
    """The whole text rewritten by ruamel.yaml after `change` was applied to its data.

    Raises StudioError where ruamel.yaml cannot read what libyaml can, such as a tab in a text.
    """
    yaml = round_trip("")
    try:
        data = yaml.load(text)
    except YAMLError as error:
        raise cannot("The file") from error
    data = CommentedMap() if data is None else data
    change(data)
    return written(yaml, data).replace("\n", newline_of(text))


class _NotPlain(Exception):
    """The entry is not what it looked like; it is written anew."""


def _changed(text: str, change: Callable[[Any], None]) -> str:
    text = text.replace("\r\n", "\n").replace("\r", "\n")
    yaml = round_trip(text)
    data = yaml.load(text)
    if not isinstance(data, CommentedMap):
        raise _NotPlain
    change(data)
    return written(yaml, data)


def _update(data: Any, old: Any, new: dict[str, Any]) -> None:
    """Change `data`, which holds `old`, into `new`: only what differs is touched."""
    for key in [key for key in data if key not in new]:
        del data[key]
    for place, (key, value) in enumerate(new.items()):
        if key not in data:
            data.insert(place, key, _fresh(value, key))
        elif isinstance(value, dict) and isinstance(data[key], CommentedMap):
            _update(data[key], old[key], value)
        elif not _same(old[key], value):
            data[key] = _fresh(value, key)


def _same(one: Any, other: Any) -> bool:
    """Whether two plain values are written alike: 1, 1.0 and true are not."""
    if isinstance(one, dict) and isinstance(other, dict):
        return list(one) == list(other) and all(_same(one[key], other[key]) for key in one)
    if isinstance(one, list) and isinstance(other, list):
        return len(one) == len(other) and all(map(_same, one, other))
    return type(one) is type(other) and bool(one == other)


def _plain(data: Any) -> Any:
    if isinstance(data, dict):
        return {str(key): _plain(value) for key, value in data.items()}
    if isinstance(data, list):
        return [_plain(value) for value in data]
    return str(data) if isinstance(data, str) else data


def _fresh(value: Any, key: str = "") -> Any:
    """A value in the style in which a person would write it: short things on one line."""
    if isinstance(value, dict):
        mapping = CommentedMap((_text(name), _fresh(item, name)) for name, item in value.items())
        is_flat = not any(isinstance(item, dict | list) for item in value.values())
        if is_flat and key not in ("", "expected"):
            mapping.fa.set_flow_style()
        return mapping
    if isinstance(value, list):
        items = CommentedSeq(_fresh(item, key) for item in value)
        if not any(isinstance(item, dict | list) for item in value):
            items.fa.set_flow_style()
        return items
    if isinstance(value, str) and _is_block(value):
        return LiteralScalarString(value)
    return _text(value) if isinstance(value, str) else value


def _text(text: str) -> str:
    """A text that is quoted where ruamel.yaml would not quote it and libyaml misreads it."""
    is_misread = _MISREAD.search(text) or UNPRINTABLE.search(text)
    return DoubleQuotedScalarString(text) if is_misread else text


def _is_block(text: str) -> bool:
    """Whether a text of several lines reads the same as a block of lines."""
    lines = text.split("\n")
    return (
        len(lines) > 1
        and text.isprintable() is False
        and all(line.isprintable() and line == line.strip() and line for line in lines)
    )


def _dedented(line: str, columns: int) -> str:
    blank = len(line) - len(line.lstrip(" "))
    return line[min(blank, columns) :]


def _indented(text: str, first: str, column: int) -> list[str]:
    """The lines of `text`, the first behind `first`, the others `column` spaces in."""
    lines = text.removesuffix("\n").split("\n")
    rest = [" " * column + line if line else line for line in lines[1:]]
    return [line + "\n" for line in [first + lines[0], *rest]]
