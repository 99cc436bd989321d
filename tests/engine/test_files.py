"""Files are replaced at once or not at all."""

from pathlib import Path

import pytest

from studio.engine import files
from studio.engine.errors import StudioError


def test_a_file_and_its_folder_are_made(tmp_path: Path):
    files.write(tmp_path / "a" / "b" / "c.txt", b"x")
    assert (tmp_path / "a" / "b" / "c.txt").read_bytes() == b"x"
    assert [path.name for path in (tmp_path / "a" / "b").iterdir()] == ["c.txt"]


def test_permissions_of_the_old_file_are_kept(tmp_path: Path):
    path = tmp_path / "a"
    path.write_bytes(b"old")
    path.chmod(0o600)
    files.write(path, b"new")
    assert path.read_bytes() == b"new"
    assert path.stat().st_mode & 0o777 == 0o600


def test_a_folder_in_the_way_is_told(tmp_path: Path):
    (tmp_path / "a").mkdir()
    (tmp_path / "a" / "b").touch()
    with pytest.raises(StudioError, match=r"a could not be saved\."):
        files.write(tmp_path / "a", b"x")
    with pytest.raises(StudioError, match=r"c could not be saved\."):
        files.write(tmp_path / "a" / "b" / "c", b"x")
    assert [path.name for path in tmp_path.iterdir()] == ["a"]


def test_what_is_gone_already_is_deleted(tmp_path: Path):
    (tmp_path / "a").touch()
    files.remove(tmp_path / "a")
    files.remove(tmp_path / "a")
    assert list(tmp_path.iterdir()) == []
    with pytest.raises(StudioError, match="could not be deleted"):
        files.remove(tmp_path)
