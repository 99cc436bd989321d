"""What a probe asks, each question the body of a chat request."""

from enum import StrEnum
from typing import Any

from studio.engine.records import JsonObject

WINDOW = 1_024
"""The window asked for, in tokens: small, so that a server that cuts has little to read."""

_OVERFLOW_WORDS = 1_500
_OPTIONS = {"temperature": 0, "seed": 1}
_KEEP_ALIVE = "2m"

TOOL: JsonObject = {
    "type": "function",
    "function": {
        "name": "get_temperature",
        "description": "The temperature in a city right now, in degrees Celsius.",
        "parameters": {
            "type": "object",
            "properties": {"city": {"type": "string", "description": "Such as Nairobi."}},
            "required": ["city"],
        },
    },
}
SCHEMA: JsonObject = {
    "type": "object",
    "properties": {
        "name": {"type": "string"},
        "legs": {"type": "integer"},
        "kind": {"type": "string", "enum": ["mammal", "bird", "insect"]},
    },
    "required": ["name", "legs", "kind"],
    "additionalProperties": False,
}

# Plain prose of a few hundred tokens, so that the speed of reading is measured on something.
_PASSAGE = (
    "A lighthouse stood on the cape for more than a century before anybody wrote its story down. "
    "The first keeper came by boat in the spring, with two goats, a stove and a box of books, and "
    "stayed for thirty years. He noted the weather every morning and every evening: the wind, the "
    "height of the waves, the ships that passed, and which of them answered his signal. In winter "
    "the cape was cut off for weeks. Then he mended nets, carved spoons and read the same books "
    "again. When the lamp was changed from oil to electric light, an engineer came for a month to "
    "teach him, and left a manual of two hundred pages, which the keeper is said to have learned "
    "by heart. His daughter kept the light after him. She was the one who counted the birds: the "
    "swans in March, the terns in May, the geese that rested on the rocks in October. Her lists "
    "are still used today, because nobody else had counted there for so long or with such care. "
)


class Step(StrEnum):
    """The questions, in the order in which they are asked."""

    ANSWER = "answering"
    TOOLS = "calling a tool"
    TOOLS_AGAIN = "calling a tool, asked in other words"
    SCHEMA = "keeping to a JSON schema"
    SCHEMA_THINKING = "keeping to a JSON schema while it thinks"
    THINKING = "thinking"
    WINDOW = "a prompt longer than the window"


def body(step: Step, model: str, *, window: int, think: bool | None, nonce: str) -> JsonObject:
    """The body of the question.

    `think` is sent with the questions that are about something else, unless it is None (for a
    model that cannot, or of which nobody knows).  `nonce` opens the first prompt, so that no
    server answers it from what it kept of an earlier one.
    """
    asked = _asked(step, nonce)
    options = {"num_ctx": window, "num_predict": asked.pop("num_predict"), **_OPTIONS}
    thinking = {Step.THINKING: True, Step.SCHEMA_THINKING: True}.get(step, think)
    if thinking is not None:
        asked["think"] = thinking
    return {
        "model": model, "stream": True, "truncate": False, "shift": False,
        "keep_alive": _KEEP_ALIVE, "options": options, **asked,
    }  # fmt: skip


def _asked(step: Step, nonce: str) -> dict[str, Any]:
    match step:
        case Step.ANSWER:
            question = f"[{nonce}] {_PASSAGE}\n\nWho counted the birds? Answer in one sentence."
            return {"messages": _user(question), "num_predict": 80}
        case Step.TOOLS:
            question = "What is the temperature in Lisbon right now? Use the tool to find out."
            return {"messages": _user(question), "tools": [TOOL], "num_predict": 160}
        case Step.TOOLS_AGAIN:
            question = "Call get_temperature for Quito, then tell me how warm it is there."
            return {"messages": _user(question), "tools": [TOOL], "num_predict": 160}
        case Step.SCHEMA | Step.SCHEMA_THINKING:
            tokens = 120 if step is Step.SCHEMA else 600
            question = "Describe one animal: its name, its number of legs, its kind."
            return {"messages": _user(question), "format": SCHEMA, "num_predict": tokens}
        case Step.THINKING:
            question = "Is 91 a prime number? Answer yes or no."
            return {"messages": _user(question), "num_predict": 300}
        case Step.WINDOW:
            return {"messages": _user(_long_text()), "num_predict": 4}


def _user(text: str) -> list[JsonObject]:
    return [{"role": "user", "content": text}]


def _long_text() -> str:
    words = _PASSAGE.split()
    return " ".join(words[place % len(words)] for place in range(_OVERFLOW_WORDS))
