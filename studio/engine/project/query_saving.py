"""Writes one query back to the list of a project, as `saving` says."""

import itertools
import json
from collections.abc import Collection, Sequence
from pathlib import Path

import msgspec

from studio.engine.errors import StudioError
from studio.engine.project import list_edit, query_lists, tools_files
from studio.engine.project.located import Mistakes, Seq
from studio.engine.project.project_file import FILE, read_project_file
from studio.engine.project.query_item import QueryItems, made_id
from studio.engine.project.query_write import edited_item, new_item, written_expected
from studio.engine.project.scalars import shown
from studio.engine.project.tools_files import Tools
from studio.engine.project.writing import cannot, refuse, refused, text_of, write
from studio.engine.records import Query

_ENCODER = msgspec.json.Encoder()


def save_query(folder: Path, query: Query, replaces: str | None = None) -> None:
    """Write the query in place of the one with id `replaces`, or at the end of the list.

    A query without an id gets one that is made from its text.
    """
    found = _List(folder)
    found.check(query)
    taken = {each.id for each in found.queries if each.id != replaces}
    query = msgspec.structs.replace(query, id=query.id or _free(made_id(query.text), taken))
    if query.id in taken:
        problem = f"The id {shown(query.id)} is taken."
        raise refused(folder, found.name, problem, "Give each query an id of its own.")
    if replaces is None:
        position = len(found.queries)
        text = list_edit.appended(found.name, found.text, found.items, new_item(query))
    else:
        position = found.position(replaces)
        if _content(found.queries[position]) == _content(query):
            return
        item = edited_item(found.items[position], found.queries[position], query)
        text = list_edit.replaced(found.name, found.text, found.items, position, item)
    found.write(text, [*found.queries[:position], query, *found.queries[position + 1 :]])


def delete_query(folder: Path, id: str) -> None:
    """Take the query out of the list; the last one is kept, as a list of none cannot be read."""
    found = _List(folder)
    position = found.position(id)
    if len(found.queries) == 1:
        raise StudioError("This is the only query.", "Change it, or write another one first.")
    text = list_edit.removed(found.name, found.text, found.items, position)
    found.write(text, [*found.queries[:position], *found.queries[position + 1 :]])


class _List:
    """The query list of a folder, open to be changed.  Raises ProjectError if it has mistakes."""

    def __init__(self, folder: Path) -> None:
        names = query_lists.find_list(folder)
        if len(names) != 1:
            problem = "There must be one query list, not " + (" and ".join(names) or "none") + "."
            raise refused(folder, query_lists.FILES[0], problem, "Keep one of them.")
        [self.name] = names
        self._folder = folder
        self.text = text_of(folder, self.name)
        self.items, self.queries = self._read(self.text, None)

    def position(self, id: str) -> int:
        for position, query in enumerate(self.queries):
            if query.id == id:
                return position
        problem = f"There is no query {shown(id)} in {self.name}."
        raise StudioError(problem, "It was deleted or renamed elsewhere: open the project again.")

    def check(self, query: Query) -> None:
        """Refuse a query that no file can hold."""
        try:
            json.dumps(msgspec.to_builtins(query), allow_nan=False, ensure_ascii=False).encode()
            _ENCODER.encode(query)
        except (ValueError, OverflowError, TypeError, RecursionError) as error:
            problem = f"The query holds what no file can: {error}."
            raise refused(self._folder, self.name, problem, "Delete it from the text.") from error

    def write(self, text: str, wanted: Sequence[Query]) -> None:
        """Save the text, which must read as the queries that are `wanted`."""
        _, queries = self._read(text, _known_tools(self._folder))
        if list(map(_content, queries)) != list(map(_content, wanted)):
            raise cannot(self.name)
        write(self._folder, self.name, self.text, text)

    def _read(self, text: str, tools: Tools | None) -> tuple[Seq, tuple[Query, ...]]:
        mistakes = Mistakes(self.name)
        items = query_lists.read_items(self.name, text, mistakes)
        reader = QueryItems(mistakes, tools)
        for line, item in items.located():
            reader.add(item, line)
        refuse(self._folder, mistakes)
        return items, reader.finished()


def _content(query: Query) -> bytes:
    # As JSON, because `==` takes 1, 1.0 and True for one value.  A made id may change its number
    # with its place.
    id = "" if query.id.startswith(made_id(query.text)) else query.id
    return _ENCODER.encode((id, query.text, query.tags, written_expected(query.expected)))


def _free(id: str, taken: Collection[str]) -> str:
    numbered = (f"{id}-{number}" for number in itertools.count(2))
    return next(each for each in itertools.chain([id], numbered) if each not in taken)


def _known_tools(folder: Path) -> Tools | None:
    """The tools that an expected call may name, as `load` sees it; None for any."""
    mistakes = Mistakes(tools_files.CODE)
    code = tools_files.read_code(folder, mistakes)
    _, tools = tools_files.read_adjustments(folder, code, Mistakes(tools_files.FILE))
    has_graph = read_project_file(folder.resolve(), Mistakes(FILE)).graph is not None
    return None if has_graph or mistakes.count else tools
