"""A form of labelled fields, each with room to say what is wrong with it."""

from collections.abc import Mapping, Sequence

import msgspec
from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import (
    QCheckBox,
    QFrame,
    QLineEdit,
    QPlainTextEdit,
    QScrollArea,
    QVBoxLayout,
    QWidget,
)

from studio.ui.fields import YES
from studio.ui.text import tip
from studio.ui.theme import mono_font
from studio.ui.widgets.label import PlainLabel
from studio.ui.widgets.ticks import Ticks

Box = QLineEdit | QPlainTextEdit | QCheckBox | Ticks


class Field(msgspec.Struct, frozen=True):
    """A text field.  `lines` above 1 makes an editor of that height, which may grow.

    `is_code` sets it in the fixed-width font.  A flag is ticked or not; names are some of those
    offered, in an order, one a line.
    """

    name: str
    label: str
    hint: str = ""
    lines: int = 1
    is_code: bool = False
    grows: bool = False
    is_flag: bool = False
    is_names: bool = False


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
        self._boxes: dict[str, Box] = {}
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

    def box(self, name: str) -> Box:
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
                _set_text(box, text)
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
            match box:
                case QCheckBox():
                    box.setEnabled(not read_only)
                case Ticks():
                    box.set_read_only(read_only=read_only)
                case _:
                    box.setReadOnly(read_only)

    def _add(self, field: Field, column: QVBoxLayout) -> None:
        box = self._made(field)
        box.setAccessibleName(field.label)
        box.setAccessibleDescription(field.hint)
        wrong = PlainLabel("", "bad", wraps=True)
        wrong.hide()
        if not isinstance(box, QCheckBox):  # which holds its label
            label = PlainLabel(field.label, "small", wraps=True)
            label.setBuddy(box)
            column.addWidget(label)
        column.addWidget(box, 1 if field.grows else 0)
        column.addWidget(wrong)
        column.addSpacing(6)
        self._boxes[field.name] = box
        self._wrong[field.name] = wrong

    def _made(self, field: Field) -> Box:
        if field.is_flag:
            flag = QCheckBox(field.label)
            flag.setToolTip(tip(field.hint))
            flag.toggled.connect(self.edited)
            return flag
        if field.is_names:
            names = Ticks()
            names.edited.connect(self.edited)
            return names
        box = QPlainTextEdit() if field.lines > 1 else QLineEdit()
        if field.is_code:
            box.setFont(mono_font())
        if isinstance(box, QPlainTextEdit):
            box.setTabChangesFocus(True)
            box.setMinimumHeight(box.fontMetrics().lineSpacing() * min(field.lines, 3) + 20)
            if not field.grows:
                box.setMaximumHeight(box.fontMetrics().lineSpacing() * field.lines + 20)
        box.textChanged.connect(self.edited)
        box.setPlaceholderText(field.hint)
        return box


def _text(box: Box) -> str:
    match box:
        case QPlainTextEdit():
            # Not toPlainText: that turns no-break spaces into spaces.
            return box.document().toRawText().replace("\u2029", "\n")
        case QCheckBox():
            return YES if box.isChecked() else ""
        case _:
            return box.text()


def _set_text(box: Box, text: str) -> None:
    match box:
        case QPlainTextEdit():
            box.setPlainText(text)
        case QCheckBox():
            box.setChecked(text == YES)
        case Ticks():
            box.set_text(text)
        case QLineEdit():
            box.setText(text)
