"""A line for the path of a file, with a button to look for it."""

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QFileDialog, QHBoxLayout, QLineEdit, QVBoxLayout, QWidget

from studio.ui.text import tip
from studio.ui.widgets.label import PlainLabel
from studio.ui.widgets.panel import button


class PathLine(QWidget):
    """`is_new`: a file that is to be written."""

    changed = Signal()

    def __init__(
        self, label: str, kinds: str, *, is_new: bool = False, parent: QWidget | None = None
    ) -> None:
        """`kinds` is the name filter of Qt's file dialog."""
        super().__init__(parent)
        self._kinds = kinds
        self._is_new = is_new
        self._label = PlainLabel(label, "small", wraps=True)
        self.line = QLineEdit(clearButtonEnabled=True)
        self.line.setAccessibleName(label)
        self.line.textChanged.connect(self._changed)
        self.browse = button("Browse…")
        self.browse.setAccessibleName(f"Browse: {label}")
        self.browse.clicked.connect(self._ask)
        self._label.setBuddy(self.line)
        row = QHBoxLayout()
        row.setSpacing(6)
        row.addWidget(self.line, 1)
        row.addWidget(self.browse)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(3)
        column.addWidget(self._label)
        column.addLayout(row)

    def path(self) -> str:
        """The path, "" for none."""
        return self.line.text().strip()

    def set_path(self, path: str) -> None:
        self.line.setText(path)

    def _changed(self, text: str) -> None:
        self.line.setToolTip(tip(text))
        self.changed.emit()

    def _ask(self) -> None:
        dialog = QFileDialog(self, "Choose a file", self.path(), self._kinds)
        dialog.setFileMode(
            QFileDialog.FileMode.AnyFile if self._is_new else QFileDialog.FileMode.ExistingFile
        )
        if self._is_new:
            dialog.setAcceptMode(QFileDialog.AcceptMode.AcceptSave)
        dialog.fileSelected.connect(self.set_path)
        dialog.finished.connect(dialog.deleteLater)
        dialog.open()
