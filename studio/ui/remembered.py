"""What the window remembers from one time to the next: places, sizes, picks, recent projects."""

import json
import logging
import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any

_RECENT = 8
_log = logging.getLogger("studio.remembered")


class Remembered:
    """Named groups of JSON values in one small file of the state folder.

    A file that is missing or damaged is a fresh start, never an error: nothing in it is work.
    """

    def __init__(self, path: Path) -> None:
        self._path = path
        self._groups = _read(path)
        self._is_changed = False

    def kept(self, group: str) -> Mapping[str, Any]:
        """The values of a group by name."""
        return self._groups.get(group, {})

    def keep(self, group: str, values: Mapping[str, Any]) -> None:
        """Replace these values of the group; `save` writes them to disk."""
        self._groups[group] = {**self._groups.get(group, {}), **values}
        self._is_changed = True

    @property
    def recent(self) -> tuple[str, ...]:
        """The folders of the projects opened last, the newest first."""
        folders = self.kept("projects").get("recent")
        return tuple(map(str, folders)) if isinstance(folders, list) else ()

    def opened(self, folder: str) -> None:
        """A project was opened."""
        others = [each for each in self.recent if each != folder]
        self.keep("projects", {"recent": [folder, *others][:_RECENT]})

    def save(self) -> None:
        """Write the file whole, or leave the old one as it was."""
        if not self._is_changed:
            return
        try:
            self._path.parent.mkdir(parents=True, exist_ok=True)
            fresh = self._path.with_suffix(".new")
            fresh.write_text(json.dumps(self._groups, indent=1), encoding="utf-8")
            os.replace(fresh, self._path)
            self._is_changed = False
        except OSError as error:
            _log.warning("the window's state could not be saved: %s", error)


def _read(path: Path) -> dict[str, dict[str, Any]]:
    try:
        groups = json.loads(path.read_text(encoding="utf-8"))
    except FileNotFoundError:
        return {}
    except (OSError, ValueError, RecursionError) as error:
        _log.warning("the window's state could not be read: %s", error)
        return {}
    if not isinstance(groups, dict):
        return {}
    return {name: values for name, values in groups.items() if isinstance(values, dict)}
