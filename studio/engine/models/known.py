"""Which model servers may be asked: this machine's own, those that the user named, the embedded.

The named ones are a setting.  A project may name a server too; it is asked
when a run needs it, or once the user takes it into this list: opening a project contacts nobody.
"""

import logging
from collections.abc import Iterable

from msgspec.structs import replace

from studio import settings
from studio.engine.errors import ServerError
from studio.engine.models.addresses import local_address, parse_address
from studio.engine.offers import KnownServer, Origin, same_address
from studio.engine.records import AUTO, EMBEDDED, POOL

_log = logging.getLogger("studio.servers")


def known_servers() -> tuple[KnownServer, ...]:
    """The servers in the order in which they are shown.

    Without this machine's own if OLLAMA_HOST is no address (`local_address` says so).
    """
    local = _local()
    known = [KnownServer(local, Origin.LOCAL)] if local else []
    others = (name for name in _named() if not same_address(name, local))
    known += [KnownServer(address, Origin.NAMED) for address in others]
    return (*known, KnownServer(EMBEDDED, Origin.EMBEDDED))


def name_server(written: str) -> str:
    """Take a server into the list; how it is listed.  One that is there already is as good.

    Raises ServerError for what is no address, StudioError if the list cannot be written.
    """
    address = parse_address(written)
    for known in known_servers():
        if same_address(address, known.server):
            return known.server
    _write((*_named(), address))
    return address


def forget_server(address: str) -> None:
    """Take a server that the user named from the list.  Raises StudioError."""
    named = _named()
    left = tuple(name for name in named if name != address)
    if left != named:
        _write(left)


def spread(*, over_all: bool) -> None:
    """Set what AUTO means: every known server that has the model, or this machine's own."""
    settings.save(replace(settings.load()[0], server=POOL if over_all else AUTO))


def spreads() -> bool:
    """Whether AUTO means every known server that has the model."""
    return settings.load()[0].server == POOL


def _local() -> str:
    try:
        return local_address()
    except ServerError:
        return ""


def _named() -> tuple[str, ...]:
    found, problems = settings.load()
    for problem in problems:
        _log.warning("%s", problem)
    named: list[str] = []
    for address in _addresses(found.servers):
        if not any(same_address(address, each) for each in named):
            named.append(address)
    return tuple(named)


def _addresses(written: Iterable[str]) -> Iterable[str]:
    for each in written:
        try:
            yield parse_address(each)
        except ServerError as error:
            _log.warning("left out of the list of servers: %s", error)


def _write(named: tuple[str, ...]) -> None:
    settings.save(replace(settings.load()[0], servers=named))
