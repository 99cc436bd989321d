"""One row of a table of names with numbers."""

from collections.abc import Sequence

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QWheelEvent
from PySide6.QtWidgets import QComboBox, QCompleter, QHBoxLayout, QLineEdit, QWidget
from typing_extensions import override

from studio.ui.models.named_numbers import Named
from studio.ui.text import tip
from studio.ui.theme import mono_font
from studio.ui.widgets.panel import button
from studio.ui.widgets.picker import Choice

_NUMBER_WIDTH, _NAME_WIDTH = 9, 32
"""Characters."""


class Row(QWidget):
    """One name, its number, its other settings, and the button that takes it out."""

    edited = Signal()
    removed = Signal(object)

    def __init__(self, stated: Named, names: Sequence[str], parent: QWidget) -> None:
        super().__init__(parent)
        self.name: NameBox | QLineEdit = NameBox(names) if names else QLineEdit()
        self.number = QLineEdit(stated.number)
        self.others = QLineEdit(stated.others)
        self.remove = button("×", "quiet")
        self.number.setFixedWidth(self.fontMetrics().averageCharWidth() * _NUMBER_WIDTH)
        self.others.setFont(mono_font())
        self.others.setCursorPosition(0)  # a long text is read from its beginning
        row = QHBoxLayout(self)
        row.setContentsMargins(0, 0, 0, 0)
        row.setSpacing(6)
        for control, share in ((self.name, 4), (self.number, 0), (self.others, 1)):
            row.addWidget(control, share)
        row.addWidget(self.remove)
        self.others.setVisible(bool(names))
        number, others = ("weight", "other settings, as JSON") if names else ("number", "")
        for box, told in ((self.number, number), (self.others, others)):
            box.setPlaceholderText(told)
            box.textEdited.connect(self.edited)
        if isinstance(self.name, NameBox):
            self.name.typed.setPlaceholderText("metric")
            self.name.setMaximumWidth(self.fontMetrics().averageCharWidth() * _NAME_WIDTH)
            self.name.setEditText(stated.name)
            self.name.typed.setCursorPosition(0)
            self.name.editTextChanged.connect(self.edited)
        else:
            self.name.setPlaceholderText("name")
            self.name.setText(stated.name)
            self.name.textEdited.connect(self.edited)
        self.edited.connect(self._tell)
        self.remove.clicked.connect(self._remove)
        self._tell()

    @property
    def controls(self) -> tuple[QWidget, ...]:
        """What the keyboard goes through, in order."""
        return self.name, self.number, self.others, self.remove

    @property
    def stated(self) -> Named:
        is_offered = isinstance(self.name, NameBox)
        name = self.name.currentText() if isinstance(self.name, NameBox) else self.name.text()
        return Named(name, self.number.text(), self.others.text() if is_offered else "")

    def _tell(self) -> None:
        """A screen reader hears of which name a control is."""
        name = self.stated.name or "a new row"
        self.name.setAccessibleName("Name")
        self.number.setAccessibleName(f"Number of {name}")
        self.others.setAccessibleName(f"Other settings of {name}, as JSON")
        self.remove.setAccessibleName(f"Remove {name}")
        self.remove.setToolTip(tip(f"Remove {name}"))

    def _remove(self) -> None:
        self.removed.emit(self)


class NameBox(Choice):
    """Offers names, and takes any; what is typed is looked for anywhere in the names."""

    def __init__(self, names: Sequence[str]) -> None:
        super().__init__()
        self.typed = QLineEdit()
        self.setLineEdit(self.typed)
        self.setInsertPolicy(QComboBox.InsertPolicy.NoInsert)
        self.addItems(list(names))
        completer = QCompleter(list(names), self)
        completer.setFilterMode(Qt.MatchFlag.MatchContains)
        completer.setCaseSensitivity(Qt.CaseSensitivity.CaseInsensitive)
        self.setCompleter(completer)

    @override
    def wheelEvent(self, event: QWheelEvent) -> None:
        event.ignore()  # who scrolls past it changes nothing
