"""The models of `project.yaml`: one below `model:`, or several below `models:`."""

from typing import Any
from urllib.parse import urlsplit

from studio.engine.offers import EMBEDDED_MODEL
from studio.engine.project.fields import Fields, as_text, did_you_mean
from studio.engine.project.located import Map, Seq
from studio.engine.project.model_options import OPTIONS, read_keep_alive, read_options, read_think
from studio.engine.project.scalars import shown
from studio.engine.records import AUTO, EMBEDDED, POOL, ModelSpec

DEFAULT_MODEL = EMBEDDED_MODEL

_KEYS = ("name", "server", "options", "keep_alive", "think")
_HINTS = {
    **dict.fromkeys((*OPTIONS, "stop"), "Write it below model: options:, indented."),
    **dict.fromkeys(("servers", "pool"), "Did you mean server? It may be a list."),
    **dict.fromkeys(("base_url", "url", "host", "address"), "Did you mean server?"),
    "model": "Did you mean name?",
}
_SERVERS = (
    "Write auto, embedded, pool, an address such as http://127.0.0.1:11434, or a list of them"
)
_SHAPE = "model: {name: smollm2:135m, options: {temperature: 0}}"


def read_models(fields: Fields) -> tuple[tuple[ModelSpec, ...], str]:
    """The models, and the name of the one that is used unless another is asked for."""
    listed, chosen = fields.mapping.get("models"), fields.mapping.get("model")
    if listed is None:
        model = _model(chosen, "model", fields, fields.mapping.line_of("model"))
        return (model,), model.name
    if not isinstance(listed, Seq) or not listed:
        fields.wrong("models", "models must be a list.", "Write one `- name: ...` for each model.")
        return (ModelSpec(DEFAULT_MODEL),), DEFAULT_MODEL
    models: dict[str, ModelSpec] = {}
    for line, item in listed.located():
        model = _model(item, "models", fields, line)
        if model.name in models:
            problem = f"The model {model.name} stands here a second time."
            fields.mistakes.add(line, problem, "Keep one of the two.")
        models[model.name] = model
    return tuple(models.values()), _default(fields, chosen, models)


def _default(fields: Fields, chosen: Any, models: dict[str, ModelSpec]) -> str:
    first = next(iter(models))
    if chosen is None:
        return first
    if isinstance(chosen, str) and chosen in models:
        return chosen
    problem = f"model names {shown(chosen)}, which is not among models."
    if isinstance(chosen, Map):
        problem = "There is a model: beside models:."
    fields.wrong("model", problem, did_you_mean(str(chosen), models))
    return first


def _model(value: Any, where: str, fields: Fields, line: int) -> ModelSpec:
    if value is None:
        value = DEFAULT_MODEL
    if not isinstance(value, Map):
        if isinstance(value, Seq):
            fields.mistakes.add(line, f"{where} must be a name or a mapping.", f"Write {_SHAPE}")
            return ModelSpec(DEFAULT_MODEL)
        name = as_text(value, where, line, fields.mistakes)
        value = Map(line)
        value["name"] = name or DEFAULT_MODEL
    inner = Fields(value, where, fields.mistakes)
    inner.only(_KEYS, _HINTS)
    return ModelSpec(
        name=_name(inner),
        server=_server(inner),
        options=read_options(inner.inner("options", "options: {num_ctx: 4096}")),
        keep_alive=read_keep_alive(inner),
        think=read_think(inner),
    )


def _name(fields: Fields) -> str:
    name = fields.text("name", DEFAULT_MODEL)
    if any(character.isspace() for character in name):
        problem = f"{shown(name)} is no name of a model."
        fields.wrong("name", problem, "Write it as `ollama list` shows it.")
        return DEFAULT_MODEL
    return name


def _server(fields: Fields) -> str | tuple[str, ...]:
    """One server, or a list of several."""
    value = fields.mapping.get("server")
    if not isinstance(value, Seq):
        return _one_server(fields.text("server", AUTO), fields, fields.mapping.line_of("server"))
    if not value:
        fields.wrong("server", f"{fields.named('server')} names none.", _SERVERS)
    named: dict[str, int] = {}
    for line, item in value.located():
        server = as_text(item, f"Each of {fields.named('server')}", line, fields.mistakes)
        server = _one_server(server, fields, line) if server else AUTO
        if server in named:
            problem = f"{fields.named('server')} names {shown(server)} a second time."
            fields.mistakes.add(line, problem, "Keep one of the two.")
        elif server == POOL:
            problem = f"{fields.named('server')}: {POOL} means all of them already."
            fields.mistakes.add(line, problem, f"Write server: {POOL}, or list the servers.")
        named[server] = line
    return tuple(named) or AUTO


def _one_server(server: str, fields: Fields, line: int) -> str:
    if server in (AUTO, EMBEDDED, POOL):
        return server
    if (problem := why_no_address(server)) is not None:
        fields.mistakes.add(line, f"{fields.named('server')}: {problem}", _SERVERS)
        return AUTO
    return server.rstrip("/")


def why_no_address(server: str) -> str | None:
    """What is wrong with the address of an Ollama server, or None."""
    try:
        parts = urlsplit(server)
        port = parts.port
    except ValueError as error:
        return f"{shown(server)} is no address: {error}."
    if parts.scheme not in ("http", "https") or not parts.hostname or port == 0:
        return f"{shown(server)} is no address."
    if parts.username is not None or parts.password is not None:
        return "a user name or password does not belong in a project that others read."
    if parts.path.rstrip("/").endswith(("/v1", "/api", "/chat")) or parts.query or parts.fragment:
        return f"{shown(server)} is more than the server's address."
    if any(character.isspace() for character in server):
        return f"{shown(server)} holds white space."
    return None
