"""The help page about a project's files: its example is one, and it names every key."""

import re
from pathlib import Path
from textwrap import dedent

import pytest

from studio.engine import project
from studio.engine.project.csv_list import COLUMNS
from studio.engine.project.project_file import AGENT_KEYS, KEYS, RUN_KEYS
from studio.resources import resource

PAGE = resource("help/projects.md").read_text("utf-8")
FILES = ("project.yaml", "prompts/first.md", "tools.py", "metrics.py", "queries.yaml", "tools.yaml")


def block(name: str) -> str:
    """The example of a file: what stands indented below its name."""
    found = re.search(rf"^{re.escape(name)}[^\n]*\n\n((?:    [^\n]*\n|\n)+)", PAGE, re.MULTILINE)
    assert found is not None
    return dedent(found[1])


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    for name in FILES:
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text(block(name), "utf-8")
    return tmp_path


def test_its_example_is_a_project_without_mistakes(folder: Path):
    loaded = project.load(folder)
    assert [query.expected.number for query in loaded.queries] == [229, None]
    assert [metric.name for metric in loaded.project.own_metrics] == ["polite"]
    assert {tools.name for tools in loaded.project.tool_sets} == {"distances only"}


@pytest.mark.parametrize("key", [*KEYS, *AGENT_KEYS, *RUN_KEYS, *COLUMNS])
def test_it_names_every_key(key: str):
    assert re.search(rf"\b{key}\b", PAGE)


def test_its_lines_fit_a_terminal_of_80_columns():
    assert max(map(len, PAGE.splitlines())) <= 80
