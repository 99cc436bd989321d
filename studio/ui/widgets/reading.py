"""Reads out what models and tools said: plain text in a fixed-width font, however long."""

from collections.abc import Iterator, Sequence

from PySide6.QtCore import QTimer
from PySide6.QtGui import QColor, QTextCharFormat, QTextCursor, QTextOption
from PySide6.QtWidgets import QPlainTextEdit, QVBoxLayout, QWidget

from studio.ui.models.detail import Passage
from studio.ui.models.tone import Tone
from studio.ui.text import count, unturned
from studio.ui.theme import Theme, mono_font
from studio.ui.widgets.panel import button

SHOWN = 12_000
"""Characters shown at first."""
_PIECE = 12_000
_LONGEST_LINE = 1_000


class Reading(QWidget):
    """Passages to read and copy.  A long text is cut; "Show all" fetches the rest in pieces."""

    def __init__(self, name: str, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._theme = theme
        self._forms: dict[Tone, QTextCharFormat] = {}
        self._passages: tuple[Passage, ...] = ()
        self._rest: Iterator[Passage] = iter(())
        self._ahead: Passage | None = None
        self.text = QPlainTextEdit(readOnly=True)
        self.text.setProperty("role", "bare")
        self.text.setAccessibleName(name)
        self.text.setFont(mono_font())
        self.text.setTabChangesFocus(True)
        self.text.setUndoRedoEnabled(False)
        self.text.setWordWrapMode(QTextOption.WrapMode.WrapAtWordBoundaryOrAnywhere)
        self.all = button("", "link")
        self.all.clicked.connect(self._show_all)
        self.all.hide()
        layout = QVBoxLayout(self)
        layout.setContentsMargins(4, 2, 4, 4)
        layout.setSpacing(0)
        layout.addWidget(self.text, 1)
        layout.addWidget(self.all)
        self._timer = QTimer(self, interval=0)
        self._timer.timeout.connect(self._append_piece)
        theme.changed.connect(self._repaint)

    def read(self, passages: Sequence[Passage]) -> None:
        """Show these passages; the same ones again change nothing, not even the place."""
        if tuple(passages) != self._passages:
            self._passages = tuple(passages)
            self._begin()

    def _begin(self) -> None:
        self._timer.stop()
        self.text.clear()
        length = sum(len(passage.text) for passage in self._passages)
        self._rest = pieces(self._passages)
        self._ahead = next(self._rest, None)
        shown = 0
        while shown < SHOWN and self._ahead is not None:
            shown += len(self._ahead.text)
            self._append_piece()
        self.all.setText(f"Show all ({count(length)} characters)")
        self.all.setVisible(self._ahead is not None)
        self.text.moveCursor(QTextCursor.MoveOperation.Start)

    def _show_all(self) -> None:
        self.all.hide()
        self._timer.start()

    def _append_piece(self) -> None:
        if self._ahead is None:
            self._timer.stop()
        else:
            self._append(self._ahead)
            self._ahead = next(self._rest, None)

    def _append(self, piece: Passage) -> None:
        if piece.tone not in self._forms:
            form = self._forms[piece.tone] = QTextCharFormat()
            form.setForeground(QColor(getattr(self._theme.tokens, piece.tone)))
        cursor = QTextCursor(self.text.document())
        cursor.movePosition(QTextCursor.MoveOperation.End)
        cursor.insertText(unturned(piece.text), self._forms[piece.tone])

    def _repaint(self) -> None:
        self._forms.clear()
        place = self.text.verticalScrollBar().value()
        self._begin()
        self.text.verticalScrollBar().setValue(place)


def pieces(passages: Sequence[Passage]) -> Iterator[Passage]:
    """The passages in pieces of a few thousand characters, very long lines broken.

    Qt lays out a line at a time: one of a megabyte would hold the window for seconds.
    """
    for passage in passages:
        for start in range(0, len(passage.text), _PIECE):
            piece = passage.text[start : start + _PIECE]
            yield Passage(_broken(piece), passage.tone)


def _broken(text: str) -> str:
    if len(text) <= _LONGEST_LINE:
        return text
    return "\n".join(
        line[start : start + _LONGEST_LINE]
        for line in text.split("\n")
        for start in range(0, max(1, len(line)), _LONGEST_LINE)
    )
