"""A pull: what a server says while it fetches a model, and what is wrong when it cannot."""

import json
import re
from collections.abc import AsyncGenerator, Mapping
from contextlib import aclosing
from typing import Any

from studio.engine.errors import ServerError
from studio.engine.models import failures
from studio.engine.models.listed import count
from studio.engine.models.ollama import OllamaServer
from studio.engine.plain import plain_text
from studio.engine.records import Record

SILENCE = 1_800.0
"""Seconds that a server may say nothing: it checks the sum of many gigabytes without a word."""

_SHOWN = 300
_MOST_LAYERS = 1_000
_GOES_ON = "Pull it again: it goes on where it stopped."
_CAUSES = (
    (
        "has no registry",
        "The embedded server has one model and fetches no others.",
        "Pull the model on an Ollama server.",
    ),
    (
        r"no space left|disk quota|not enough (?:disk )?space",
        "The server's disk is full: the model does not fit on it.",
        f"Delete models that nobody needs. {_GOES_ON}",
    ),
    (
        r"requires a newer version|: 412",
        "This model needs a newer Ollama than the server has.",
        "Update Ollama there, and pull again.",
    ),
    (
        r"file does not exist|manifest unknown|model .*not found|: 404",
        "The registry has no model of this name and tag.",
        "Correct the name; its page in the registry lists the tags.",
    ),
    (
        r"unauthorized|access denied|authentication|: 401|: 403",
        "The registry does not let the server have this model.",
        "Sign in there with `ollama signin`, or choose another model.",
    ),
    (r"invalid model name|invalid name", "The server takes this for no model name.",
     "Write it like qwen3:4b, owner/model:tag or hf.co/owner/model:tag."),
    (r"digest mismatch", "What the server fetched was damaged on its way.", _GOES_ON),
    (
        r"no such host|dial tcp|i/o timeout|connection refused|network is unreachable"
        r"|connection reset|TLS handshake|max retries|unexpected EOF|context deadline",
        "The server cannot reach the registry.",
        f"Connect that machine to the network. {_GOES_ON}",
    ),
)  # fmt: skip


class Pull(Record, frozen=True):
    """How far a pull is.  `layers` holds the bytes that are there and the bytes in all of each."""

    status: str = ""
    layers: Mapping[str, tuple[int, int]] = {}
    is_finished: bool = False

    @property
    def done(self) -> int:
        return sum(done for done, _ in self.layers.values())

    @property
    def total(self) -> int:
        """Bytes in all of the layers that the server named so far."""
        return sum(total for _, total in self.layers.values())


def advanced(pull: Pull, line: bytes) -> Pull:
    """The pull after one more line from the server.  Raises ServerError if the line says so."""
    text = line.decode("utf-8", "replace")
    try:
        said = json.loads(text)
    except (ValueError, RecursionError):
        raise failures.unreadable(text) from None
    if not isinstance(said, dict) or not ("error" in said or "status" in said):
        raise failures.unreadable(text)
    if "error" in said:
        raise cause(str(said["error"]))
    status = plain_text(str(said["status"]), 200)
    return Pull(status, _layers(pull.layers, said), status == "success")


def cause(error: str) -> ServerError:
    """The error behind what a server says of a pull that failed."""
    return _known_cause(error) or ServerError(
        failures.ended(f"The pull failed: {plain_text(error, _SHOWN)}"), _GOES_ON
    )


def _known_cause(error: str) -> ServerError | None:
    for pattern, problem, remedy in _CAUSES:
        if re.search(pattern, error, re.IGNORECASE):
            said = failures.ended(plain_text(error, _SHOWN))
            return ServerError(f"{problem} It says: {said}", remedy)
    return None


async def pulled(server: OllamaServer, model: str) -> AsyncGenerator[Pull, None]:
    """Let the server pull the model; each step as it comes, the last one finished.

    Raises ServerError with what to do.  What was fetched stays with the server however it ends.
    """
    pull = Pull()
    body = {"model": model, "stream": True}
    try:
        async with aclosing(server.lines("/api/pull", body, silence=SILENCE)) as lines:
            async for line in lines:
                pull = advanced(pull, line)
                yield pull
    except failures.ModelFault as fault:
        known = _known_cause(fault.problem)
        raise known or ServerError(fault.problem, _joined(fault.remedy)) from fault
    if not pull.is_finished:
        problem = f"The server at {server.address} ended the pull before it was complete."
        raise ServerError(problem, _joined("See whether it is still running."))


def _joined(remedy: str) -> str:
    return f"{remedy} {_GOES_ON}".strip()


def _layers(
    layers: Mapping[str, tuple[int, int]], said: Mapping[str, Any]
) -> Mapping[str, tuple[int, int]]:
    digest, total = said.get("digest"), count(said.get("total"))
    if not isinstance(digest, str) or not total or len(layers) >= _MOST_LAYERS:
        return layers
    done = min(count(said.get("completed")) or 0, total)
    return {**layers, digest[:80]: (done, total)}
