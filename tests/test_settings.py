"""The user's settings outlive a file that was edited by hand, badly or well."""

import subprocess
import sys
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import settings as given_settings
from hypothesis import strategies as st

from studio import settings
from studio.engine.errors import StudioError
from studio.settings import Settings

OTHER = Settings(server="http://127.0.0.1:11434", theme="dark", weights="/models/a.gguf")


def test_without_a_file_every_setting_has_its_default():
    assert settings.load() == (Settings(server="auto", theme="system", weights=""), ())


def test_what_is_saved_is_what_is_loaded():
    settings.save(OTHER)
    assert settings.load() == (OTHER, ())
    settings.save(Settings())
    assert settings.load() == (Settings(), ())


def test_saving_keeps_the_comments_and_writes_only_what_changed(tmp_path: Path):
    path = tmp_path / "settings.toml"
    path.write_text('# mine\ntheme = "light"  # by day\n')
    settings.save(Settings(theme="dark"), path)
    assert path.read_text() == '# mine\ntheme = "dark"  # by day\n'


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("theme = 'drak'", "Write system, light or dark"),
        ("theme = 3", "theme cannot be 3"),
        ("server = 'localhost'", "Write auto, pool, embedded, or an address"),
        ("weights = 'a.gguf'", "the full path of a file"),
        ("teme = 'dark'", "There is no setting teme"),
        ("theme = ", "The settings cannot be read"),
        ("\xff", "The settings cannot be read"),
    ],
)
def test_a_wrong_setting_is_told_and_the_others_hold(tmp_path: Path, text: str, told: str):
    path = tmp_path / "settings.toml"
    path.write_bytes(text.encode("latin-1"))
    found, [problem] = settings.load(path)
    assert found == Settings()
    assert told in str(problem)


def test_a_file_that_is_no_toml_is_kept_aside_when_settings_are_saved(tmp_path: Path):
    path = tmp_path / "settings.toml"
    path.write_bytes(b"theme = \xff")
    settings.save(OTHER, path)
    assert settings.load(path) == (OTHER, ())
    assert (tmp_path / "settings.toml.old").read_bytes() == b"theme = \xff"


def test_settings_that_cannot_be_written_are_told(tmp_path: Path):
    (tmp_path / "file").touch()
    with pytest.raises(StudioError, match=r"settings\.toml could not be saved"):
        settings.save(OTHER, tmp_path / "file" / "settings.toml")


@given_settings(deadline=None)
@given(data=st.binary() | st.text().map(str.encode))
def test_any_bytes_are_loaded_and_saved_over(tmp_path_factory, data: bytes):
    path = tmp_path_factory.mktemp("any") / "settings.toml"
    path.write_bytes(data)
    found, _ = settings.load(path)
    assert isinstance(found, Settings)
    settings.save(OTHER, path)
    assert settings.load(path)[0] == OTHER


def test_settings_load_neither_qt_nor_anything_slow():
    script = "import studio.settings, sys; print('\\n'.join(sys.modules))"
    done = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, text=True, check=True
    )
    assert not {"PySide6", "tomlkit", "ruamel", "pydantic"} & set(done.stdout.split())
