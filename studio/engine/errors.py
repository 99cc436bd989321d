"""Errors that are told to a person: what is wrong, and what to do about it.

::

    StudioError
    ├── ProjectError      the project folder cannot be used as it stands (lists every problem)
    ├── ServerError       a model server cannot be reached, or refused
    ├── WeightsError      the embedded model's weights could not be had
    ├── ToolHostError     the process in which a project's tools run could not be started
    ├── StoreError        runs cannot be written or read (disk full, read-only, damaged, newer)
    ├── NotTrusted        the project's code would have to run, and nobody allowed it yet
    └── RunError          the run cannot start as asked

Anything else that is raised is a bug and is shown as one.
"""

from collections.abc import Sequence
from pathlib import Path

import msgspec
from typing_extensions import override


class StudioError(Exception):
    """Something the user can do something about.

    `problem` is one sentence on what is wrong, `remedy` one on what to do ("" if nothing can be).
    """

    def __init__(self, problem: str, remedy: str = "") -> None:
        super().__init__(f"{problem} {remedy}".rstrip())
        self.problem = problem
        self.remedy = remedy


class Problem(msgspec.Struct, frozen=True):
    """One mistake in a project file.  `line` counts from 1; 0 means the file as a whole."""

    file: str
    line: int
    problem: str
    remedy: str = ""

    @override
    def __str__(self) -> str:
        place = f"{self.file}, line {self.line}" if self.line else self.file
        return f"{place}: {self.problem} {self.remedy}".rstrip()


class ProjectError(StudioError):
    """The project folder cannot be used as it stands.  Carries every problem, not only one.

    `is_project` is False where there is nothing that could have mistakes: the only problem is why.
    """

    def __init__(
        self, folder: Path, problems: Sequence[Problem], *, is_project: bool = True
    ) -> None:
        count = "1 mistake" if len(problems) == 1 else f"{len(problems)} mistakes"
        if is_project:
            super().__init__(f"{folder.name} has {count}.", "\n".join(map(str, problems)))
        else:
            super().__init__(problems[0].problem, problems[0].remedy)
        self.folder = folder
        self.problems = tuple(problems)


class ServerError(StudioError):
    """A model server cannot be reached, or refused what was asked."""


class WeightsError(StudioError):
    """The embedded model's weights could not be downloaded or are damaged."""


class ToolHostError(StudioError):
    """The process in which a project's tools run could not be started."""


class StoreError(StudioError):
    """Runs cannot be written or read."""


class StoreTaken(StoreError):
    """Another studio writes to the runs."""


class NotTrusted(StudioError):
    """The code of the project in `folder` would have to run, and nobody allowed it yet."""

    def __init__(self, folder: Path, problem: str, remedy: str = "") -> None:
        super().__init__(problem, remedy)
        self.folder = folder


class RunError(StudioError):
    """The run cannot start as asked."""


def no_run(run: int) -> RunError:
    """The error for a number that no run of the project has."""
    return RunError(f"There is no run {run} in this project.", "`studio runs` lists them.")
