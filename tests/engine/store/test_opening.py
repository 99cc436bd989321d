"""A file that is damaged, foreign, newer, locked or out of reach is refused and left as it is."""

import contextlib
import os
import random
import shutil
import sqlite3
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from studio.engine.errors import StoreError
from studio.engine.store import schema
from studio.engine.store.chunks import encode
from studio.engine.store.opening import open_for_reading, open_for_writing, runs_file
from studio.engine.store.reader import RunReader
from studio.engine.store.writer import Store
from tests.engine.store.made import SERVER, a_plan, a_query, a_trace, record

ROOT = Path(__file__).parents[3]
TRY = "from tests.engine.store.test_opening import _try"


@pytest.fixture
def file(tmp_path: Path) -> Path:
    """A file of runs that was closed cleanly."""
    with Store.open(tmp_path) as store:
        run = store.create_run(a_plan(30), [SERVER])
        for position in range(30):
            record(store, run, position)
    return runs_file(tmp_path)


def _change(file: Path, *statements: str) -> None:
    with contextlib.closing(sqlite3.connect(file, isolation_level=None)) as connection:
        connection.execute("PRAGMA writable_schema = ON")
        for statement in statements:
            connection.execute(statement)


def _refused(file: Path, words: str) -> None:
    """Writer and reader say why; the file stays byte for byte as it was."""
    before = file.read_bytes()
    with pytest.raises(StoreError, match=words) as told:
        Store.open(file).close()
    assert told.value.remedy
    reader = RunReader(file)
    with pytest.raises(StoreError, match=words):
        reader.runs()
    reader.close()
    assert file.read_bytes() == before


def test_a_newer_file_is_refused(file: Path):
    _change(file, "PRAGMA user_version = 99", "CREATE TABLE novelties (id)")
    _refused(file, "newer version")


HOSTILE = {
    "a view in place of a table": (
        "ALTER TABLE runs RENAME TO hidden",
        "CREATE VIEW runs AS SELECT *, randomblob(1) FROM hidden",
    ),
    "a view beside the tables": ("CREATE VIEW more AS SELECT load_extension('evil.so')",),
    "a trigger": (
        "CREATE TRIGGER more AFTER INSERT ON trials BEGIN DELETE FROM runs; END",
    ),
    "an index on an expression": ("CREATE INDEX more ON runs (hex(zeroblob(planned)))",),
    "a generated column": ("ALTER TABLE runs ADD COLUMN more AS (zeroblob(100000000))",),
    "a missing table": ("DROP TABLE scores",),
    "a table of another's making": ("DROP TABLE scores", "CREATE TABLE scores (trial, x)"),
    "a table more": ("CREATE TABLE more (x)",),
    "another program's number": ("PRAGMA application_id = 7",),
    "a definition that is no SQL": (
        "UPDATE sqlite_master SET sql = 'CREATE TABLE runs (x' WHERE name = 'runs'",
    ),
}  # fmt: skip


@pytest.mark.parametrize("kind", list(HOSTILE))
def test_a_file_with_tables_that_are_not_ours_is_refused(file: Path, kind: str):
    _change(file, *HOSTILE[kind])
    _refused(file, r"another program|damaged")


def test_a_database_of_another_program_is_refused(tmp_path: Path):
    file = tmp_path / "runs.sqlite"
    _change(file, "CREATE TABLE notes (text)")
    _refused(file, "not a file of the studio's runs")


def test_a_file_that_is_no_database_is_refused(tmp_path: Path):
    file = tmp_path / "runs.sqlite"
    file.write_bytes(b"These are my notes. " * 500)
    _refused(file, "damaged")


def test_an_empty_file_is_a_new_one(tmp_path: Path):
    file = tmp_path / "runs.sqlite"
    file.touch()
    assert RunReader(file).runs() == []
    with Store.open(file) as store:
        assert store.create_run(a_plan(), [SERVER]) == 1


def _use(file: Path) -> None:
    """All that the window and the engine do with a file of runs."""
    reader = RunReader(file)
    try:
        for run in reader.runs():
            for row in reader.changed_trials(run.id):
                reader.events(row.id)
                reader.event_count(row.id)
    finally:
        reader.close()
    with Store.open(file) as store:
        for run in (1, store.create_run(a_plan(), [SERVER])):
            record(store, run, 40)
            store.missing(run)


@pytest.mark.parametrize("seed", range(40))
def test_a_flipped_bit_is_told_or_harmless(file: Path, seed: int):
    chance = random.Random(seed)
    data = bytearray(file.read_bytes())
    # Half of them in the first pages, where the structure is dense.
    end = len(data) if seed % 2 else 12_000
    for _ in range(chance.choice((1, 1, 20))):
        data[chance.randrange(end)] ^= 1 << chance.randrange(8)
    file.write_bytes(data)
    with contextlib.suppress(StoreError, ValueError):
        _use(file)


@pytest.mark.parametrize("keep", [15, 16, 99, 100, 512, 4095, 4096, 4097, 9000, 20_000])
def test_a_cut_file_is_told(file: Path, keep: int):
    file.write_bytes(file.read_bytes()[:keep])
    with pytest.raises(StoreError) as told:
        _use(file)
    assert told.value.remedy
    assert file.stat().st_size == keep


def test_a_damaged_file_that_was_not_closed_cleanly_is_found_at_once(file: Path):
    pages = bytearray(file.read_bytes())
    middle = len(pages) // 2 // 4096 * 4096
    pages[middle : middle + 4096] = b"\xaa" * 4096
    file.write_bytes(pages)
    # A log that holds something is what a killed program leaves.
    Path(f"{file}-wal").write_bytes(b"\x37\x7f\x06\x82")
    with pytest.raises(StoreError, match="damaged"):
        Store.open(file)


def test_a_chunk_that_is_no_trace_is_told(file: Path):
    with contextlib.closing(sqlite3.connect(file, isolation_level=None)) as connection:
        connection.execute("UPDATE chunks SET body = ? WHERE trial = 3", (b"nonsense",))
        connection.execute("UPDATE plans SET plan = '{}'")
    reader = RunReader(file)
    with pytest.raises(StoreError, match="damaged"):
        reader.events(3)
    with pytest.raises(StoreError, match="damaged"):
        reader.runs()
    assert reader.events(4) == a_trace(a_query(3)), "others are still read"
    reader.close()


@pytest.mark.parametrize(
    "change",
    [
        "UPDATE runs SET planned = 'many'",
        "UPDATE runs SET created = x'00'",
        "UPDATE servers SET facts = '[]'",
        "DELETE FROM servers",
        "UPDATE trials SET outcome = 'excellent'",
        "UPDATE trials SET steps = 'many'",
        "UPDATE trials SET answer = x'ff'",
        "UPDATE trials SET answer = CAST(x'ff' AS TEXT)",
        "UPDATE trials SET marks = 'none'",
        "UPDATE scores SET value = 'good'",
        "UPDATE scores SET reason = x'ff'",
    ],
)
def test_a_value_of_a_kind_that_is_never_written_is_told(file: Path, change: str):
    with contextlib.closing(sqlite3.connect(file, isolation_level=None)) as connection:
        connection.execute(change)
    with pytest.raises(StoreError, match=r"damaged|cannot be written or read"):
        _use(file)


def test_a_second_writer_is_refused_and_readers_are_not(tmp_path: Path):
    with Store.open(tmp_path) as store:
        with pytest.raises(StoreError, match="Another studio") as told:
            Store.open(tmp_path)
        assert told.value.remedy
        other = _python(f"{TRY}; _try({str(tmp_path)!r})")
        assert "Another studio" in other
        trial = record(store, store.create_run(a_plan(), [SERVER]))
        store.committed().result(timeout=30)
        reader = RunReader(tmp_path)
        assert reader.events(trial) == a_trace(a_query())
        reader.close()
    assert "opened" in _python(f"{TRY}; _try({str(tmp_path)!r})")


def _try(folder: str) -> None:
    """Run in another process: open, write, and say how that went."""
    try:
        with Store.open(Path(folder)) as store:
            record(store, store.create_run(a_plan(), [SERVER]))
    except StoreError as error:
        print(error)
    else:
        print("opened")
    reader = RunReader(Path(folder))
    print(f"{len(reader.runs())} runs read")
    reader.close()


def _python(code: str) -> str:
    done = subprocess.run(
        [sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, timeout=60
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


@pytest.fixture
def read_only(file: Path) -> Iterator[Path]:
    """A project in a folder that its user may not write, though it may be entered by anyone."""
    with tempfile.TemporaryDirectory() as folder:
        project = Path(folder) / "project"
        shutil.copytree(file.parent, project / ".studio")
        for path in (Path(folder), project, project / ".studio"):
            path.chmod(0o555)
        yield project
        for path in (Path(folder), project, project / ".studio"):
            path.chmod(0o755)


@pytest.mark.skipif(sys.platform == "win32", reason="permissions work in another way")
def test_a_folder_that_cannot_be_written_is_read_and_told(read_only: Path):
    # The super-user may write everywhere: be somebody else.
    be_nobody = "os.setuid(65534)" if os.geteuid() == 0 else "pass"
    said = _python(f"import os; {TRY}; {be_nobody}; _try({str(read_only)!r})")
    assert "cannot be opened or written" in said
    assert "Check the permissions" in said
    assert "1 runs read" in said


def test_a_new_project_in_a_folder_that_cannot_be_written_is_told(tmp_path: Path):
    file = tmp_path / "file"
    file.touch()
    with pytest.raises(StoreError, match="cannot be written"):
        Store.open(file)


@pytest.mark.skipif(sys.platform == "win32", reason="links need rights there")
@pytest.mark.parametrize(
    "name", ["", "runs.sqlite", "runs.sqlite-wal", "runs.sqlite-shm", "runs.sqlite.lock"]
)
def test_a_link_that_leads_out_of_the_project_is_not_followed(
    tmp_path: Path, file: Path, name: str
):
    outside = tmp_path / "outside"
    outside.mkdir()
    precious = outside / "precious"
    precious.write_bytes(file.read_bytes())
    link = file.parent / name
    if link == file.parent:
        shutil.rmtree(link)
        link.symlink_to(outside)
    else:
        link.unlink(missing_ok=True)
        link.symlink_to(precious)

    with pytest.raises(StoreError, match="is a link"):
        Store.open(tmp_path)
    if link != file.parent:
        with pytest.raises(StoreError, match="is a link"):
            RunReader(tmp_path).runs()
    assert list(outside.iterdir()) == [precious]


def test_a_reader_meets_a_file_that_comes_goes_and_is_replaced(tmp_path: Path):
    reader = RunReader(tmp_path)
    assert reader.runs() == []
    with Store.open(tmp_path) as store:
        assert reader.runs() == []
        store.create_run(a_plan(3), [SERVER])
        store.committed().result(timeout=30)
        assert [run.plan for run in reader.runs()] == [a_plan(3)]
    shutil.rmtree(tmp_path / ".studio")
    assert reader.runs() == []
    with Store.open(tmp_path) as store:
        store.create_run(a_plan(5), [SERVER])
    assert [run.plan for run in reader.runs()] == [a_plan(5)]
    reader.close()


NEXT = (
    *schema.MIGRATIONS,
    ("ALTER TABLE runs ADD COLUMN note TEXT", "CREATE INDEX notes ON runs (note)"),
)


def test_an_older_file_is_brought_up_to_date_after_a_copy_was_put_aside(file: Path):
    with pytest.raises(StoreError, match="older version"):
        open_for_reading(file, NEXT)
    with contextlib.closing(open_for_writing(file, NEXT)) as connection:
        assert connection.execute("SELECT count(*), max(note) FROM runs").fetchone() == (1, None)
        assert connection.execute("PRAGMA user_version").fetchone() == (len(NEXT),)
    newest = open_for_reading(file, NEXT)
    assert newest is not None
    newest.close()

    copy = RunReader(
        file.with_name(f"runs.sqlite.version{len(schema.MIGRATIONS)}").rename(
            file.with_name("copy.sqlite")
        )
    )
    assert copy.runs()[0].tally.done == 30
    copy.close()


def test_an_older_file_counts_its_invalid_trials_apart_once_it_is_brought_up_to_date(
    tmp_path: Path,
):
    path = tmp_path / "runs.sqlite"
    with contextlib.closing(open_for_writing(path, schema.MIGRATIONS[:1])) as connection:
        connection.execute("INSERT INTO runs (id, created, planned, failed) VALUES (1, 0, 3, 2)")
        for position, outcome in enumerate(("failed", "prompt truncated")):
            connection.execute(
                """INSERT INTO trials (run, position, number, query_id, query, started, changed,
                   outcome) VALUES (1, ?, 1, 'q', 'q', 0, ?, ?)""",
                (position, position, outcome),
            )
    with contextlib.closing(open_for_writing(path)) as connection:
        assert connection.execute("SELECT failed, invalid FROM runs").fetchall() == [(1, 1)]


def test_a_run_of_an_older_file_keeps_its_one_server(tmp_path: Path):
    path = tmp_path / "runs.sqlite"
    plan, server = encode(a_plan(1)).decode(), encode(SERVER).decode()
    with contextlib.closing(open_for_writing(path, schema.MIGRATIONS[:4])) as connection:
        connection.execute("INSERT INTO runs (id, created, planned) VALUES (1, 0, 1)")
        connection.execute("INSERT INTO plans (run, plan, server) VALUES (1, ?, ?)", (plan, server))
        connection.execute(
            """INSERT INTO trials (run, position, number, query_id, query, started, changed)
               VALUES (1, 0, 1, 'q', 'q', 0, 1)"""
        )
    open_for_writing(path).close()
    with contextlib.closing(RunReader(path)) as reader:
        [run] = reader.runs()
        [trial] = reader.trials(1)
    assert (run.plan, run.servers, trial.server) == (a_plan(1), (SERVER,), "")


def test_a_migration_that_fails_changes_nothing(file: Path):
    bad = (*schema.MIGRATIONS, ("ALTER TABLE runs ADD COLUMN note TEXT", "DROP TABLE nothing"))
    with pytest.raises((StoreError, sqlite3.Error)):
        open_for_writing(file, bad)
    with Store.open(file) as store:
        assert store.create_run(a_plan(), [SERVER]) == 2


def test_the_migrations_make_the_version_that_they_count(file: Path):
    with contextlib.closing(sqlite3.connect(file)) as connection:
        assert connection.execute("PRAGMA user_version").fetchone() == (len(schema.MIGRATIONS),)
        assert connection.execute("PRAGMA application_id").fetchone() == (schema.APPLICATION,)
        assert connection.execute("PRAGMA journal_mode").fetchone() == ("wal",)


def test_every_commit_is_synced_and_what_the_file_holds_is_distrusted(tmp_path: Path):
    with contextlib.closing(open_for_writing(tmp_path / "runs.sqlite")) as connection:
        told = {
            name: connection.execute(f"PRAGMA {name}").fetchone()[0]
            for name in ("synchronous", "foreign_keys", "trusted_schema", "cell_size_check")
        }
    full = 2
    assert told == {
        "synchronous": full, "foreign_keys": 1, "trusted_schema": 0, "cell_size_check": 1,
    }  # fmt: skip
