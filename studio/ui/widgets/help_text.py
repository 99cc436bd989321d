"""Reads out entries of a help page: names as small headings, code in the fixed-width font."""

from collections.abc import Sequence

from PySide6.QtGui import QColor, QFont, QTextCharFormat, QTextCursor
from PySide6.QtWidgets import QPlainTextEdit, QWidget

from studio.ui.models.help_entries import Entry
from studio.ui.text import unturned
from studio.ui.theme import Theme, mono_font


class HelpText(QPlainTextEdit):
    """Entries to read and copy.  No markup is read here: the words are inserted as they are."""

    def __init__(self, name: str, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._theme = theme
        self._entries: tuple[Entry, ...] = ()
        self.setReadOnly(True)
        self.setProperty("role", "bare")
        self.setAccessibleName(name)
        self.setTabChangesFocus(True)
        self.setUndoRedoEnabled(False)
        self.document().setDocumentMargin(8)
        theme.changed.connect(self._write)

    def read(self, entries: Sequence[Entry]) -> None:
        """Show these entries; the same ones again change nothing, not even the place."""
        if tuple(entries) != self._entries:
            self._entries = tuple(entries)
            self._write()

    def _write(self) -> None:
        self.clear()
        cursor = QTextCursor(self.document())
        heading, looks = self._heading(), self._looks()
        for place, entry in enumerate(self._entries):
            if entry.name:
                cursor.insertText(f"{unturned(entry.name)}\n", heading)
            for span in entry.spans:
                cursor.insertText(unturned(span.text), looks[span.look])
            if place < len(self._entries) - 1:
                cursor.insertText("\n\n", looks[""])
        self.moveCursor(QTextCursor.MoveOperation.Start)

    def _heading(self) -> QTextCharFormat:
        form = QTextCharFormat()
        form.setForeground(QColor(self._theme.tokens.muted))
        return form

    def _looks(self) -> dict[str, QTextCharFormat]:
        plain, code, strong = QTextCharFormat(), QTextCharFormat(), QTextCharFormat()
        for form in (plain, code, strong):
            form.setForeground(QColor(self._theme.tokens.text))
        code.setFont(mono_font())
        strong.setFontWeight(QFont.Weight.DemiBold)
        return {"": plain, "code": code, "strong": strong}
