"""Changes one query of a list's text, in each of its formats, and leaves the others as they are."""

import json
import re
from typing import Any

from studio.engine.project import csv_edit, yaml_edit
from studio.engine.project.located import Seq

Item = dict[str, Any]


def replaced(name: str, text: str, items: Seq, position: int, item: Item) -> str:
    """The text of the list `name` with the item at `position` written as `item`."""
    if name == "queries.csv":
        return csv_edit.replaced(text, items, position, item)
    if name == "queries.yaml":
        return _yaml_replaced(text, items, position, item)
    lines = _json_lines(text)
    place = items.lines[position] - 1
    lines[place] = _json_line(item, lines[place])
    return "".join(lines)


def appended(name: str, text: str, items: Seq, item: Item) -> str:
    """The text of the list `name` with the item behind all others."""
    if name == "queries.csv":
        return csv_edit.appended(text, item)
    if name == "queries.yaml":
        return _yaml_appended(text, items, item)
    lines = _json_lines(text)
    return "".join([*lines, _json_line(item, lines[items.lines[-1] - 1])])


def removed(name: str, text: str, items: Seq, position: int) -> str:
    """The text of the list `name` without the item at `position`."""
    if name == "queries.csv":
        return csv_edit.removed(text, items, position)
    if name == "queries.jsonl":
        lines = _json_lines(text)
        del lines[items.lines[position] - 1]
        return "".join(lines)
    if items.is_flow:
        return yaml_edit.changed_file(text, lambda data: data.pop(position))
    lines = yaml_edit.split(text)
    block = yaml_edit.item_block(lines, items, position)
    return yaml_edit.without(lines, block)


def _yaml_replaced(text: str, items: Seq, position: int, item: Item) -> str:
    if items.is_flow:

        def change(data: Any) -> None:
            data[position] = item

        return yaml_edit.changed_file(text, change)
    lines = yaml_edit.split(text)
    block = yaml_edit.item_block(lines, items, position)
    changed = yaml_edit.changed_item(lines, block, items[position], item)
    return yaml_edit.joined(text, lines, block.first, block.end, changed)


def _yaml_appended(text: str, items: Seq, item: Item) -> str:
    if items.is_flow:
        return yaml_edit.changed_file(text, lambda data: data.append(item))
    lines = yaml_edit.split(text)
    last = yaml_edit.item_block(lines, items, len(items) - 1)
    gap = ["\n"] if _are_parted(lines, items) else []
    fresh = yaml_edit.fresh_item(item, items.column)
    return yaml_edit.joined(text, lines, last.end, last.end, [*gap, *fresh])


def _are_parted(lines: list[str], items: Seq) -> bool:
    """Whether a blank line stands between the last two items."""
    if len(items) < 2:
        return False
    before, last = (yaml_edit.item_block(lines, items, len(items) - back) for back in (2, 1))
    return any(not line.strip() for line in lines[before.end : last.first])


def _json_lines(text: str) -> list[str]:
    # Not `splitlines`: other characters that it takes for line ends may stand in a JSON text.
    lines = re.findall(r"[^\n]*\n|[^\n]+", text)
    if not lines[-1].endswith("\n"):
        lines[-1] += yaml_edit.newline_of(text)
    return lines


def _json_line(item: Item, like: str) -> str:
    """The item on one line, spaced, escaped and ended as the line that it is `like`."""
    is_dense = '":' in like and '": ' not in like
    text = json.dumps(
        item,
        ensure_ascii=like.isascii() and "\\u" in like,
        separators=(",", ":") if is_dense else None,
    )
    return text + ("\r\n" if like.endswith("\r\n") else "\n")
