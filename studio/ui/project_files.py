"""What the user changes of the open project's files: each change is one command to the engine."""

from collections.abc import Callable, Sequence

from studio.engine.messages import (
    Command,
    DeletePrompt,
    DeleteQuery,
    DeleteToolSet,
    RenamePrompt,
    SavePrompt,
    SaveQuery,
    SaveTool,
    SaveToolSet,
)
from studio.engine.records import Criteria, Query, ToolSpec
from studio.engine.scoring_messages import SaveCriteria


class ProjectFiles:
    """Sends the changes; what the files hold then comes back as the project, read again.

    `renaming` hears the kind and the names of a pick that is about to get another name.
    """

    def __init__(
        self, send: Callable[[Command], None], renaming: Callable[[str, str, str], None]
    ) -> None:
        self._send = send
        self._renaming = renaming

    def save_prompt(self, name: str, text: str) -> None:
        self._send(SavePrompt(name, text))

    def delete_prompt(self, name: str) -> None:
        self._send(DeletePrompt(name))

    def rename_prompt(self, name: str, to: str) -> None:
        self._renaming("prompt", name, to)
        self._send(RenamePrompt(name, to))

    def save_tool(self, tool: ToolSpec) -> None:
        self._send(SaveTool(tool))

    def save_tool_set(self, name: str, tools: Sequence[str], replaces: str | None = None) -> None:
        """As a new set, or in place of `replaces`."""
        if replaces is not None and replaces != name:
            self._renaming("tool_set", replaces, name)
        self._send(SaveToolSet(name, tuple(tools), replaces))

    def delete_tool_set(self, name: str) -> None:
        self._send(DeleteToolSet(name))

    def save_criteria(self, criteria: Criteria) -> None:
        self._send(SaveCriteria(criteria))

    def save_query(self, query: Query, replaces: str | None) -> None:
        self._send(SaveQuery(query, replaces))

    def delete_query(self, query_id: str) -> None:
        self._send(DeleteQuery(query_id))
