"""Drafts: what was typed and not saved yet, kept on disk so that a crash loses nothing of it."""

import json
import logging
import os
from hashlib import sha256
from pathlib import Path

from PySide6.QtCore import QObject, QTimer

_SOON_MS = 500
_log = logging.getLogger("studio.drafts")


class Drafts(QObject):
    """The drafts of one kind (prompt, tool, query) in one project; one small file each.

    What is kept is written within half a second, and at once by `write_now`.
    """

    def __init__(self, folder: Path, project: str, kind: str, parent: QObject) -> None:
        super().__init__(parent)
        self._folder = folder / sha256(project.encode("utf-8", "replace")).hexdigest()[:16] / kind
        self._unwritten: dict[str, str | None] = {}
        self._soon = QTimer(self, interval=_SOON_MS, singleShot=True)
        self._soon.timeout.connect(self.write_now)

    def all(self) -> dict[str, str]:
        """The drafts on disk by name."""
        found = {}
        for path in sorted(self._folder.glob("*.draft")):
            try:
                kept = json.loads(path.read_text(encoding="utf-8"))
                found[str(kept["name"])] = str(kept["text"])
            except (OSError, ValueError, KeyError, TypeError) as error:
                _log.warning("a draft cannot be read: %s: %s", path, error)
        return found

    def keep(self, name: str, text: str) -> None:
        """Keep this text; the timer is not started anew by the next key, so it is soon on disk."""
        self._unwritten[name] = text
        if not self._soon.isActive():
            self._soon.start()

    def drop(self, name: str) -> None:
        """The text was saved, or given up."""
        self._unwritten[name] = None
        if not self._soon.isActive():
            self._soon.start()

    def write_now(self) -> None:
        waiting, self._unwritten = self._unwritten, {}
        self._soon.stop()
        for name, text in waiting.items():
            try:
                self._write(name, text)
            except OSError as error:
                _log.warning("a draft cannot be kept: %s", error)

    def _write(self, name: str, text: str | None) -> None:
        path = self._folder / f"{sha256(name.encode('utf-8', 'replace')).hexdigest()[:32]}.draft"
        if text is None:
            path.unlink(missing_ok=True)
            return
        path.parent.mkdir(parents=True, exist_ok=True)
        fresh = path.with_suffix(".new")
        # JSON, so that every character and line end comes back as it was.
        fresh.write_text(json.dumps({"name": name, "text": text}), encoding="utf-8")
        os.replace(fresh, path)
