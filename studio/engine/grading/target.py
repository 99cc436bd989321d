"""Where verdicts and examples go: a file that holds no cases that would be lost."""

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


def open_new(out: Path) -> BinaryIO:
    """A file that is not there yet.  Raises OSError if it cannot be written.

    Raises StudioError if it is there: an example is for editing, and may have been edited.
    """
    try:
        return out.open("xb")
    except FileExistsError:
        raise StudioError(f"{out} is there already.", "Name another file.") from None


def _is_same(out: Path, source: BinaryIO) -> bool:
    try:
        there = out.stat()
    except FileNotFoundError:
        return False
    return stat.S_ISREG(there.st_mode) and os.path.samestat(there, os.fstat(source.fileno()))
