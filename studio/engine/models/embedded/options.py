"""Ollama's options as llama.cpp's sampling parameters.

Source of the names and types: Ollama's api/types.go (Options, Runner).
"""

from typing import Any

from studio.engine.models.embedded.asked import DEFAULT_WINDOW, Refusal
from studio.engine.models.embedded.card import PARAMETERS

_INTEGERS = (
    "num_keep", "seed", "num_predict", "top_k", "repeat_last_n", "num_ctx", "num_batch",
    "num_gpu", "main_gpu", "num_thread", "mirostat",
)  # fmt: skip
_FLOATS = (
    "temperature", "top_p", "min_p", "typical_p", "repeat_penalty", "presence_penalty",
    "frequency_penalty", "mirostat_tau", "mirostat_eta", "tfs_z",
)  # fmt: skip
_BOOLEANS = ("use_mmap", "use_mlock", "numa", "low_vram", "vocab_only", "penalize_newline")
_SAMPLING = {
    "seed": "seed", "top_k": "top_k", "repeat_last_n": "repeat_last_n",
    "mirostat": "mirostat", "temperature": "temperature", "top_p": "top_p", "min_p": "min_p",
    "typical_p": "typical_p", "repeat_penalty": "repeat_penalty", "num_keep": "n_keep",
    "presence_penalty": "presence_penalty", "frequency_penalty": "frequency_penalty",
    "mirostat_tau": "mirostat_tau", "mirostat_eta": "mirostat_eta",
}  # fmt: skip
_DEFAULTS: dict[str, Any] = {
    "temperature": 0.8, "top_k": 40, "top_p": 0.9, "min_p": 0.0, "num_keep": 4, "seed": -1,
}  # fmt: skip
_MOST_WINDOWS = 10  # A server that is told no end stops there.


class Options:
    """The options of one request, defaults filled in.

    `window` is num_ctx as asked, capped at `trained`; `keep` is how many tokens at the beginning
    of a prompt survive when it is cut.  Raises Refusal 500 for an option of the wrong type.
    """

    def __init__(self, given: dict[str, Any] | None, trained: int) -> None:
        # A client may name an option and leave it empty; unknown ones are ignored.
        options = {name: value for name, value in (given or {}).items() if value is not None}
        for name, value in options.items():
            _check(name, value)
        asked: dict[str, Any] = _DEFAULTS | PARAMETERS | options
        self.window = min(int(asked.get("num_ctx", DEFAULT_WINDOW)), trained)
        self.keep = max(int(asked["num_keep"]), 0)
        self.longest = int(asked["num_predict"])
        self.sampling: dict[str, Any] = {
            theirs: int(asked[name]) if name in _INTEGERS else float(asked[name])
            for name, theirs in _SAMPLING.items()
            if name in asked
        }
        self.stop: list[str] = asked["stop"]

    def tokens_allowed(self, prompt: int, loaded: int, *, shift: bool, written: int = 0) -> int:
        """How many tokens may be written after `prompt` tokens in a window of `loaded`.

        `written` are those that the reply has taken already: they count towards its limit.
        """
        longest = self.longest if self.longest >= 0 else _MOST_WINDOWS * loaded
        allowed = longest if shift else max(min(longest, loaded - prompt), 1)
        return max(min(allowed, longest - written), 0) if written else allowed


def _check(name: str, value: Any) -> None:
    number = isinstance(value, int | float) and not isinstance(value, bool)
    if name in _INTEGERS and not number:
        raise Refusal(500, f'option "{name}" must be of type integer')
    if name in _FLOATS and not number:
        raise Refusal(500, f'option "{name}" must be of type float32')
    if name in _BOOLEANS and not isinstance(value, bool):
        raise Refusal(500, f'option "{name}" must be of type boolean')
    if name == "stop":
        if not isinstance(value, list):
            raise Refusal(500, 'option "stop" must be of type array')
        if not all(isinstance(text, str) for text in value):
            raise Refusal(500, 'option "stop" must be of an array of strings')
