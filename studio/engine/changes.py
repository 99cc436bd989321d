"""One change of a project's files, as a user asks for it: what it touches, and carrying it out."""

from pathlib import Path
from typing import assert_never

from studio.engine import project
from studio.engine.messages import (
    DeletePrompt,
    DeleteQuery,
    DeleteToolSet,
    RenamePrompt,
    SavePrompt,
    SaveQuery,
    SaveTool,
    SaveToolSet,
)
from studio.engine.project import Loaded
from studio.engine.records import Criteria, Query, ToolSet, ToolSpec
from studio.engine.scoring_messages import SaveCriteria

Change = (
    SavePrompt
    | DeletePrompt
    | RenamePrompt
    | SaveTool
    | SaveToolSet
    | DeleteToolSet
    | SaveQuery
    | DeleteQuery
    | SaveCriteria
)


Touched = str | ToolSpec | ToolSet | Query | Criteria | None


def touched(loaded: Loaded, change: Change) -> Touched:
    """What it replaces: the prompt's text, the tool, set, query, criteria; None where it is new.

    Whoever asks for the change has seen it as it stood when the project was read last.
    """
    match change:
        case SavePrompt(name=name) | DeletePrompt(name=name) | RenamePrompt(name=name):
            texts = (each.text for each in loaded.project.prompts if each.name == name)
            return next(texts, None)
        case SaveTool(tool=tool):
            tools = (each for tool_set in loaded.project.tool_sets for each in tool_set.tools)
            return next((each for each in tools if each.name == tool.name), None)
        case SaveToolSet(replaces=name) | DeleteToolSet(name=name):
            return next((each for each in loaded.project.tool_sets if each.name == name), None)
        case SaveQuery(replaces=id) | DeleteQuery(id=id):
            return next((each for each in loaded.queries if each.id == id), None)
        case SaveCriteria():
            return loaded.project.criteria
        case _:
            assert_never(change)


def carry_out(folder: Path, change: Change) -> None:
    """Write the change into the project's files.  Raises StudioError; they are then as before."""
    match change:
        case SavePrompt(name=name, text=text):
            project.save_prompt(folder, name, text)
        case DeletePrompt(name=name):
            project.delete_prompt(folder, name)
        case RenamePrompt(name=name, to=to):
            project.rename_prompt(folder, name, to)
        case SaveTool() | SaveToolSet() | DeleteToolSet():
            _change_tools(folder, change)
        case SaveQuery(query=query, replaces=replaces):
            project.save_query(folder, query, replaces)
        case DeleteQuery(id=id):
            project.delete_query(folder, id)
        case SaveCriteria(criteria=criteria):
            project.save_criteria(folder, criteria)
        case _:
            assert_never(change)


def _change_tools(folder: Path, change: SaveTool | SaveToolSet | DeleteToolSet) -> None:
    match change:
        case SaveTool(tool=tool):
            project.save_tool(folder, tool)
        case SaveToolSet(name=name, tools=tools, replaces=replaces):
            project.save_tool_set(folder, name, tools, replaces)
        case DeleteToolSet(name=name):
            project.delete_tool_set(folder, name)
        case _:
            assert_never(change)
