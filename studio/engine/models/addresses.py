"""Addresses of model servers, as a person writes them."""

import os
import re
from collections.abc import Mapping
from urllib.parse import urlsplit

import httpx

from studio.engine.errors import ServerError
from studio.engine.plain import plain_text

DEFAULT_ADDRESS = "http://127.0.0.1:11434"
_PORTS = {"http": 80, "https": 443}
_HOST = re.compile(rb"[A-Za-z0-9._-]+|[0-9A-Fa-f:.]+")


def parse_address(host: str) -> str:
    """`host` as Ollama itself reads OLLAMA_HOST, as an address that can be asked.

    A scheme, a port and a path may be missing; "" is the default address; the addresses that mean
    "listen everywhere" (0.0.0.0 and ::) are asked on loopback.  Raises ServerError.
    """
    text = host.strip().strip("\"'").strip()
    scheme, separator, rest = text.partition("://")
    scheme, rest = (scheme.lower(), rest) if separator else ("http", text)
    rest = rest.rstrip("/")
    if rest.count(":") > 1 and not rest.startswith("["):
        rest = f"[{rest}]"
    try:
        parts = urlsplit(f"{scheme}://{rest}")
        name, port = parts.hostname or "127.0.0.1", parts.port
        if scheme not in _PORTS or " " in name or parts.query or parts.fragment or parts.username:
            raise ValueError(text)
        if port is None:
            port = _PORTS[scheme] if separator else 11_434
        name = {"0.0.0.0": "127.0.0.1", "::": "::1"}.get(name, name)
        shown = f"[{name}]" if ":" in name else name
        url = httpx.URL(f"{scheme}://{shown}:{port}{parts.path}")
        if not _HOST.fullmatch(url.raw_host):
            raise ValueError(text)
        return str(url)
    except (ValueError, httpx.InvalidURL):
        problem = f"{plain_text(host, 200)!r} is no server address."
        raise ServerError(problem, f"Write it like {DEFAULT_ADDRESS}.") from None


def local_address(environ: Mapping[str, str] = os.environ) -> str:
    """The address of this machine's own Ollama server, as Ollama's programs find it.

    Raises ServerError if OLLAMA_HOST is no address.
    """
    try:
        return parse_address(environ.get("OLLAMA_HOST", ""))
    except ServerError as error:
        problem = f"OLLAMA_HOST, where this machine's Ollama is to be found: {error.problem}"
        raise ServerError(problem, error.remedy) from None
