"""What a request asks for, checked as Ollama checks it and refused in its own words.

Anything that a real server accepts is accepted: unknown fields and unknown options are ignored.
"""

import re
from typing import Annotated, Any, TypeVar

import msgspec

from studio.engine.models.embedded.weights import MODEL

DEFAULT_KEEP_ALIVE = 300.0
DEFAULT_WINDOW = 4096


class Refusal(Exception):
    """The request cannot be answered: the HTTP status and Ollama's text."""

    def __init__(self, status: int, text: str) -> None:
        super().__init__(text)
        self.status = status
        self.text = text


class _Part(msgspec.Struct, frozen=True):
    pass


class CalledFunction(_Part, frozen=True):
    name: str | None = None
    arguments: Any = None


class ToolCall(_Part, frozen=True):
    function: CalledFunction = CalledFunction()


class Message(_Part, frozen=True):
    """One message of the conversation."""

    role: str | None = None
    content: str | None = None
    thinking: str | None = None
    images: list[Any] | None = None
    tool_calls: list[ToolCall] | None = None
    tool_name: str | None = None


class ToolFunction(_Part, frozen=True):
    name: str | None = None
    description: str | None = None
    parameters: dict[str, Any] | None = None


class Tool(_Part, frozen=True):
    function: ToolFunction | None = None


class _Asked(_Part, frozen=True):
    model: str | None = None
    options: dict[str, Any] | None = None
    stream: bool | None = None
    keep_alive: Any = None
    truncate: bool | None = None


class _Generation(_Asked, frozen=True):
    format: Any = None
    think: Any = None
    shift: bool | None = None
    logprobs: bool | None = None
    top_logprobs: int | None = None
    debug_render_only: Annotated[
        bool | None, msgspec.Meta(description="the prompt instead of an answer")
    ] = msgspec.field(default=None, name="_debug_render_only")


class ChatRequest(_Generation, frozen=True):
    messages: list[Message] | None = None
    tools: list[Tool] | None = None


class GenerateRequest(_Generation, frozen=True):
    prompt: str | None = None
    system: str | None = None
    raw: bool | None = None


class EmbedRequest(_Asked, frozen=True):
    input: Any = None
    dimensions: int | None = None


class NamedRequest(_Part, frozen=True):
    """A request that only names a model (by its newer or its older field)."""

    model: str | None = None
    name: str | None = None
    stream: bool | None = None


_R = TypeVar("_R", bound=msgspec.Struct)
_GO_KINDS = {"str": "string", "int": "number", "float": "number", "object": "object"}
_GO_TYPES = {
    "array": "slice", "object": "map", "str": "string", "bool": "bool", "int": "int",
}  # fmt: skip


def decode(kind: type[_R], body: bytes) -> _R:
    """The request in `body`; raises Refusal 400 as a server does."""
    if not body.strip():
        raise Refusal(400, "missing request body")
    try:
        return msgspec.json.decode(body, type=kind)
    except msgspec.ValidationError as error:
        raise Refusal(400, _as_go_says(kind.__name__, str(error))) from error
    except (msgspec.DecodeError, UnicodeDecodeError) as error:
        text = str(error)
        raise Refusal(400, "unexpected EOF" if "truncated" in text else text) from error


def _as_go_says(kind: str, error: str) -> str:
    found = re.match(r"Expected `([^`]*)`, got `([^`]*)`(?: - at `\$\.?(.*)`)?", error)
    if found is None:
        return f"json: {error}"
    wanted, got, path = found.groups()
    wanted = wanted.removesuffix(" | null")
    field = re.sub(r"\[[^\]]*\]", "", path or "")
    return (
        f"json: cannot unmarshal {_GO_KINDS.get(got, got)} into Go struct field "
        f"{kind}.{field} of type {_GO_TYPES.get(wanted, wanted)}"
    )


def named(model: str | None, *, embed: bool = False) -> str:
    """The name as it was given, if it means our model; raises Refusal."""
    if not model:
        raise Refusal(400, "model is required")
    if model.lower() != MODEL:
        raise Refusal(404, _not_found(model, embed=embed))
    return model


def _not_found(model: str, *, embed: bool) -> str:
    return f'model "{model}" not found, try pulling it first' if embed else not_found(model)


def not_found(model: str) -> str:
    return f"model '{model}' not found"


def check_thinking(model: str, think: Any) -> None:
    """Refuse to think: the model cannot."""
    if think is None or think is False:
        return
    if think is not True and think not in ("high", "medium", "low", "max"):
        raise Refusal(
            400,
            f'invalid think value: "{think}" '
            '(must be "high", "medium", "low", "max", true, or false)',
        )
    raise Refusal(400, f'"{model}" does not support thinking')


def check_messages(messages: list[Message]) -> None:
    """Refuse what the model cannot read: tool arguments that are no object, and images."""
    for message in messages:
        if message.images:
            raise Refusal(500, "this model is missing data required for image input")
        for call in message.tool_calls or ():
            if not isinstance(call.function.arguments, dict | None):
                raise Refusal(400, "Value looks like object, but can't find closing '}' symbol")


_UNITS = {"ns": 1e-9, "us": 1e-6, "µs": 1e-6, "ms": 1e-3, "s": 1.0, "m": 60.0, "h": 3600.0}
_DURATION = re.compile(r"([-+]?)((?:(?:\d+\.?\d*|\.\d+)(?:ns|us|µs|ms|s|m|h))+|0)")


def keep_alive(value: Any) -> float:
    """How many seconds the model stays loaded; negative means for ever."""
    match value:
        case None:
            return DEFAULT_KEEP_ALIVE
        case bool():
            raise Refusal(400, f"Unsupported type: 'bool' {value}")
        case int() | float():
            return float(value)
        case str():
            found = _DURATION.fullmatch(value)
            if found is None:
                raise Refusal(400, f'time: invalid duration "{value}"')
            parts = re.findall(r"(\d+\.?\d*|\.\d+)(ns|us|µs|ms|s|m|h)", found[2])
            seconds = sum(float(number) * _UNITS[unit] for number, unit in parts)
            return -seconds if found[1] == "-" else seconds
        case _:
            raise Refusal(400, "Unsupported type")
