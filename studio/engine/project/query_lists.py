"""The query list of a project: `queries.yaml`, `queries.jsonl` or `queries.csv`, one of them.

JSON Lines hold on each line the object that an item of the YAML list holds.  CSV (comma, semicolon
or tab; the first row names the columns) has the columns id, query, calls, contains, number, unit
and tags; `calls` is JSON, several texts of `contains` or `tags` are parted by a semicolon or
written as a JSON list.  YAML reads best; for lists of tens of thousands take one of the others.
"""

import csv
import io
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NoReturn

from studio.engine.project import text_files
from studio.engine.project.fields import did_you_mean
from studio.engine.project.located import Map, Mistakes, Seq
from studio.engine.project.query_item import QueryItems
from studio.engine.project.scalars import encodable, shown, why_not_kept
from studio.engine.project.yaml_reader import MAX_DEPTH, read_yaml

FILES = ("queries.yaml", "queries.jsonl", "queries.csv")
COLUMNS = ("id", "query", "calls", "contains", "number", "unit", "tags")

_LIMIT = 1000 * text_files.MEGABYTE
_LISTS = ("contains", "tags")
_EMPTY = "There is no query in this file."


def find_list(folder: Path) -> list[str]:
    """The names of the query lists that the folder holds; one is right."""
    return [name for name in FILES if text_files.exists(folder, name)]


def read_list(folder: Path, name: str, items: QueryItems, mistakes: Mistakes) -> None:
    """Hand every query of the file to `items`, with what is wrong noted."""
    text = text_files.read(folder, name, mistakes, limit=_LIMIT)
    if text is None:
        return
    read = {"queries.yaml": _yaml, "queries.jsonl": _json_lines, "queries.csv": _csv}[name]
    before = mistakes.count
    count = 0
    for line, item in read(text, mistakes):
        items.add(item, line)
        count += 1
    if not count and mistakes.count == before:
        remedy = "Write a first line: query,contains" if name == FILES[2] else "Write - query: ..."
        remedy = 'Write {"query": "..."}' if name == FILES[1] else remedy
        mistakes.add(0, _EMPTY, remedy)


def _yaml(text: str, mistakes: Mistakes) -> Iterator[tuple[int, Any]]:
    value = read_yaml(text, mistakes)
    if isinstance(value, Seq):
        yield from value.located()
    elif value is not None:
        mistakes.add(1, "The file must hold a list.", "Begin each query with `- query: ...`.")


def _json_lines(text: str, mistakes: Mistakes) -> Iterator[tuple[int, Any]]:
    for number, line in enumerate(text.split("\n"), 1):
        if line and not line.isspace():
            value = read_json(line, number, mistakes)
            if value is not _WRONG:
                yield number, value


_WRONG = object()


class _Json:
    """Builds located values from one JSON text that stands on one line."""

    def __init__(self, line: int) -> None:
        self._line = line

    def object(self, pairs: list[tuple[str, Any]]) -> Map:
        found = Map(self._line)
        found.update(pairs)
        if len(found) != len(pairs):
            seen = [key for key, _ in pairs]
            twice = next(key for key in seen if seen.count(key) > 1)
            raise ValueError(f"{shown(twice)} is given twice")
        return found

    def constant(self, name: str) -> NoReturn:
        raise ValueError(f"{name} is no number of JSON")


def read_json(text: str, line: int, mistakes: Mistakes) -> Any:
    """The value of a JSON text, or `_WRONG` with a mistake noted."""
    build = _Json(line)
    try:
        value = json.loads(text, object_pairs_hook=build.object, parse_constant=build.constant)
        return _located(value, line, 0)
    except json.JSONDecodeError as error:
        problem = f"This is no JSON: {error.msg}, at character {error.colno}."
        mistakes.add(line, problem, 'Write one object a line: {"query": "..."}')
    except RecursionError:
        mistakes.add(line, "This is nested too deeply.", "Make it flatter.")
    except ValueError as error:
        mistakes.add(line, f"This JSON cannot be taken: {error}.", "Write plain data.")
    return _WRONG


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


def _csv(text: str, mistakes: Mistakes) -> Iterator[tuple[int, Any]]:
    rows = csv_rows(text, delimiter_of(text))
    try:
        line, header = next(rows, (1, []))
        columns = [name.strip().lower() for name in header]
        if not _check_columns(columns, line, mistakes):
            return
        for line, row in rows:
            if not any(cell.strip() for cell in row):
                continue
            if len(row) > len(columns):
                problem = f"This row has {len(row)} cells, the first row {len(columns)}."
                mistakes.add(line, problem, "Put a cell that holds the separator in quotes.")
                continue
            yield line, _row(dict(zip(columns, row, strict=False)), line, mistakes)
    except csv.Error as error:
        problem = f"This is no CSV: {error}."
        mistakes.add(rows_line(error), problem, "Close the quote; write a quote in a cell twice.")


class _CsvError(csv.Error):
    """A csv.Error that knows the line on which its row begins."""

    def __init__(self, error: csv.Error, line: int) -> None:
        super().__init__(str(error))
        self.line = line


def rows_line(error: csv.Error) -> int:
    return error.line if isinstance(error, _CsvError) else 0


def csv_rows(text: str, delimiter: str) -> Iterator[tuple[int, list[str]]]:
    """The rows with the line on which each begins; raises csv.Error."""
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


def _check_columns(columns: list[str], line: int, mistakes: Mistakes) -> bool:
    before = mistakes.count
    for name in columns:
        if name not in COLUMNS:
            remedy = did_you_mean(name, COLUMNS)
            mistakes.add(line, f"There is no column {shown(name)}.", remedy)
        elif columns.count(name) > 1:
            mistakes.add(line, f"The column {name} is there twice.", "Delete one of the two.")
    if columns and "query" not in columns:
        mistakes.add(line, "There is no column query.", "Name the columns in the first row.")
    return bool(columns) and mistakes.count == before


def _row(cells: dict[str, str], line: int, mistakes: Mistakes) -> Map:
    item, expected = Map(line), Map(line)
    for name, cell in cells.items():
        value = _cell(name, cell.strip(), line, mistakes)
        if value is None:
            continue
        (item if name in ("id", "query", "tags") else expected)[name] = value
    if expected:
        item["expected"] = expected
    return item


def _cell(name: str, cell: str, line: int, mistakes: Mistakes) -> Any:
    if not cell and name != "query":
        return None
    if name == "calls" or (name in _LISTS and cell.startswith("[")):
        value = read_json(cell, line, mistakes)
        return None if value is _WRONG else value
    if name in _LISTS:
        found = Seq(line)
        found.extend(part.strip() for part in cell.split(";") if part.strip())
        found.lines = [line] * len(found)
        return found
    if name == "number":
        try:
            return float(cell)
        except ValueError:
            return cell
    return cell
