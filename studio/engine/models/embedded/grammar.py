"""What the model may write, as grammars for llguidance (the constrained decoder of our llama.cpp).

A grammar that llguidance cannot compile is dropped by llama.cpp without a word, and the model
then writes what it likes: `Llama.enforces` finds that out, and nothing here is used unchecked.
"""

import json
from collections.abc import Sequence
from typing import Any

import jsonschema

from studio.engine.models.embedded import template
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

# After an answer was chosen, a call as text would be neither: the phrase that begins one is barred.
_NO_CALL = r"/(.|\n)+/ & ~/(I will|I'll|`|<)(.|\n)*/"
FREE_TEXT = f"{_HEAD}start: TEXT\nTEXT: {_NO_CALL}\n"


def json_value(schema: Any) -> str:
    """JSON that fits `schema`."""
    guided = schema | {"x-guidance": _GUIDANCE} if isinstance(schema, dict) else schema
    return f"{_HEAD}start: %json {json.dumps(guided)}"


def arguments_schema(tool: ToolFunction) -> JsonObject:
    """The schema of a tool's arguments: an object, with no arguments but those it names."""
    schema = dict(tool.parameters or _ANY_OBJECT) | {"type": "object"}
    if schema.get("properties"):
        schema.setdefault("additionalProperties", False)
    return schema


def choice(tools: Sequence[tuple[ToolFunction, JsonObject]]) -> str:
    """What may follow `template.CHOICE`: a tool with arguments that fit it, or an answer."""
    alternatives = [
        f"{json.dumps(f'{tool.name}` with ')} %json "
        f"{json.dumps(dict(schema) | {'x-guidance': _GUIDANCE})}"
        for tool, schema in tools
    ]
    return f"{_HEAD}start: {' | '.join([*alternatives, json.dumps(f'{template.ANSWER}`')])}"


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
        raise unusable(f"Unrecognized schema: {json.dumps(error.instance)}") from error
    return form


def unusable(why: str) -> Refusal:
    """The refusal of a schema: llama.cpp's error object as text, as a newer server sends it."""
    error = {
        "code": 400,
        "message": f"Field 'json_schema': \"json_schema\": JSON schema conversion failed:\n{why}",
        "type": "invalid_request_error",
    }
    return Refusal(400, json.dumps({"error": error}, separators=(",", ":")))


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
