"""The prompt as a model reads it: a request put into the model's template, by the server itself.

Newer servers render a chat request without answering it (`_debug_render_only`).  The field is not
documented: what does not know it would answer, so the first line decides and the connection is
closed on any other.
"""

import json
from contextlib import aclosing

from studio.engine.errors import ServerError
from studio.engine.models import failures
from studio.engine.models.ollama import OllamaServer
from studio.engine.plain import plain_text
from studio.engine.records import JsonObject

_LOAD_SECONDS = 300.0
"""How long the server may say nothing: it loads the model before it renders."""


async def rendered(server: OllamaServer, sent: JsonObject) -> str:
    """The text that the model was given for the request `sent`.  Raises ServerError.

    The options stay as they were (others would load the model again), but for the length of a
    reply: one token at most, where a server does not know what is asked.
    """
    options = {**(sent.get("options") or {}), "num_predict": 1}
    body = {**sent, "options": options, "stream": True, "_debug_render_only": True}
    async with aclosing(server.lines("/api/chat", body, silence=_LOAD_SECONDS)) as lines:
        async for line in lines:
            return _template(line, server.address)
    raise _cannot(server.address)


def _template(line: bytes, address: str) -> str:
    try:
        said = json.loads(line)
    except (ValueError, RecursionError):
        raise _cannot(address) from None
    if isinstance(said, dict) and said.get("error"):
        raise failures.from_error(said["error"], line.decode("utf-8", "replace"))
    about = said.get("_debug_info") if isinstance(said, dict) else None
    text = about.get("rendered_template") if isinstance(about, dict) else None
    if not isinstance(text, str):
        raise _cannot(address)
    return plain_text(text)


def _cannot(address: str) -> ServerError:
    return ServerError(
        f"The server at {address} does not tell how it puts a prompt together.",
        "What it was sent stands under Sent.",
    )
