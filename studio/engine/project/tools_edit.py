"""Changes what `tools.yaml` says of one tool or one set, and leaves the rest as it is."""

from collections.abc import Sequence
from typing import Any

from studio.engine.project import yaml_edit
from studio.engine.project.located import Map, Mistakes, unlocated
from studio.engine.project.yaml_reader import read_yaml
from studio.engine.records import ToolSpec

SETS, _TOOLS = "sets", "tools"
_WRITTEN = {
    "description": "description",
    "parameters": "parameters",
    "time_limit": "time_limit",
    "retrieval": "is_retrieval",
}


def edited_tools(text: str, tool: ToolSpec, derived: ToolSpec) -> str:
    """The text of `tools.yaml` after which `derived`, read from the code, reads as `tool`."""
    stated = _mapping(text, _TOOLS)
    old = stated.get(tool.name) if stated is not None else None
    entry = _entry(unlocated(old or {}), tool, derived)
    if not entry and old is None:
        return text
    return _with_entry(text, _TOOLS, tool.name, entry or None)


def edited_set(text: str, name: str, tools: Sequence[str] | None, replaces: str | None) -> str:
    """The text after which the set `name` holds these tools; None: after which it is gone.

    A set that it `replaces` gives its place and its comments.
    """
    stated = _mapping(text, SETS)
    if replaces is not None and replaces != name and stated is not None and replaces in stated:
        text = _renamed(text, stated, replaces, name)
    return _with_entry(text, SETS, name, None if tools is None else list(tools))


def _mapping(text: str, key: str) -> Map | None:
    top = read_yaml(text, Mistakes(""))
    found = top.get(key) if isinstance(top, Map) else None
    return found if isinstance(found, Map) else None


def _with_entry(text: str, key: str, name: str, value: Any) -> str:
    """The text in which `name` below `key` is `value`; None takes the entry out."""
    stated = _mapping(text, key)
    if stated and not stated.is_flow:
        return _in_mapping(text, stated, name, value)
    top = read_yaml(text, Mistakes(""))
    if isinstance(top, Map) and (key in top or top.is_flow):
        return yaml_edit.changed_file(text, lambda data: _put(data, key, name, value))
    if value is None:
        return text
    lines = yaml_edit.split(text)
    gap = ["\n"] if lines else []
    fresh = [f"{key}:\n", *yaml_edit.fresh_entry(name, value, 2)]
    return yaml_edit.joined(text, lines, len(lines), len(lines), [*gap, *fresh])


def _renamed(text: str, stated: Map, name: str, to: str) -> str:
    if stated.is_flow:
        return yaml_edit.changed_file(text, lambda data: yaml_edit.rename(data[SETS], name, to))
    lines = yaml_edit.split(text)
    block = yaml_edit.entry_block(lines, stated, name)
    changed = yaml_edit.renamed_entry(lines, block, name, to)
    return yaml_edit.joined(text, lines, block.first, block.end, changed)


def _entry(old: dict[str, Any], tool: ToolSpec, derived: ToolSpec) -> dict[str, Any]:
    """What the file must say of the tool: what it said, changed where it says something else."""
    entry = dict(old)
    for key, field in _WRITTEN.items():
        wanted, found = getattr(tool, field), getattr(derived, field)
        if wanted == old.get(key, found):
            continue
        entry.pop(key, None)
        if wanted != found:
            entry[key] = wanted
    return entry


def _in_mapping(text: str, stated: Map, name: str, value: Any) -> str:
    lines = yaml_edit.split(text)
    if name not in stated:
        last = yaml_edit.entry_block(lines, stated, list(stated)[-1])
        fresh = yaml_edit.fresh_entry(name, value, stated.column) if value is not None else []
        return yaml_edit.joined(text, lines, last.end, last.end, fresh)
    block = yaml_edit.entry_block(lines, stated, name)
    if value is None:
        return yaml_edit.without(lines, block)
    changed = yaml_edit.changed_entry(lines, block, name, value)
    return yaml_edit.joined(text, lines, block.first, block.end, changed)


def _put(data: Any, key: str, name: str, value: Any) -> None:
    if not isinstance(data.get(key), dict):
        data[key] = {}
    if value is not None:
        data[key][name] = value
    else:
        data[key].pop(name, None)
