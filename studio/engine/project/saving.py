"""Writes one part of a project back to its file, and leaves everything else in it as it is.

Each function reads the file anew, changes the one entry, reads the result as `load` would and only
then replaces the file at once: an edit made elsewhere in the meantime is kept, a mistake (a blank
query, an id that is taken) is told as ProjectError before anything is written, and what cannot be
written (disk full, folder read-only) as StudioError with the old file whole.
"""

import re
from pathlib import Path

from msgspec.structs import replace

from studio.engine import files
from studio.engine.errors import StudioError
from studio.engine.project import prompt_files, text_files, tools_files
from studio.engine.project.choice_saving import choose
from studio.engine.project.criteria_edit import edited_criteria
from studio.engine.project.located import Mistakes
from studio.engine.project.project_file import FILE as PROJECT_FILE
from studio.engine.project.project_file import ProjectFile, project_file_of, read_project_file
from studio.engine.project.scalars import shown
from studio.engine.project.tools_edit import edited_tools
from studio.engine.project.tools_files import Tools
from studio.engine.project.writing import cannot, refuse, refused, text_of, write
from studio.engine.project.yaml_edit import newline_of
from studio.engine.records import Criteria, ToolSpec

# What no file system takes in a name, and what is lost at its ends.
_NAME = re.compile(r"""(?![\s.])[^\x00-\x1f\x7f/\\:*?"<>|]+(?<![\s.])""")


def save_prompt(folder: Path, name: str, text: str) -> None:
    """Write `prompts/NAME.md`, with the line ends that it had."""
    file = _prompt_file(name)
    if not text.strip():
        raise refused(folder, file, "The prompt is empty.", "Write what the agent is told to do.")
    text = text.replace("\r\n", "\n").replace("\r", "\n")
    if len(text) > prompt_files.LIMIT // 4:
        raise refused(folder, file, "The prompt is too long.", "Make it shorter.")
    old = text_of(folder, file) if text_files.exists(folder, file) else ""
    if old and prompt_files.prompt_text(old) == text:
        return
    write(folder, file, old, (text + "\n").replace("\n", newline_of(old)))


def delete_prompt(folder: Path, name: str) -> None:
    """Delete `prompts/NAME.md`; the last prompt and the default one are kept."""
    prompts, _ = prompt_files.read_prompts(folder)
    if [prompt.name for prompt in prompts] == [name]:
        raise StudioError(f"{name} is the only prompt.", "Write another one before deleting it.")
    if read_project_file(folder.resolve(), Mistakes(PROJECT_FILE)).prompt == name:
        remedy = f"Name another one as `prompt:` in {PROJECT_FILE} first."
        raise StudioError(f"{name} is the project's default prompt.", remedy)
    files.remove(folder / prompt_files.FOLDER / f"{name}.md")


def rename_prompt(folder: Path, name: str, to: str) -> None:
    """Give `prompts/NAME.md` another name; `project.yaml` follows where it names the prompt."""
    old, new = folder / _prompt_file(name), folder / _prompt_file(to)
    if new.exists():
        raise StudioError(f"There is a prompt {shown(to)} already.", "Take another name.")
    try:
        files.write(new, old.read_bytes())
    except OSError as error:
        problem = f"The prompt {shown(name)} cannot be read: {error.strerror or error}."
        raise StudioError(problem, "Read the project's files again.") from error
    try:
        if read_project_file(folder.resolve(), Mistakes(PROJECT_FILE)).prompt == name:
            choose(folder, "prompt", to)
    except StudioError:
        files.remove(new)
        raise
    files.remove(old)


def _prompt_file(name: str) -> str:
    if not _NAME.fullmatch(name) or len(name.encode("utf-8", "replace")) > 120:
        problem = f"{shown(name)} cannot be the name of a file."
        raise StudioError(problem, "Take letters, digits, spaces, - and _; at most 120 of them.")
    return f"{prompt_files.FOLDER}/{name}.md"


def save_tool(folder: Path, tool: ToolSpec) -> None:
    """Write to `tools.yaml` where the tool differs from what `tools.py` says, and only that."""
    file = tools_files.FILE
    code = tools_files.read_code(folder, Mistakes(tools_files.CODE))
    if tool.name not in code:
        problem = f"{tools_files.CODE} has no tool {shown(tool.name)}."
        raise refused(folder, tools_files.CODE, problem, "Write the function first.")
    text = text_of(folder, file) if text_files.exists(folder, file) else ""
    before = _tools(folder, text, code)
    after = edited_tools(text, tool, code[tool.name])
    if _tools(folder, after, code) != {**before, tool.name: tool}:
        raise cannot(file)
    write(folder, file, text, after)


def _tools(folder: Path, text: str, code: Tools) -> Tools:
    mistakes = Mistakes(tools_files.FILE)
    _, tools = tools_files.adjustments_of(text, code, mistakes)
    refuse(folder, mistakes)
    return tools


def save_criteria(folder: Path, criteria: Criteria) -> None:
    """Write the metrics, and what passes, to `project.yaml`."""
    text = text_of(folder, PROJECT_FILE)
    before = _project(folder, text)
    if before.metrics == criteria.metrics and before.passed == criteria.passed:
        return
    after = edited_criteria(PROJECT_FILE, text, criteria)
    wanted = replace(before, metrics=criteria.metrics, passed=criteria.passed)
    if replace(_project(folder, after), lines=before.lines) != wanted:
        raise cannot(PROJECT_FILE)
    write(folder, PROJECT_FILE, text, after)


def _project(folder: Path, text: str) -> ProjectFile:
    mistakes = Mistakes(PROJECT_FILE)
    file = project_file_of(text, folder, mistakes)
    refuse(folder, mistakes)
    return file
