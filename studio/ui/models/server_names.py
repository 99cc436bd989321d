"""Servers as they are written in the window."""

from studio.engine.records import EMBEDDED


def server_name(server: str) -> str:
    """A server as it is listed: the embedded one, or an address without what is usual."""
    return "Embedded" if server == EMBEDDED else server.removeprefix("http://")
