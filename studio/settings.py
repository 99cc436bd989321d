"""The user's own settings: typed, with defaults, in one TOML file that may be edited by hand.

A setting is declared once, below, with its default and what it may be.  A value that is wrong is
replaced by its default and told; the studio starts all the same.  What the window remembers by
itself (sizes, recent projects) is no setting and stands elsewhere.
"""

import os
import tomllib
from collections.abc import Callable
from pathlib import Path
from typing import Any, Literal, get_args

import msgspec

from studio.engine import files
from studio.engine.errors import Problem, StudioError
from studio.folders import config_folder

Theme = Literal["system", "light", "dark"]


class Settings(msgspec.Struct, frozen=True, kw_only=True):
    """What a user may set.

    `server` is what a project's `server: auto` means, which it also means where it says nothing:
    "auto" (this machine's own), "pool" (every server of the Models page that has the model) or an
    address.  `servers` are the addresses of model servers that stand on the Models page beside
    this machine's own.
    `weights` is a file of the embedded model's weights to use instead of a download; "" for none.
    """

    server: str = "auto"
    servers: tuple[str, ...] = ()
    theme: Theme = "system"
    weights: str = ""


def settings_file() -> Path:
    """Where the settings are kept."""
    return config_folder() / "settings.toml"


def load(path: Path | None = None) -> tuple[Settings, tuple[Problem, ...]]:
    """The settings, and what is wrong with their file; a missing file is all defaults."""
    path = path or settings_file()
    try:
        values = tomllib.loads(path.read_bytes().decode("utf-8-sig"))
    except FileNotFoundError:
        return Settings(), ()
    except (OSError, ValueError, RecursionError) as error:
        problem = Problem(path.name, 0, f"The settings cannot be read: {error}.", _REWRITE)
        return Settings(), (problem,)
    problems = tuple(
        Problem(path.name, 0, problem, remedy)
        for name, value in values.items()
        for problem, remedy in _mistakes(name, value)
    )
    good = {name: _frozen(value) for name, value in values.items() if not _mistakes(name, value)}
    return Settings(**good), problems


def save(settings: Settings, path: Path | None = None) -> None:
    """Write the settings that differ from what the file says; its comments stay.

    A file that cannot be read as TOML is kept beside the new one, with `.old` behind its name.
    Raises StudioError if nothing can be written.
    """
    import tomlkit  # only to save: the window's start does not wait for it
    from tomlkit.exceptions import TOMLKitError

    path = path or settings_file()
    text = _text_of(path)
    try:
        text.encode("utf-8")  # TOML is UTF-8: a byte that is not, even in a comment, spoils it
        document = tomlkit.parse(text)
    except (TOMLKitError, UnicodeEncodeError):
        files.write(path.with_name(f"{path.name}.old"), text.encode("utf-8", "surrogateescape"))
        document = tomlkit.document()
    before = {**_DEFAULTS, **document.unwrap()}
    for name, value in msgspec.structs.asdict(settings).items():
        if value != _frozen(before[name]):
            document[name] = list(value) if isinstance(value, tuple) else value
    files.write(path, tomlkit.dumps(document).encode("utf-8"))


_DEFAULTS = msgspec.structs.asdict(Settings())
_REWRITE = "Correct the file, or delete it to begin anew."


def _text_of(path: Path) -> str:
    try:
        return path.read_bytes().decode("utf-8-sig", "surrogateescape")
    except FileNotFoundError:
        return ""
    except OSError as error:
        remedy = f"The system says: {error.strerror or error}."
        raise StudioError(f"{path.name} could not be saved.", remedy) from error


def _frozen(value: Any) -> Any:
    """A list of the file as the tuple that a setting is."""
    return tuple(value) if isinstance(value, list) else value


def _is_address(value: Any) -> bool:
    return isinstance(value, str) and value.startswith(("http://", "https://"))


def _is_server(value: Any) -> bool:
    return value in ("auto", "pool", "embedded") or _is_address(value)


def _is_path(value: Any) -> bool:
    return isinstance(value, str) and (not value or os.path.isabs(value))


_RULES: dict[str, tuple[Callable[[Any], bool], str]] = {
    "server": (_is_server, 'auto, pool, embedded, or an address, in quotes: server = "auto"'),
    "servers": (
        lambda value: isinstance(value, list) and all(map(_is_address, value)),
        'a list of addresses: servers = ["http://127.0.0.1:11434"]',
    ),
    "theme": (
        lambda value: value in get_args(Theme), 'system, light or dark, in quotes: theme = "dark"'
    ),
    "weights": (_is_path, 'the full path of a file, in quotes: weights = "/..."'),
}  # fmt: skip


def _mistakes(name: str, value: Any) -> list[tuple[str, str]]:
    """What is wrong with one setting, and what to write instead."""
    if name not in _RULES:
        return [(f"There is no setting {name}.", f"There is: {', '.join(_RULES)}.")]
    fits, said = _RULES[name]
    return [] if fits(value) else [(f"{name} cannot be {value!r:.60}.", f"Write {said}.")]
