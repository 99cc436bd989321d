"""Model servers as the window speaks of them: the list, and who would be asked.  Pure functions."""

from collections.abc import Iterable, Iterator

import msgspec
from msgspec.structs import replace

from studio.engine.again import in_turn
from studio.engine.models import absences
from studio.engine.models.names import pick
from studio.engine.offers import FoundModel, KnownServer, Origin, Standing
from studio.engine.records import AUTO, EMBEDDED, POOL, ModelSpec, Project
from studio.engine.server_facts import ServerFacts
from studio.engine.store.rows import RunRow
from studio.ui.desk import Desk
from studio.ui.models.server_names import server_name
from studio.ui.text import count, counted, seconds

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
            ListedServer(server, server_name(server), NOT_ASKED, "muted", is_known=False)
            for server in dict.fromkeys(map(desk.known_as, _named_by(project)))
            if server not in known
        ),
    )


def _known(known: KnownServer, desk: Desk) -> ListedServer:
    found = desk.found(known.server)
    if found is None or (desk.is_asked(known.server) and not found.models):
        state, tone = "asking…", "muted"
    elif found.standing is Standing.RUNNING:
        state, tone = counted(len(found.models), "model"), "good"
    else:
        state, tone = found.standing.value, _TONES[found.standing]
    return ListedServer(known.server, server_name(known.server), state, tone, known.origin)


def _named_by(project: Project | None) -> Iterable[str]:
    if project is None:
        return ()
    servers = (server for model in project.models for server in model.servers)
    return dict.fromkeys(each for each in servers if each not in (AUTO, EMBEDDED, POOL))


def elsewhere(desk: Desk, server: str, model: FoundModel) -> str:
    """Where else there is a model of that name, and whether it is the same; "" if nowhere."""
    same: list[str] = []
    other: list[str] = []
    for known in desk.servers:
        found = desk.found(known.server)
        there = pick(model.name, found.models) if found is not None else None
        if known.server != server and there is not None:
            (same if there.digest == model.digest else other).append(server_name(known.server))
    parts = [f"the same on {', '.join(same)}"] if same else []
    parts += [f"another one of this name on {', '.join(other)}"] if other else []
    return "; ".join(parts)


def asked(spec: ModelSpec, desk: Desk, digest: str = "") -> str:
    """Who will be asked for a model, as far as that is known before a run.

    The first that is fit decides which model it is, unless that is settled by its `digest`.
    """
    servers = desk.meant(spec)
    if len(servers) == 1:
        return _alone(servers[0])
    sharing: list[str] = []
    out: list[str] = []
    for server in servers:
        why, found = _fitness(desk, server, spec, digest)
        if why:
            out.append(f"{server_name(server)} ({why})")
        else:
            sharing.append(server_name(server))
        digest = digest or found
    told = f"spread over {', '.join(sharing)}" if sharing else "found when the run begins"
    return f"{told}; not {', '.join(out)}" if out else told


def asked_again(row: RunRow, project: Project | None, desk: Desk) -> str:
    """Who will be asked for what is missing of a run, and who if these have its model no more."""
    begun = row.plan.variant.model
    models = project.models if project is not None else ()
    now = next((desk.settled(each) for each in models if each.name == begun.name), None)
    # What AUTO meant was settled when the run began.
    settled = (replace(each, server=each.servers) for each in in_turn(begun, now))
    digest = row.server.model_digest
    first, *others = (asked(each, desk, digest) for each in settled)
    told = f"Continue asks: {first}"
    if others and digest:
        told += f". If no model {digest[:12]} is there any more, it asks: {others[0]}"
    return told


def _alone(server: str) -> str:
    if server == EMBEDDED:
        return "the embedded server"
    return server_name(server)


def _fitness(desk: Desk, server: str, spec: ModelSpec, digest: str) -> tuple[str, str]:
    """Why the server could not take part, "" if it could, and the digest of its model."""
    found = desk.found(server)
    if found is None:
        return "not asked yet", ""
    if found.standing not in {Standing.RUNNING, Standing.IDLE}:
        return found.standing.value, ""
    model = pick(spec.name, found.models)
    if model is None:
        return "has no such model", ""
    is_other = bool(digest) and model.digest != digest
    return ("another model of that name" if is_other else "", "" if is_other else model.digest)


def answered(servers: tuple[ServerFacts, ...]) -> Iterator[str]:
    """The servers of a run, a line each if there were several: who took part, and who did not."""
    for each in servers:
        name = "embedded server" if each.is_embedded else f"Ollama {each.version}".rstrip()
        where = "" if each.is_embedded else f" at {server_name(each.address)}"
        told = f"{name}{where}"
        if each.model_digest:
            told = f"{told}, model {each.model_digest[:12]}"
        if each.window:
            told = f"{told}, window {count(each.window)}"
        if each.load_seconds is not None:
            told = f"{told}, loaded in {seconds(each.load_seconds)}"
        if each.absences:
            told = f"{told}, {absences.in_words(each.absences)}"
        if each.left_out:
            how = "asked no more" if each.took_part else "took no part"
            told = f"{told} · {how}: {each.left_out}"
        yield told
