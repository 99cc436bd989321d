"""The official client, imported whatever OLLAMA_HOST says.

It reads OLLAMA_HOST once, while it is imported, for a client of its own that nobody here asks: each
of ours is given its address.  What it cannot read there would keep every run from every server.
"""

import os
from importlib import import_module


def _import() -> None:
    try:
        import_module("ollama")
    except ValueError:
        host = os.environ.pop("OLLAMA_HOST", None)
        if host is None:
            raise
        try:
            import_module("ollama")
        finally:
            os.environ["OLLAMA_HOST"] = host


_import()

from langchain_ollama import ChatOllama as ChatOllama  # noqa: E402 - it imports the client
from ollama import ResponseError as ResponseError  # noqa: E402
