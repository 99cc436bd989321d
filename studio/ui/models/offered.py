"""A server's models as rows of the Models page: what each cell says, as pure functions."""

import time
from collections.abc import Callable, Iterator

import msgspec

from studio.engine.model_messages import ModelsFound
from studio.engine.models.names import full_name, same_model
from studio.engine.models.probe import words
from studio.engine.offers import FoundModel, LoadedModel, Probe
from studio.ui.models.records import Column
from studio.ui.text import count, moment, seconds, size

_NOTHING = "–"
_FAR = 366 * 86_400.0


class Offered(msgspec.Struct, frozen=True):
    """A model of a server with what is known of it there.

    `is_memory_told` is False where the server does not say what it holds in memory; `elsewhere`
    says which other servers have a model of that name, and whether it is the same.
    """

    model: FoundModel
    loaded: LoadedModel | None = None
    probe: Probe | None = None
    is_used: bool = False
    is_memory_told: bool = True
    elsewhere: str = ""

    @property
    def name(self) -> str:
        return self.model.name


def offered(
    found: ModelsFound, used: frozenset[str], elsewhere: Callable[[FoundModel], str]
) -> tuple[Offered, ...]:
    """The rows; `used` holds the names of the models that the project uses."""
    loaded = {full_name(each.name): each for each in found.loaded or ()}
    probes = {each.digest: each for each in found.probes}
    return tuple(
        Offered(
            model,
            loaded.get(full_name(model.name)),
            probes.get(model.digest),
            is_used=any(same_model(model.name, each) for each in used),
            is_memory_told=found.loaded is not None,
            elsewhere=elsewhere(model),
        )
        for model in found.models
    )


def columns() -> tuple[Column[Offered], ...]:
    return (
        Column("Model", _name, is_name=True, least=28),
        Column("", _use, tone=_good, holds="✓"),
        Column("Weights", _weights, holds="30.5B Q4_K_M"),
        Column("Size", _size, key=_bytes, is_number=True, holds="999 MB"),
        Column("Can", abilities, tone=_abilities_tone, width=18),
        Column("In memory", _memory, key=_window_used, tone=_memory_tone, holds="✓ 131,072"),
        Column("Probe", _probe, tone=_probe_tone, holds="not probed"),
    )


def facts(row: Offered, now: float | None = None) -> Iterator[tuple[str, str]]:
    """What there is to say of a model beside what the table holds, as (name, words)."""
    model = row.model
    made_of = (model.family, model.parameters, model.quantization)
    yield "Family", ", ".join(filter(None, made_of)) or "not said"
    yield "Digest", model.digest[:12] or "not said"
    trained = f"{count(model.context_length)} tokens" if model.context_length else "not said"
    yield "Trained for", trained
    yield "Can", _abilities_told(model)
    if row.is_used:
        yield "Used", "✓ by the open project"
    if row.elsewhere:
        yield "Elsewhere", row.elsewhere
    yield "In memory", _memory_told(row, time.time() if now is None else now)


def abilities(row: Offered) -> str:
    """What the server says that the model can; "completion" goes without saying."""
    model = row.model
    if model.remote_host:
        return "not local"
    if model.capabilities is None:
        return "not said"
    return ", ".join(each for each in model.capabilities if each != "completion") or _NOTHING


def _abilities_told(model: FoundModel) -> str:
    if model.remote_host:
        return f"it runs at {model.remote_host}, not on your machine: prompts are sent there"
    if model.capabilities is None:
        return "the server does not say (it is an older one)"
    return ", ".join(model.capabilities) or "nothing is said of it"


def _memory_told(row: Offered, now: float) -> str:
    loaded = row.loaded
    if not row.is_memory_told:
        return "the server does not say (it is an older one)"
    if loaded is None:
        return "no"
    parts = [f"{size(loaded.size)}" if loaded.size else "yes"]
    if loaded.window:
        parts.append(f"window {count(loaded.window)} tokens")
    share = loaded.gpu_share
    if share is not None:
        parts.append(_share(share))
    if loaded.expires is not None:
        parts.append(_until(loaded.expires, now))
    return ", ".join(parts)


def _share(share: float) -> str:
    if share <= 0:
        return "on the CPU"
    return "on the GPU" if share >= 1 else f"{share:.0%} on the GPU, the rest on the CPU"


def _until(expires: float, now: float) -> str:
    if expires - now > _FAR:
        return "stays there"
    if expires <= now:
        return "about to be freed"
    if expires - now < 3600:
        return f"for another {seconds(round(expires - now))}"
    return f"until {moment(expires)}"


def _name(row: Offered) -> str:
    return row.name


def _use(row: Offered) -> str:
    return "✓" if row.is_used else ""


def _good(_row: Offered) -> str:
    return "good"


def _weights(row: Offered) -> str:
    """How many there are, and how they are stored."""
    return f"{row.model.parameters} {row.model.quantization}".strip() or _NOTHING


def _size(row: Offered) -> str:
    return size(row.model.size) if row.model.size else _NOTHING


def _bytes(row: Offered) -> int:
    return row.model.size


def _abilities_tone(row: Offered) -> str:
    return "mark" if row.model.remote_host else "text" if row.model.capabilities else "muted"


def _memory(row: Offered) -> str:
    if row.loaded is None:
        return "" if row.is_memory_told else "not said"
    return f"✓ {count(row.loaded.window)}" if row.loaded.window else "✓"


def _memory_tone(row: Offered) -> str:
    return "good" if row.is_memory_told else "muted"


def _window_used(row: Offered) -> int:
    return -1 if row.loaded is None else row.loaded.window or 0


def _probe(row: Offered) -> str:
    return words.badge(row.probe)[0] if row.probe is not None else "not probed"


def _probe_tone(row: Offered) -> str:
    return words.badge(row.probe)[1] if row.probe is not None else "muted"
