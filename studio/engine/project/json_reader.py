"""Reads a line of JSON into located values: strict where the standard library is lenient."""

import json
from collections import Counter
from typing import Any, NoReturn

from studio.engine.plain import encodable
from studio.engine.project.located import Map, Mistakes, Seq
from studio.engine.project.scalars import shown, why_not_kept
from studio.engine.project.yaml_reader import MAX_DEPTH

WRONG = object()
"""What `read_json` gives in place of a value that cannot be taken."""


class _Json:
    """Builds located values from one JSON text that stands on one line."""

    def __init__(self, line: int) -> None:
        self._line = line

    def object(self, pairs: list[tuple[str, Any]]) -> Map:
        found = Map(self._line)
        found.update(pairs)
        if len(found) != len(pairs):
            [(twice, _)] = Counter(key for key, _ in pairs).most_common(1)
            raise ValueError(f"{shown(twice)} is given twice")
        return found

    def constant(self, name: str) -> NoReturn:
        raise ValueError(f"{name} is no number of JSON")


def read_json(text: str, line: int, mistakes: Mistakes, remedy: str) -> Any:
    """The value of a JSON text, or `WRONG` with a mistake noted: `remedy` shows what to write."""
    build = _Json(line)
    try:
        value = json.loads(text, object_pairs_hook=build.object, parse_constant=build.constant)
        return _located(value, line, 0)
    except json.JSONDecodeError as error:
        problem = f"This is no JSON: {error.msg}, at character {error.colno}."
        mistakes.add(line, problem, remedy)
    except RecursionError:
        mistakes.add(line, "This is nested too deeply.", "Make it flatter.")
    except ValueError as error:
        mistakes.add(line, f"This JSON cannot be taken: {error}.", "Write plain data.")
    return WRONG


def _located(value: Any, line: int, depth: int) -> Any:
    """The value with its lists located, all of it fit to be kept; raises ValueError."""
    if depth > MAX_DEPTH:
        raise RecursionError
    if isinstance(value, list):
        found = Seq(line)
        found.extend(_located(item, line, depth + 1) for item in value)
        found.lines = [line] * len(found)
        return found
    if isinstance(value, Map):
        for key, item in value.items():
            if not encodable(key):
                raise ValueError("a key holds half of a surrogate pair")
            if type(item) is not str or not item.isascii():
                value[key] = _located(item, line, depth + 1)
    elif (why := why_not_kept(value)) is not None:
        raise ValueError(why.rstrip("."))
    return value
