"""Tools as a list of signatures: how the embedded model is told of them, and none tells it shorter.

Light: the meter of the window counts the tokens of it while somebody types.
"""

from collections.abc import Mapping, Sequence
from typing import Protocol

from studio.engine.records import JsonObject

ANSWER = "answer"


class Described(Protocol):
    """A tool as a model is told of it."""

    @property
    def name(self) -> str | None: ...
    @property
    def description(self) -> str | None: ...
    @property
    def parameters(self) -> JsonObject | None: ...


def describe(tools: Sequence[Described]) -> str:
    """The tools as the system prompt lists them."""
    lines = [signature(tool.name, tool.description, tool.parameters) for tool in tools]
    return "\n".join(["Functions:", *lines, f"- {ANSWER}(text): Give the final answer"])


def signature(name: object, description: object, schema: object) -> str:
    """One tool: its name, its parameters of the top level, and what is said of it and of them."""
    properties = schema.get("properties") if isinstance(schema, Mapping) else None
    parameters = properties if isinstance(properties, Mapping) else {}
    inside = ", ".join(f"{each}: {_values(schema)}" for each, schema in parameters.items())
    # Where all values are listed, a description misleads: the model takes its example from it.
    told = [
        f"\n  {each}: {schema['description']}"
        for each, schema in parameters.items()
        if isinstance(schema, Mapping) and schema.get("description") and not schema.get("enum")
    ]
    return f"- {name}({inside}): {description or ''}".rstrip() + "".join(told)


def _values(schema: object) -> str:
    if not isinstance(schema, Mapping):
        return "any"
    if isinstance(schema.get("enum"), list):
        return "|".join(map(str, schema["enum"]))
    kind = schema.get("type", "any")
    return "|".join(map(str, kind)) if isinstance(kind, list) else str(kind)
