"""A query list as CSV: comma, semicolon or tab; the first row names the columns.

Several texts of `contains`, `answers`, `outputs` or `tags` are parted by a semicolon, or written as
a JSON list.  `calls`, and what else is no text and no number, is JSON, such as
`[{"get_metal_price": {"metal_name": "gold"}}]`.  An empty cell states nothing.
"""

import csv
import io
from collections.abc import Iterator
from typing import Any

from studio.engine.project.expected_part import EXPECTED
from studio.engine.project.fields import did_you_mean
from studio.engine.project.json_reader import WRONG, read_json
from studio.engine.project.located import Map, Mistakes, Seq
from studio.engine.project.scalars import resolve, shown

COLUMNS = ("id", "query", *EXPECTED, "tags")
LISTS = ("contains", "answers", "outputs", "tags")
TEXTS = ("id", "query", "unit", "pattern")
_JSON = {
    "calls": '[{"tool": {"argument": "value"}}], or [] where no call is wanted',
    **dict.fromkeys(LISTS, 'texts that a semicolon parts, or a list such as ["one", "two"]'),
}
"""What a cell holds that begins like JSON, or has to be JSON."""


def read_csv(text: str, mistakes: Mistakes) -> Seq:
    """The items of the list, one a row below the names of the columns."""
    found = Seq(1)
    rows = csv_rows(text, delimiter_of(text))
    try:
        line, header = next(((line, row) for line, row in rows if row), (1, []))
        columns = column_names(header)
        if not _check_columns(columns, line, mistakes):
            return found
        for line, row in rows:
            if len(row) > len(columns):
                problem = f"This row has {len(row)} cells, the first row {len(columns)}."
                remedy = "Put a cell that holds the separator in quotes."
                mistakes.add(line, problem, remedy)
            elif any(cell.strip() for cell in row):
                found.append(_row(dict(zip(columns, row, strict=False)), line, mistakes))
                found.lines.append(line)
    except _CsvError as error:
        problem = f"This is no CSV: {error}."
        mistakes.add(error.line, problem, "Close the quote; write a quote in a cell twice.")
    return found


class _CsvError(csv.Error):
    """A csv.Error that knows the line on which its row begins."""

    def __init__(self, error: csv.Error, line: int) -> None:
        super().__init__(str(error))
        self.line = line


def csv_rows(text: str, delimiter: str) -> Iterator[tuple[int, list[str]]]:
    """The rows with the line on which each begins; raises csv.Error.  Rows of no cell are blank."""
    reader = csv.reader(io.StringIO(text, newline=""), delimiter=delimiter, strict=True)
    while True:
        line = reader.line_num + 1
        try:
            row = next(reader, None)
        except csv.Error as error:
            raise _CsvError(error, line) from error
        if row is None:
            return
        yield line, row


def delimiter_of(text: str) -> str:
    """What parts the cells: the one of comma, semicolon and tab that the first line has most of."""
    first = text[: text.find("\n")] if "\n" in text else text
    return max(",;\t", key=first.count)


def column_names(header: list[str]) -> list[str]:
    return [name.strip().lower() for name in header]


def _check_columns(columns: list[str], line: int, mistakes: Mistakes) -> bool:
    before = mistakes.count
    if len(columns) > 100:
        mistakes.add(line, f"There are {len(columns):,} columns.", f"Known: {', '.join(COLUMNS)}.")
        return False
    for place, name in enumerate(columns):
        if name not in COLUMNS:
            remedy = did_you_mean(name, COLUMNS)
            mistakes.add(line, f"There is no column {shown(name)}.", remedy)
        elif name in columns[:place]:
            mistakes.add(line, f"The column {name} is there twice.", "Delete one of the two.")
    if columns and "query" not in columns:
        mistakes.add(line, "There is no column query.", "Name the columns in the first row.")
    return bool(columns) and mistakes.count == before


def _row(cells: dict[str, str], line: int, mistakes: Mistakes) -> Map:
    item, expected = Map(line), Map(line)
    for name, cell in cells.items():
        value = _cell(name, cell if name == "query" else cell.strip(), line, mistakes)
        if value is None:
            continue
        (item if name in ("id", "query", "tags") else expected)[name] = value
    if expected:
        item["expected"] = expected
    return item


def _cell(name: str, cell: str, line: int, mistakes: Mistakes) -> Any:
    if not cell and name != "query":
        return None
    if name in TEXTS:
        return cell
    if name == "number":
        return resolve(cell)
    if name in LISTS and not cell.startswith("["):
        found = Seq(line)
        found.extend(part.strip() for part in cell.split(";") if part.strip())
        found.lines = [line] * len(found)
        return found
    remedy = f"Write into the column {name} {_JSON.get(name, 'JSON')}."
    value = read_json(cell, line, mistakes, remedy)
    return None if value is WRONG else value
