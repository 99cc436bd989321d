"""What a query expects of a good answer: the part below `expected:`, all of it optional.

::

    expected:
      calls:                    # in order; [] says that none is wanted
      - get_metal_price: {metal_name: gold}
      - {name: get_currency_exchange, arguments: {base: USD, target: EUR}}
      - list_metals             # without arguments
      contains: [gold, EUR]     # texts of the answer, all of them
      number: 70.52424
      unit: EUR
      answers: ["70.52", "70.5"]            # any one of them is right
      pattern: "70[.,]52"                   # a regular expression found in the answer
      outputs: ["70.52"]                    # what the agent must have told
      instructions:                         # rules, named as IFEval and IFBench name them
      - length_constraints:number_words: {relation: at least, num_words: 20}
      documents: {prices-2024: 2, rates: 1}     # what retrieval finds, with gains; or a list

Other names may stand here that a metric of the catalogue reads; its help says what they hold.
What is left out is not graded.
"""

import re
from collections.abc import Iterator, Mapping
from typing import Any

from studio.engine.metrics.catalogue import READ_BY_METRICS
from studio.engine.project.fields import Fields, did_you_mean, is_number
from studio.engine.project.located import Seq, unlocated
from studio.engine.project.scalars import shown
from studio.engine.project.tools_files import takes
from studio.engine.records import Expected, ExpectedCall, Instruction, ToolSpec

EXPECTED = (
    "calls", "contains", "number", "unit", "answers", "pattern", "outputs", "instructions",
    "documents", *READ_BY_METRICS,
)  # fmt: skip

_HINTS = {
    **dict.fromkeys(("tools", "tool_calls"), "Did you mean calls?"),
    **dict.fromkeys(("answer", "text"), "Did you mean answers, or contains?"),
    **dict.fromkeys(("substring", "substrings"), "Did you mean contains?"),
    **dict.fromkeys(("regex", "regexp"), "Did you mean pattern?"),
    "value": "Did you mean number?",
    **dict.fromkeys(("id", "query", "tags"), "Write it beside expected:, not below it."),
}
_CALL = "Write `- tool_name: {argument: value}`."
_INSTRUCTION = "Write `- kind:of_rule: {argument: value}`."

Tools = Mapping[str, ToolSpec]


def read_expected(query: Fields, tools: Tools | None) -> Expected:
    """What the query expects, mistakes noted; expected calls may name `tools`, or any if None."""
    if query.mapping.get("expected") is None:
        return Expected()
    fields = query.inner("expected", "expected: {contains: gold}")
    fields.only(EXPECTED, _HINTS)
    stated = ((name, fields.mapping.get(name)) for name in READ_BY_METRICS)
    return Expected(
        calls=_calls(fields, tools),
        contains=fields.texts("contains") or None,
        number=fields.number("number"),
        unit=_unit(fields),
        answers=fields.texts("answers") or None,
        pattern=_pattern(fields),
        outputs=fields.texts("outputs") or None,
        instructions=_instructions(fields),
        documents=_documents(fields),
        more={name: unlocated(value) for name, value in stated if value is not None},
    )


def _unit(fields: Fields) -> str | None:
    unit = fields.text("unit")
    if unit and fields.mapping.get("number") is None:
        problem = "expected: unit says of what, but there is no number."
        fields.wrong("unit", problem, "Add number: ..., or write the unit below contains:.")
    return unit or None


def _pattern(fields: Fields) -> str | None:
    pattern = fields.text("pattern")
    try:
        re.compile(pattern)
    except (re.error, OverflowError, RecursionError) as error:
        problem = f"expected: pattern is no regular expression: {error}."
        fields.wrong("pattern", problem, "Write a backslash before a character that is meant so.")
    return pattern or None


def _documents(fields: Fields) -> dict[str, float] | None:
    value = fields.mapping.get("documents")
    if not isinstance(value, dict):
        ids = fields.texts("documents")
        return dict.fromkeys(ids, 1.0) if ids else None
    for id, gain in value.items():
        if not is_number(gain) or gain < 0:
            problem = f"The gain of {shown(id)} cannot be {shown(gain)}."
            fields.wrong("documents", problem, "Write a number from 0 on, without quotes.")
    return {id: float(gain) for id, gain in value.items() if is_number(gain)} or None


def _instructions(fields: Fields) -> tuple[Instruction, ...] | None:
    named = _named(fields, "instructions", _INSTRUCTION)
    if named is None:
        return None
    return tuple(Instruction(id, arguments) for _, id, arguments in named) or None


def _calls(fields: Fields, tools: Tools | None) -> tuple[ExpectedCall, ...] | None:
    named = _named(fields, "calls", _CALL)
    if named is None:
        return None
    for line, name, arguments in named:
        for problem, remedy in _never_met(name, arguments, tools):
            fields.mistakes.add(line, problem, remedy)
    return tuple(ExpectedCall(name, arguments) for _, name, arguments in named)


def _never_met(
    name: str, arguments: Mapping[str, Any], tools: Tools | None
) -> Iterator[tuple[str, str]]:
    """Why no run could make the call: every trial would be marked down for nothing."""
    if tools is None:
        return
    tool = tools.get(name)
    if tool is None:
        remedy = did_you_mean(name, tools) if tools else "Write it in tools.py."
        yield f"There is no tool {shown(name)}.", remedy
        return
    for argument in arguments:
        if not takes(tool, argument):
            remedy = did_you_mean(argument, tool.parameters.get("properties", {}))
            yield f"{name} has no argument {shown(argument)}.", remedy


def _named(fields: Fields, key: str, shape: str) -> list[tuple[int, str, dict[str, Any]]] | None:
    """The line, the name and the arguments of each item of a list; None if there is no list."""
    value = fields.mapping.get(key)
    if value is None:
        return None
    if not isinstance(value, Seq):
        fields.wrong(key, f"{fields.named(key)} must be a list.", shape)
        return None
    found: list[tuple[int, str, dict[str, Any]]] = []
    for line, item in value.located():
        name, arguments = _parts(item)
        if isinstance(name, str) and name.strip() and isinstance(arguments, dict):
            found.append((line, name, unlocated(arguments)))
        else:
            fields.mistakes.add(line, f"{shown(item)} cannot stand below {key}.", shape)
    return found


def _parts(item: Any) -> tuple[Any, Any]:
    """The name and the arguments, in any of the three ways to write them."""
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
