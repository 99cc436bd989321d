"""Takes the values of one mapping apart and notes everything that is wrong with them."""

import difflib
import math
from collections.abc import Iterable, Mapping
from typing import Any

from studio.engine.plain import encodable
from studio.engine.project.located import Map, Mistakes, Seq
from studio.engine.project.scalars import shown

_MOST_LISTED = 12


class Fields:
    """The entries of a mapping called `where` (such as "run"; "" at the top of a file).

    Each method gives the value of a key, or `default` where the key is missing, empty or wrong;
    what is wrong is noted with its line and with what to write instead.
    """

    def __init__(self, mapping: Map, where: str, mistakes: Mistakes) -> None:
        self.mapping = mapping
        self.where = where
        self.mistakes = mistakes

    def named(self, key: str) -> str:
        return f"{self.where}: {key}" if self.where else key

    def wrong(self, key: str, problem: str, remedy: str = "") -> None:
        self.mistakes.add(self.mapping.line_of(key), problem, remedy)

    def only(self, known: Iterable[str], hints: Mapping[str, str] | None = None) -> None:
        """Note every key that is not `known`; `hints` tell what people mean by some of them."""
        known = tuple(known)
        for key in self.mapping:
            if key not in known:
                place = f"{self.where} has" if self.where else "There is"
                remedy = (hints or {}).get(key) or did_you_mean(key, known)
                self.wrong(key, f"{place} no {shown(key)}.", remedy)

    def text(self, key: str, default: str = "") -> str:
        """A text; whole numbers are taken as they stand (`id: 17`)."""
        value = self.mapping.get(key)
        if value is None:
            return default
        return as_text(value, self.named(key), self.mapping.line_of(key), self.mistakes) or default

    def whole(self, key: str, default: int, low: int, high: int) -> int:
        """A whole number from `low` to `high`."""
        value = self.mapping.get(key)
        if value is None:
            return default
        if type(value) is int and low <= value <= high:
            return value
        problem = f"{self.named(key)} must be a whole number, not {shown(value)}."
        if type(value) is int:
            problem = f"{self.named(key)} cannot be {value}."
        self.wrong(key, problem, f"Write a whole number from {low} to {high:,}, without quotes.")
        return default

    def seconds(self, key: str, default: float, high: float) -> float:
        """A number above zero, at most `high`."""
        value = self.mapping.get(key)
        if value is None:
            return default
        if is_number(value) and 0 < value <= high:
            return float(value)
        problem = f"{self.named(key)} cannot be {shown(value)}."
        self.wrong(key, problem, f"Write a number of seconds above 0, at most {high:,.0f}.")
        return default

    def number(self, key: str) -> float | None:
        """Any finite number."""
        value = self.mapping.get(key)
        if value is None or is_number(value):
            return None if value is None else float(value)
        problem = f"{self.named(key)} must be a number, not {shown(value)}."
        self.wrong(key, problem, "Write it with digits and a point, without quotes: 1234.5")
        return None

    def flag(self, key: str) -> bool | None:
        value = self.mapping.get(key)
        if value is None or isinstance(value, bool):
            return value
        problem = f"{self.named(key)} must be true or false, not {shown(value)}."
        self.wrong(key, problem, "Write true or false, without quotes.")
        return None

    def texts(self, key: str) -> tuple[str, ...] | None:
        """A list of texts, or one text alone; None where nothing is given."""
        value = self.mapping.get(key)
        if value is None:
            return None
        lines = value.lines if isinstance(value, Seq) else [self.mapping.line_of(key)]
        items = value if isinstance(value, Seq) else [value]
        found = (
            as_text(item, f"Each of {self.named(key)}", line, self.mistakes)
            for item, line in zip(items, lines, strict=True)
        )
        return tuple(text for text in found if text)

    def inner(self, key: str, shape: str) -> "Fields":
        """The mapping below a key, empty where it is missing; `shape` shows how it is written."""
        value = self.mapping.get(key)
        line = self.mapping.line_of(key)
        if not isinstance(value, Map):
            if value is not None:
                self.wrong(key, f"{self.named(key)} must be a mapping.", f"Write it as {shape}")
            value = Map(line)
        return Fields(value, self.named(key), self.mistakes)


def as_text(value: Any, named: str, line: int, mistakes: Mistakes) -> str:
    """A text that is not blank, "" if it was wrong."""
    if type(value) is int:
        return str(value)
    if not isinstance(value, str):
        problem = f"{named} must be a text, not {shown(value)}."
        mistakes.add(line, problem, "Write it in quotes.")
        return ""
    if not value.strip():
        mistakes.add(line, f"{named} is blank.", "Write a text, or delete the line.")
        return ""
    if not encodable(value):
        mistakes.add(line, f"{named} holds half of a surrogate pair.", "Delete that character.")
        return ""
    return value


def is_number(value: Any) -> bool:
    """Whether it is a finite number; true and false are none."""
    return type(value) in (int, float) and math.isfinite(value)


def did_you_mean(word: str, known: Iterable[str]) -> str:
    """What to write instead of an unknown word: the nearest that is known, or all of them."""
    known = tuple(known)
    lower = {name.lower(): name for name in known}
    near = difflib.get_close_matches(word.lower().replace("-", "_"), lower, 1, 0.6)
    if near:
        return f"Did you mean {lower[near[0]]}?"
    if not known:
        return "Delete it."
    listed = ", ".join(known[:_MOST_LISTED])
    more = len(known) - _MOST_LISTED
    return f"There is: {listed}{f' and {more:,} more' if more > 0 else ''}."
