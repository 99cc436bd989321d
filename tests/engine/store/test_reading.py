"""Reading costs what is shown, not what is stored: every statement goes by an index."""

import contextlib
import re
import subprocess
import sys
from pathlib import Path

import pytest

from studio.engine.store import reader, resume, stored_traces
from studio.engine.store.opening import open_for_writing
from tests.engine.store.made import a_plan

SMALL = ("runs", "json_each")
"""What may be gone through: one row a run, and the ids of the page that is read."""

STATEMENTS = {
    name: getattr(reader, name)
    for name in (
        "RUNS", "RUN", "TALLY", "PLAN", "SERVERS", "QUERY", "QUERIES", "TRIAL", "CHANGED",
        "SCORES", "RUN_OF_TRIAL", "DICTIONARY", "CHUNKS", "COUNT", "CRITERIA", "FINDINGS",
        "BEHIND", "VERSIONS", "LOST",
    )
}  # fmt: skip


TRACES = {name: getattr(stored_traces, name) for name in ("PLACES", "BODIES")}


@pytest.mark.parametrize("name", [*STATEMENTS, *TRACES])
def test_no_statement_goes_through_a_whole_table(tmp_path: Path, name: str):
    sql = (STATEMENTS | TRACES)[name]
    with contextlib.closing(open_for_writing(tmp_path / "runs.sqlite")) as connection:
        places = len(set(re.findall(r"\?\d", sql))) or sql.count("?")
        plan = connection.execute(f"EXPLAIN QUERY PLAN {sql}", ["1"] * places).fetchall()
    details = [detail for *_, detail in plan]
    assert details
    scans = [detail for detail in details if detail.startswith("SCAN")]
    assert all(detail.split()[1] in SMALL for detail in scans), details
    assert not [detail for detail in details if "TEMP B-TREE" in detail], details


def test_every_statement_of_the_reader_is_looked_at():
    own = {
        name
        for name, value in vars(reader).items()
        if isinstance(value, str) and name.isupper() and value.startswith("SELECT")
    }
    assert {name for name in own if not name.startswith("_")} == set(STATEMENTS)


def test_what_is_left_to_do_is_found_by_index(tmp_path: Path):
    with contextlib.closing(open_for_writing(tmp_path / "runs.sqlite")) as connection:
        statements: list[str] = []
        connection.set_trace_callback(statements.append)
        resume.missing(connection, 1, a_plan())
        resume.unscored(connection, 1, ["a", "b"])
        resume.end_interrupted(connection, 0)
        connection.set_trace_callback(None)
        selects = [sql for sql in statements if sql.startswith("SELECT")]
        assert len(selects) == 3
        for sql in selects:
            plan = connection.execute(f"EXPLAIN QUERY PLAN {sql}").fetchall()
            scans = [detail for *_, detail in plan if detail.startswith("SCAN")]
            # That index holds nothing but what is to be found.
            assert set(scans) <= {"SCAN trials USING INDEX trials_running"}, plan


def test_the_reader_loads_no_writer_and_nothing_heavy():
    code = "import sys, studio.engine.store.reader; print('\\n'.join(sys.modules))"
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True,
        cwd=Path(__file__).parents[3],
    )  # fmt: skip
    loaded = set(done.stdout.split())
    assert "studio.engine.store.rows" in loaded
    assert not loaded & {
        "studio.engine.store.writer", "studio.engine.store.committer", "asyncio", "pydantic",
        "numpy", "PySide6",
    }  # fmt: skip
