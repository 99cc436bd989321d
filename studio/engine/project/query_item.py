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

`calls: []` says that no call is wanted; what is left out is not graded.  Other names
may stand below `expected` that a metric of the catalogue reads; its help says what belongs there.
"""

from collections import Counter
from collections.abc import Mapping
from hashlib import sha256
from typing import Any

from studio.engine.metrics.catalogue import READ_BY_METRICS
from studio.engine.project.fields import Fields, did_you_mean
from studio.engine.project.located import Map, Mistakes, Seq, unlocated
from studio.engine.project.scalars import shown
from studio.engine.project.tools_files import takes
from studio.engine.records import Expected, ExpectedCall, Query, ToolSpec

KEYS = ("id", "query", "expected", "tags")
EXPECTED = ("calls", "contains", "number", "unit", *READ_BY_METRICS)

_HINTS = {
    **dict.fromkeys(EXPECTED, "Write it below expected:, indented."),
    **dict.fromkeys(("text", "question", "input", "prompt"), "Did you mean query?"),
}
_EXPECTED_HINTS = {
    **dict.fromkeys(("tools", "tool_calls"), "Did you mean calls?"),
    **dict.fromkeys(("answer", "text", "substring", "substrings"), "Did you mean contains?"),
    "value": "Did you mean number?",
    **dict.fromkeys(("id", "query", "tags"), "Write it beside expected:, not below it."),
}
_CALL = "Write `- tool_name: {argument: value}`."


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
            self._mistakes.add(line, "This item has no query.", "Add `query: ...`.")
        query = Query(
            id=self._id(fields, line),
            text=fields.text("query"),
            expected=self._expected(fields),
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

    def _expected(self, fields: Fields) -> Expected:
        if fields.mapping.get("expected") is None:
            return Expected()
        inner = fields.inner("expected", "expected: {contains: gold}")
        inner.only(EXPECTED, _EXPECTED_HINTS)
        number, unit = inner.number("number"), inner.text("unit") or None
        if unit is not None and inner.mapping.get("number") is None:
            problem = "expected: unit says of what, but there is no number."
            inner.wrong("unit", problem, "Add number: ..., or write the unit below contains:.")
        contains = inner.texts("contains") or None
        stated = ((name, inner.mapping.get(name)) for name in READ_BY_METRICS)
        more = {name: unlocated(value) for name, value in stated if value is not None}
        return Expected(self._calls(inner), contains, number, unit, more=more)

    def _calls(self, fields: Fields) -> tuple[ExpectedCall, ...] | None:
        value = fields.mapping.get("calls")
        if value is None:
            return None
        if not isinstance(value, Seq):
            fields.wrong("calls", "expected: calls must be a list.", _CALL)
            return None
        calls = (self._call(item, line) for line, item in value.located())
        return tuple(call for call in calls if call is not None)

    def _call(self, item: Any, line: int) -> ExpectedCall | None:
        name, arguments = _parts(item)
        if not isinstance(name, str) or not name.strip() or not isinstance(arguments, dict):
            self._mistakes.add(line, f"{shown(item)} is no expected call.", _CALL)
            return None
        if self._tools is not None:
            self._check_call(name, arguments, line, self._tools)
        return ExpectedCall(name, unlocated(arguments))

    def _check_call(
        self, name: str, arguments: Mapping[str, Any], line: int, tools: Mapping[str, ToolSpec]
    ) -> None:
        # Either can never be met by any run: every trial would be marked down for nothing.
        tool = tools.get(name)
        if tool is None:
            problem = f"There is no tool {shown(name)}."
            remedy = did_you_mean(name, tools) if tools else "Write it in tools.py."
            self._mistakes.add(line, problem, remedy)
            return
        for argument in arguments:
            if not takes(tool, argument):
                problem = f"{name} has no argument {shown(argument)}."
                remedy = did_you_mean(argument, tool.parameters.get("properties", {}))
                self._mistakes.add(line, problem, remedy)


def _parts(item: Any) -> tuple[Any, Any]:
    """The name and the arguments of a call, in any of the three ways to write it."""
    if isinstance(item, str):
        return item, {}
    if not isinstance(item, dict):
        return None, None
    if "name" in item and set(item) <= {"name", "arguments"} and isinstance(item["name"], str):
        return item["name"], item.get("arguments") or {}
    if len(item) == 1:
        [(name, arguments)] = item.items()
        return name, {} if arguments is None else arguments
    return None, None


def made_id(text: str) -> str:
    """The id of a query that was given none: short, and the same wherever the query stands."""
    return f"q-{sha256(text.encode('utf-8', 'surrogatepass')).hexdigest()[:10]}"
