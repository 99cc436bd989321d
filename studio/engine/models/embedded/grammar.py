"""What the model may write, as grammars for llguidance (the constrained decoder of our llama.cpp).

A grammar that llguidance cannot compile is dropped by llama.cpp without a word, and the model
then writes what it likes: `Llama.enforces` finds that out, and nothing here is used unchecked.
"""

import json
from collections.abc import Sequence
from typing import Any

import jsonschema

from studio.engine.models import signatures
from studio.engine.models.embedded.asked import Refusal, ToolFunction
from studio.engine.records import JsonObject

_HEAD = "%llguidance {}\n"
# What the decoder does not know is ignored, as in Ollama; and no white space but the usual.
_GUIDANCE = {
    "lenient": True,
    "whitespace_flexible": False,
    "item_separator": ", ",
    "key_separator": ": ",
}
_ANY_OBJECT: JsonObject = {"type": "object"}

# After an answer was chosen, a call as text would be neither.  What begins one is barred; in an
# answer from results, which is not about the model, even the "I" and all that a call is made of.
ANSWER = f"{_HEAD}start: TEXT\nTEXT: /\\S(.|\\n)*/ & ~/(I will|I'll|I would|`|<)(.|\\n)*/\n"
ANSWER_FROM_RESULTS = f"{_HEAD}start: TEXT\nTEXT: /[^`{{}}<\\sI][^`{{}}<]*/\n"


def json_value(schema: Any) -> str:
    """JSON that fits `schema`."""
    return f"{_HEAD}start: %json {_guided(schema)}"


def arguments_schema(tool: ToolFunction) -> JsonObject:
    """The schema of a tool's arguments, which are always an object."""
    return dict(tool.parameters or _ANY_OBJECT) | {"type": "object"}


def choice(tools: Sequence[tuple[ToolFunction, JsonObject]]) -> str:
    """What may follow `template.CHOICE`: a tool with arguments that fit it, or an answer."""
    alternatives = [
        f"{json.dumps(f'{tool.name}` with ')} %json {_guided(schema)}" for tool, schema in tools
    ]
    return f"{_HEAD}start: {' | '.join([*alternatives, json.dumps(f'{signatures.ANSWER}`')])}"


def any_arguments(tool: ToolFunction) -> tuple[ToolFunction, JsonObject]:
    """The tool with arguments of any form, for a schema that cannot be enforced."""
    return tool, _ANY_OBJECT


def check_format(form: Any) -> JsonObject | None:
    """The JSON Schema that a request's `format` asks for, or None for free text.

    Raises Refusal as a server does: 500 for what is no format, 400 for a schema that is none.
    """
    if form is None or form == "":
        return None
    if form == "json":
        return _ANY_OBJECT
    if not isinstance(form, dict):
        said = json.dumps(json.dumps(form))
        raise Refusal(500, f'invalid format: {said}; expected "json" or a valid JSON Schema object')
    _check_patterns(form)
    try:
        jsonschema.Draft202012Validator.check_schema(form)
    except jsonschema.SchemaError as error:
        part: Any = form
        for step in list(error.absolute_path)[:-1]:
            part = part[step]
        told = json.dumps(part, separators=(",", ":"))
        raise unusable(f"Unrecognized schema: {told}") from error
    return form


def unusable(why: str) -> Refusal:
    """The refusal of a schema: llama.cpp's error object as text, as a newer server sends it."""
    error = {
        "code": 400,
        "message": f"Field 'json_schema': \"json_schema\": JSON schema conversion failed:\n{why}",
        "type": "invalid_request_error",
    }
    return Refusal(400, json.dumps({"error": error}, separators=(",", ":")))


def _guided(schema: JsonObject) -> str:
    return json.dumps(_closed(schema) | {"x-guidance": _GUIDANCE})


def _closed(schema: Any) -> Any:
    """The schema with objects that hold what they name and no more, unless they say otherwise.

    So does llama.cpp's own converter: a small model would go on inventing properties.  Parts of an
    `allOf` are left open, since each of them names only some of the properties.
    """
    if isinstance(schema, list):
        return [_closed(item) for item in schema]
    if not isinstance(schema, dict):
        return schema
    closed = {key: _closed_part(key, value) for key, value in schema.items()}
    if isinstance(schema.get("properties"), dict) and "allOf" not in schema:
        closed.setdefault("additionalProperties", False)
    return closed


def _closed_part(key: str, value: Any) -> Any:
    if key in ("allOf", "enum", "const", "default", "examples"):
        return value
    if key in ("properties", "$defs", "definitions") and isinstance(value, dict):
        return {name: _closed(part) for name, part in value.items()}
    return _closed(value)


def _check_patterns(schema: Any) -> None:
    # A server refuses patterns that are not anchored; an evaluation should not find out later.
    parts = [schema]
    while parts:
        part = parts.pop()
        if isinstance(part, list):
            parts += part
        elif isinstance(part, dict):
            pattern = part.get("pattern")
            anchored = isinstance(pattern, str) and pattern[:1] == "^" and pattern[-1:] == "$"
            if isinstance(pattern, str) and not anchored:
                raise unusable("Pattern must start with '^' and end with '$'")
            parts += part.values()
