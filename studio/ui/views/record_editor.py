"""The panel of a page that edits one record of a list: a form, its drafts and its buttons."""

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QWidget

from studio.ui.commands import Actions
from studio.ui.drafts import Drafts
from studio.ui.edits import Edits, Fields
from studio.ui.views.edit_foot import EditFoot
from studio.ui.widgets.form import Field, Form
from studio.ui.widgets.panel import Panel, rule

Check = Callable[[str, Fields], Mapping[str, str]]
"""From a record's name and what the form holds to what is wrong with each field."""


class RecordEditor(Panel):
    """Edits the fields of one record at a time; what is typed and not saved is kept as a draft.

    Whose page it is decides which record is shown, what the files hold of it, and saves it.
    """

    edited = Signal()
    """Which records have unsaved edits may have changed."""

    def __init__(
        self,
        fields: Sequence[Field],
        check: Check,
        actions: Actions,
        commands: Mapping[str, str],
        parent: QWidget | None = None,
    ) -> None:
        """`commands` are those of the buttons beside Revert, with their texts."""
        super().__init__(parent=parent)
        self._check = check
        self._name: str | None = None
        self._saved: Fields = {}
        self._folder = ""
        self._read_only = ""
        self.edits: Edits | None = None
        self.form = Form(fields)
        self.form.edited.connect(self._keep)
        self.foot = EditFoot(actions, commands)
        self.foot.reverted.connect(self.give_up)
        self.body.addWidget(self.form, 1)
        self.body.addWidget(rule())
        self.body.addWidget(self.foot)

    @property
    def name(self) -> str | None:
        """The record that is shown."""
        return self._name

    @property
    def is_dirty(self) -> bool:
        """Whether the record that is shown has edits that are not saved."""
        return self.has_edits(self._name)

    def has_edits(self, name: str | None) -> bool:
        return name is not None and self.edits is not None and name in self.edits

    def open(self, drafts: Path, project: str, kind: str) -> bool:
        """Take up the drafts of a project; whether it is another one than before."""
        if project == self._folder:
            return False
        self.keep_drafts()
        self._folder, self._name = project, None
        self.edits = Edits(Drafts(drafts, project, kind, self))
        return True

    def set_read_only(self, why: str) -> None:
        """Why nothing can be saved, "" if it can."""
        self._read_only = why
        self.form.set_read_only(read_only=bool(why))

    def show_record(self, name: str | None, saved: Fields, title: str) -> None:
        """Show a record: what is saved of it, and its edits over that.  None shows no record."""
        self._name, self._saved = name, saved
        self.form.setEnabled(name is not None)
        self.title.setText(title)
        if name is not None and self.edits is not None:
            self.form.set_values(self.edits.fields(name, saved))
            if name in self.edits:
                self.form.show_wrong(self._check(name, self.form.values()))
        self._mark()

    def give_up(self) -> None:
        """Show what the files hold of this record."""
        if self.edits is not None and self._name is not None:
            self.edits.drop(self._name)
            self.show_record(self._name, self._saved, self.title.text())
            self.edited.emit()

    def keep_drafts(self) -> None:
        """Write the drafts down at once."""
        if self.edits is not None:
            self.edits.write_now()

    def _keep(self) -> None:
        if self._name is None or self.edits is None:
            return
        values, was_dirty = self.form.values(), self.is_dirty
        self.edits.keep(self._name, values, self._saved)
        self.form.show_wrong(self._check(self._name, values))
        self._mark()
        if was_dirty != self.is_dirty:
            self.edited.emit()

    def _mark(self) -> None:
        standing = self.edits.standing(self._name, self._saved) if self.edits is not None else ""
        self.note.setText(self._read_only or standing)
        self.foot.show_standing(
            can_save=self.is_dirty and not self._read_only,
            can_revert=self.is_dirty,
            can_change=bool(self._name) and not self._read_only,
        )
