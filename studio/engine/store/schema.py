"""The tables of `runs.sqlite`, their migrations, and the one way to open the file.

The file may come from anyone: it is opened with what it holds distrusted, and refused unless its
tables are exactly the ones made here (no view, trigger or table of another's making).

Every number of a trial that a table or chart shows stands in its row; what happened stands in
chunks of events (see `chunks`).  `superseded` trials were started again by continuing the run.
`changed` is unique in the file and grows with every commit that touches the trial.
"""

import contextlib
import sqlite3
from collections.abc import Sequence
from functools import cache
from pathlib import Path

from studio.engine.errors import StoreError
from studio.engine.store.faults import damaged, primary, told

APPLICATION = 0x53545244
"""SQLite's `application_id` of our files."""

BUSY_SECONDS = 1.0

Migration = tuple[str, ...]

MIGRATIONS: tuple[Migration, ...] = (
    (
        """CREATE TABLE runs (
            id INTEGER PRIMARY KEY,
            created REAL NOT NULL,
            ended REAL,
            ending TEXT,
            planned INTEGER NOT NULL,
            done INTEGER NOT NULL DEFAULT 0,
            failed INTEGER NOT NULL DEFAULT 0,
            skipped INTEGER NOT NULL DEFAULT 0,
            cancelled INTEGER NOT NULL DEFAULT 0
        )""",
        # Apart from `runs`, whose rows change with every commit: a plan may name 100,000 queries.
        """CREATE TABLE plans (
            run INTEGER PRIMARY KEY REFERENCES runs (id),
            plan TEXT NOT NULL,
            server TEXT NOT NULL
        )""",
        # What was asked and expected, as it stood when the run began: chunks, as of events.
        """CREATE TABLE queries (
            run INTEGER NOT NULL REFERENCES runs (id),
            first INTEGER NOT NULL,
            body BLOB NOT NULL,
            PRIMARY KEY (run, first)
        )""",
        """CREATE TABLE dictionaries (
            run INTEGER PRIMARY KEY REFERENCES runs (id),
            body BLOB NOT NULL
        )""",
        """CREATE TABLE trials (
            id INTEGER PRIMARY KEY,
            run INTEGER NOT NULL REFERENCES runs (id),
            position INTEGER NOT NULL,
            number INTEGER NOT NULL,
            query_id TEXT NOT NULL,
            query TEXT NOT NULL,
            started REAL NOT NULL,
            superseded INTEGER NOT NULL DEFAULT 0,
            changed INTEGER NOT NULL,
            outcome TEXT,
            failure TEXT,
            answer TEXT,
            reason TEXT,
            seconds REAL,
            steps INTEGER,
            prompt_tokens INTEGER,
            reply_tokens INTEGER,
            marks TEXT
        )""",
        "CREATE INDEX trials_changed ON trials (run, changed) WHERE superseded = 0",
        "CREATE UNIQUE INDEX trials_place ON trials (run, position, number) WHERE superseded = 0",
        "CREATE INDEX trials_running ON trials (run) WHERE outcome IS NULL",
        """CREATE TABLE chunks (
            trial INTEGER NOT NULL REFERENCES trials (id),
            first INTEGER NOT NULL,
            count INTEGER NOT NULL,
            body BLOB NOT NULL,
            PRIMARY KEY (trial, first)
        )""",
        """CREATE TABLE scores (
            trial INTEGER NOT NULL REFERENCES trials (id),
            metric TEXT NOT NULL,
            version TEXT NOT NULL,
            value REAL,
            reason TEXT NOT NULL,
            PRIMARY KEY (trial, metric)
        ) WITHOUT ROWID""",
    ),
)


def runs_file(place: Path) -> Path:
    """The runs of a project folder; a path that ends in `.sqlite` is taken as the file itself."""
    return place if place.suffix == ".sqlite" else place / ".studio" / "runs.sqlite"


def open_for_writing(
    path: Path, migrations: Sequence[Migration] = MIGRATIONS
) -> sqlite3.Connection:
    """The file, made or brought up to date, in WAL mode with every commit synced.

    The caller holds the writer's lock.  A file that was not closed cleanly is checked first.
    Raises StoreError; a file that is refused is left as it is.
    """
    closed_cleanly = not _size(Path(f"{path}-wal"))
    with told(path):
        connection = sqlite3.connect(
            path, timeout=BUSY_SECONDS, isolation_level=None, check_same_thread=False
        )
        try:
            _distrust(connection)
            if not closed_cleanly:
                _check_pages(connection, path)
            _migrate(connection, path, migrations)
            _use_wal(connection, path)
            for pragma in ("synchronous = FULL", "fullfsync = ON", "foreign_keys = ON"):
                connection.execute(f"PRAGMA {pragma}")
            connection.execute(f"PRAGMA journal_size_limit = {16 * 2**20}")
        except BaseException:
            connection.close()
            raise
    return connection


def open_for_reading(
    path: Path, migrations: Sequence[Migration] = MIGRATIONS
) -> sqlite3.Connection | None:
    """The file for reading only; None while it does not exist or holds nothing yet."""
    if not _size(path):
        return None
    with told(path):
        connection = _connect_read_only(path)
        try:
            version = _version(connection, path, migrations)
            if version == len(migrations):
                return connection
        except BaseException:
            connection.close()
            raise
        connection.close()
    if version == 0:
        return None
    raise StoreError(
        f"{path} was written by an older version of the studio.",
        "Start an evaluation in its project once: that brings the file up to date.",
    )


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


def _version(connection: sqlite3.Connection, path: Path, migrations: Sequence[Migration]) -> int:
    """Which of our versions the file has, 0 for an empty file; raises if it is none of ours."""
    (version,) = connection.execute("PRAGMA user_version").fetchone()
    (application,) = connection.execute("PRAGMA application_id").fetchone()
    found = _objects(connection)
    if not found and version == 0:
        return 0
    if application == APPLICATION and version > len(migrations):
        raise StoreError(
            f"{path} was written by a newer version of the studio.",
            "Update the studio to see and continue its runs.",
        )
    if application != APPLICATION or found != _expected(tuple(migrations[:version])):
        raise StoreError(
            f"{path} is not a file of the studio's runs, or another program changed its tables.",
            "Move it to another place; new runs then go into a new file.",
        )
    return int(version)


def _objects(connection: sqlite3.Connection) -> frozenset[tuple[str, str, str]]:
    """Type, name and definition of all that is in the file, SQLite's own aside."""
    return frozenset(
        connection.execute(
            "SELECT type, name, coalesce(sql, '') FROM sqlite_master WHERE name NOT GLOB 'sqlite_*'"
        )
    )


@cache
def _expected(migrations: tuple[Migration, ...]) -> frozenset[tuple[str, str, str]]:
    with contextlib.closing(sqlite3.connect(":memory:")) as connection:
        for statement in (statement for migration in migrations for statement in migration):
            connection.execute(statement)
        return _objects(connection)


def _migrate(connection: sqlite3.Connection, path: Path, migrations: Sequence[Migration]) -> None:
    """Bring the file to the newest version, all or nothing, after a copy of it was put aside."""
    version = _version(connection, path, migrations)
    if version == len(migrations):
        return
    if version:
        back_up(connection, path.with_name(f"{path.name}.version{version}"))
    connection.execute("BEGIN IMMEDIATE")
    try:
        for statement in (part for migration in migrations[version:] for part in migration):
            connection.execute(statement)
        connection.execute(f"PRAGMA user_version = {len(migrations)}")
        connection.execute(f"PRAGMA application_id = {APPLICATION}")
        connection.execute("COMMIT")
    except BaseException:
        if connection.in_transaction:
            connection.execute("ROLLBACK")
        raise


def back_up(connection: sqlite3.Connection, target: Path) -> None:
    """Copy the file, as it is at this moment, to `target`, which appears only when complete."""
    part = target.with_name(f"{target.name}.part")
    part.unlink(missing_ok=True)
    with contextlib.closing(sqlite3.connect(part)) as copy:
        connection.backup(copy)
    part.replace(target)


def _size(path: Path) -> int:
    try:
        return path.stat().st_size
    except FileNotFoundError:
        return 0
    except OSError as error:
        raise StoreError(f"{path} cannot be read: {error.strerror}.") from error
