"""The tools of a project: read from the source of `tools.py`, adjusted by `tools.yaml`.

`tools.yaml` may be missing.  It groups tools into sets and says in other words what a tool does::

    sets:
      prices + exchange: [get_metal_price, get_currency_exchange]
      prices only: [get_metal_price]
    tools:
      get_metal_price:
        description: The price of a metal in US dollars per gram.
        time_limit: 5
        retrieval: true         # its results are documents, best first: recall@k and the like
        parameters:             # a JSON Schema in place of the one read from the function
          type: object
          properties: {metal_name: {type: string}}
          required: [metal_name]

If no set holds every tool, there is one more, `all`, that does.
"""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import jsonschema
import msgspec

from studio.engine.project import text_files
from studio.engine.project.fields import Fields, as_text, did_you_mean
from studio.engine.project.located import Map, Mistakes, Seq, unlocated
from studio.engine.project.scalars import shown
from studio.engine.project.yaml_reader import read_yaml
from studio.engine.records import JsonObject, ToolSet, ToolSpec
from studio.engine.tools.signature import read_signatures

CODE = "tools.py"
FILE = "tools.yaml"
ALL = "all"
NONE = "no tools"

_LIMIT = 5 * text_files.MEGABYTE
_TOOL = ("description", "parameters", "time_limit", "retrieval")
_HINTS = {"timeout": "Did you mean time_limit?", "schema": "Did you mean parameters?"}
_PARAMETERS = "Write {type: object, properties: {...}, required: [...]}"

Tools = dict[str, ToolSpec]
Names = dict[str, tuple[str, ...]]
"""The names of the tools of each set."""


def read_code(folder: Path, mistakes: Mistakes) -> Tools:
    """The tools that `tools.py` defines, by name; nothing of it is run."""
    if not text_files.exists(folder, CODE):
        return {}
    if text_files.read(folder, CODE, mistakes, limit=_LIMIT) is None:
        return {}
    found = read_signatures(folder / CODE)
    for problem in found.problems:
        mistakes.add(problem.line, problem.problem, problem.remedy)
    return {tool.name: tool for tool in found.tools}


def read_adjustments(
    folder: Path, code: Tools, mistakes: Mistakes
) -> tuple[tuple[ToolSet, ...], Tools]:
    """The tool sets (at least one), and all tools as `tools.yaml` wants them described."""
    text = None
    if text_files.exists(folder, FILE):
        text = text_files.read(folder, FILE, mistakes, limit=_LIMIT)
    return adjustments_of(text or "", code, mistakes)


def adjustments_of(text: str, code: Tools, mistakes: Mistakes) -> tuple[tuple[ToolSet, ...], Tools]:
    """The same of a text that is, or may become, the content of `tools.yaml`."""
    stated, tools = _stated(text, code, mistakes)
    return _with_all(stated, tools), tools


def stated_sets(text: str, code: Tools, mistakes: Mistakes) -> Names:
    """The sets that such a text states itself."""
    stated, _ = _stated(text, code, mistakes)
    return {each.name: tuple(tool.name for tool in each.tools) for each in stated}


def _stated(text: str, code: Tools, mistakes: Mistakes) -> tuple[tuple[ToolSet, ...], Tools]:
    value = read_yaml(text, mistakes)
    if value is not None and not isinstance(value, Map):
        mistakes.add(1, "The file must hold keys and values.", "Write sets: and tools: below.")
    fields = Fields(value if isinstance(value, Map) else Map(0), "", mistakes)
    fields.only(("sets", "tools"))
    tools = _adjusted(fields.inner("tools", "tools: {name: {description: ...}}"), code)
    sets = fields.inner("sets", "sets: {name: [tool, tool]}")
    return tuple(_set(name, sets, tools) for name in sets.mapping), tools


def _adjusted(fields: Fields, code: Tools) -> Tools:
    tools = dict(code)
    for name in fields.mapping:
        if name not in code:
            problem = f"{CODE} has no tool {shown(name)}."
            fields.wrong(name, problem, did_you_mean(name, code))
            continue
        tools[name] = _tool(fields.inner(name, f"{name}: {{description: ...}}"), code[name])
    return tools


def _tool(fields: Fields, tool: ToolSpec) -> ToolSpec:
    fields.only(
        _TOOL, {"timeout": "Did you mean time_limit?", "schema": "Did you mean parameters?"}
    )
    return msgspec.structs.replace(
        tool,
        description=fields.text("description", tool.description),
        parameters=_parameters(fields, tool),
        time_limit=fields.seconds("time_limit", tool.time_limit, 3600),
        is_retrieval=fields.flag("retrieval") or False,
    )


def _parameters(fields: Fields, tool: ToolSpec) -> JsonObject:
    value = fields.mapping.get("parameters")
    if value is None:
        return tool.parameters
    schema = unlocated(value)
    if (problem := why_no_parameters(schema)) is not None:
        fields.wrong("parameters", f"{fields.named('parameters')}: {problem}", _PARAMETERS)
        return tool.parameters
    for name in schema.get("properties", {}):
        if not takes(tool, name):
            problem = f"The function {tool.name} has no argument {shown(name)}."
            remedy = did_you_mean(name, tool.parameters.get("properties", {}))
            fields.wrong("parameters", problem, remedy)
    for name in tool.parameters.get("required", ()):
        if name not in schema.get("properties", {}):
            problem = f"The function {tool.name} cannot be called without {name}."
            fields.wrong("parameters", problem, f"Add {name} to properties and required.")
    return dict(schema)


def takes(tool: ToolSpec, argument: str) -> bool:
    """Whether the tool's schema allows an argument of that name."""
    properties: Mapping[str, Any] = tool.parameters.get("properties", {})
    return argument in properties or tool.parameters.get("additionalProperties", True) is not False


def why_no_parameters(schema: Any) -> str | None:
    """What keeps a value from being the JSON Schema of a tool's arguments, or None."""
    if not isinstance(schema, dict) or schema.get("type") != "object":
        return "it must be a JSON Schema of type object."
    if not isinstance(schema.get("properties", {}), dict):
        return "properties must be a mapping of argument names to schemas."
    try:
        jsonschema.Draft202012Validator.check_schema(schema)
    except jsonschema.SchemaError as error:
        place = "/".join(map(str, error.path))
        return f"it is no JSON Schema: {place + ': ' if place else ''}{error.message}."
    return None


def _with_all(sets: tuple[ToolSet, ...], tools: Tools) -> tuple[ToolSet, ...]:
    """With one more that holds every tool, if none does."""
    if not tools:
        return sets or (ToolSet(NONE, ()),)
    if any(len(each.tools) == len(tools) or each.name == ALL for each in sets):
        return sets
    return (*sets, ToolSet(ALL, tuple(tools.values())))


def _set(name: str, fields: Fields, tools: Tools) -> ToolSet:
    value = fields.mapping[name]
    if not name.strip():
        fields.wrong(name, "A tool set has no name.", "Write `name: [tool, tool]`.")
    if not isinstance(value, Seq):
        fields.wrong(name, f"{fields.named(name)} must be a list.", f"Write {name}: [tool, tool]")
        return ToolSet(name, ())
    chosen: Tools = {}
    for line, item in value.located():
        tool = as_text(item, f"Each tool of {name}", line, fields.mistakes)
        if tool in chosen:
            fields.mistakes.add(line, f"{tool} stands in {name} twice.", "Delete one of the two.")
        elif tool in tools:
            chosen[tool] = tools[tool]
        elif tool:
            problem = f"{CODE} has no tool {shown(tool)}."
            fields.mistakes.add(line, problem, did_you_mean(tool, tools))
    return ToolSet(name, tuple(chosen.values()))
