"""What can be asked of a model server, and the values that a server would not refuse but twist.

A server ignores options that it does not know, takes a `num_ctx` of 0 for a window of three tokens,
and answers a temperature written as text with an error in the middle of a run; all that is told
here, with the line.  The table is of Ollama's own options (its `api/types.go`).
"""

import re
from collections.abc import Callable
from typing import Any

from studio.engine.models.budget import LEAST_WINDOW
from studio.engine.models.options import STUDIO
from studio.engine.project.fields import Fields, as_text, is_number
from studio.engine.project.located import Seq
from studio.engine.project.scalars import shown
from studio.engine.records import JsonObject

_INT32 = 2**31 - 1
_UINT32 = 2**32 - 2

Rule = tuple[Callable[[Any], bool], str]


def _whole(low: int, high: int, *also: int) -> Rule:
    def fits(value: Any) -> bool:
        return type(value) is int and (low <= value <= high or value in also)

    said = f"a whole number from {low} to {high:,}"
    if high >= _INT32:
        said = f"a whole number from {low} on"
    return fits, said + "".join(f", or {value}" for value in also)


def _number(low: float, high: float, *, above: bool = False) -> Rule:
    def fits(value: Any) -> bool:
        return is_number(value) and low <= value <= high and not (above and value == low)

    return fits, f"a number {'above' if above else 'from'} {low:g} to {high:g}"


_FLAG: Rule = (lambda value: isinstance(value, bool), "true or false")

OPTIONS: dict[str, Rule] = {
    "num_ctx": _whole(LEAST_WINDOW, _INT32),
    "num_predict": _whole(1, _INT32, -1),
    "num_keep": _whole(0, _INT32),
    "temperature": _number(0, 5),
    "seed": _whole(0, _UINT32, -1),
    "top_p": _number(0, 1, above=True),
    "top_k": _whole(0, _INT32),
    "min_p": _number(0, 1),
    "typical_p": _number(0, 1, above=True),
    "repeat_penalty": _number(0, 10, above=True),
    "repeat_last_n": _whole(0, _INT32, -1),
    "presence_penalty": _number(-2, 2),
    "frequency_penalty": _number(-2, 2),
    "num_batch": _whole(1, _INT32),
    "num_gpu": _whole(0, _INT32, -1),
    "main_gpu": _whole(0, 255),
    "num_thread": _whole(0, 4096),
    "use_mmap": _FLAG,
}
_KNOWN = (*OPTIONS, "stop")
_GONE = "Ollama has dropped this option and ignores it: delete it."
_OURS = "The studio sets this itself: delete it."
_HINTS = {
    **dict.fromkeys(("max_tokens", "max_new_tokens", "n_predict"), "Did you mean num_predict?"),
    **dict.fromkeys(
        ("n_ctx", "ctx", "context", "context_length", "context_window", "max_context"),
        "Did you mean num_ctx?",
    ),
    **dict.fromkeys(("repetition_penalty", "repeat_penality"), "Did you mean repeat_penalty?"),
    **dict.fromkeys(
        ("mirostat", "mirostat_eta", "mirostat_tau", "tfs_z", "penalize_newline", "numa",
         "low_vram", "f16_kv", "vocab_only", "use_mlock", "logits_all"),
        _GONE,
    ),
    **dict.fromkeys(("stream", "format", "tools", "messages", "truncate", "shift", "raw"), _OURS),
    "keep_alive": "Write it beside options, not below it.",
    "think": "Write it beside options, not below it.",
}  # fmt: skip
_ADVICE = {
    "num_ctx": "A smaller window cuts the prompt without a word.",
    "num_predict": "-1 sets no limit.",
    "seed": "-1 takes another seed for each run.",
    "repeat_last_n": "-1 looks back over the whole window.",
}

_DURATION = re.compile(r"-?(?:(?:[0-9]+(?:\.[0-9]*)?|\.[0-9]+)(?:ns|us|µs|ms|s|m|h))+|0")


def read_options(fields: Fields) -> JsonObject:
    """The options of a model, those that the studio always sets added where they are not given."""
    fields.only(_KNOWN, _HINTS)
    found = dict(STUDIO)
    for key, value in fields.mapping.items():
        if key == "stop":
            found |= _stop(fields)
        elif key in OPTIONS and value is not None:
            fits, said = OPTIONS[key]
            if fits(value):
                found[key] = value
            else:
                problem = f"{fields.named(key)} cannot be {shown(value)}."
                remedy = f"Write {said}, without quotes. {_ADVICE.get(key, '')}".rstrip()
                fields.wrong(key, problem, remedy)
    return found


def _stop(fields: Fields) -> dict[str, Any]:
    value = fields.mapping["stop"]
    if value is None:
        return {}
    if not isinstance(value, Seq):
        problem = f"{fields.named('stop')} must be a list of texts, not {shown(value)}."
        fields.wrong("stop", problem, f"Write stop: [{shown(value)}]")
        return {}
    named = f"Each of {fields.named('stop')}"
    # White space is a stop that people use; an empty text would stop before the first token.
    for line, item in value.located():
        if not (isinstance(item, str) and item.isspace()):
            as_text(item, named, line, fields.mistakes)
    return {"stop": [str(item) for item in value]} if value else {}


def read_think(fields: Fields) -> bool | str | None:
    """Whether the model thinks, or how much: some models know levels only."""
    value = fields.mapping.get("think")
    if value is None or isinstance(value, bool) or value in _LEVELS:
        return value
    problem = f"{fields.named('think')} must be true, false or a level, not {shown(value)}."
    remedy = f"Write true or false, without quotes, or one of {', '.join(_LEVELS)}."
    fields.wrong("think", problem, remedy)
    return None


_LEVELS = ("low", "medium", "high", "max")


def read_keep_alive(fields: Fields) -> str:
    """How long the server keeps the model loaded: a duration such as `5m`, or `-1s` for ever."""
    value = fields.mapping.get("keep_alive")
    if value is None:
        return "5m"
    if type(value) is int and abs(value) <= _INT32:
        return f"{value}s"
    if isinstance(value, str) and _DURATION.fullmatch(value):
        return value
    problem = f"{fields.named('keep_alive')} cannot be {shown(value)}."
    remedy = "Write a duration such as 30s, 5m or 1h30m; 0 unloads at once, -1 (no quotes) never."
    fields.wrong("keep_alive", problem, remedy)
    return "5m"
