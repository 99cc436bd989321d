"""Writes one tool set to `tools.yaml`, and leaves everything else in it as it is.

What `saving` says of its functions holds for these.
"""

from collections.abc import Sequence
from pathlib import Path

from studio.engine import files
from studio.engine.errors import StudioError
from studio.engine.project import text_files, tools_files
from studio.engine.project.choice_saving import choose
from studio.engine.project.located import Mistakes
from studio.engine.project.project_file import FILE as PROJECT_FILE
from studio.engine.project.project_file import read_project_file
from studio.engine.project.scalars import shown
from studio.engine.project.tools_edit import edited_set
from studio.engine.project.tools_files import ALL, FILE, NONE, Names
from studio.engine.project.writing import cannot, refuse, text_of, write


def save_tool_set(
    folder: Path, name: str, tools: Sequence[str], replaces: str | None = None
) -> None:
    """Write the names of a set's tools: in place of the set `replaces`, else as a new set.

    Where `project.yaml` uses that set by default, it follows the new name.
    """
    before, text = _read(folder)
    if name != replaces and name in before:
        raise StudioError(f"There is a tool set {shown(name)} already.", "Take another name.")
    if replaces not in (None, name, ALL, NONE, *before):  # two of which need stand in no file
        problem = f"There is no tool set {shown(replaces)} any more."
        raise StudioError(problem, "It was deleted or renamed elsewhere.")
    wanted = _replaced(before, name, tuple(tools), replaces)
    _write(folder, text, edited_set(text, name, tools, replaces), wanted)
    if replaces is None or name == replaces or _default(folder) != replaces:
        return
    try:
        choose(folder, "tools", name)
    except StudioError:
        write(folder, FILE, "", text) if text else files.remove(folder / FILE)
        raise


def delete_tool_set(folder: Path, name: str) -> None:
    """Take a set out; the default one is kept, and the one that is there without being written."""
    before, text = _read(folder)
    if name not in before:
        problem = f"{shown(name)} stands in no file: it holds every tool where no other set does."
        raise StudioError(problem, "Write a set that holds every tool; then it is gone.")
    if _default(folder) == name:
        remedy = f"Name another one as `tools:` in {PROJECT_FILE} first."
        raise StudioError(f"{name} is the project's default tool set.", remedy)
    wanted = {each: tools for each, tools in before.items() if each != name}
    _write(folder, text, edited_set(text, name, None, None), wanted)


def _default(folder: Path) -> str:
    return read_project_file(folder.resolve(), Mistakes(PROJECT_FILE)).tool_set


def _read(folder: Path) -> tuple[Names, str]:
    """The sets that the file states, and its text."""
    text = text_of(folder, FILE) if text_files.exists(folder, FILE) else ""
    return _stated(folder, text), text


def _stated(folder: Path, text: str) -> Names:
    mistakes = Mistakes(FILE)
    code = tools_files.read_code(folder, Mistakes(tools_files.CODE))
    stated = tools_files.stated_sets(text, code, mistakes)
    refuse(folder, mistakes)
    return stated


def _replaced(before: Names, name: str, tools: tuple[str, ...], replaces: str | None) -> Names:
    """The sets with this one in its place; its place is the end if it is new."""
    wanted = {name if each == replaces else each: held for each, held in before.items()}
    return {**wanted, name: tools}


def _write(folder: Path, text: str, after: str, wanted: Names) -> None:
    found = _stated(folder, after)
    if list(found.items()) != list(wanted.items()):
        raise cannot(FILE)
    write(folder, FILE, text, after)
