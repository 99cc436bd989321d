"""Reads a file of a project to change it, and puts the changed text in its place."""

from pathlib import Path

from studio.engine import files
from studio.engine.errors import Problem, ProjectError, StudioError
from studio.engine.project import query_lists
from studio.engine.project.located import Mistakes

_BOM = b"\xef\xbb\xbf"


def text_of(folder: Path, name: str) -> str:
    mistakes = Mistakes(name)
    text = query_lists.read_text(folder, name, mistakes)
    refuse(folder, mistakes)
    return text or ""


def write(folder: Path, name: str, before: str, after: str) -> None:
    """Save the text, with the byte-order mark that the file had."""
    if after == before:
        return
    path = folder / name
    had_bom = path.exists() and path.read_bytes().startswith(_BOM)
    try:
        data = after.encode("utf-8")
    except UnicodeEncodeError as error:
        problem = "The text holds half of a surrogate pair."
        raise refused(folder, name, problem, "Delete that character.") from error
    files.write(path, _BOM + data if had_bom else data)


def refuse(folder: Path, mistakes: Mistakes) -> None:
    if mistakes.count:
        raise ProjectError(folder, mistakes.problems)


def refused(folder: Path, file: str, problem: str, remedy: str) -> ProjectError:
    return ProjectError(folder, [Problem(file, 0, problem, remedy)])


def cannot(file: str) -> StudioError:
    problem = f"{file} is written in a way that cannot be changed without changing more."
    return StudioError(problem, "Edit it in a text editor.")
