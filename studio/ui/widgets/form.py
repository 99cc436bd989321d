"""A form of labelled text fields, each with room to say what is wrong with it."""

from collections.abc import Mapping, Sequence

import msgspec
from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QFrame, QLineEdit, QPlainTextEdit, QScrollArea, QVBoxLayout, QWidget

from studio.ui.theme import mono_font
from studio.ui.widgets.label import PlainLabel


class Field(msgspec.Struct, frozen=True):
    """A text field.  `lines` above 1 makes an editor of that height, which may grow.

    `is_code` sets it in the fixed-width font.
    """

    name: str
    label: str
    hint: str = ""
    lines: int = 1
    is_code: bool = False
    grows: bool = False


class Form(QScrollArea):
    """Edits a few texts.  `edited` says that the user changed one."""

    edited = Signal()

    def __init__(self, fields: Sequence[Field], parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setWidgetResizable(True)
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        # The fields take the focus, not the frame around them.
        self.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self._boxes: dict[str, QLineEdit | QPlainTextEdit] = {}
        self._wrong: dict[str, PlainLabel] = {}
        inside = QWidget()
        column = QVBoxLayout(inside)
        column.setContentsMargins(12, 2, 12, 10)
        column.setSpacing(3)
        for field in fields:
            self._add(field, column)
        if not any(field.grows for field in fields):
            column.addStretch(1)
        self.setWidget(inside)

    def box(self, name: str) -> QLineEdit | QPlainTextEdit:
        """The widget of a field."""
        return self._boxes[name]

    def values(self) -> dict[str, str]:
        return {name: _text(box) for name, box in self._boxes.items()}

    def set_values(self, values: Mapping[str, str]) -> None:
        """Show these texts, without `edited`; a field that holds its text keeps its cursor."""
        for name, box in self._boxes.items():
            text = values.get(name, "")
            if _text(box) != text:
                box.blockSignals(True)
                box.setPlainText(text) if isinstance(box, QPlainTextEdit) else box.setText(text)
                box.blockSignals(False)
        self.show_wrong({})

    def show_wrong(self, wrong: Mapping[str, str]) -> None:
        """Say below each field what is wrong with it."""
        for name, label in self._wrong.items():
            text = wrong.get(name, "")
            label.setText(text)
            label.setVisible(bool(text))
            box = self._boxes[name]
            if bool(box.property("wrong")) != bool(text):
                box.setProperty("wrong", bool(text))
                box.style().polish(box)

    def set_read_only(self, *, read_only: bool) -> None:
        for box in self._boxes.values():
            box.setReadOnly(read_only)

    def _add(self, field: Field, column: QVBoxLayout) -> None:
        box: QLineEdit | QPlainTextEdit
        if field.lines > 1:
            box = QPlainTextEdit()
            box.setTabChangesFocus(True)
        else:
            box = QLineEdit()
        if field.is_code:
            box.setFont(mono_font())
        if isinstance(box, QPlainTextEdit):
            box.setMinimumHeight(box.fontMetrics().lineSpacing() * min(field.lines, 3) + 20)
            if not field.grows:
                box.setMaximumHeight(box.fontMetrics().lineSpacing() * field.lines + 20)
        box.textChanged.connect(self.edited)
        box.setAccessibleName(field.label)
        box.setAccessibleDescription(field.hint)
        box.setPlaceholderText(field.hint)
        label = PlainLabel(field.label, "small")
        label.setBuddy(box)
        wrong = PlainLabel("", "bad", wraps=True)
        wrong.hide()
        column.addWidget(label)
        column.addWidget(box, 1 if field.grows else 0)
        column.addWidget(wrong)
        column.addSpacing(6)
        self._boxes[field.name] = box
        self._wrong[field.name] = wrong


def _text(box: QLineEdit | QPlainTextEdit) -> str:
    if isinstance(box, QPlainTextEdit):
        # Not toPlainText: that turns no-break spaces into spaces.
        return box.document().toRawText().replace("\u2029", "\n")
    return box.text()
