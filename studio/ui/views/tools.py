"""The tools page: tool sets and their tools; what the model is told of each can be edited."""

from collections.abc import Mapping
from pathlib import Path

from msgspec.structs import replace
from PySide6.QtCore import Qt, QUrl
from PySide6.QtGui import QDesktopServices
from PySide6.QtWidgets import QTreeWidget, QTreeWidgetItem, QWidget
from typing_extensions import override

from studio.engine.records import Project, ToolSpec
from studio.ui.commands import Actions
from studio.ui.edits import Fields
from studio.ui.fields import read_tool, tool_fields
from studio.ui.session import Session
from studio.ui.views.page import Page
from studio.ui.views.record_editor import RecordEditor
from studio.ui.widgets.form import Field
from studio.ui.widgets.panel import Panel, button
from studio.ui.widgets.split import split

_NAME = Qt.ItemDataRole.UserRole
_FIELDS = (
    Field("description", "Description: what the model is told that the tool does", lines=5),
    Field("time_limit", "Time limit in seconds: a call that takes longer is a tool error"),
    Field("parameters", "Parameters: a JSON Schema", lines=8, is_code=True, grows=True),
)


class ToolsPage(Page):
    """The tools of the project.  Their code is edited elsewhere; what the model sees, here."""

    def __init__(
        self, session: Session, actions: Actions, drafts: Path, parent: QWidget | None = None
    ) -> None:
        super().__init__(parent)
        self._session = session
        self._drafts = drafts
        self._folder = ""
        self._tools: dict[str, ToolSpec] = {}
        self.tree = QTreeWidget()
        self.tree.setHeaderHidden(True)
        self.tree.setAccessibleName("Tool sets and tools")
        self.tree.setUniformRowHeights(True)
        self.tree.currentItemChanged.connect(self._show_current)
        self.panel = RecordEditor(_FIELDS, _wrong, actions, {})
        self.panel.edited.connect(self._mark)
        self.form = self.panel.form
        folder = button("Open Folder")
        folder.clicked.connect(self._open_folder)
        self.panel.foot.add(folder)
        left = Panel("Tool sets")
        left.body.addWidget(self.tree)
        split(self, "tools", (left, self.panel), (260, 780))
        session.project_changed.connect(self._read)
        self._read(session.state.project)

    @override
    def start_here(self) -> QWidget:
        return self.tree

    @override
    def save_item(self) -> None:
        name = self.panel.name
        if name is None or not self.panel.is_dirty:
            return
        tool, wrong = read_tool(name, self.form.values())
        self.form.show_wrong(wrong)
        if tool is not None:
            # The form does not show it.
            is_retrieval = self._tools[name].is_retrieval
            self._session.files.save_tool(replace(tool, is_retrieval=is_retrieval))

    @override
    def keep_drafts(self) -> None:
        self.panel.keep_drafts()

    def show_tool(self, name: str) -> None:
        """Make this tool the current one."""
        for place in range(self.tree.topLevelItemCount()):
            heading = self.tree.topLevelItem(place)
            for row in range(heading.childCount() if heading else 0):
                item = heading.child(row) if heading else None
                if item is not None and item.data(0, _NAME) == name:
                    self.tree.setCurrentItem(item)
                    return

    def _read(self, project: Project | None) -> None:
        if project is None:
            return
        shown = self.panel.name
        if self.panel.open(self._drafts, project.folder, "tools"):
            shown = None
        self._folder = project.folder
        self._tools = {tool.name: tool for each in project.tool_sets for tool in each.tools}
        edits = self.panel.edits
        assert edits is not None
        for name, tool in self._tools.items():
            edits.keep(name, edits.fields(name, tool_fields(tool)), tool_fields(tool))
        self.panel.foot.note.setText(str(Path(project.folder) / "tools.yaml"))
        self.panel.set_read_only(self._session.state.read_only)
        self._fill(project, shown)

    def _fill(self, project: Project, shown: str | None) -> None:
        self.tree.blockSignals(True)
        self.tree.clear()
        for tool_set in project.tool_sets:
            heading = QTreeWidgetItem([f"{tool_set.name}  ({len(tool_set.tools)})"])
            heading.setFlags(Qt.ItemFlag.ItemIsEnabled)
            self.tree.addTopLevelItem(heading)
            for tool in tool_set.tools:
                item = QTreeWidgetItem([tool.name])
                item.setData(0, _NAME, tool.name)
                heading.addChild(item)
        self.tree.expandAll()
        self.tree.blockSignals(False)
        self._mark()
        self.show_tool(shown if shown in self._tools else next(iter(self._tools), ""))
        self._show_current()

    def _mark(self) -> None:
        for place in range(self.tree.topLevelItemCount()):
            heading = self.tree.topLevelItem(place)
            for row in range(heading.childCount() if heading else 0):
                item = heading.child(row) if heading else None
                if item is not None:
                    name = str(item.data(0, _NAME))
                    item.setText(0, f"{name}  •" if self.panel.has_edits(name) else name)

    def _show_current(self) -> None:
        item = self.tree.currentItem()
        name = "" if item is None else str(item.data(0, _NAME) or "")
        tool = self._tools.get(name)
        if tool is None:
            self.panel.show_record(None, {}, "No tool yet")
        else:
            self.panel.show_record(name, tool_fields(tool), name)

    def _open_folder(self) -> None:
        QDesktopServices.openUrl(QUrl.fromLocalFile(self._folder))


def _wrong(name: str, fields: Fields) -> Mapping[str, str]:
    return read_tool(name, fields)[1]
