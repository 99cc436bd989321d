from pathlib import Path

import pytest

from tests.engine.project.project_folders import MakeProject, write_project


@pytest.fixture
def make_project(tmp_path: Path) -> MakeProject:
    """Writes a good project; `files` (text, bytes, None for none) replace its files or add some."""
    return lambda files=None: write_project(tmp_path / "metals", files or {})
