"""Reads a text file of a project folder, or says what keeps it from being read."""

import os
import stat
from pathlib import Path

from studio.engine.project.located import Mistakes

MEGABYTE = 1_000_000

_BOM = b"\xef\xbb\xbf"
_UTF_16 = (b"\xff\xfe", b"\xfe\xff")


def read(folder: Path, name: str, mistakes: Mistakes, *, limit: int) -> str | None:
    """The text of the file `name` below `folder`, line ends as they stand; None with a mistake.

    Accepts UTF-8 with or without a byte-order mark.  `limit` is in bytes.
    """
    data = _bytes(folder, name, mistakes, limit)
    if data is None:
        return None
    if data.startswith(_UTF_16):
        mistakes.add(0, "This file is UTF-16.", "Save it as UTF-8.")
        return None
    data = data.removeprefix(_BOM)
    try:
        text = data.decode("utf-8")
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        found = f"Byte {error.start:,} (0x{data[error.start]:02x}) is no UTF-8."
        mistakes.add(line, found, "Save the file as UTF-8.")
        return None
    if "\0" in text:
        line = text.count("\n", 0, text.index("\0")) + 1
        mistakes.add(line, "There is a zero byte in this file.", "Save it as plain UTF-8 text.")
        return None
    return text


def exists(folder: Path, name: str) -> bool:
    """Whether something of that name stands in the folder, a broken link included."""
    return os.path.lexists(folder / name)


def _bytes(folder: Path, name: str, mistakes: Mistakes, limit: int) -> bytes | None:
    path = folder / name
    try:
        if not path.resolve().is_relative_to(folder.resolve()):
            mistakes.add(0, "This link leads out of the project folder.", "Copy the file here.")
            return None
        facts = path.stat()
        if not stat.S_ISREG(facts.st_mode):
            mistakes.add(0, "This is no file.", "Put a text file of that name here.")
            return None
        if facts.st_size > limit:
            size = f"{facts.st_size / MEGABYTE:,.1f} MB"
            most = f"at most {limit // MEGABYTE:,} MB"
            mistakes.add(0, f"This file has {size}; {most} are read.", "Make it smaller.")
            return None
        return path.read_bytes()
    except FileNotFoundError:
        mistakes.add(0, "This file is missing.")
    except PermissionError:
        mistakes.add(0, "This file may not be read.", "Allow your user to read it.")
    except (OSError, RuntimeError) as error:  # RuntimeError: a loop of links
        mistakes.add(0, f"This file cannot be read: {error}.")
    return None
