"""What an instruction asks for: its arguments, read so that nothing is guessed."""

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from studio.engine.records import JsonObject

RELATIONS = ("less than", "at least")


class Unclear(ValueError):
    """The instruction does not say what it asks for, so no answer can be held against it."""


@dataclass(frozen=True, slots=True)
class Asked:
    """The arguments of one instruction.  Each method raises Unclear for what is missing or wrong.

    `is_published`: whether the defects of the published graders are to be repeated.
    """

    arguments: JsonObject
    is_published: bool = False

    def text(self, name: str) -> str:
        value = self._value(name)
        if not isinstance(value, str) or not value:
            raise Unclear(f"{name} must be a text")
        return value

    def texts(self, name: str) -> list[str]:
        value = self._value(name)
        if isinstance(value, str) or not all(isinstance(item, str) for item in _items(value)):
            raise Unclear(f"{name} must be a list of texts")
        return list(value)

    def amount(self, name: str, least: int = 0) -> float:
        """A number; below `least` the published graders draw one at random."""
        value = self._value(name)
        if isinstance(value, bool) or not isinstance(value, int | float) or not _is_finite(value):
            raise Unclear(f"{name} must be a number")
        if value < least:
            raise Unclear(f"{name} must be {least} or more")
        return value

    def whole(self, name: str, least: int = 0) -> int:
        value = self.amount(name, least)
        if value != int(value):
            raise Unclear(f"{name} must be a whole number")
        return int(value)

    def holds(self, count: float, name: str, relation: str) -> bool:
        """Whether the count is as the arguments `name` and `relation` want it."""
        wanted, how = self.amount(name), self._value(relation)
        if how not in RELATIONS:
            raise Unclear(f"{relation} must be 'less than' or 'at least'")
        return count < wanted if how == "less than" else count >= wanted

    def _value(self, name: str) -> Any:
        value = self.arguments.get(name)
        if value is None:
            raise Unclear(f"{name} is missing")
        return value


def _items(value: Any) -> list[Any]:
    return list(value) if isinstance(value, list | tuple) and value else [None]


def _is_finite(value: float) -> bool:
    return isinstance(value, int) or math.isfinite(value)


Rule = Callable[[str, Asked], bool]
"""Whether a text follows an instruction.  Pure; raises Unclear."""
