"""The query list of a project: `queries.yaml`, `queries.jsonl` or `queries.csv`, one of them.

JSON Lines hold on each line the object that an item of the YAML list holds; for CSV see `csv_list`.
YAML reads best; for lists of tens of thousands take one of the others.
"""

from pathlib import Path

from studio.engine.project import text_files
from studio.engine.project.csv_list import read_csv
from studio.engine.project.json_reader import WRONG, read_json
from studio.engine.project.located import Mistakes, Seq
from studio.engine.project.yaml_reader import read_yaml

FILES = ("queries.yaml", "queries.jsonl", "queries.csv")

_ONE_A_LINE = 'Write one object a line: {"query": "..."}'
_LIMIT = 1000 * text_files.MEGABYTE
_FIRST = {
    "queries.yaml": "Write a first one: `- query: ...`",
    "queries.jsonl": 'Write a first one: {"query": "..."}',
    "queries.csv": "Write a first row `query,contains`, and a query below it.",
}


def find_list(folder: Path) -> list[str]:
    """The names of the query lists that the folder holds; one is right."""
    return [name for name in FILES if text_files.exists(folder, name)]


def read_text(folder: Path, name: str, mistakes: Mistakes) -> str | None:
    """The file's text, or None with a mistake noted."""
    return text_files.read(folder, name, mistakes, limit=_LIMIT)


def read_items(name: str, text: str, mistakes: Mistakes) -> Seq:
    """The items of the list as they are written, with their lines; what is no list is noted."""
    read = {"queries.yaml": _yaml, "queries.jsonl": _json_lines, "queries.csv": read_csv}[name]
    before = mistakes.count
    items = read(text, mistakes)
    if not items and mistakes.count == before:
        mistakes.add(0, "There is no query in this file.", _FIRST[name])
    return items


def _yaml(text: str, mistakes: Mistakes) -> Seq:
    value = read_yaml(text, mistakes)
    if isinstance(value, Seq):
        return value
    if value is not None:
        mistakes.add(1, "The file must hold a list.", "Begin each query with `- query: ...`.")
    return Seq(0)


def _json_lines(text: str, mistakes: Mistakes) -> Seq:
    found = Seq(1)
    for number, line in enumerate(text.split("\n"), 1):
        if line and not line.isspace():
            value = read_json(line, number, mistakes, _ONE_A_LINE)
            if value is not WRONG:
                found.append(value)
                found.lines.append(number)
    return found
