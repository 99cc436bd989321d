"""Help, made from the table of commands; the log; about."""

import re
from pathlib import Path

from PySide6.QtGui import QKeySequence, QTextCursor
from PySide6.QtWidgets import QTableWidget, QTableWidgetItem, QWidget

from studio import __version__
from studio.resources import resource
from studio.ui.commands import COMMANDS
from studio.ui.theme import mono_font
from studio.ui.widgets.dialog import Dialog, TextDialog
from studio.ui.widgets.label import PlainLabel

_TAIL = 200_000
_MARKS = re.compile(r"^#+ |^ *```\w*\n|\*\*|`", re.MULTILINE)
_EMPHASIS = re.compile(r"\*(\w[^*\n]*)\*")
_BESIDE = 90
"""Pixels that margins and a scroll bar take beside the lines of a page."""


class KeysDialog(Dialog):
    """Every command: where it is, its keys, what it does."""

    def __init__(self, parent: QWidget) -> None:
        super().__init__("Commands and keys", parent)
        table = QTableWidget(len(COMMANDS), 3)
        table.setHorizontalHeaderLabels(["Command", "Keys", "What it does"])
        table.setAccessibleName("Commands and keys")
        table.setEditTriggers(QTableWidget.EditTrigger.NoEditTriggers)
        table.setSelectionBehavior(QTableWidget.SelectionBehavior.SelectRows)
        table.setShowGrid(False)
        table.verticalHeader().hide()
        for row, command in enumerate(COMMANDS):
            keys = ", ".join(map(_native, command.shortcuts))
            cells = (f"{command.menu}: {command.title}", keys, command.help)
            for column, text in enumerate(cells):
                table.setItem(row, column, QTableWidgetItem(text))
        table.resizeColumnsToContents()
        table.horizontalHeader().setStretchLastSection(True)
        self.body.addWidget(table)
        self.add_cancel("Close")
        self.resize(self.fontMetrics().averageCharWidth() * 130, self.fontMetrics().height() * 36)


def _native(keys: str) -> str:
    return QKeySequence(keys).toString(QKeySequence.SequenceFormat.NativeText)


def log_dialog(path: Path, parent: QWidget) -> TextDialog:
    """The end of the log file, the newest line in sight."""
    dialog = TextDialog("Log", _tail(path), parent)
    dialog.text.setFont(mono_font())
    dialog.text.setLineWrapMode(dialog.text.LineWrapMode.NoWrap)
    dialog.text.moveCursor(QTextCursor.MoveOperation.End)
    dialog.body.addWidget(PlainLabel(f"The whole file: {path}", "small", wraps=True))
    return dialog


def _tail(path: Path) -> str:
    try:
        with path.open("rb") as file:
            file.seek(0, 2)
            file.seek(max(0, file.tell() - _TAIL))
            return file.read().decode("utf-8", "replace")
    except OSError as error:
        return f"The log cannot be read: {error}"


def about_dialog(parent: QWidget) -> TextDialog:
    _heading, about = _page("about")
    return TextDialog(f"Agent evaluation studio {__version__}", about, parent)


def page_dialog(name: str, parent: QWidget) -> TextDialog:
    """A page of `resources/help/`, its first line as the title."""
    heading, text = _page(name)
    dialog = TextDialog(heading, text, parent)
    dialog.text.setFont(mono_font())  # it has columns
    widest = max(map(dialog.text.fontMetrics().horizontalAdvance, text.splitlines()))
    dialog.resize(widest + _BESIDE, dialog.height())
    return dialog


def _page(name: str) -> tuple[str, str]:
    """The heading and the text of a page, without the marks that only a renderer needs."""
    written = resource(f"help/{name}.md").read_text(encoding="utf-8")
    page = _EMPHASIS.sub(r"\1", _MARKS.sub("", written))
    heading, _, text = page.partition("\n")
    return heading, text.strip("\n")
