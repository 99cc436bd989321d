"""Where the studio keeps its own files: the folders that the platform names for it."""

import shutil
from pathlib import Path

import platformdirs

from studio.resources import sample_project

_NAME = "agent-evaluation-studio"


def config_folder() -> Path:
    """Settings, and which project folders the user trusts."""
    return platformdirs.user_config_path(_NAME, appauthor=False)


def log_folder() -> Path:
    """Logs of the engine's processes."""
    return platformdirs.user_log_path(_NAME, appauthor=False)


def data_folder() -> Path:
    """Copies of sample projects: the user's own files."""
    return platformdirs.user_data_path(_NAME, appauthor=False)


def cache_folder() -> Path:
    """Downloaded weights; can be fetched again."""
    return platformdirs.user_cache_path(_NAME, appauthor=False)


def own_sample(name: str) -> Path:
    """The user's own copy of a sample project, made the first time it is asked for."""
    copy = data_folder() / "sample_projects" / name
    if not copy.exists():
        fresh = copy.with_name(f".{name}.new")
        shutil.rmtree(fresh, ignore_errors=True)
        shutil.copytree(sample_project(name), fresh, ignore=_not_copied)
        fresh.replace(copy)
    return copy


def _not_copied(_folder: str, names: list[str]) -> set[str]:
    return {"__pycache__", ".studio"} & set(names)
