"""The main window: places the menus, the pages and the bars.  No logic."""

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING

from PySide6.QtCore import Signal
from PySide6.QtGui import QCloseEvent, QPaintEvent
from PySide6.QtWidgets import (
    QFrame,
    QHBoxLayout,
    QMainWindow,
    QMenu,
    QMenuBar,
    QStackedWidget,
    QVBoxLayout,
    QWidget,
)

from studio.ui.commands import COMMANDS, MENUS, Actions
from studio.ui.overriding import override
from studio.ui.remembered import Remembered
from studio.ui.text import one_line, plain
from studio.ui.views.notices import NoticeBar
from studio.ui.views.page import Page
from studio.ui.views.sidebar import Sidebar
from studio.ui.views.status import StatusBar
from studio.ui.widgets.label import PlainLabel
from studio.ui.widgets.panel import button

if TYPE_CHECKING:
    from studio.ui.state import State

_SIZE = (1280, 800)
_TITLE = 120
"""Characters of a window's title, about as many as a desktop shows."""
_NAME = 30
"""Characters of the project's name beside the menus; the title bar has more room for it."""


class MainWindow(QMainWindow):
    """Shows one screen at a time; each is made when it is first needed."""

    painted = Signal()
    """The window was painted for the first time."""

    close_asked = Signal()
    """The user wants to leave; the window stays until it is told to go."""

    def __init__(self, actions: Actions, welcome: QWidget, remembered: Remembered) -> None:
        super().__init__()
        self._actions = actions
        self._makers: dict[str, Callable[[], QWidget]] = {}
        self._made: dict[str, QWidget] = {"welcome": welcome}
        self._remembered = remembered
        self._is_painted = False
        self.notices = NoticeBar()
        self._sidebar = Sidebar(actions)
        self._stack = QStackedWidget()
        self._status = StatusBar()
        self._project = PlainLabel("Studio")
        self._make_menus()
        self._place()
        self._restore()
        self._stack.addWidget(welcome)

    def add_screens(self, makers: Mapping[str, Callable[[], QWidget]]) -> None:
        """How the other screens are made, once they are wanted."""
        self._makers.update(makers)

    @property
    def screens(self) -> tuple[QWidget, ...]:
        """The screens that were made so far."""
        return tuple(self._made.values())

    @property
    def current(self) -> QWidget | None:
        """The screen that is shown."""
        return self._stack.currentWidget()

    def show_state(self, state: "State") -> None:
        """Show in the bars what belongs to this state."""
        self._sidebar.show_state(state)
        self._status.show_state(state)
        name = state.project.name if state.project else "Studio"
        self._project.setText(plain(one_line(name), _NAME))
        title = plain(one_line(name), _TITLE)
        self.setWindowTitle(title if state.project is None else f"{title} – Studio")

    def keep_drafts(self) -> None:
        """Write down at once what was typed anywhere and not saved."""
        for each in self._made.values():
            if isinstance(each, Page):
                each.keep_drafts()

    def keep(self) -> None:
        """Remember where the window and its splitters stand."""
        from PySide6.QtWidgets import QSplitter

        geometry = bytes(self.saveGeometry().toBase64().data()).decode("ascii")
        sizes = {each.objectName(): each.sizes() for each in self.findChildren(QSplitter)}
        self._remembered.keep("window", {"geometry": geometry})
        self._remembered.keep("splitters", sizes)

    @override
    def closeEvent(self, event: QCloseEvent) -> None:
        event.ignore()
        self.close_asked.emit()

    @override
    def paintEvent(self, event: QPaintEvent) -> None:
        super().paintEvent(event)
        if not self._is_painted:
            self._is_painted = True
            self.painted.emit()

    def show_screen(self, name: str) -> None:
        """Show this screen; the first time it is made."""
        if name not in self._made:
            widget = self._makers[name]()
            self._made[name] = widget
            self._stack.addWidget(widget)
            self._give_size(widget)
            self._restore_splitters(widget)
        if self._stack.currentWidget() is not self._made[name]:
            self._stack.setCurrentWidget(self._made[name])
            shown = self._made[name]
            (shown.start_here() if isinstance(shown, Page) else shown).setFocus()

    def _make_menus(self) -> None:
        bar = QMenuBar()
        menus = {title: QMenu(title, self) for title in MENUS}
        for command in COMMANDS:
            if command.starts_group:
                menus[command.menu].addSeparator()
            menus[command.menu].addAction(self._actions[command.id])
        for menu in menus.values():
            bar.addMenu(menu)
        self._project.setObjectName("projectName")
        find = button("^P  Find a command…")
        find.setObjectName("findCommand")
        find.clicked.connect(self._actions["palette.open"].trigger)
        top = QFrame()
        top.setObjectName("topBar")
        row = QHBoxLayout(top)
        row.setContentsMargins(0, 0, 0, 0)
        row.setSpacing(0)
        row.addWidget(self._project)
        row.addWidget(bar, 1)
        row.addWidget(find)
        self.setMenuWidget(top)

    def _place(self) -> None:
        right = QVBoxLayout()
        right.setContentsMargins(0, 0, 0, 0)
        right.setSpacing(0)
        right.addWidget(self.notices)
        right.addWidget(self._stack, 1)
        centre = QWidget()
        row = QHBoxLayout(centre)
        row.setContentsMargins(0, 0, 0, 0)
        row.setSpacing(0)
        row.addWidget(self._sidebar)
        row.addLayout(right, 1)
        self.setCentralWidget(centre)
        self.setStatusBar(self._status)

    def _restore(self) -> None:
        self.resize(*_SIZE)
        kept = self._remembered.kept("window").get("geometry")
        if isinstance(kept, str):
            from PySide6.QtCore import QByteArray

            self.restoreGeometry(QByteArray.fromBase64(kept.encode("ascii", "replace")))

    def _give_size(self, screen: QWidget) -> None:
        # Sizes given to a splitter that has no size itself yet are bent to what it has.
        screen.resize(self._stack.size())
        layout = screen.layout()
        if layout is not None:
            layout.activate()

    def _restore_splitters(self, screen: QWidget) -> None:
        from PySide6.QtWidgets import QSplitter

        kept = self._remembered.kept("splitters")
        for each in screen.findChildren(QSplitter):
            sizes = kept.get(each.objectName())
            if isinstance(sizes, list) and len(sizes) == each.count():
                each.setSizes([size for size in sizes if isinstance(size, int)])
