"""Whether the arguments of a tool call fit the tool's JSON Schema, in words a model can act on."""

from collections.abc import Mapping
from typing import Any

from jsonschema import Draft202012Validator
from jsonschema.exceptions import SchemaError, ValidationError
from referencing.exceptions import Unresolvable

from studio.engine.errors import ToolHostError
from studio.engine.json_schema import PatternFault, validator
from studio.engine.plain import plain
from studio.engine.records import ToolSpec

_SHOWN = 120
_MOST = 5


class ArgumentCheck:
    """The compiled check of one tool.  Raises ToolHostError if its parameters are no schema."""

    def __init__(self, tool: ToolSpec) -> None:
        try:
            Draft202012Validator.check_schema(tool.parameters)
        except (SchemaError, RecursionError) as error:
            reason = error.message if isinstance(error, SchemaError) else str(error)
            raise ToolHostError(
                f"The parameters of the tool '{tool.name}' are no JSON Schema: {reason}.",
                "Correct them in tools.yaml.",
            ) from error
        self._validator = validator(tool.parameters)
        self._properties: Mapping[str, Any] = tool.parameters.get("properties", {})

    def arguments(self, given: Mapping[str, Any]) -> dict[str, Any]:
        """`given` as plain JSON, with whole floats as integers where the schema wants these."""
        return {name: self._whole(name, plain(value)) for name, value in dict(given).items()}

    def problems(self, arguments: dict[str, Any]) -> str:
        """What is wrong with `arguments`, one line each; "" when they fit."""
        try:
            errors = sorted(self._validator.iter_errors(arguments), key=lambda e: str(e.path))
        except (Unresolvable, RecursionError, PatternFault) as error:
            return f"The tool's schema cannot be followed: {error}."
        return "\n".join(_worded(error) for error in errors[:_MOST])

    def _whole(self, name: str, value: Any) -> Any:
        # JSON knows one kind of number, and 5.0 is an integer to JSON Schema; not to Python.
        schema = self._properties.get(name)
        wanted = schema.get("type") if isinstance(schema, Mapping) else None
        if isinstance(value, float) and value.is_integer() and wanted == "integer":
            return int(value)
        return value


def _worded(error: ValidationError) -> str:
    place = ".".join(str(part) for part in error.absolute_path)
    message = error.message
    if len(message) > _SHOWN * 2:
        message = f"{message[:_SHOWN]} … {message[-_SHOWN:]}"
    return f"{place}: {message}." if place else f"{message}."
