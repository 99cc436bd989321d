"""Model servers as the list at the left of the Models page shows them: pure functions."""

from collections.abc import Iterable

import msgspec

from studio.engine.offers import EMBEDDED, KnownServer, Origin, Standing
from studio.engine.records import Project
from studio.ui.desk import Desk
from studio.ui.text import counted

_TONES = {
    Standing.RUNNING: "good",
    Standing.TOO_OLD: "bad",
    Standing.NOT_OLLAMA: "bad",
    Standing.UNREACHABLE: "bad",
    Standing.IDLE: "muted",
}
NOT_ASKED = "named by the project, not asked"


class ListedServer(msgspec.Struct, frozen=True):
    """A row: a server, what it is called, how it stands in words, and the colour of these.

    `is_known` is False for a server that only the project names.
    """

    server: str
    title: str
    state: str
    tone: str
    origin: Origin = Origin.NAMED
    is_known: bool = True


def listed(desk: Desk, project: Project | None) -> tuple[ListedServer, ...]:
    """The known servers, then those that only the open project names."""
    known = {each.server for each in desk.servers}
    return (
        *(_known(each, desk) for each in desk.servers),
        *(
            ListedServer(server, title(server), NOT_ASKED, "muted", is_known=False)
            for server in _named_by(project)
            if server not in known
        ),
    )


def title(server: str) -> str:
    """A server's name as it is shown: the embedded one, or an address without what is usual."""
    return "Embedded" if server == EMBEDDED else server.removeprefix("http://")


def _known(known: KnownServer, desk: Desk) -> ListedServer:
    found = desk.found(known.server)
    if found is None or (desk.is_asked(known.server) and not found.models):
        state, tone = "asking…", "muted"
    elif found.standing is Standing.RUNNING:
        state, tone = counted(len(found.models), "model"), "good"
    else:
        state, tone = found.standing.value, _TONES[found.standing]
    return ListedServer(known.server, title(known.server), state, tone, known.origin)


def _named_by(project: Project | None) -> Iterable[str]:
    if project is None:
        return ()
    servers = (model.server.rstrip("/") for model in project.models)
    return dict.fromkeys(each for each in servers if each not in ("auto", EMBEDDED))
