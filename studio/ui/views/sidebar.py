"""The list of pages at the left."""

from PySide6.QtCore import Qt
from PySide6.QtGui import QKeySequence
from PySide6.QtWidgets import QHBoxLayout, QPushButton, QVBoxLayout, QWidget

from studio.ui.commands import Actions
from studio.ui.state import PAGES, State
from studio.ui.widgets.label import PlainLabel

_TITLES = {
    "evaluate": "Evaluate",
    "prompts": "Prompts",
    "tools": "Tools",
    "queries": "Queries",
    "runs": "Runs",
    "models": "Models",
}


class Sidebar(QWidget):
    """One button a page; each does the page's command."""

    def __init__(self, actions: Actions, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("sidebar")
        self.setAttribute(Qt.WidgetAttribute.WA_StyledBackground)
        self._buttons = {page: _button(page, actions) for page in PAGES}
        column = QVBoxLayout(self)
        column.setContentsMargins(6, 8, 6, 8)
        column.setSpacing(2)
        for each in self._buttons.values():
            column.addWidget(each)
        column.addStretch(1)
        self.setFixedWidth(max(148, self.fontMetrics().averageCharWidth() * 20))

    def show_state(self, state: State) -> None:
        for page, each in self._buttons.items():
            each.setChecked(page == state.page)


def _button(page: str, actions: Actions) -> QPushButton:
    action = actions[f"page.{page}"]
    button = QPushButton(_TITLES[page])
    button.setProperty("role", "nav")
    button.setCheckable(True)
    button.setAutoExclusive(True)
    button.setAccessibleName(f"{_TITLES[page]} page")
    button.clicked.connect(action.trigger)
    keys = PlainLabel(_short(action.shortcut()), "small")
    keys.setAttribute(Qt.WidgetAttribute.WA_TransparentForMouseEvents)
    row = QHBoxLayout(button)
    row.setContentsMargins(0, 0, 8, 0)
    row.addStretch(1)
    row.addWidget(keys)
    return button


def _short(keys: QKeySequence) -> str:
    return keys.toString(QKeySequence.SequenceFormat.NativeText).replace("Ctrl+", "^")
