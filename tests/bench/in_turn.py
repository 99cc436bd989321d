"""Measures programs in turn, each in a process of its own: what the whole-job benches share."""

import json
import os
import statistics
import subprocess
import sys
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

Measured = dict[str, float]

_LOOK_EVERY = 0.02


def medians(commands: Mapping[str, Sequence[str]], rounds: int) -> dict[str, Measured]:
    """The median of each figure of each command over the rounds, by the command's name.

    A command prints its figures as a JSON object, on the last line of its output.  Its "peak_mib"
    is held against what is seen (on Linux) of it and its children together.
    """
    found: dict[str, list[Measured]] = {name: [] for name in commands}
    for _ in range(rounds):
        for name, command in commands.items():
            found[name].append(_measured(command))
    return {
        name: {key: statistics.median(each[key] for each in all) for key in all[0]}
        for name, all in found.items()
    }


def _measured(command: Sequence[str]) -> Measured:
    peak = 0
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as running:
        while True:
            try:
                out, _ = running.communicate(timeout=_LOOK_EVERY)
                break
            except subprocess.TimeoutExpired:
                peak = max(peak, sum(map(_resident, _family(running.pid))))
    if running.returncode:
        raise subprocess.CalledProcessError(running.returncode, command)
    found: Measured = json.loads(out.splitlines()[-1])
    return found | {"peak_mib": max(found["peak_mib"], peak / 2**20)}


def _family(pid: int) -> Iterator[int]:
    yield pid
    for listed in Path(f"/proc/{pid}/task").glob("*/children"):
        for child in _read(listed).split():
            yield from _family(int(child))


def _resident(pid: int) -> int:
    """Bytes; pages that several processes share count for each."""
    if sys.platform == "win32":
        return 0
    pages = _read(Path(f"/proc/{pid}/statm")).split()[1:2]
    return int(pages[0]) * os.sysconf("SC_PAGE_SIZE") if pages else 0


def _read(path: Path) -> str:
    try:
        return path.read_text()
    except OSError:
        return ""  # the process has ended, or this is no Linux
