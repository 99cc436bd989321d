"""The tools page: tool sets and their tools; what the model is told of each can be edited."""

from collections.abc import Mapping, Sequence
from pathlib import Path

from PySide6.QtCore import QUrl
from PySide6.QtGui import QDesktopServices
from PySide6.QtWidgets import QStackedWidget, QWidget
from typing_extensions import override

from studio.engine.records import Project, ToolSet, ToolSpec
from studio.ui.commands import Actions
from studio.ui.edits import Fields
from studio.ui.fields import read_tool, read_tool_names, tool_fields, tool_set_fields
from studio.ui.session import Session
from studio.ui.text import plain
from studio.ui.views.page import Page
from studio.ui.views.record_editor import RecordEditor
from studio.ui.views.tool_tree import Place, ToolTree
from studio.ui.widgets.dialog import NameDialog, Question
from studio.ui.widgets.form import Field
from studio.ui.widgets.panel import Panel, button
from studio.ui.widgets.split import split
from studio.ui.widgets.ticks import Ticks

_TOOL = (
    Field("description", "Description: what the model is told that the tool does", lines=5),
    Field("time_limit", "Time limit in seconds: a call that takes longer is a tool error"),
    Field(
        "retrieval", "Its results are documents, the best first",
        "Metrics of retrieval, such as recall_at_k, grade them.", is_flag=True,
    ),
    Field("parameters", "Parameters: a JSON Schema", lines=8, is_code=True, grows=True),
)  # fmt: skip
_SET = (
    Field(
        "tools", "Tools that the model is offered, in this order: tick them, drag them",
        "Ctrl+Shift+Up and Down move a tool.", grows=True, is_names=True,
    ),
)  # fmt: skip


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
        self._sets: dict[str, ToolSet] = {}
        self._awaited: str | None = None
        self.tree = ToolTree()
        self.tree.chosen.connect(self._show_current)
        self.panel = RecordEditor(_TOOL, _wrong_tool, actions, {})
        self.form = self.panel.form
        self.sets = RecordEditor(
            _SET, self._wrong_set, actions, {"item.delete": "Delete…", "item.rename": "Rename…"}
        )
        self._editors = QStackedWidget()
        for editor in (self.panel, self.sets):
            editor.edited.connect(self._mark)
            self._editors.addWidget(editor)
        folder = button("Open Folder")
        folder.clicked.connect(self._open_folder)
        self.panel.foot.add(folder)
        new = button("New", "quiet")
        new.clicked.connect(actions["item.new"].trigger)
        left = Panel("Tool sets")
        left.head.addWidget(new)
        left.body.addWidget(self.tree)
        split(self, "tools", (left, self._editors), (260, 780))
        session.project_changed.connect(self._read)
        self._read(session.state.project)

    @override
    def start_here(self) -> QWidget:
        return self.tree

    @override
    def new_item(self) -> None:
        dialog = NameDialog(
            "New tool set", "Create", taken=frozenset(self._sets), parent=self, is_file=False
        )
        dialog.named.connect(self._create)
        dialog.open()

    @override
    def save_item(self) -> None:
        place = self.tree.place
        if place is None or not self._editor(place).is_dirty:
            return
        if not place.tool:
            self._save_set(place.tool_set, place.tool_set)
            return
        tool, wrong = read_tool(place.tool, self.form.values())
        self.form.show_wrong(wrong)
        if tool is not None:
            self._session.files.save_tool(tool)

    @override
    def rename_item(self) -> None:
        place = self.tree.place
        if place is not None:
            dialog = NameDialog(
                f"Rename the tool set “{plain(place.tool_set)}”", "Rename",
                taken=frozenset(self._sets) - {place.tool_set}, parent=self,
                name=place.tool_set, is_file=False,
            )  # fmt: skip
            dialog.named.connect(self._rename)
            dialog.open()

    @override
    def delete_item(self) -> None:
        place = self.tree.place
        if place is not None:
            question = Question(
                f"Delete the tool set “{plain(place.tool_set)}”?",
                "Its tools stay.  Past runs keep the set they used.",
                "Delete", parent=self, subject=place.tool_set,
            )  # fmt: skip
            question.agreed.connect(self._session.files.delete_tool_set)
            question.open()

    @override
    def move_up(self) -> None:
        self._move(-1)

    @override
    def move_down(self) -> None:
        self._move(1)

    @override
    def keep_drafts(self) -> None:
        self.panel.keep_drafts()
        self.sets.keep_drafts()

    def show_tool(self, name: str) -> None:
        """Make this tool the current one."""
        self.tree.show_tool(name)

    @property
    def _names(self) -> Ticks:
        box = self.sets.form.box("tools")
        assert isinstance(box, Ticks), "its field says so"
        return box

    def _editor(self, place: Place) -> RecordEditor:
        return self.panel if place.tool else self.sets

    def _read(self, project: Project | None) -> None:
        if project is None:
            return
        shown = self.tree.place
        for editor, kind in ((self.panel, "tools"), (self.sets, "tool sets")):
            if editor.open(self._drafts, project.folder, kind):
                shown = None
            editor.set_read_only(self._session.state.read_only)
            editor.foot.note.setText(str(Path(project.folder) / "tools.yaml"))
        self._folder = project.folder
        self._sets = {each.name: each for each in project.tool_sets}
        self._tools = {tool.name: tool for each in project.tool_sets for tool in each.tools}
        self._names.offer({name: tool.description for name, tool in self._tools.items()})
        self._follow_files()
        if self._awaited in self._sets:
            shown, self._awaited = Place(self._awaited), None
        self.tree.fill(project.tool_sets, shown)
        self._mark()
        self._show_current()

    def _follow_files(self) -> None:
        """Drop the edits that the files hold by now, and the ticks of sets that are gone."""
        tools = {name: tool_fields(tool) for name, tool in self._tools.items()}
        sets = {name: tool_set_fields(each) for name, each in self._sets.items()}
        for editor, saved in ((self.panel, tools), (self.sets, sets)):
            assert editor.edits is not None
            for name, fields in saved.items():
                editor.edits.keep(name, editor.edits.fields(name, fields), fields)
        assert self.sets.edits is not None
        for name in self.sets.edits:
            if name not in sets:
                self.sets.edits.drop(name)

    def _mark(self) -> None:
        self.tree.mark(self._is_edited)

    def _is_edited(self, place: Place) -> bool:
        return self._editor(place).has_edits(place.tool or place.tool_set)

    def _show_current(self) -> None:
        place = self.tree.place
        if place is None:
            self.panel.show_record(None, {}, "No tool yet")
            return
        self._editors.setCurrentWidget(self._editor(place))
        if place.tool:
            self.panel.show_record(place.tool, tool_fields(self._tools[place.tool]), place.tool)
        else:
            held = self._sets[place.tool_set]
            self.sets.show_record(held.name, tool_set_fields(held), held.name)

    def _wrong_set(self, _name: str, fields: Fields) -> Mapping[str, str]:
        return read_tool_names(fields, self._tools)[1]

    def _move(self, by: int) -> None:
        place = self.tree.place
        if place is not None and not place.tool:  # else the ticks are not to be seen
            self._names.move_current(by)

    def _ticked(self, name: str) -> tuple[Sequence[str] | None, Mapping[str, str]]:
        """The tools that are ticked for a set, saved or not; None, and what is wrong with them."""
        assert self.sets.edits is not None
        fields = self.sets.edits.fields(name, tool_set_fields(self._sets[name]))
        return read_tool_names(fields, self._tools)

    def _save_set(self, name: str, to: str) -> None:
        """Save what is ticked for a set, under the same or another name."""
        names, wrong = self._ticked(name)
        if names is None:
            self.sets.form.show_wrong(wrong)
            return
        self._awaited = to
        self._session.files.save_tool_set(to, names, name)

    def _rename(self, name: str, before: str) -> None:
        if name != before and before in self._sets:  # else it is gone, as the tree shows
            self._save_set(before, name)

    def _create(self, name: str) -> None:
        """A new set begins as what is ticked in the one that is shown."""
        place = self.tree.place
        names = None if place is None else self._ticked(place.tool_set)[0]
        self._awaited = name
        self._session.files.save_tool_set(name, names or ())

    def _open_folder(self) -> None:
        QDesktopServices.openUrl(QUrl.fromLocalFile(self._folder))


def _wrong_tool(name: str, fields: Fields) -> Mapping[str, str]:
    return read_tool(name, fields)[1]
