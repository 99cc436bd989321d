"""Where the studio keeps its own files: the folders that the platform names for it."""

from pathlib import Path

import platformdirs

_NAME = "agent-evaluation-studio"


def config_folder() -> Path:
    """Settings, and which project folders the user trusts."""
    return platformdirs.user_config_path(_NAME, appauthor=False)


def log_folder() -> Path:
    """Logs of the engine's processes."""
    return platformdirs.user_log_path(_NAME, appauthor=False)


def data_folder() -> Path:
    """Copies of sample projects, and the probes that were made: the user's own files."""
    return platformdirs.user_data_path(_NAME, appauthor=False)


def cache_folder() -> Path:
    """Downloaded weights; can be fetched again."""
    return platformdirs.user_cache_path(_NAME, appauthor=False)
