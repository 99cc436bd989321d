"""Turns an edited query back into an item as people write it, leaving alone what was not edited."""

from collections.abc import Mapping
from typing import Any

import msgspec

from studio.engine.project.expected_part import EXPECTED
from studio.engine.project.located import unlocated
from studio.engine.project.query_item import KEYS, made_id
from studio.engine.records import Expected, Query

Item = dict[str, Any]
_ENCODER = msgspec.json.Encoder()


def new_item(query: Query) -> Item:
    """An item without what nobody stated, and without an id that is made from the text."""
    return edited_item({}, Query("", ""), query)


def edited_item(written: Mapping[str, Any] | str, before: Query, after: Query) -> Item:
    """The item that was `written` for the query `before`, changed where `after` differs from it."""
    old: Item = {"query": written} if isinstance(written, str) else unlocated(written)
    changes: Item = {}
    if before.id != after.id or ("id" not in old and before.text != after.text):
        changes["id"] = None if after.id == made_id(after.text) else after.id
    _note(changes, "query", before.text, after.text)
    _note(changes, "tags", before.tags or None, after.tags or None)
    expected = _expected(before.expected, after.expected)
    if expected:
        changes["expected"] = _merged(old.get("expected") or {}, expected, EXPECTED) or None
    return _merged(old, changes, KEYS)


def _expected(before: Expected, after: Expected) -> Item:
    changes: Item = {}
    old, new = written_expected(before), written_expected(after)
    for key in {**old, **new}:
        # As JSON, because `==` takes 1, 1.0 and True for one value; as arguments they are three.
        if _ENCODER.encode(old.get(key)) != _ENCODER.encode(new.get(key)):
            changes[key] = new.get(key)
    return changes


def written_expected(expected: Expected) -> Item:
    """All that is stated, in the shortest way to write it."""
    item: Item = {**unlocated(dict(expected.more))}
    if expected.calls is not None:
        item["calls"] = [{call.name: unlocated(dict(call.arguments))} for call in expected.calls]
    if expected.instructions:
        item["instructions"] = [
            {rule.id: unlocated(dict(rule.arguments))} for rule in expected.instructions
        ]
    if expected.documents:
        item["documents"] = {id: _short(gain) for id, gain in expected.documents.items()}
    for key in ("contains", "answers", "outputs"):
        if texts := getattr(expected, key):
            item[key] = list(texts)
    for key in ("number", "unit", "pattern"):
        if (value := getattr(expected, key)) is not None:
            item[key] = _short(value)
    return item


def _note(changes: Item, key: str, before: Any, after: Any) -> None:
    if before != after:
        changes[key] = list(after) if isinstance(after, tuple) else _short(after)


def _short(value: Any) -> Any:
    """A whole float as the integer that people write (which -0.0 has none of)."""
    is_whole = isinstance(value, float) and value.is_integer() and abs(value) < 2**53
    return int(value) if is_whole and str(value) != "-0.0" else value


def _merged(old: Item, changes: Item, order: tuple[str, ...]) -> Item:
    """`old` with the changes (None deletes); its order is kept, a new key takes its usual place."""
    keys = list(old)
    for key in changes:
        if key not in old:
            earlier = order[: order.index(key)]
            place = max((keys.index(each) + 1 for each in keys if each in earlier), default=0)
            keys.insert(place, key)
    new = {**old, **changes}
    return {key: new[key] for key in keys if key not in changes or new[key] is not None}
