"""One query as it is written in a list, whatever the list's format.

In YAML (JSON Lines hold the same objects, one a line)::

    - id: gold-eur              # may be left out: one is made from the text
      query: What does a gram of gold cost in euros?
      expected:
        calls:
        - get_metal_price: {metal_name: gold}
        - {name: get_currency_exchange, arguments: {base: USD, target: EUR}}
        contains: [gold, EUR]
        number: 70.52424
        unit: EUR
      tags: [gold, euro]

What else may stand below `expected`, `expected_part` says.
"""

from collections import Counter
from collections.abc import Mapping
from hashlib import sha256
from typing import Any

from studio.engine.project.expected_part import EXPECTED, read_expected
from studio.engine.project.fields import Fields
from studio.engine.project.located import Map, Mistakes
from studio.engine.project.scalars import shown
from studio.engine.records import Query, ToolSpec

KEYS = ("id", "query", "expected", "tags")

_HINTS = {
    **dict.fromkeys(EXPECTED, "Write it below expected:, indented."),
    **dict.fromkeys(("text", "question", "input", "prompt"), "Did you mean query?"),
}


class QueryItems:
    """Reads the items of a list one after the other and keeps watch over their ids.

    `tools` are those that an expected call may name; None where they cannot be known (the project
    brings its own graph, and with it perhaps its own tools).
    """

    def __init__(self, mistakes: Mistakes, tools: Mapping[str, ToolSpec] | None) -> None:
        self.queries: list[Query] = []
        self._mistakes = mistakes
        self._tools = tools
        self._lines: dict[str, int] = {}
        self._unnamed: list[int] = []

    def add(self, item: Any, line: int) -> None:
        """Take the next item; what is wrong is noted."""
        if isinstance(item, str):
            text, item = item, Map(line)
            item["query"] = text
        if not isinstance(item, Map):
            problem = f"A query must be a mapping, not {shown(item)}."
            self._mistakes.add(line, problem, "Write `- query: ...`.")
            return
        fields = Fields(item, "", self._mistakes)
        fields.only(KEYS, _HINTS)
        if item.get("query") is None:
            self._mistakes.add(line, "This item has no query.", "Add the key query: what is asked.")
        query = Query(
            id=self._id(fields, line),
            text=fields.text("query"),
            expected=read_expected(fields, self._tools),
            tags=fields.texts("tags") or (),
        )
        if not query.id:
            self._unnamed.append(len(self.queries))
        self.queries.append(query)

    def finished(self) -> tuple[Query, ...]:
        """All queries, those without an id given one that depends on their text alone."""
        repeats: Counter[str] = Counter()
        for position in self._unnamed:
            query = self.queries[position]
            made = self._free(made_id(query.text), repeats)
            self._lines[made] = 0
            self.queries[position] = Query(made, query.text, query.expected, query.tags)
        return tuple(self.queries)

    def _free(self, base: str, repeats: Counter[str]) -> str:
        """`base`, or with the next number behind it that makes it unlike all others."""
        while True:
            repeats[base] += 1
            name = base if repeats[base] == 1 else f"{base}-{repeats[base]}"
            if name not in self._lines:
                return name

    def _id(self, fields: Fields, line: int) -> str:
        name = fields.text("id")
        if not name:
            return ""
        if (first := self._lines.get(name)) is not None:
            problem = f"The id {shown(name)} is that of the query in line {first}, too."
            fields.wrong("id", problem, "Give each query an id of its own.")
        self._lines[name] = line
        return name


def made_id(text: str) -> str:
    """The id of a query that was given none: short, and the same wherever the query stands."""
    return f"q-{sha256(text.encode('utf-8', 'surrogatepass')).hexdigest()[:10]}"
