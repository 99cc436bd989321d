"""Small dialogs that open and answer by signal; none blocks."""

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QDialog, QHBoxLayout, QLineEdit, QPlainTextEdit, QVBoxLayout, QWidget

from studio.ui.widgets.label import PlainLabel
from studio.ui.widgets.panel import button


class Dialog(QDialog):
    """A window-modal dialog with a heading, a body and its buttons, deleted when it closes."""

    def __init__(self, heading: str, parent: QWidget) -> None:
        super().__init__(parent)
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self.setWindowTitle(heading)
        self.heading = PlainLabel(heading, "title", wraps=True)
        self.body = QVBoxLayout()
        self.buttons = QHBoxLayout()
        self.buttons.addStretch(1)
        outer = QVBoxLayout(self)
        outer.setContentsMargins(18, 16, 18, 14)
        outer.setSpacing(12)
        outer.addWidget(self.heading)
        outer.addLayout(self.body, 1)
        outer.addLayout(self.buttons)

    def add_cancel(self, text: str = "Cancel") -> None:
        cancel = button(text)
        cancel.clicked.connect(self.reject)
        self.buttons.addWidget(cancel)


class Question(Dialog):
    """Asks whether to go on.  The safe answer has the focus."""

    agreed = Signal(str)
    """The user wants it done; carries `subject`."""

    def __init__(
        self, heading: str, text: str, action: str, *, parent: QWidget, subject: str = ""
    ) -> None:
        super().__init__(heading, parent)
        self._subject = subject
        self.body.addWidget(PlainLabel(text, "muted", wraps=True))
        self.add_cancel()
        self.go_on = button(action, "primary")
        self.go_on.setAutoDefault(False)
        self.go_on.clicked.connect(self._agree)
        self.buttons.addWidget(self.go_on)
        self.setMinimumWidth(self.fontMetrics().averageCharWidth() * 60)

    def _agree(self) -> None:
        self.agreed.emit(self._subject)
        self.accept()


class NameDialog(Dialog):
    """Asks for a name that is free and, where it is one of a file, fit for that."""

    named = Signal(str, str)
    """The new name, and the one that `name` was: meanwhile something else may be shown."""

    def __init__(
        self, heading: str, action: str, *, taken: frozenset[str], parent: QWidget,
        name: str = "", is_file: bool = True,
    ) -> None:  # fmt: skip
        super().__init__(heading, parent)
        self._taken = taken
        self._is_file = is_file
        self._before = name
        self.name = QLineEdit(name)
        self.name.setAccessibleName("Name")
        self.name.textChanged.connect(self._check)
        self.wrong = PlainLabel("", "bad", wraps=True)
        self.body.addWidget(self.name)
        self.body.addWidget(self.wrong)
        self.add_cancel()
        self.go_on = button(action, "primary")
        self.go_on.setDefault(True)
        self.go_on.clicked.connect(self._name)
        self.buttons.addWidget(self.go_on)
        self.setMinimumWidth(self.fontMetrics().averageCharWidth() * 50)
        self.name.selectAll()
        self._check(name)

    def _check(self, name: str) -> None:
        wrong = _wrong_with(name.strip(), self._taken, is_file=self._is_file)
        self.go_on.setEnabled(bool(name.strip()) and not wrong)
        self.wrong.setText(wrong)

    def _name(self) -> None:
        self.named.emit(self.name.text().strip(), self._before)
        self.accept()


class TextDialog(Dialog):
    """Shows a long text as it is."""

    def __init__(self, heading: str, text: str, parent: QWidget) -> None:
        super().__init__(heading, parent)
        self.text = QPlainTextEdit(text)
        self.text.setReadOnly(True)
        self.text.setAccessibleName(heading)
        self.body.addWidget(self.text)
        self.add_cancel("Close")
        character = self.fontMetrics().averageCharWidth()
        self.resize(character * 110, self.fontMetrics().height() * 34)


def _wrong_with(name: str, taken: frozenset[str], *, is_file: bool) -> str:
    if name.casefold() in {each.casefold() for each in taken}:
        return "This name is taken."
    if not is_file:
        return ""
    if any(character in '/\\:*?"<>|' or ord(character) < 32 for character in name):
        return 'A name is also a file name: it cannot hold / \\ : * ? " < > |.'
    if name.startswith(".") or name.endswith("."):
        return "A name cannot start or end with a full stop."
    return ""
