"""Changes `metrics:` and `passed:` of `project.yaml`, and leaves the rest of the file as it is.

A metric that stays keeps its lines, in whatever way they are written; a comment on lines of its own
stays even where the metric that followed it goes.
"""

from collections.abc import Sequence
from typing import Any

from studio.engine.project import yaml_edit
from studio.engine.project.located import Map, Mistakes, Seq, unlocated
from studio.engine.project.writing import cannot
from studio.engine.project.yaml_edit import Block
from studio.engine.project.yaml_reader import read_yaml
from studio.engine.records import Criteria, MetricSpec, Threshold

_METRICS, _PASSED = "metrics", "passed"


def edited_criteria(file: str, text: str, criteria: Criteria) -> str:
    """The text of `project.yaml` with other criteria.  Raises StudioError if that cannot be."""
    top = _top(file, text)
    if unlocated(top.get(_METRICS)) != (wanted := [_item(spec) for spec in criteria.metrics]):
        text = _with_metrics(text, top, wanted)
    top = _top(file, text)
    passed = _passed(criteria.passed, unlocated(top.get(_PASSED)))
    if unlocated(top.get(_PASSED) or {}) != passed:
        text = _with_entry(text, top, _PASSED, passed)
    return text


def _top(file: str, text: str) -> Map:
    top = read_yaml(text, Mistakes(file))
    if top is None:
        return Map(1)
    if not isinstance(top, Map):
        raise cannot(file)
    return top


def _item(spec: MetricSpec) -> Any:
    return {spec.name: dict(spec.settings)} if spec.settings else spec.name


def _passed(thresholds: Sequence[Threshold], old: Any) -> dict[str, float]:
    """The thresholds as they are written: a number that stays is written as it was."""
    was = old if isinstance(old, dict) else {}
    return {
        each.metric: was[each.metric] if was.get(each.metric) == each.at else _number(each.at)
        for each in thresholds
    }


def _number(value: float) -> float:
    return int(value) if float(value).is_integer() and abs(value) < 2**53 else value


def _with_metrics(text: str, top: Map, wanted: list[Any]) -> str:
    items = top.get(_METRICS)
    if isinstance(items, Seq) and items and wanted and not items.is_flow and not top.is_flow:
        return _with_items(text, top, items, wanted)
    return _with_entry(text, top, _METRICS, wanted)


def _with_items(text: str, top: Map, items: Seq, wanted: list[Any]) -> str:
    """The text whose block list holds what is wanted, in that order."""
    lines = yaml_edit.split(text)
    blocks = [yaml_edit.item_block(lines, items, place) for place in range(len(items))]
    first = yaml_edit.entry_block(lines, top, _METRICS).first + 1
    places = _places([unlocated(item) for item in items], wanted)
    above, rest = _comments(lines, first, blocks, kept=set(places))
    new: list[str] = []
    for item, place in zip(wanted, places, strict=True):
        if place is None:
            new += _fresh(item, items.column)
            continue
        block = blocks[place]
        new += above[place]
        if unlocated(items[place]) == item:
            new += lines[block.first : block.end]
        elif isinstance(item, dict):
            new += yaml_edit.changed_item(lines, block, unlocated(items[place]), item)
        else:
            new += _fresh(item, items.column)
    return yaml_edit.joined(text, lines, first, blocks[-1].end, [*new, *rest])


def _places(old: list[Any], wanted: list[Any]) -> list[int | None]:
    """Where each wanted item stood: the same one, else one of the same metric."""
    left = list(range(len(old)))
    places: list[int | None] = [None] * len(wanted)
    for are_alike in (lambda one, other: one == other, _are_of_one_metric):
        for at, item in enumerate(wanted):
            found = next((place for place in left if are_alike(old[place], item)), None)
            if places[at] is None and found is not None:
                places[at] = found
                left.remove(found)
    return places


def _are_of_one_metric(one: Any, other: Any) -> bool:
    return bool(_name(one) == _name(other))


def _name(item: Any) -> Any:
    return next(iter(item), None) if isinstance(item, dict) else item


def _comments(
    lines: list[str], first: int, blocks: list[Block], kept: set[int | None]
) -> tuple[list[list[str]], list[str]]:
    """The lines above each item, with those of the items before it that go; and what is left."""
    above: list[list[str]] = []
    carried: list[str] = []
    for place, block in enumerate(blocks):
        own = lines[blocks[place - 1].end if place else first : block.first]
        above.append([*carried, *own])
        has_comment = any(line.strip() for line in above[place])
        carried = above[place] if place not in kept and has_comment else []
    return above, carried


def _fresh(item: Any, column: int) -> list[str]:
    if isinstance(item, dict):
        return yaml_edit.fresh_item(item, column)
    return [f"{' ' * column}- {item}\n"]


def _with_entry(text: str, top: Map, key: str, value: Any) -> str:
    """The text with another value at a key of the file's top."""
    if top.is_flow:
        return yaml_edit.changed_file(text, lambda data: data.update({key: value}))
    lines = yaml_edit.split(text)
    if key in top:
        block = yaml_edit.entry_block(lines, top, key)
        if value == {}:
            return yaml_edit.without(lines, block)
        if value == []:
            new = yaml_edit.fresh_entry(key, value, 0)
        else:
            new = yaml_edit.changed_entry(lines, block, key, value)
        return yaml_edit.joined(text, lines, block.first, block.end, new)
    end = len(lines)
    if key == _PASSED and _METRICS in top:
        end = yaml_edit.entry_block(lines, top, _METRICS).end
    if key == _METRICS and value:
        new = [f"{key}:\n", *(line for item in value for line in _fresh(item, 2))]
    else:
        new = yaml_edit.fresh_entry(key, value, 0)
    return yaml_edit.joined(text, lines, end, end, new)
