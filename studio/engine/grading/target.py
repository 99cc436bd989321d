"""Where verdicts go: a file that is not the one the cases are read from."""

import os
import stat
from pathlib import Path
from typing import BinaryIO

from studio.engine.errors import StudioError


def open_target(out: Path, source: BinaryIO) -> BinaryIO:
    """The file of verdicts, empty.  Raises OSError if it cannot be written.

    Raises StudioError, with the file untouched, if the cases are read from it, whatever it is
    called: opening it would delete them unread.
    """
    if _is_same(out, source):
        raise StudioError(f"{out} holds the cases.", "Write the verdicts to another file.")
    return out.open("wb")


def _is_same(out: Path, source: BinaryIO) -> bool:
    try:
        there = out.stat()
    except FileNotFoundError:
        return False
    return stat.S_ISREG(there.st_mode) and os.path.samestat(there, os.fstat(source.fileno()))
