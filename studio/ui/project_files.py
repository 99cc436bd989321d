"""What the user changes of the open project's files: each change is one command to the engine."""

from collections.abc import Callable

from studio.engine.messages import (
    Command,
    DeletePrompt,
    DeleteQuery,
    RenamePrompt,
    SavePrompt,
    SaveQuery,
    SaveTool,
)
from studio.engine.records import Criteria, Query, ToolSpec
from studio.engine.scoring_messages import SaveCriteria


class ProjectFiles:
    """Sends the changes; what the files hold then comes back as the project, read again.

    `renaming` hears of a prompt that is about to get another name.
    """

    def __init__(
        self, send: Callable[[Command], None], renaming: Callable[[str, str], None]
    ) -> None:
        self._send = send
        self._renaming = renaming

    def save_prompt(self, name: str, text: str) -> None:
        self._send(SavePrompt(name, text))

    def delete_prompt(self, name: str) -> None:
        self._send(DeletePrompt(name))

    def rename_prompt(self, name: str, to: str) -> None:
        self._renaming(name, to)
        self._send(RenamePrompt(name, to))

    def save_tool(self, tool: ToolSpec) -> None:
        self._send(SaveTool(tool))

    def save_criteria(self, criteria: Criteria) -> None:
        self._send(SaveCriteria(criteria))

    def save_query(self, query: Query, replaces: str | None) -> None:
        self._send(SaveQuery(query, replaces))

    def delete_query(self, query_id: str) -> None:
        self._send(DeleteQuery(query_id))
