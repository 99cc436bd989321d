"""The documents that tool results name, best first."""

import json
from collections.abc import Iterator
from typing import Any

from studio.engine.trace import Trace

_LISTS = ("documents", "results", "items", "hits", "docs", "matches", "ids", "contexts", "chunks")
_IDS = ("id", "_id", "doc_id", "document_id", "docid", "uid", "url", "source", "title")


def ranking_of(trace: Trace, tool: str = "") -> list[str] | None:
    """The documents of all retrieval calls, in the order of calls; None if there was no such call.

    Retrieval calls are those of the named tool, or of the tools that the tool set names as
    retrieval.  A result that names no documents adds none.
    """
    calls = [
        call for call in trace.tool_calls if (call.name == tool if tool else call.is_retrieval)
    ]
    if not calls:
        return None
    results = (trace.tool_results.get(call.call) for call in calls)
    return [
        document
        for result in results
        if result is not None and result.error is None
        for document in documents_in(result.content)
    ]


def documents_in(content: str) -> list[str]:
    """The ids of the documents that a result names, in its order.

    A result is JSON: a list of ids, or of objects with an id (`id`, `doc_id`, `url`, ...), alone or
    below a key such as `documents`, `results` or `hits`.
    """
    try:
        return list(ids_of(json.loads(content)))
    except (ValueError, RecursionError):
        return []


def ranked_in(value: Any) -> list[str]:
    """The ids of a ranking as a case states it: a list, or the score of each document."""
    if isinstance(value, dict) and value and all(map(_is_number, value.values())):
        return sorted(value, key=lambda id: -value[id])
    return list(ids_of(value))


def _is_number(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool) and value == value


def ids_of(value: Any) -> Iterator[str]:
    """The ids in a list of documents, as `documents_in` reads them."""
    if isinstance(value, dict):
        value = next((value[key] for key in _LISTS if isinstance(value.get(key), list)), [value])
    for item in value if isinstance(value, list) else []:
        if isinstance(item, dict):
            item = next((item[key] for key in _IDS if item.get(key) is not None), None)
        if isinstance(item, str) or (isinstance(item, int) and not isinstance(item, bool)):
            yield str(item)
