"""What is seen when a project cannot be opened: everything that is wrong in it."""

from PySide6.QtCore import QSize
from PySide6.QtWidgets import QListWidget, QListWidgetItem, QVBoxLayout, QWidget
from typing_extensions import override

from studio.ui.commands import Actions
from studio.ui.session import Session
from studio.ui.state import Refused
from studio.ui.text import counted
from studio.ui.views.page import Page
from studio.ui.widgets.label import ElidedLabel
from studio.ui.widgets.panel import Panel, button, foot, rule


class ProblemsPage(Page):
    """Every mistake with its file and line, and what to write instead."""

    def __init__(self, session: Session, actions: Actions, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._session = session
        self._shown: Refused | None = None
        self._panel = Panel("This project cannot be opened yet")
        self._folder = ElidedLabel("", "small")
        self.list = QListWidget()
        self.list.setWordWrap(True)
        self.list.setAccessibleName("Problems")
        self.list.setSelectionMode(QListWidget.SelectionMode.ExtendedSelection)
        row = foot()
        row.addWidget(self._folder, 1)
        for text, role, command in (
            ("Show Folder", "", "project.folder"),
            ("Open Another…", "", "project.open"),
            ("Read Again", "primary", "project.read"),
        ):
            each = button(text, role)
            each.clicked.connect(actions[command].trigger)
            row.addWidget(each)
        self._panel.body.addWidget(self.list, 1)
        self._panel.body.addWidget(rule())
        self._panel.body.addLayout(row)
        column = QVBoxLayout(self)
        column.setContentsMargins(12, 10, 12, 10)
        column.addWidget(self._panel)
        session.state_changed.connect(self._show)
        self._show()

    @override
    def start_here(self) -> QWidget:
        return self.list

    def _show(self) -> None:
        refused = self._session.state.refused
        if refused is None or refused is self._shown:
            return
        self._shown = refused
        self._folder.setText(refused.folder)
        self._panel.note.setText(counted(len(refused.problems), "mistake"))
        self.list.clear()
        for problem in refused.problems:
            place = f"{problem.file}, line {problem.line}" if problem.line else problem.file
            lines = [line for line in (place, problem.problem, problem.remedy) if line]
            item = QListWidgetItem("\n".join(lines))
            item.setSizeHint(QSize(0, self.list.fontMetrics().lineSpacing() * (len(lines) + 1)))
            self.list.addItem(item)
