"""The tools page: tool sets and their tools; what the model is told of each can be edited."""

from pathlib import Path

from msgspec.structs import replace
from PySide6.QtCore import Qt, QUrl
from PySide6.QtGui import QDesktopServices
from PySide6.QtWidgets import (
    QSplitter,
    QTreeWidget,
    QTreeWidgetItem,
    QVBoxLayout,
    QWidget,
)
from typing_extensions import override

from studio.engine.records import Project, ToolSpec
from studio.ui.commands import Actions
from studio.ui.drafts import Drafts
from studio.ui.edits import Edits
from studio.ui.fields import read_tool, tool_fields
from studio.ui.session import Session
from studio.ui.views.page import Page
from studio.ui.widgets.form import Field, Form
from studio.ui.widgets.label import ElidedLabel
from studio.ui.widgets.panel import Panel, button, foot, rule

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
        self._drafts_folder = drafts
        self._folder = ""
        self._edits: Edits | None = None
        self._tools: dict[str, ToolSpec] = {}
        self._shown = ""
        self.tree = QTreeWidget()
        self.tree.setHeaderHidden(True)
        self.tree.setAccessibleName("Tool sets and tools")
        self.tree.setUniformRowHeights(True)
        self.tree.currentItemChanged.connect(self._show_current)
        self.form = Form(_FIELDS)
        self.form.edited.connect(self._edited)
        self._panel = Panel()
        self._source = ElidedLabel("", "small")
        self._place(actions)
        session.project_changed.connect(self._read)
        self._read(session.state.project)

    @override
    def start_here(self) -> QWidget:
        return self.tree

    @override
    def save_item(self) -> None:
        if self._edits is None or self._shown not in self._edits:
            return
        tool, wrong = read_tool(self._shown, self.form.values())
        self.form.show_wrong(wrong)
        if tool is not None:
            # The form does not show it.
            is_retrieval = self._tools[self._shown].is_retrieval
            self._session.save_tool(replace(tool, is_retrieval=is_retrieval))

    @override
    def keep_drafts(self) -> None:
        if self._edits is not None:
            self._edits.write_now()

    def show_tool(self, name: str) -> None:
        """Make this tool the current one."""
        for place in range(self.tree.topLevelItemCount()):
            heading = self.tree.topLevelItem(place)
            for row in range(heading.childCount() if heading else 0):
                item = heading.child(row) if heading else None
                if item is not None and item.data(0, _NAME) == name:
                    self.tree.setCurrentItem(item)
                    return

    def _place(self, actions: Actions) -> None:
        left = Panel("Tool sets")
        left.body.addWidget(self.tree)
        self._panel.body.addWidget(self.form, 1)
        self._panel.body.addWidget(rule())
        folder = button("Open Folder")
        folder.clicked.connect(self._open_folder)
        self._revert = button("Revert")
        self._revert.clicked.connect(self._give_up)
        self._save = button("Save", "primary")
        self._save.clicked.connect(actions["item.save"].trigger)
        row = foot()
        row.addWidget(self._source, 1)
        for each in (folder, self._revert, self._save):
            row.addWidget(each)
        self._panel.body.addLayout(row)
        splitter = QSplitter()
        splitter.setObjectName("tools")
        splitter.setChildrenCollapsible(False)
        splitter.setHandleWidth(10)
        splitter.addWidget(left)
        splitter.addWidget(self._panel)
        splitter.setStretchFactor(1, 1)
        splitter.setSizes([260, 780])
        column = QVBoxLayout(self)
        column.setContentsMargins(12, 10, 12, 10)
        column.addWidget(splitter)

    def _read(self, project: Project | None) -> None:
        if project is None:
            return
        if project.folder != self._folder:
            self.keep_drafts()
            self._folder, self._shown = project.folder, ""
            self._edits = Edits(Drafts(self._drafts_folder, project.folder, "tools", self))
        assert self._edits is not None
        self._tools = {tool.name: tool for each in project.tool_sets for tool in each.tools}
        for name, tool in self._tools.items():
            self._edits.keep(name, self._edits.fields(name, tool_fields(tool)), tool_fields(tool))
        self._source.setText(str(Path(project.folder) / "tools.yaml"))
        self.form.set_read_only(read_only=bool(self._session.state.read_only))
        self._fill(project)

    def _fill(self, project: Project) -> None:
        shown = self._shown
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
                if item is not None and self._edits is not None:
                    name = str(item.data(0, _NAME))
                    item.setText(0, f"{name}  •" if name in self._edits else name)
        is_dirty = self._edits is not None and self._shown in self._edits
        read_only = self._session.state.read_only
        self._panel.note.setText(read_only or self._standing())
        self._save.setEnabled(is_dirty and not read_only)
        self._revert.setEnabled(is_dirty)

    def _standing(self) -> str:
        tool = self._tools.get(self._shown)
        if tool is None or self._edits is None:
            return ""
        return self._edits.standing(tool.name, tool_fields(tool))

    def _show_current(self) -> None:
        item = self.tree.currentItem()
        name = "" if item is None else str(item.data(0, _NAME) or "")
        tool = self._tools.get(name)
        self._shown = name
        self.form.setEnabled(tool is not None)
        self._panel.title.setText(name or "No tool yet")
        if tool is not None and self._edits is not None:
            self.form.set_values(self._edits.fields(name, tool_fields(tool)))
            if name in self._edits:
                self.form.show_wrong(read_tool(name, self.form.values())[1])
        self._mark()

    def _edited(self) -> None:
        tool = self._tools.get(self._shown)
        if tool is not None and self._edits is not None:
            values = self.form.values()
            self._edits.keep(tool.name, values, tool_fields(tool))
            self.form.show_wrong(read_tool(tool.name, values)[1])
            self._mark()

    def _give_up(self) -> None:
        tool = self._tools.get(self._shown)
        if tool is not None and self._edits is not None:
            self._edits.drop(tool.name)
            self._show_current()

    def _open_folder(self) -> None:
        QDesktopServices.openUrl(QUrl.fromLocalFile(self._folder))
