"""The tables of `runs.sqlite` and their migrations.

The file may come from anyone: it is refused unless its tables are exactly the ones made here (no
view, trigger or table of another's making).

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

APPLICATION = 0x53545244
"""SQLite's `application_id` of our files."""

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
    # Trials whose prompt did not fit the window are counted apart from those that failed.
    (
        "ALTER TABLE runs ADD COLUMN invalid INTEGER NOT NULL DEFAULT 0",
        """UPDATE runs SET invalid = (SELECT count(*) FROM trials
            WHERE run = runs.id AND superseded = 0 AND outcome = 'prompt truncated')""",
        "UPDATE runs SET failed = failed - invalid",
    ),
    # Opinions may be formed again: by what a run was judged last, and what was found to be wrong.
    (
        "ALTER TABLE scores ADD COLUMN evidence TEXT",
        """CREATE TABLE criteria (
            run INTEGER PRIMARY KEY REFERENCES runs (id),
            body TEXT NOT NULL
        )""",
        """CREATE TABLE findings (
            trial INTEGER NOT NULL REFERENCES trials (id),
            place INTEGER NOT NULL,
            mode TEXT NOT NULL,
            reason TEXT NOT NULL,
            event INTEGER,
            PRIMARY KEY (trial, place)
        ) WITHOUT ROWID""",
    ),
    # Judging a run again may be broken off: what changed last before it began is still to be done.
    ("ALTER TABLE criteria ADD COLUMN changed INTEGER NOT NULL DEFAULT 0",),
    # A run may be spread over several servers: each has a row, and each trial says who answered.
    (
        """CREATE TABLE servers (
            run INTEGER NOT NULL REFERENCES runs (id),
            place INTEGER NOT NULL,
            facts TEXT NOT NULL,
            PRIMARY KEY (run, place)
        )""",
        "INSERT INTO servers (run, place, facts) SELECT run, 0, server FROM plans",
        "ALTER TABLE plans DROP COLUMN server",
        "ALTER TABLE trials ADD COLUMN server TEXT",
    ),
    # Whether continuing a run has anything to do is asked of every run that is listed.
    (
        """CREATE INDEX trials_lost ON trials (run)
            WHERE superseded = 0 AND failure = 'server'""",
    ),
)


def version(connection: sqlite3.Connection, path: Path, migrations: Sequence[Migration]) -> int:
    """Which of our versions the file has, 0 for an empty file; raises if it is none of ours."""
    (number,) = connection.execute("PRAGMA user_version").fetchone()
    (application,) = connection.execute("PRAGMA application_id").fetchone()
    found = _objects(connection)
    if not found and number == 0:
        return 0
    if application == APPLICATION and number > len(migrations):
        raise StoreError(
            f"{path} was written by a newer version of the studio.",
            "Update the studio to see and continue its runs.",
        )
    if number < 0 or application != APPLICATION or found != _expected(tuple(migrations[:number])):
        raise StoreError(
            f"{path} is not a file of the studio's runs, or another program changed its tables.",
            "Move it to another place; new runs then go into a new file.",
        )
    return int(number)


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


def migrate(connection: sqlite3.Connection, path: Path, migrations: Sequence[Migration]) -> None:
    """Bring the file to the newest version, all or nothing, after a copy of it was put aside."""
    found = version(connection, path, migrations)
    if found == len(migrations):
        return
    if found:
        back_up(connection, path.with_name(f"{path.name}.version{found}"))
    connection.execute("BEGIN IMMEDIATE")
    try:
        for statement in (part for migration in migrations[found:] for part in migration):
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
