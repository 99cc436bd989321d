"""The prompts page: the list, and a plain editor that never loses a word."""

from pathlib import Path

from PySide6.QtCore import Qt
from PySide6.QtGui import QFont
from PySide6.QtWidgets import (
    QListWidget,
    QListWidgetItem,
    QPlainTextEdit,
    QWidget,
)
from typing_extensions import override

from studio.engine.records import Project
from studio.ui.commands import Actions
from studio.ui.drafts import Drafts
from studio.ui.session import Session
from studio.ui.text import counted, plain
from studio.ui.texts import EditedText, EditedTexts
from studio.ui.theme import Theme, mono_font
from studio.ui.views.edit_foot import EditFoot
from studio.ui.views.page import Page
from studio.ui.views.window_meter import WindowMeter
from studio.ui.widgets.dialog import NameDialog, Question
from studio.ui.widgets.panel import Panel, button, rule
from studio.ui.widgets.split import split

_NAME = Qt.ItemDataRole.UserRole


class PromptsPage(Page):
    """The system prompts of the project."""

    def __init__(
        self,
        session: Session,
        theme: Theme,
        actions: Actions,
        drafts: Path,
        parent: QWidget | None = None,
    ) -> None:
        super().__init__(parent)
        self._session = session
        self._drafts_folder = drafts
        self._folder = ""
        self._drafts: Drafts | None = None
        self._texts: EditedTexts | None = None
        self.list = QListWidget()
        self.list.setAccessibleName("Prompts")
        self.list.currentItemChanged.connect(self._show_current)
        self.editor = QPlainTextEdit()
        self.editor.setProperty("role", "bare")
        self.editor.setAccessibleName("Text of the prompt")
        self.editor.setTabChangesFocus(True)
        self.panel = Panel()
        self.meter = WindowMeter(theme)
        self._foot = EditFoot(actions, {"item.delete": "Delete…", "item.rename": "Rename…"})
        self._foot.revert.setToolTip("Show what the file holds; Undo brings your changes back.")
        self._foot.reverted.connect(self._give_up)
        self._place(actions)
        session.project_changed.connect(self._read)
        session.state_changed.connect(self._show_foot)
        session.queries_changed.connect(self._show_queries)
        self._show_queries()
        self._read(session.state.project)

    @override
    def start_here(self) -> QWidget:
        return self.editor

    @property
    def current(self) -> EditedText | None:
        """The prompt that is shown."""
        item = self.list.currentItem()
        if item is None or self._texts is None:
            return None
        return self._texts[str(item.data(_NAME))]

    @override
    def new_item(self) -> None:
        dialog = NameDialog("New prompt", "Create", taken=self._taken(), parent=self)
        dialog.named.connect(self._create)
        dialog.open()

    @override
    def save_item(self) -> None:
        current = self.current
        if current is not None and current.is_dirty:
            self._session.files.save_prompt(current.name, current.text)

    @override
    def rename_item(self) -> None:
        current = self.current
        if current is not None:
            dialog = NameDialog(
                f"Rename “{plain(current.name)}”", "Rename",
                taken=self._taken() - {current.name}, parent=self, name=current.name,
            )  # fmt: skip
            dialog.named.connect(self._rename)
            dialog.open()

    @override
    def delete_item(self) -> None:
        current = self.current
        if current is not None:
            question = Question(
                f"Delete the prompt “{plain(current.name)}”?",
                "Its file is deleted from the project.  Past runs keep the text they used.",
                "Delete", parent=self, subject=current.name,
            )  # fmt: skip
            question.agreed.connect(self._delete)
            question.open()

    @override
    def keep_drafts(self) -> None:
        if self._drafts is not None:
            self._drafts.write_now()

    def _place(self, actions: Actions) -> None:
        left = Panel("Prompts")
        new = button("New", "quiet")
        new.clicked.connect(actions["item.new"].trigger)
        left.head.addWidget(new)
        left.body.addWidget(self.list)
        self.panel.body.addWidget(self.editor, 1)
        self.panel.body.addWidget(rule())
        self.panel.body.addWidget(self.meter)
        self.panel.body.addWidget(self._foot)
        split(self, "prompts", (left, self.panel), (240, 800))

    def _read(self, project: Project | None) -> None:
        if project is None:
            return
        if project.folder != self._folder:
            self.keep_drafts()
            self._folder = project.folder
            self._drafts = Drafts(self._drafts_folder, project.folder, "prompts", self)
            self._texts = EditedTexts(self._drafts, self)
            self._texts.changed.connect(self._mark)
        assert self._texts is not None
        self._texts.read(project.prompts)
        self.editor.setReadOnly(bool(self._session.state.read_only))
        self._fill(self.current_name() or project.default_prompt)

    def current_name(self) -> str:
        item = self.list.currentItem()
        return "" if item is None else str(item.data(_NAME))

    def _fill(self, shown: str) -> None:
        assert self._texts is not None
        self.list.blockSignals(True)
        self.list.clear()
        for name in self._texts.names:
            item = QListWidgetItem()
            item.setData(_NAME, name)
            self.list.addItem(item)
            if name == shown:
                self.list.setCurrentItem(item)
        if self.list.currentItem() is None and self.list.count():
            self.list.setCurrentRow(0)
        self.list.blockSignals(False)
        for name in self._texts.names:
            self._mark(name)
        self._show_current()

    def _mark(self, name: str) -> None:
        if self._texts is None or name not in self._texts:
            return
        for row in range(self.list.count()):
            item = self.list.item(row)
            if item.data(_NAME) == name:
                is_dirty = self._texts[name].is_dirty
                item.setText(f"{name}  •" if is_dirty else name)
                font = QFont(item.font())
                font.setBold(is_dirty)
                item.setFont(font)
        if name == self.current_name():
            self._show_foot()

    def _show_current(self) -> None:
        current = self.current
        self.editor.setEnabled(current is not None)
        if current is not None:
            current.document.setDefaultFont(mono_font())
            self.editor.setDocument(current.document)
        self.panel.title.setText(current.name if current else "No prompt yet")
        self._show_foot()

    def _show_foot(self) -> None:
        current, project = self.current, self._session.state.project
        if current is None or project is None:
            self._foot.note.setText("")
            self._foot.show_standing(can_save=False, can_revert=False, can_change=False)
            return
        text = current.text
        self.meter.show_state(self._session.state)
        self.meter.show_prompt(text)
        parts = [counted(len(text), "character"), counted(len(text.split()), "word")]
        if current.name == project.default_prompt:
            parts.append("the project's default")
        self._foot.note.setText(" · ".join(parts))
        read_only = self._session.state.read_only
        self.panel.note.setText(read_only or _standing(current))
        self._foot.show_standing(
            can_save=current.is_dirty and not read_only,
            can_revert=current.is_dirty and not current.is_new,
            can_change=not read_only,
        )

    def _show_queries(self) -> None:
        self.meter.show_queries(self._session.queries)

    def _taken(self) -> frozenset[str]:
        return frozenset(self._texts.names if self._texts else ())

    def _create(self, name: str) -> None:
        if self._texts is not None:
            self._texts.add(name)
            self._fill(name)
            self.editor.setFocus()

    def _rename(self, name: str, before: str) -> None:
        if self._texts is None or before not in self._texts or name == before:
            return
        renamed = self._texts[before]
        was_new = renamed.is_new
        self._texts.add(name, renamed.text)  # with what was typed and not saved
        renamed.revert()
        if was_new:
            self._texts.remove(before)
        else:
            self._session.files.rename_prompt(before, name)
        self._fill(name)

    def _give_up(self) -> None:
        current = self.current
        if current is not None:
            current.revert()

    def _delete(self, name: str) -> None:
        if self._texts is None or name not in self._texts:
            return
        if self._texts[name].is_new:
            self._texts.remove(name)
            self._fill("")
        else:
            self._texts[name].revert()
            self._session.files.delete_prompt(name)


def _standing(text: EditedText) -> str:
    if text.is_new:
        return "not saved yet"
    if text.is_behind:
        return "unsaved changes; the file changed too"
    return "unsaved changes" if text.is_dirty else ""
