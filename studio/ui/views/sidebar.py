"""The list of pages at the left."""

from typing import TYPE_CHECKING

from PySide6.QtWidgets import QFrame, QHBoxLayout, QPushButton, QVBoxLayout, QWidget

from studio.ui.commands import Actions
from studio.ui.pages import PAGES
from studio.ui.widgets.label import PlainLabel

if TYPE_CHECKING:
    from studio.ui.state import State


class Sidebar(QFrame):
    """One button a page; each does the page's command."""

    def __init__(self, actions: Actions, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("sidebar")
        self._buttons = {page: _button(page, actions) for page in PAGES}
        column = QVBoxLayout(self)
        column.setContentsMargins(6, 8, 6, 8)
        column.setSpacing(2)
        for each in self._buttons.values():
            column.addWidget(each)
        column.addStretch(1)
        self.setFixedWidth(max(148, self.fontMetrics().horizontalAdvance("Evaluate    ^1") + 60))

    def show_state(self, state: "State") -> None:
        from PySide6.QtCore import Qt  # not needed for the first paint

        for page, each in self._buttons.items():
            is_shown = page == state.page
            each.setChecked(is_shown)
            # One stop for Tab, at the page that is shown; the arrow keys go to the others.
            policy = Qt.FocusPolicy.StrongFocus if is_shown else Qt.FocusPolicy.ClickFocus
            each.setFocusPolicy(policy)


def _button(page: str, actions: Actions) -> QPushButton:
    action = actions[f"page.{page}"]
    button = QPushButton(PAGES[page])
    button.setProperty("role", "nav")
    button.setCheckable(True)
    button.setAutoExclusive(True)
    button.setAccessibleName(f"{PAGES[page]} page")
    button.clicked.connect(action.trigger)
    keys = PlainLabel(action.shortcut().toString().replace("Ctrl+", "^"), "small")
    # A click on the keys is a click on the button behind them.
    keys.setEnabled(False)
    row = QHBoxLayout(button)
    row.setContentsMargins(0, 0, 8, 0)
    row.addStretch(1)
    row.addWidget(keys)
    return button
