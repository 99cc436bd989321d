"""The cases of a file that was graded, to be seen beside their verdicts."""

from pathlib import Path

import msgspec

_FAR = 4 * 1024 * 1024
"""Bytes: what lies further on would take too long to be reached."""

TOO_FAR = "The case lies too far into the file to be shown here."
CHANGED = "The file has changed since it was graded."


class CaseFile:
    """Reads single lines of a file, as long as it is the one that was graded."""

    def __init__(self, path: str) -> None:
        self._path = Path(path)
        self._stamp = self._now()

    def text(self, line: int) -> str:
        """A case, counted from 1, as JSON that reads well; what keeps it from being shown."""
        if self._stamp is None or self._now() != self._stamp:
            return CHANGED
        try:
            with self._path.open("rb") as file:
                data = file.read(_FAR + 1)
        except OSError as error:
            return f"The file cannot be read: {error.strerror}."
        lines = data[:_FAR].split(b"\n", line)
        is_whole = len(lines) > line or (len(lines) == line and len(data) <= _FAR)
        return _readable(lines[line - 1]) if is_whole else TOO_FAR

    def _now(self) -> tuple[int, int] | None:
        try:
            found = self._path.stat()
        except OSError:
            return None
        return found.st_mtime_ns, found.st_size


def _readable(line: bytes) -> str:
    try:
        return msgspec.json.format(line, indent=2).decode()
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        return line.decode("utf-8", "replace")
