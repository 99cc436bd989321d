"""What went wrong with the file of runs, in words for a person."""

import contextlib
import sqlite3
import zlib
from collections.abc import Iterator
from pathlib import Path

import msgspec

from studio.engine.errors import StoreError


@contextlib.contextmanager
def told(path: Path) -> Iterator[None]:
    """Raise what SQLite, the disk or the file's contents bring about as a StoreError."""
    try:
        yield
    except (sqlite3.Error, OSError, zlib.error, msgspec.MsgspecError, ValueError) as error:
        raise as_store_error(error, path) from error


def as_store_error(error: Exception, path: Path) -> StoreError:
    match error:
        case StoreError():
            return error
        case sqlite3.Error():
            return _from_sqlite(error, path)
        case OSError():
            return StoreError(
                f"{path} cannot be written or read: {error.strerror or error}.",
                "Check the permissions of the folder and the disk.",
            )
        case zlib.error() | msgspec.MsgspecError() | ValueError():
            return damaged(path, str(error))
        case _:
            return StoreError(f"Runs could not be written to {path}: {error!r}.")


def damaged(path: Path, detail: str) -> StoreError:
    return StoreError(
        f"{path} is damaged ({detail}).",
        "It was left as it is.  Move it to another place or put a backup there;"
        " new runs then go into a new file.",
    )


def primary(error: sqlite3.Error) -> int:
    """SQLite's primary result code; 0 for the errors that Python's module itself raises."""
    return getattr(error, "sqlite_errorcode", 0) & 0xFF


def _from_sqlite(error: sqlite3.Error, path: Path) -> StoreError:
    match primary(error):
        case sqlite3.SQLITE_FULL:
            return StoreError(
                f"The disk that holds {path} is full.",
                "Make room: what waits to be written is kept and written then.",
            )
        case sqlite3.SQLITE_READONLY | sqlite3.SQLITE_CANTOPEN | sqlite3.SQLITE_PERM:
            return StoreError(
                f"{path} cannot be opened or written ({error}).",
                "Check the permissions of the folder, or copy the project to a disk"
                " that can be written.",
            )
        case sqlite3.SQLITE_BUSY | sqlite3.SQLITE_LOCKED:
            return StoreError(f"Another program is writing to {path}.", "Close it, then try again.")
        case sqlite3.SQLITE_IOERR:
            return StoreError(
                f"The disk that holds {path} reported an error ({error}).",
                "Check that it is connected, healthy and has room.",
            )
        case sqlite3.SQLITE_CORRUPT | sqlite3.SQLITE_NOTADB:
            return damaged(path, str(error))
        case _:
            return StoreError(f"{path} cannot be written or read ({error}).")
