"""A few lines of text, each of which ends in … where it has no room."""

from collections.abc import Sequence

from PySide6.QtWidgets import QVBoxLayout, QWidget

from studio.ui.widgets.label import ElidedLabel


class Lines(QWidget):
    """Takes the height of its lines, however narrow it is."""

    def __init__(self, role: str = "small", parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._role = role
        self._labels: list[ElidedLabel] = []
        self._column = QVBoxLayout(self)
        self._column.setContentsMargins(0, 0, 0, 0)
        self._column.setSpacing(1)

    def text(self) -> str:
        return "\n".join(label.text() for label in self._labels if not label.isHidden())

    def show_lines(self, lines: Sequence[str]) -> None:
        while len(self._labels) < len(lines):
            label = ElidedLabel("", self._role)
            self._labels.append(label)
            self._column.addWidget(label)
        for place, label in enumerate(self._labels):
            label.setText(lines[place] if place < len(lines) else "")
            label.setVisible(place < len(lines))
