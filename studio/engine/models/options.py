"""The options of every request: all that decide how a model writes, each stated and recorded.

What is left out of a request is filled in by the server, from the model's own file or from defaults
that change with its version.  So nothing is left out: when a run begins, what the project does not
say is taken from the model's own file, then from below, and kept with the run.  Which way of
computing (`num_gpu`, `num_thread`, ...) is best only the server can tell, and `stop` texts belong
to the model's template: both stay with the server unless the project states them.
"""

import secrets
from collections.abc import Mapping

from studio.engine.models.budget import DEFAULT_WINDOW
from studio.engine.records import JsonObject, ModelSpec

STUDIO: JsonObject = {"num_ctx": DEFAULT_WINDOW, "temperature": 0, "seed": 1}
"""What the studio sets where a project does not, whatever the model's file says.

A window that depends on the machine's memory, and answers that change from run to run, make runs
incomparable.
"""

_SERVERS: JsonObject = {
    "num_predict": -1, "top_k": 40, "top_p": 0.9, "min_p": 0.0, "typical_p": 1.0,
    "repeat_penalty": 1.1, "repeat_last_n": 64, "presence_penalty": 0.0, "frequency_penalty": 0.0,
}  # fmt: skip
"""Ollama's own defaults (its documentation of the Modelfile, and `api/types.go`)."""

_SEEDS = 2**31


def options_of(spec: ModelSpec) -> JsonObject:
    """The options of every request to a model, a window always among them.

    They must be the same when it is loaded and when it is asked: a change loads it again.
    """
    return {"num_ctx": DEFAULT_WINDOW, **spec.options}


def completed(stated: JsonObject, of_model: JsonObject) -> JsonObject:
    """The options that a new run begins with; `of_model` are those in the model's own file.

    A seed of -1 (another one each time) is drawn now, so that it can be used again.
    """
    own = {name: value for name, value in of_model.items() if name in _SERVERS}
    options = {**STUDIO, **_SERVERS, **own, **stated}
    if options["seed"] == -1:
        options["seed"] = secrets.randbelow(_SEEDS)
    return options


def seed_of(options: JsonObject, trial: int) -> int | None:
    """The seed of a query's trial of this number, counted from 1; None if the options have none.

    The first has the stated one and each further one the next, or all trials would be the same.
    """
    seed = options.get("seed")
    if not isinstance(seed, int) or seed < 0:
        return None
    return (seed + trial - 1) % (_SEEDS * 2 - 1)


def read_parameters(text: object) -> JsonObject:
    """The numbers among the `parameters` of /api/show: one a line, its name in front."""
    found: dict[str, int | float] = {}
    for line in text.splitlines() if isinstance(text, str) else ():
        name, _, written = line.strip().partition(" ")
        try:
            number = float(written)
        except ValueError:
            continue  # a stop text, or a flag
        if name in _SERVERS and abs(number) < _SEEDS:  # also keeps out what is no number
            found[name] = int(number) if isinstance(_SERVERS[name], int) else number
    return found


def in_words(options: Mapping[str, object]) -> str:
    """The options in words, those first that people ask for: `num_ctx 4,096, temperature 0, …`."""
    first = {name: options[name] for name in STUDIO if name in options}
    named = {**first, **options}
    return ", ".join(f"{name} {_value(value)}" for name, value in named.items())


def _value(value: object) -> str:
    is_count = isinstance(value, int) and not isinstance(value, bool)
    return f"{value:,}" if is_count else f"{value:g}" if isinstance(value, float) else str(value)
