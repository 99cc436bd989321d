"""Finds the files shipped with the studio, in a checkout and in an installed copy alike."""

from pathlib import Path

_PACKAGE = Path(__file__).resolve().parent


def _shipped(name: str) -> Path:
    installed = _PACKAGE / f"_{name}"
    return installed if installed.is_dir() else _PACKAGE.parent / name


def resource(name: str) -> Path:
    """The path of a file or folder below `resources/`, such as `theme/studio.qss`."""
    return _shipped("resources") / name


def sample_project(name: str) -> Path:
    """The folder of a sample project.  Copy it before running it: shipped files stay unchanged."""
    return _shipped("sample_projects") / name
