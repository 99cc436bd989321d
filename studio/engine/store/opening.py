"""The one way to open the file of runs.

It may come from anyone: what it holds is distrusted, and no link is followed.
"""

import contextlib
import os
import sqlite3
from collections.abc import Sequence
from pathlib import Path

from studio.engine.errors import StoreError, StoreTaken
from studio.engine.store import schema
from studio.engine.store.faults import as_store_error, damaged, primary, told

BUSY_SECONDS = 1.0
"""How long to wait for another connection, such as one that replays the log of a killed one."""


def runs_file(place: Path) -> Path:
    """The runs of a project folder; a path that ends in `.sqlite` is taken as the file itself."""
    return place if place.suffix == ".sqlite" else place / ".studio" / "runs.sqlite"


def refuse_links(path: Path) -> None:
    """Raise StoreError if the file, its folder or a file that SQLite keeps beside it is a link.

    A project from elsewhere could so have files written over that lie outside of it.
    """
    beside = (path.with_name(path.name + end) for end in ("-wal", "-shm", "-journal", ".lock"))
    for place in (path.parent, path, *beside):
        if place.is_symlink():
            raise StoreError(
                f"{place} is a link to another place.", "Put a real folder or file in its place."
            )


def make_folder(path: Path) -> None:
    refuse_links(path)
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        if path.parent.name == ".studio":
            _keep_out_of_version_control(path.parent)
    except OSError as error:
        raise as_store_error(error, path.parent) from error


def _keep_out_of_version_control(folder: Path) -> None:
    with contextlib.suppress(FileExistsError), (folder / ".gitignore").open("x") as file:
        file.write("*\n")


def lock(path: Path) -> sqlite3.Connection:
    """Hold the right to write, until closed or until this process ends, however it ends.

    The lock is SQLite's own, on an empty database beside the file, so readers are not kept out.
    """
    place = path.with_name(f"{path.name}.lock")
    with told(place):
        held = sqlite3.connect(
            place, timeout=BUSY_SECONDS, isolation_level=None, check_same_thread=False
        )
    try:
        held.execute("BEGIN EXCLUSIVE")
    except sqlite3.Error as error:
        held.close()
        if primary(error) == sqlite3.SQLITE_BUSY:
            raise StoreTaken(
                f"Another studio is writing to the runs of {path}.",
                "Close the other one, or wait for its end.",
            ) from error
        raise as_store_error(error, place) from error
    return held


def is_held(path: Path) -> bool:
    """Whether another studio holds the right to write just now."""
    place = path.with_name(f"{path.name}.lock").absolute()
    try:
        with contextlib.closing(
            sqlite3.connect(f"{place.as_uri()}?mode=rw", uri=True, timeout=0, isolation_level=None)
        ) as asked:
            asked.execute("BEGIN EXCLUSIVE")
    except sqlite3.Error as error:
        return primary(error) == sqlite3.SQLITE_BUSY
    return False


def open_for_writing(
    path: Path, migrations: Sequence[schema.Migration] = schema.MIGRATIONS
) -> sqlite3.Connection:
    """The file, made or brought up to date, in WAL mode with every commit synced.

    The caller holds the writer's lock.  A file that was not closed cleanly is checked first.
    Raises StoreError; a file that is refused is left as it is.
    """
    refuse_links(path)
    closed_cleanly = not _size(Path(f"{path}-wal"))
    with told(path):
        connection = sqlite3.connect(
            path, timeout=BUSY_SECONDS, isolation_level=None, check_same_thread=False
        )
        try:
            _distrust(connection)
            if not closed_cleanly:
                _check_pages(connection, path)
            schema.migrate(connection, path, migrations)
            _use_wal(connection, path)
            for pragma in ("synchronous = FULL", "fullfsync = ON", "foreign_keys = ON"):
                connection.execute(f"PRAGMA {pragma}")
            connection.execute(f"PRAGMA journal_size_limit = {16 * 2**20}")
            # SQLite opens what it may not write for reading; only asking to write brings that out.
            connection.execute("DELETE FROM runs WHERE 0")
        except BaseException:
            connection.close()
            raise
    return connection


def open_for_reading(
    path: Path, migrations: Sequence[schema.Migration] = schema.MIGRATIONS
) -> sqlite3.Connection | None:
    """The file for reading only; None while it does not exist or holds nothing yet."""
    connection, found = _opened(path, migrations)
    if connection is None or found == len(migrations):
        return connection
    connection.close()
    if found == 0:
        return None
    raise StoreError(
        f"{path} was written by an older version of the studio.",
        "Open its project in the studio, or list its runs with `studio runs`: either brings the "
        "file up to date.",
    )


def is_older(path: Path) -> bool:
    """Whether an older version wrote the file, which writing to it brings up to date."""
    connection, found = _opened(path, schema.MIGRATIONS)
    if connection is not None:
        connection.close()
    return 0 < found < len(schema.MIGRATIONS)


def _opened(
    path: Path, migrations: Sequence[schema.Migration]
) -> tuple[sqlite3.Connection | None, int]:
    """The file for reading only, if it is there and not empty, and its version."""
    if not _size(path):
        return None, 0
    refuse_links(path)
    with told(path):
        connection = _connect_read_only(path)
        try:
            return connection, schema.version(connection, path, migrations)
        except BaseException:
            connection.close()
            raise


def _connect_read_only(path: Path) -> sqlite3.Connection:
    try:
        return _read_only(path, "mode=ro")
    except sqlite3.OperationalError as error:
        # WAL needs a place for its shared memory; without one (a read-only folder) the file
        # is complete as it stands if it was closed cleanly.
        no_place = (sqlite3.SQLITE_CANTOPEN, sqlite3.SQLITE_READONLY)
        if primary(error) not in no_place or _size(Path(f"{path}-wal")):
            raise
        return _read_only(path, "mode=ro&immutable=1")


def _read_only(path: Path, how: str) -> sqlite3.Connection:
    connection = sqlite3.connect(
        f"{path.absolute().as_uri()}?{how}", uri=True, timeout=BUSY_SECONDS, isolation_level=None
    )
    try:
        _distrust(connection)
        connection.execute("PRAGMA query_only = ON")
        connection.execute("SELECT 1 FROM sqlite_master").fetchone()
    except BaseException:
        connection.close()
        raise
    return connection


def _use_wal(connection: sqlite3.Connection, path: Path) -> None:
    (mode,) = connection.execute("PRAGMA journal_mode = WAL").fetchone()
    if mode != "wal":
        raise StoreError(
            f"The drive that holds {path} cannot be written and read at the same time.",
            "Copy the project to a disk of this machine.",
        )


def _distrust(connection: sqlite3.Connection) -> None:
    for pragma in ("trusted_schema = OFF", "cell_size_check = ON", "mmap_size = 0"):
        connection.execute(f"PRAGMA {pragma}")


def _check_pages(connection: sqlite3.Connection, path: Path) -> None:
    (verdict,) = connection.execute("PRAGMA quick_check(1)").fetchone()
    if verdict != "ok":
        raise damaged(path, str(verdict))


def identity(path: Path) -> tuple[int, int] | None:
    """What tells the file that is there now from any that comes later; None if there is none."""
    try:
        status = os.stat(path)
    except (FileNotFoundError, NotADirectoryError):
        return None
    return status.st_dev, status.st_ino


def _size(path: Path) -> int:
    try:
        return path.stat().st_size
    except FileNotFoundError:
        return 0
    except OSError as error:
        raise StoreError(f"{path} cannot be read: {error.strerror}.") from error
