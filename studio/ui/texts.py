"""The prompts as they are being edited: text, undo history and draft of each, none ever lost."""

from collections.abc import Iterable

from PySide6.QtCore import QObject, Signal
from PySide6.QtGui import QTextCursor, QTextDocument
from PySide6.QtWidgets import QPlainTextDocumentLayout

from studio.engine.records import Prompt
from studio.ui.drafts import Drafts


class EditedText(QObject):
    """One text that is being edited.  `saved` is what the file holds, None before there is one."""

    changed = Signal(str)
    """Its text or what is saved of it changed: its name."""

    def __init__(self, name: str, saved: str | None, parent: QObject) -> None:
        super().__init__(parent)
        self.name = name
        self.document = QTextDocument(self)
        self.document.setDocumentLayout(QPlainTextDocumentLayout(self.document))
        self.document.setPlainText(saved or "")
        self._saved = None if saved is None else self.text
        self._is_behind = False
        self.document.contentsChanged.connect(self._tell)

    @property
    def text(self) -> str:
        # Not toPlainText: that turns no-break spaces into spaces.
        return self.document.toRawText().replace("\u2029", "\n")

    @property
    def is_new(self) -> bool:
        return self._saved is None

    @property
    def is_dirty(self) -> bool:
        return self._saved != self.text

    @property
    def is_behind(self) -> bool:
        """The file changed under the edits: saving them would replace what they never saw."""
        return self._is_behind and self.is_dirty

    def replace(self, text: str) -> None:
        """Put another text in place of this one, as an edit that can be undone."""
        cursor = QTextCursor(self.document)
        cursor.select(QTextCursor.SelectionType.Document)
        cursor.insertText(text)

    def revert(self) -> None:
        """Back to what is saved; undo brings the edits back."""
        if self.is_dirty and self._saved is not None:
            self.replace(self._saved)

    def file_holds(self, saved: str) -> None:
        """The file holds this now: it is shown unless there are edits, which stay."""
        was_dirty = self.is_dirty
        before = self._saved
        self._saved = _as_in_document(saved)
        self._is_behind = was_dirty and (self._is_behind or self._saved != before)
        if not was_dirty and self._saved != before:
            self.replace(saved)
        self._tell()

    def _tell(self) -> None:
        self.changed.emit(self.name)


class EditedTexts(QObject):
    """All prompts of one project, with those that were written but never saved."""

    changed = Signal(str)

    def __init__(self, drafts: Drafts, parent: QObject) -> None:
        super().__init__(parent)
        self._drafts = drafts
        self._texts: dict[str, EditedText] = {}
        self._left = drafts.all()

    @property
    def names(self) -> tuple[str, ...]:
        return tuple(sorted(self._texts, key=str.casefold))

    def __getitem__(self, name: str) -> EditedText:
        return self._texts[name]

    def __contains__(self, name: str) -> bool:
        return name in self._texts

    def read(self, prompts: Iterable[Prompt]) -> None:
        """The project holds these prompts now.  Edits stay; drafts of before a crash come back."""
        saved = {prompt.name: prompt.text for prompt in prompts}
        for name, text in saved.items():
            if name in self._texts:
                self._texts[name].file_holds(text)
            else:
                self._add(name, text)
        for name, text in self._left.items():
            known = self._texts.get(name) or self._add(name, None)
            known.replace(text)
        self._left = {}
        for name in [each for each in self._texts if each not in saved]:
            if not self._texts[name].is_dirty:
                self.remove(name)
            elif not self._texts[name].is_new:
                self.add(name, self._texts[name].text)

    def add(self, name: str, text: str = "") -> EditedText:
        """A text that no file holds yet."""
        self.remove(name)
        made = self._add(name, None)
        made.replace(text)
        self._drafts.keep(name, text)
        return made

    def remove(self, name: str) -> None:
        gone = self._texts.pop(name, None)
        if gone is not None:
            gone.changed.disconnect(self._changed)
            gone.deleteLater()
            self._drafts.drop(name)

    def _add(self, name: str, saved: str | None) -> EditedText:
        made = EditedText(name, saved, self)
        made.changed.connect(self._changed)
        self._texts[name] = made
        return made

    def _changed(self, name: str) -> None:
        edited = self._texts[name]
        if edited.is_dirty:
            self._drafts.keep(name, edited.text)
        else:
            self._drafts.drop(name)
        self.changed.emit(name)


def _as_in_document(text: str) -> str:
    document = QTextDocument()
    document.setPlainText(text)
    return document.toRawText().replace("\u2029", "\n")
