"""How the studio starts Python processes: what is imported in them does not depend on the place.

`-m` would look for modules in the working directory first.  That may be a project that somebody
sent, in which a `json.py` or a `studio.py` would run before anybody has trusted it.
"""

import os
import sys

PYTHON = (sys.executable, "-P")
"""The beginning of every command that starts a Python process."""


def running(module: str) -> list[str]:
    """The command of a process that runs a module of ours."""
    return [*PYTHON, "-m", module]


def environment() -> dict[str, str]:
    """What it is to be started in: it finds the same modules, also where we are not installed."""
    return {**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, sys.path))}
