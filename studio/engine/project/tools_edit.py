"""Changes what `tools.yaml` says of one tool, and leaves the rest of the file as it is."""

from typing import Any

from studio.engine.project import yaml_edit
from studio.engine.project.located import Map, Mistakes, unlocated
from studio.engine.project.yaml_reader import read_yaml
from studio.engine.records import ToolSpec

_KEY = "tools"
_WRITTEN = {
    "description": "description",
    "parameters": "parameters",
    "time_limit": "time_limit",
    "retrieval": "is_retrieval",
}


def edited_tools(text: str, tool: ToolSpec, derived: ToolSpec) -> str:
    """The text of `tools.yaml` after which `derived`, read from the code, reads as `tool`."""
    top = read_yaml(text, Mistakes(""))
    tools = top.get(_KEY) if isinstance(top, Map) else None
    old = tools.get(tool.name) if isinstance(tools, Map) else None
    entry = _entry(unlocated(old or {}), tool, derived)
    if isinstance(tools, Map) and tools and not tools.is_flow:
        return _in_mapping(text, tools, tool.name, entry)
    if not entry and old is None:
        return text
    if isinstance(top, Map) and (_KEY in top or top.is_flow):
        return yaml_edit.changed_file(text, lambda data: _put(data, tool.name, entry))
    lines = yaml_edit.split(text)
    gap = ["\n"] if lines else []
    fresh = [f"{_KEY}:\n", *yaml_edit.fresh_entry(tool.name, entry, 2)]
    return yaml_edit.joined(text, lines, len(lines), len(lines), [*gap, *fresh])


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


def _in_mapping(text: str, tools: Map, name: str, entry: dict[str, Any]) -> str:
    lines = yaml_edit.split(text)
    if name not in tools:
        last = yaml_edit.entry_block(lines, tools, list(tools)[-1])
        fresh = yaml_edit.fresh_entry(name, entry, tools.column) if entry else []
        return yaml_edit.joined(text, lines, last.end, last.end, fresh)
    block = yaml_edit.entry_block(lines, tools, name)
    if not entry:
        return yaml_edit.without(lines, block)
    changed = yaml_edit.changed_entry(lines, block, name, entry)
    return yaml_edit.joined(text, lines, block.first, block.end, changed)


def _put(data: Any, name: str, entry: dict[str, Any]) -> None:
    if not isinstance(data.get(_KEY), dict):
        data[_KEY] = {}
    if entry:
        data[_KEY][name] = entry
    else:
        data[_KEY].pop(name, None)
