"""The help text of each metric, as the help page has it."""

import re
from functools import cache

import msgspec

from studio.resources import resource

_SECTION = re.compile(r"^## (\w+)\n(.*?)(?=^## |\Z)", re.MULTILINE | re.DOTALL)
_EXAMPLE = re.compile(r"^```json\n(.*?)^```$", re.MULTILINE | re.DOTALL)
_GENERAL = """
{"id": "gold-1", "query": "What does gold cost?",
 "expected": {"calls": [{"name": "get_price", "arguments": {"metal": "gold"}}],
              "contains": ["gold"], "number": 88.16, "unit": "USD"},
 "calls": [{"name": "get_price", "arguments": {"metal": "gold"}, "result": "88.16"}],
 "answer": "Gold costs 88.16 USD."}
"""


@cache
def _sections() -> dict[str, str]:
    page = resource("help/metrics.md").read_text("utf-8")
    return {name: text.strip() for name, text in _SECTION.findall(page)}


def help_text(name: str) -> str:
    """The section of a metric of the catalogue, as Markdown.  Raises KeyError for any other."""
    return _sections()[name]


def example(name: str) -> str:
    """A case for the metric as one line of JSON: the section's own, or one in the general shape."""
    found = _EXAMPLE.search(help_text(name))
    text = _GENERAL if found is None else found[1]
    return msgspec.json.encode(msgspec.json.decode(text)).decode()


def documented() -> tuple[str, ...]:
    """The names of the metrics that the page explains, in its order."""
    return tuple(_sections())
