"""What is seen before a project is open, and when one cannot be opened."""

from pathlib import Path

from PySide6.QtCore import QSize, Qt
from PySide6.QtWidgets import QHBoxLayout, QListWidget, QListWidgetItem, QVBoxLayout, QWidget

from studio.ui.commands import Actions
from studio.ui.remembered import Remembered
from studio.ui.session import Session
from studio.ui.state import Refused
from studio.ui.text import counted, menu_text, plain, tip
from studio.ui.views.page import Page
from studio.ui.widgets.label import ElidedLabel, PlainLabel
from studio.ui.widgets.panel import Panel, button


class WelcomePage(Page):
    """Open a project, open the sample, or one of the last few."""

    def __init__(
        self, session: Session, actions: Actions, remembered: Remembered,
        parent: QWidget | None = None,
    ) -> None:  # fmt: skip
        super().__init__(parent)
        self._session = session
        self._wait = PlainLabel("", "muted")
        column = QVBoxLayout()
        column.setSpacing(10)
        column.addStretch(2)
        column.addWidget(PlainLabel("Evaluate tool-using agents on your own machine", "heading"))
        column.addWidget(
            PlainLabel(
                "A project is a folder with prompts, tools and queries.  Open one, press Evaluate, "
                "and step through what the agent did.",
                "muted",
                wraps=True,
            )
        )
        column.addSpacing(6)
        column.addLayout(_first_steps(actions))
        column.addWidget(self._wait)
        column.addSpacing(14)
        if remembered.recent:
            column.addWidget(PlainLabel("Recent projects", "title"))
            for folder in remembered.recent:
                column.addWidget(self._recent(folder), 0, Qt.AlignmentFlag.AlignLeft)
        column.addStretch(3)
        row = QHBoxLayout(self)
        row.setContentsMargins(24, 12, 24, 12)
        row.addStretch(1)
        row.addLayout(column, 3)
        row.addStretch(1)
        session.state_changed.connect(self._show)
        self._show()

    def _recent(self, folder: str) -> QWidget:
        path = Path(folder)
        each = button(menu_text(f"{path.name}    {_short(path.parent)}"), "link")
        each.setToolTip(tip(folder))
        each.setProperty("folder", folder)
        each.clicked.connect(self._open)
        return each

    def _open(self) -> None:
        sender = self.sender()
        if sender is not None:
            self._session.open_project(str(sender.property("folder")))

    def _show(self) -> None:
        opening = self._session.state.opening
        self._wait.setText(f"Opening {plain(opening)} …" if opening else "")


def _first_steps(actions: Actions) -> QHBoxLayout:
    row = QHBoxLayout()
    sample = button("Open Sample Project", "primary")
    sample.clicked.connect(actions["project.sample"].trigger)
    own = button("Open Project…")
    own.clicked.connect(actions["project.open"].trigger)
    row.addWidget(sample)
    row.addWidget(own)
    row.addStretch(1)
    return row


def _short(folder: Path) -> str:
    try:
        return f"~/{folder.relative_to(Path.home())}"
    except ValueError:
        return str(folder)


class ProblemsPage(Page):
    """Everything that is wrong in a project folder, with what to write instead."""

    def __init__(self, session: Session, actions: Actions, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._session = session
        self._panel = Panel("This project cannot be opened yet")
        self._folder = ElidedLabel("", "muted")
        self.list = QListWidget()
        self.list.setWordWrap(True)
        self.list.setAccessibleName("Problems")
        self.list.setSelectionMode(QListWidget.SelectionMode.ExtendedSelection)
        again = button("Read Again", "primary")
        again.clicked.connect(actions["project.read"].trigger)
        other = button("Open Another…")
        other.clicked.connect(actions["project.open"].trigger)
        below = QHBoxLayout()
        below.setContentsMargins(11, 8, 11, 11)
        below.addWidget(self._folder, 1)
        below.addWidget(other)
        below.addWidget(again)
        self._panel.body.addWidget(self.list, 1)
        self._panel.body.addLayout(below)
        column = QVBoxLayout(self)
        column.setContentsMargins(12, 10, 12, 10)
        column.addWidget(self._panel)
        session.state_changed.connect(self._show)
        self._shown: Refused | None = None
        self._show()

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
            lines = [place, problem.problem, problem.remedy]
            item = QListWidgetItem("\n".join(line for line in lines if line))
            item.setSizeHint(QSize(0, self.list.fontMetrics().lineSpacing() * (len(lines) + 1)))
            self.list.addItem(item)
