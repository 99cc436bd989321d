"""Reads a project folder: all of it, or every reason why it cannot be used as it stands."""

import gc
import os
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from hashlib import sha256
from pathlib import Path

import msgspec

from studio.engine.errors import Problem, ProjectError
from studio.engine.plain import encodable, plain_text
from studio.engine.project import own_metrics, prompt_files, query_lists, tools_files
from studio.engine.project.fields import did_you_mean
from studio.engine.project.located import Mistakes
from studio.engine.project.project_file import FILE, ProjectFile, read_project_file
from studio.engine.project.query_item import QueryItems
from studio.engine.project.scalars import shown
from studio.engine.project.tools_files import Tools
from studio.engine.records import Project, Prompt, Query, Record, ToolSet

_CODE = (tools_files.CODE, own_metrics.FILE)


class Loaded(Record, frozen=True):
    """A project that was found good, and its queries in the order of the file.

    `list_digest` stands for all that the queries were made from: the list and the tools.
    """

    project: Project
    queries: tuple[Query, ...]
    list_digest: str = ""


def load(folder: Path, before: Loaded | None = None) -> Loaded:
    """Read the project folder; none of its code is run.

    `before` is what was loaded last, of any folder: a long query list that is still the same is not
    taken apart again.  Raises ProjectError with every mistake of every file.
    """
    unfit = _why_no_project(folder)
    if unfit is not None:
        raise ProjectError(folder, [unfit], is_project=False)
    loaded, problems = _read(folder, before)
    if problems or loaded is None:
        raise ProjectError(folder, problems)
    return loaded


def check(folder: Path) -> tuple[Problem, ...]:
    """Every mistake of every file of the folder; empty if the project can be used."""
    return tuple(_read(folder)[1])


def _read(folder: Path, before: Loaded | None = None) -> tuple[Loaded | None, list[Problem]]:
    unfit = _why_no_project(folder)
    if unfit is not None:
        return None, [unfit]
    folder = folder.resolve()
    top = Mistakes(FILE)
    file = read_project_file(folder, top)
    own_mistakes = Mistakes(own_metrics.FILE)
    own_metrics.read_own_metrics(folder, own_mistakes)
    prompts, in_prompts = prompt_files.read_prompts(folder)
    code_mistakes, tool_mistakes = Mistakes(tools_files.CODE), Mistakes(tools_files.FILE)
    code = tools_files.read_code(folder, code_mistakes)
    sets, tools = tools_files.read_adjustments(folder, code, tool_mistakes)
    # With tools.py unread, every mention of a tool would look like a mistake of its own.
    known = None if code_mistakes.count or file.graph else tools
    queries, list_mistakes, digest = _queries(folder, known, before)
    _check_choice(file, "prompt", file.prompt, [prompt.name for prompt in prompts], top)
    _check_choice(file, "tools", file.tool_set, [tool_set.name for tool_set in sets], top)
    problems = _all(top, *in_prompts, code_mistakes, tool_mistakes, own_mistakes, list_mistakes)
    if problems:
        return None, problems
    return Loaded(_project(folder, file, prompts, sets), queries, digest), []


def _queries(
    folder: Path, tools: Tools | None, before: Loaded | None
) -> tuple[tuple[Query, ...], Mistakes, str]:
    """The query list; `tools` are those that expected calls may name, None for any."""
    names = query_lists.find_list(folder)
    mistakes = Mistakes(names[0] if names else query_lists.FILES[0])
    if len(names) > 1:
        problem = f"There are {len(names)} query lists: {', '.join(names)}."
        mistakes.add(0, problem, "Keep one of them.")
    if not names:
        remedy = "Write the queries into queries.yaml, queries.jsonl or queries.csv."
        mistakes.add(0, "There is no query list.", remedy)
    text = query_lists.read_text(folder, names[0], mistakes) if names else None
    if text is None:
        return (), mistakes, ""
    digest = _digest(names[0], text, tools)
    if before is not None and before.list_digest == digest:
        return before.queries, mistakes, digest
    items = QueryItems(mistakes, tools)
    with _without_collection():
        for line, item in query_lists.read_items(names[0], text, mistakes).located():
            items.add(item, line)
        return items.finished(), mistakes, digest


def _digest(name: str, text: str, tools: Tools | None) -> str:
    parts = (name.encode(), msgspec.json.encode(tools), text.encode())
    return sha256(b"\0".join(parts)).hexdigest()


@contextmanager
def _without_collection() -> Iterator[None]:
    """Reading makes very many small objects and no cycles: looking for some doubles the time."""
    was_on = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_on:
            gc.enable()


def _why_no_project(folder: Path) -> Problem | None:
    if not encodable(str(folder)):
        name = plain_text(folder.name)
        return Problem(name, 0, f"The path of {name} is no UTF-8.", "Rename it.")
    try:
        if folder.is_file():
            remedy = f"Open the folder that holds it: {folder.parent}"
            return Problem(
                folder.name, 0, f"{folder.name} is a file, not a project folder.", remedy
            )
        if not folder.is_dir():
            return Problem(folder.name, 0, f"There is no folder {folder}.", "Check the path.")
        if not os.access(folder, os.R_OK | os.X_OK):
            remedy = "Allow your user to read it."
            return Problem(folder.name, 0, f"The folder {folder} may not be read.", remedy)
        if not os.path.lexists(folder / FILE):
            remedy = f"Open the folder that holds {FILE}, or make that file with `name: ...` in it."
            return Problem(FILE, 0, f"{folder.name} is no project folder.", remedy)
    except (OSError, ValueError) as error:
        return Problem(
            folder.name, 0, f"The folder {folder} cannot be read: {error}.", "Check the path."
        )
    return None


def _check_choice(
    file: ProjectFile, key: str, chosen: str, known: Sequence[str], mistakes: Mistakes
) -> None:
    if chosen and known and chosen not in known:
        problem = f"{key} names {shown(chosen)}, which is not there."
        mistakes.add(file.lines.get(key, 0), problem, did_you_mean(chosen, known))


def _all(*parts: Mistakes) -> list[Problem]:
    return [problem for mistakes in parts for problem in mistakes.problems]


def _project(
    folder: Path, file: ProjectFile, prompts: Iterable[Prompt], sets: Sequence[ToolSet]
) -> Project:
    prompts = tuple(prompts)
    return Project(
        folder=str(folder),
        name=file.name,
        description=file.description,
        prompts=prompts,
        tool_sets=tuple(sets),
        models=file.models,
        metrics=file.metrics,
        passed=file.passed,
        default_prompt=file.prompt or prompts[0].name,
        default_tool_set=file.tool_set or sets[0].name,
        default_model=file.model,
        architecture=file.architecture,
        step_cap=file.step_cap,
        graph=file.graph,
        trials=file.trials,
        at_once=file.at_once,
        requests=file.requests,
        time_limit=file.time_limit,
        has_code=bool(file.graph) or any((folder / name).exists() for name in _CODE),
        own_metrics=file.own_metrics,
    )
