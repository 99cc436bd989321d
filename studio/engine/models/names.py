"""Names of models: `m`, `m:tag`, `registry.example.com/owner/m:tag`."""

import difflib
import re
from collections.abc import Sequence

from studio.engine.errors import ServerError
from studio.engine.offers import EMBEDDED_MODEL, FoundModel
from studio.engine.plain import plain_text
from studio.engine.records import EMBEDDED

_LONGEST = 350
_COMMAND = re.compile(r"^ollama\s+(?:pull|run|show)\s+", re.IGNORECASE)
_SCHEME = re.compile(r"^https?://", re.IGNORECASE)
_PART = r"[A-Za-z0-9_][A-Za-z0-9_.-]*"
_NAME = re.compile(rf"{_PART}(?::\d+)?(?:/{_PART})*(?::{_PART})?")


def model_name(written: str) -> str:
    """The model that is meant by what a person typed or pasted.  Raises ServerError.

    `ollama pull m` and the address of a model's page name a model too.
    """
    name = _SCHEME.sub("", _COMMAND.sub("", written.strip())).strip("/")
    name = name.removeprefix("ollama.com/library/").removeprefix("ollama.com/")
    if len(name) > _LONGEST or not _NAME.fullmatch(name):
        raise ServerError(
            f"{plain_text(written.strip(), 100)!r} is no model name.",
            "Write it like qwen3:4b, owner/model:tag or hf.co/owner/model:tag.",
        )
    return name


def full_name(model: str) -> str:
    """A model's name with its tag: `m` and `m:latest` are the same model."""
    return model if ":" in model.rpartition("/")[2] else f"{model}:latest"


def same_model(one: str, other: str) -> bool:
    """Whether two names are the same model's on one server, which looks at no capital letters."""
    return full_name(one).casefold() == full_name(other).casefold()


def is_embedded_model(model: str) -> bool:
    """Whether the name is that of the embedded server's only model."""
    return same_model(model, EMBEDDED_MODEL)


def pick(model: str, found: Sequence[FoundModel]) -> FoundModel | None:
    """The model of that name among those found, whether or not its tag was written.

    Older servers hold names apart that differ in capital letters only: the one that was written
    comes first.
    """
    same = [each for each in found if same_model(each.name, model)]
    exact = (each for each in same if full_name(each.name) == full_name(model))
    return next(exact, same[0] if same else None)


def model_missing(
    model: str, address: str, found: Sequence[FoundModel], *, is_to_run: bool = True
) -> ServerError:
    """The error for a model that the server does not have, with the names nearest to it.

    `is_to_run`: it was to be asked something, so that pulling it is a way out.
    """
    names = [each.name for each in found]
    near = difflib.get_close_matches(model, names, n=3, cutoff=0.4)
    same_family = [name for name in names if name.partition(":")[0] == model.partition(":")[0]]
    nearest = list(dict.fromkeys([*same_family, *near]))[:3] or names[:3]
    can_pull = is_to_run and address != EMBEDDED and _NAME.fullmatch(model) is not None
    ways = [f"run `ollama pull {model}`"] if can_pull else []
    ways += [f"choose {' or '.join(nearest)}"] if nearest else []
    remedy = ", or ".join(ways) or "correct the name"
    server = "The embedded server" if address == EMBEDDED else f"The server at {address}"
    return ServerError(
        f"{server} has no model {plain_text(model, 100)!r}.",
        f"{remedy[0].upper()}{remedy[1:]}.",
    )
