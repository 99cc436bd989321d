"""The user's own copies of the sample projects, theirs to change."""

import shutil
from pathlib import Path

from studio.engine import trust
from studio.folders import data_folder
from studio.resources import sample_project


def own_sample(name: str) -> Path:
    """The user's own copy of a sample project, made (and trusted) the first time it is asked for.

    Its code came with the studio, so nobody needs to be asked whether it may run.
    """
    copy = data_folder() / "sample_projects" / name
    if not copy.exists():
        fresh = copy.with_name(f".{name}.new")
        shutil.rmtree(fresh, ignore_errors=True)
        shutil.copytree(sample_project(name), fresh, ignore=_not_copied)
        fresh.replace(copy)
        # Whoever stops in between is asked, as of any other project.
        trust.trust(copy)
    return copy


def _not_copied(_folder: str, names: list[str]) -> set[str]:
    return {"__pycache__", ".studio"} & set(names)
