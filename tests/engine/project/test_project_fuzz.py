"""Whatever bytes stand in a project's files: it is loaded, or every reason why not is told."""

import tempfile
from pathlib import Path

import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from studio.engine.project import Loaded, check, load
from tests.engine.project.project_folders import FILES, write_project

NAMES = (*FILES, "tools.yaml", "queries.jsonl", "queries.csv")

# Bytes alone seldom get past the first character; these pieces are put together as people do.
WORDS = """
    name model models options num_ctx stop prompt tools sets agent graph run metrics steps query
    expected calls contains number tags id get_metal_price parameters type object properties
    tools.py:x 0 -1 1e999 .nan null true ~ é : [ ] { } , ' " # | > &a *a !!x --- ... \\ud800
"""
SPACED = (": ", "\n", "\n  ", "\n- ", "- ", "? ", "%YAML 9", "\t", "\r", "\\", "\ufeff", "\u2028")
PIECES = st.sampled_from((*WORDS.split(), *SPACED, "\x00", "def f(a):", "\n    "))
WRITTEN = st.lists(PIECES, max_size=40).map("".join).map(str.encode)
EDITED = st.tuples(st.integers(0, 400), st.integers(0, 20), st.binary(max_size=4))


@pytest.mark.parametrize("name", NAMES)
@settings(deadline=None, max_examples=60, suppress_health_check=[HealthCheck.too_slow])
@given(data=st.binary(max_size=60) | WRITTEN)
@example(data=b"")
@example(data=b"[" * 5000)
@example(data=b"{" * 5000)
@example(data=b'{"a":' * 5000)
@example(data=b"a: " * 5000)
@example(data=b"- " * 5000)
@example(data=b"? " * 5000)
@example(data=b'"' * 5000)
@example(data=b"(" * 5000)
@example(data=b"," * 5000)
@example(data=b"9" * 5000)
@example(data=b"\xff\xfe\x00\x00")
def test_any_bytes_in_any_file_are_read_or_refused(name: str, data: bytes):
    loads_or_tells(name, data)


@pytest.mark.parametrize("name", FILES)
@settings(deadline=None, max_examples=60)
@given(edit=EDITED)
def test_a_good_file_with_an_accident_is_read_or_refused(name: str, edit: tuple[int, int, bytes]):
    first, length, put = edit
    good = FILES[name].encode()
    loads_or_tells(name, good[:first] + put + good[first + length :])


def loads_or_tells(name: str, data: bytes) -> None:
    with tempfile.TemporaryDirectory() as place:
        files = {"queries.yaml": None} if name.startswith("queries.") else {}
        folder = write_project(Path(place), {**files, name: data})
        problems = check(folder)
        for problem in problems:
            assert problem.problem.endswith((".", "..."))
            str(problem).encode()
            lines = data.count(b"\n") + data.count(b"\r") + 1
            assert problem.file != name or 0 <= problem.line <= lines
        assert problems or isinstance(load(folder), Loaded)
