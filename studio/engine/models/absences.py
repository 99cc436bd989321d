"""When a server of a run was gone, in words.  Light: the window says it too."""

import time
from collections.abc import Sequence

from studio.engine.server_facts import Absence

_MOST = 3


def in_words(absences: Sequence[Absence]) -> str:
    """The times in this machine's zone, the last few of many; "" if there are none."""
    if not absences:
        return ""
    times = f"{len(absences)} times, the last ones " if len(absences) > _MOST else ""
    return f"was gone {times}{' and '.join(map(_told, absences[-_MOST:]))}"


def _told(absence: Absence) -> str:
    if absence.until is None:
        return f"since {_moment(absence.since)}"
    began, ended = _moment(absence.since), _moment(absence.until)
    day, clock = ended.split(", ")
    told = f"from {began} to {clock if began.startswith(f'{day}, ') else ended}"
    return f"{told} (then version {absence.version})" if absence.version else told


def _moment(unix: float) -> str:
    local = time.localtime(unix)
    return f"{local.tm_mday} {time.strftime('%b %Y, %H:%M:%S', local)}"
