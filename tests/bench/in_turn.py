"""Measures programs in turn, each in a process of its own: what the whole-job benches share."""

import json
import statistics
import subprocess
from collections.abc import Mapping, Sequence

Measured = dict[str, float]


def medians(commands: Mapping[str, Sequence[str]], rounds: int) -> dict[str, Measured]:
    """The median of each figure of each command over the rounds, by the command's name.

    A command prints its figures as a JSON object, on the last line of its output.
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
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    return json.loads(done.stdout.splitlines()[-1])
