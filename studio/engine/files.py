"""Writes files so that a crash, a full disk or a read-only folder leaves the old content whole."""

import contextlib
import errno
import os
import stat
import tempfile
from pathlib import Path

from studio.engine.errors import StudioError

_NO_ROOM = {errno.ENOSPC, errno.EDQUOT, errno.EFBIG}
_NOT_ALLOWED = {errno.EACCES, errno.EPERM, errno.EROFS}


def write(path: Path, data: bytes) -> None:
    """Put `data` into the file at once: readers see the old content or the new, never a part.

    The folder is made if it is missing; the permissions of an existing file and the link that
    leads to it are kept.  Raises StudioError with what to do; the old file is then untouched.
    """
    try:
        target = path.resolve()
        target.parent.mkdir(parents=True, exist_ok=True)
        _refuse_protected(target)
        _replace(target, data)
    except OSError as error:
        raise StudioError(f"{path.name} could not be saved.", _remedy(error, path)) from error


def remove(path: Path) -> None:
    """Delete the file; a file that is gone already is as good.  Raises StudioError."""
    try:
        path.unlink(missing_ok=True)
    except OSError as error:
        raise StudioError(f"{path.name} could not be deleted.", _remedy(error, path)) from error


def _refuse_protected(target: Path) -> None:
    """Raise StudioError for a file that may not be written: to replace it, none asks the file."""
    try:
        with contextlib.suppress(FileNotFoundError), target.open("r+b"):
            pass
    except PermissionError as error:
        remedy = f"The file {target} may not be written: allow it, or save a copy elsewhere."
        raise StudioError(f"{target.name} could not be saved.", remedy) from error


def _replace(target: Path, data: bytes) -> None:
    handle, name = tempfile.mkstemp(dir=target.parent, prefix=f".{target.name[:60]}.", suffix="~")
    temporary = Path(name)
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
        temporary.chmod(_mode(target))
        temporary.replace(target)
    except BaseException:
        temporary.unlink(missing_ok=True)
        raise
    _sync_folder(target.parent)


def _mode(target: Path) -> int:
    """The permissions of the file that is replaced, or those that a new file would get."""
    try:
        return stat.S_IMODE(target.stat().st_mode)
    except FileNotFoundError:
        return 0o644


def _sync_folder(folder: Path) -> None:
    # Only then does the new name outlive a power cut.  Windows cannot open folders, nor needs to.
    if os.name == "nt":
        return
    handle = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)


def _remedy(error: OSError, path: Path) -> str:
    if error.errno in _NO_ROOM:
        return "There is no room left on the disk: free some space and save again."
    if error.errno in _NOT_ALLOWED:
        return f"The folder {path.parent} may not be written: allow it, or save a copy elsewhere."
    return f"The system says: {error.strerror or error}."
