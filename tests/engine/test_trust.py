"""Whose code may run is remembered by folder, in the user's own settings."""

from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from studio.engine import trust
from studio.engine.errors import NotTrusted, StudioError
from studio.folders import config_folder


def test_nothing_is_trusted_until_the_user_says_so(tmp_path: Path):
    assert not trust.is_trusted(tmp_path)
    with pytest.raises(NotTrusted, match="brings its own code"):
        trust.require(tmp_path)
    trust.trust(tmp_path)
    trust.require(tmp_path)
    assert trust.trusted_folders() == (str(tmp_path.resolve()),)


def test_a_folder_that_is_not_there_cannot_be_trusted(tmp_path: Path):
    with pytest.raises(StudioError, match="There is no folder"):
        trust.trust(tmp_path / "nowhere")
    assert trust.trusted_folders() == ()


def test_trust_can_be_taken_back(tmp_path: Path):
    (tmp_path / "a").mkdir()
    (tmp_path / "b").mkdir()
    trust.trust(tmp_path / "a")
    trust.trust(tmp_path / "b")
    trust.distrust(tmp_path / "a")
    trust.distrust(tmp_path / "never trusted")
    assert trust.trusted_folders() == (str(tmp_path / "b"),)


def test_of_many_folders_trusted_at_once_none_is_forgotten(tmp_path: Path):
    folders = [tmp_path / str(number) for number in range(24)]
    for folder in folders:
        folder.mkdir()
    with ThreadPoolExecutor(8) as pool:
        list(pool.map(trust.trust, folders))
    assert set(trust.trusted_folders()) == {str(folder) for folder in folders}


def test_a_copy_and_a_folder_inside_are_other_folders(tmp_path: Path):
    (tmp_path / "a" / "b").mkdir(parents=True)
    trust.trust(tmp_path / "a")
    assert not trust.is_trusted(tmp_path / "a" / "b")
    assert not trust.is_trusted(tmp_path)
    (tmp_path / "link").symlink_to(tmp_path / "a")
    assert trust.is_trusted(tmp_path / "link")


def test_changed_code_in_a_trusted_folder_stays_trusted(tmp_path: Path):
    (tmp_path / "tools.py").write_text("def a(): ...")
    trust.trust(tmp_path)
    (tmp_path / "tools.py").write_text("def b(): ...")
    assert trust.is_trusted(tmp_path)


@pytest.mark.parametrize("data", [b"", b"{", b"\xff", b"{}", b"[1, null]", b"[" * 100_000])
def test_a_damaged_list_trusts_nobody_and_is_written_anew(tmp_path: Path, data: bytes):
    config_folder().mkdir(parents=True)
    (config_folder() / "trusted_folders.json").write_bytes(data)
    assert not trust.is_trusted(tmp_path)
    trust.trust(tmp_path)
    assert trust.is_trusted(tmp_path)


def test_the_code_that_would_run_is_listed(tmp_path: Path):
    for name in ("tools.py", "lib/a.py", ".venv/x.py", "__pycache__/y.py", "data/notes.txt"):
        path = tmp_path / name
        path.parent.mkdir(exist_ok=True)
        path.touch()
    assert trust.code_files(tmp_path) == ("lib/a.py", "tools.py")
