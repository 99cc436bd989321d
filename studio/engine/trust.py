"""Which project folders the user allowed to run their own code (`tools.py`, a graph).

Trust is given to a folder as it stands on this machine (its real path) and is kept beside the
user's settings, never in the project: a project cannot bring its own trust along.  It lasts until
it is taken back.  It does not end when the code changes: the folder's code is the user's own work,
which changes with every tool that is written; a question that is asked daily is answered blindly.
A copy or a clone elsewhere is another folder, and is asked about anew.
"""

import contextlib
import json
import logging
import os
import sqlite3
from collections.abc import Iterator
from pathlib import Path

from studio.engine import files
from studio.engine.errors import NotTrusted, StudioError
from studio.engine.plain import encodable
from studio.folders import config_folder

_FILE, _LOCK = "trusted_folders.json", "trusted_folders.lock"
_PATIENCE = 10.0
"""Seconds until another studio must have written the list."""
_SKIPPED = {"__pycache__", "node_modules", "site-packages", "venv"}
_MOST_FILES = 500
_REMEDY = (
    "Look at its files, then trust the project: in the window, or with --trust in the terminal."
)
_log = logging.getLogger("studio.trust")


def is_trusted(folder: Path) -> bool:
    """Whether the user allowed the code of this very folder to run."""
    return _place(folder) in trusted_folders()


def trust(folder: Path) -> None:
    """Remember that the folder's code may run.

    Raises StudioError if that cannot be written, or if there is no such folder: whatever came to
    be there later would be trusted unseen.
    """
    if not folder.is_dir():
        raise StudioError(f"There is no folder {folder}.", "Check the path.")
    with _alone():
        known, place = trusted_folders(), _place(folder)
        if place not in known:
            _write({*known, place})


def distrust(folder: Path) -> None:
    """Take the trust back; a folder that was not trusted is as good.  Raises StudioError."""
    if not is_trusted(folder):
        return
    with _alone():
        _write(set(trusted_folders()) - {_place(folder)})


def require(folder: Path) -> None:
    """Raise NotTrusted, with what to do, if the folder's code may not run."""
    if not is_trusted(folder):
        problem = f"{folder.name} brings its own code, and nobody has allowed it to run."
        raise NotTrusted(folder, problem, _REMEDY)


def trusted_folders() -> tuple[str, ...]:
    """The folders that are trusted, sorted.  A list that cannot be read trusts nobody."""
    try:
        found = json.loads((config_folder() / _FILE).read_text(encoding="utf-8"))
    except FileNotFoundError:
        return ()
    except (OSError, ValueError, RecursionError) as error:
        _log.warning("the list of trusted folders could not be read: %s", error)
        return ()
    if not isinstance(found, list):
        return ()
    return tuple(sorted({place for place in found if isinstance(place, str)}))


def code_files(folder: Path) -> tuple[str, ...]:
    """The Python files below the folder, as they are shown before they may run."""
    return tuple(sorted(_python_files(folder)))


def _python_files(folder: Path) -> Iterator[str]:
    count = 0
    for place, inner, names in os.walk(folder):
        inner[:] = [name for name in inner if name not in _SKIPPED and not name.startswith(".")]
        for name in names:
            path = os.path.relpath(os.path.join(place, name), folder)
            if name.endswith(".py") and encodable(path):
                yield Path(path).as_posix()
                count += 1
        if count >= _MOST_FILES:
            return


def _place(folder: Path) -> str:
    return str(folder.resolve())


@contextlib.contextmanager
def _alone() -> Iterator[None]:
    """Nobody else changes the list meanwhile: of two studios told at once, one was forgotten."""
    lock = config_folder() / _LOCK
    try:
        lock.parent.mkdir(parents=True, exist_ok=True)
        connection = sqlite3.connect(lock, timeout=_PATIENCE, isolation_level=None)
    except (OSError, sqlite3.Error) as error:
        raise _not_saved(error) from error
    with contextlib.closing(connection):
        try:
            connection.execute("BEGIN EXCLUSIVE")
        except sqlite3.Error as error:
            raise _not_saved(error) from error
        yield


def _not_saved(error: Exception) -> StudioError:
    remedy = f"Make sure that your user may write to {config_folder()}."
    return StudioError(f"{_FILE} could not be saved: {error}.", remedy)


def _write(places: set[str]) -> None:
    text = json.dumps(sorted(places), indent=1) + "\n"
    files.write(config_folder() / _FILE, text.encode("utf-8"))
