"""Values read from a file that know their lines, and the list of what is wrong with the file.

`Map` and `Seq` are a dict and a list; what reads them needs no other care.  Whatever they hold is
fit to be stored as JSON: text keys, finite numbers of 64 bits, text that UTF-8 can write.
"""

from collections.abc import Iterator
from typing import Any

from studio.engine.errors import Problem

MOST_MISTAKES = 200


class Map(dict[str, Any]):
    """A mapping of a file; `line` and `column` are where it begins, `end` the line after it."""

    __slots__ = ("column", "end", "is_flow", "line", "lines")

    def __init__(self, line: int, column: int = 0, *, is_flow: bool = False) -> None:
        super().__init__()
        self.line = line
        self.column = column
        self.end = line
        self.is_flow = is_flow
        self.lines: dict[str, int] = {}

    def line_of(self, key: str) -> int:
        """The line of a key; of the mapping where the key is missing."""
        return self.lines.get(key, self.line)


class Seq(list[Any]):
    """A list of a file, with the line of each item."""

    __slots__ = ("column", "end", "is_flow", "line", "lines")

    def __init__(self, line: int, column: int = 0, *, is_flow: bool = False) -> None:
        super().__init__()
        self.line = line
        self.column = column
        self.end = line
        self.is_flow = is_flow
        self.lines: list[int] = []

    def located(self) -> Iterator[tuple[int, Any]]:
        """The items with their lines."""
        return zip(self.lines, self, strict=True)


def unlocated(value: Any) -> Any:
    """The value as plain dicts and lists, which take less room than those that know their lines."""
    if isinstance(value, dict):
        return {key: unlocated(item) for key, item in value.items()}
    if isinstance(value, list):
        return [unlocated(item) for item in value]
    return value


class Mistakes:
    """What is wrong with one file, in the order it was found; at most MOST_MISTAKES are kept."""

    def __init__(self, file: str) -> None:
        self.file = file
        self.count = 0
        self._problems: list[Problem] = []

    def add(self, line: int, problem: str, remedy: str = "") -> None:
        self.count += 1
        if self.count <= MOST_MISTAKES:
            self._problems.append(Problem(self.file, line, problem, remedy))

    @property
    def problems(self) -> list[Problem]:
        left = self.count - len(self._problems)
        more = [Problem(self.file, 0, f"And {left:,} more mistakes of this file.")] if left else []
        return sorted(self._problems, key=_line) + more


def _line(problem: Problem) -> int:
    return problem.line
