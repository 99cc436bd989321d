"""Changes one row of a CSV query list; the other rows stay byte for byte as they are."""

import csv
import io
import json
from typing import Any

from studio.engine.project.csv_list import (
    COLUMNS,
    LISTS,
    TEXTS,
    column_names,
    csv_rows,
    delimiter_of,
)
from studio.engine.project.located import Seq
from studio.engine.project.yaml_edit import newline_of, split

Item = dict[str, Any]


class _Table:
    """The lines of a CSV file, and the names of its columns."""

    def __init__(self, text: str) -> None:
        self.lines = split(text)
        self._delimiter = delimiter_of(text)
        self._newline = newline_of(text)
        rows = csv_rows(text, self._delimiter)
        first, self.header = next((line, row) for line, row in rows if row)
        self.header_first = first - 1
        self.header_end = self.row_end(self.header_first)
        self.names = column_names(self.header)

    def row_end(self, first: int) -> int:
        """The line after the row that begins with the line `first`: a cell may hold several."""
        rows = csv_rows("".join(self.lines[first:]), self._delimiter)
        next(rows)
        following = next(rows, None)
        return len(self.lines) if following is None else first + following[0] - 1

    def cells(self, first: int) -> list[str]:
        """The cells of the row that begins with the line `first`."""
        return next(csv_rows("".join(self.lines[first:]), self._delimiter))[1]

    def written(self, row: list[str]) -> str:
        stream = io.StringIO()
        writer = csv.writer(
            stream,
            delimiter=self._delimiter,
            lineterminator=self._newline,
            # With QUOTE_MINIMAL a carriage return would end the row.
            quoting=csv.QUOTE_ALL if "\r" in "".join(row) else csv.QUOTE_MINIMAL,
        )
        writer.writerow(row)
        return stream.getvalue()

    def put(self, first: int, last: int, row: dict[str, str]) -> str:
        """The file with the row in place of the lines from `first` to `last`.

        A column that the file lacks is added to the names; the other rows may end before it.
        """
        added = [name for name in COLUMNS if name in row and name not in self.names]
        line = self.written([row.get(name, "") for name in [*self.names, *added]])
        lines = [*self.lines[:first], line, *self.lines[last:]]
        if added:
            names = self.written([*self.header, *added])
            lines[self.header_first : self.header_end] = [names]
        return "".join(lines)


def replaced(text: str, items: Seq, position: int, item: Item) -> str:
    """The file with the item at `position` written as `item`; unchanged cells as they were."""
    table = _Table(text)
    first = items.lines[position] - 1
    old, new = _flat(items[position]), _flat(item)
    row = dict(zip(table.names, table.cells(first), strict=False))
    for name in COLUMNS:
        if json.dumps(old.get(name)) != json.dumps(new.get(name)):
            row[name] = _cell(name, new.get(name))
    return table.put(first, table.row_end(first), row)


def appended(text: str, item: Item) -> str:
    """The file with the item in a row behind all others."""
    table = _Table(text)
    row = {name: _cell(name, value) for name, value in _flat(item).items()}
    return table.put(len(table.lines), len(table.lines), row)


def removed(text: str, items: Seq, position: int) -> str:
    """The file without the row of the item at `position`."""
    table = _Table(text)
    first = items.lines[position] - 1
    return "".join([*table.lines[:first], *table.lines[table.row_end(first) :]])


def _flat(item: Item) -> Item:
    flat = {**item, **item.get("expected", {})}
    return {name: flat[name] for name in COLUMNS if name in flat}


def _cell(name: str, value: Any) -> str:
    if value is None:
        return ""
    if name in TEXTS or name == "number":
        return str(value)
    texts = [str(text) for text in value] if name in LISTS else []
    if texts and not any(map(_is_misread, texts)):
        return "; ".join(texts)
    return json.dumps(value, ensure_ascii=False)


def _is_misread(text: str) -> bool:
    """Whether a text would not come back from a cell that holds several, or begins one."""
    return ";" in text or text != text.strip() or text.startswith("[")
