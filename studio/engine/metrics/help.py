"""The help text of each metric, as the help page has it."""

import re
from functools import cache

import msgspec

from studio.resources import resource

_SECTION = re.compile(r"^## (\w+)\n(.*?)(?=^## |\Z)", re.MULTILINE | re.DOTALL)
_EXAMPLE = re.compile(r"^```json\n(.*?)^```$", re.MULTILINE | re.DOTALL)


@cache
def _sections() -> dict[str, str]:
    page = resource("help/metrics.md").read_text("utf-8")
    return {name: text.strip() for name, text in _SECTION.findall(page)}


def help_text(name: str) -> str:
    """The section of a metric of the catalogue, as Markdown.  Raises KeyError for any other."""
    return _sections()[name]


def example(name: str) -> str:
    """The example of a case that the section shows, as one line of JSON; "" if it shows none."""
    found = _EXAMPLE.search(help_text(name))
    if found is None:
        return ""
    return msgspec.json.encode(msgspec.json.decode(found[1])).decode()


def documented() -> tuple[str, ...]:
    """The names of the metrics that the page explains, in its order."""
    return tuple(_sections())
