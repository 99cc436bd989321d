"""Makes everything of the window once, and connects it.

Two stages: what the first paint needs, and, once the window was painted, all the rest.  Only this
module knows both, so that nothing slow slips in front of the first paint.
"""

import gc
import logging
import sys
import threading
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, QStandardPaths, QTimer, Signal
from PySide6.QtWidgets import QApplication
from shiboken6 import delete

from studio import __version__
from studio.screen import need_screen
from studio.ui.commands import Actions
from studio.ui.log import Faults, start_log
from studio.ui.remembered import Remembered
from studio.ui.theme import Theme
from studio.ui.views.main_window import MainWindow
from studio.ui.views.welcome import WelcomePage

if TYPE_CHECKING:
    from studio.engine.messages import Told, TrustNeeded
    from studio.engine.records import Project
    from studio.ui.handlers import Handlers
    from studio.ui.session import Session
    from studio.ui.views.notices import Notice

_READ_ONLY = "This project is open for reading only."
_SAVE_MS = 2_000
_PATIENCE = 10.0
_log = logging.getLogger("studio.app")


def main(folder: Path | None = None, *, evaluates: bool = False) -> int:
    """Show the window and return the exit code once it was closed.

    `folder` is the project to open; with `evaluates` its evaluation starts by itself.
    """
    need_screen()
    app = make_application(sys.argv)
    state = state_folder()
    log = start_log(state)
    _log.info("studio %s, Python %s", __version__, sys.version.split()[0])
    faults = Faults(app)
    faults.catch()
    studio = Studio(app, state, log=log, opens=folder, evaluates=evaluates)
    faults.happened.connect(studio.tell_fault)
    studio.begun.connect(studio.spare_the_collector)
    return show(studio)


def show(studio: "Studio") -> int:
    """Show the window until it is closed, and put everything away; the exit code."""
    studio.window.show()
    code = QApplication.exec()
    # Before Python takes the rest apart in an order of its own, which Qt does not survive.
    delete(studio.window)
    for thread in threading.enumerate():
        if thread is not threading.current_thread():
            # One that still imports a library would find no interpreter any more.
            thread.join(_PATIENCE)
    return code


def state_folder() -> Path:
    """Window state, drafts and the log.  Losing it loses no run and no project."""
    # Asked of Qt, which is loaded anyway, and not of platformdirs: that takes a tenth of the start.
    place = QStandardPaths.StandardLocation.GenericStateLocation
    return Path(QStandardPaths.writableLocation(place)) / "agent-evaluation-studio"


def make_application(arguments: Sequence[str]) -> QApplication:
    """The application, with its names set; it ends when the studio says so."""
    # Named here: `setStyle` returns the style, and wrapping that costs a third of the start.
    app = QApplication([*arguments, "-style", "fusion"])
    app.setApplicationName("agent-evaluation-studio")
    app.setApplicationDisplayName("Studio")
    app.setQuitOnLastWindowClosed(False)
    return app


class Studio(QObject):
    """The window with all that stands behind it."""

    begun = Signal()
    """The second stage is done: there is a session, and the engine is being started."""

    session: "Session"
    handlers: "Handlers"

    def __init__(
        self,
        app: QApplication,
        state_folder: Path,
        *,
        log: Path | None = None,
        engine: Sequence[str] = (),
        opens: Path | None = None,
        evaluates: bool = False,
    ) -> None:
        super().__init__(app)
        self._app = app
        self._state_folder = state_folder
        self._log = log
        self._engine = tuple(engine)
        self._opens = opens
        self._evaluates = evaluates
        self._has_begun = False
        self._death: Notice | None = None
        self._reading: Notice | None = None
        self.remembered = Remembered(state_folder / "window.json")
        self.theme = Theme(app, str(self.remembered.kept("window").get("theme", "system")))
        self.actions = Actions(self)
        self._welcome = WelcomePage(self.actions, self.remembered.recent)
        self.window = MainWindow(self.actions, self._welcome, self.remembered)
        # Once the first paint is over: the window is seen before anything slow starts.
        self._after_paint = QTimer(self, interval=0, singleShot=True)
        self._after_paint.timeout.connect(self._begin)
        self.window.painted.connect(self._after_paint.start)
        self.window.close_asked.connect(self._close)
        self._save_soon = QTimer(self, interval=_SAVE_MS)
        self._save_soon.timeout.connect(self.remembered.save)

    def tell_fault(self, fault: str) -> None:
        """A bug of ours: said in one line, the rest is in the log."""
        self.window.notices.tell(
            f"Something went wrong in the studio: {fault}",
            "What you see may be incomplete. Help › Show Log has the details.",
        )

    def spare_the_collector(self) -> None:
        """What is loaded by now stays: to look through it again would stop the window for 30 ms."""
        gc.collect()
        gc.freeze()

    def leave(self) -> None:
        """Remember everything, hide the window, end the engine; `session.closed` follows."""
        if self.session.state.engine == "closing":
            return
        self.window.keep()
        self.remembered.keep("window", {"page": self.session.state.page})
        self.remembered.save()
        self.window.keep_drafts()
        self.window.hide()
        self._save_soon.stop()
        self.session.close()

    def _begin(self) -> None:
        from studio.ui.handlers import Handlers
        from studio.ui.link import ENGINE, EngineLink
        from studio.ui.screens import Screens
        from studio.ui.session import Session

        link = EngineLink(self._engine or ENGINE, log=self._log, parent=self)
        link.start()
        self.session = Session(link, self.remembered, self)
        screens = Screens(self.session, self.theme, self.actions, self._state_folder)
        self.window.add_screens(screens.table)
        self.handlers = Handlers(
            self.session, self.window, self.theme, remembered=self.remembered, log=self._log
        )
        self._connect()
        self._read_settings()
        self.session.show_page(str(self.remembered.kept("window").get("page", "evaluate")))
        self._show_state()
        self._open_first()
        self._has_begun = True
        self.begun.emit()

    def _read_settings(self) -> None:
        from studio import settings

        known, problems = settings.load()
        self.theme.choose(known.theme)
        self.remembered.keep("window", {"theme": known.theme})
        for problem in problems:
            self.window.notices.tell(str(problem))

    def _connect(self) -> None:
        session = self.session
        self.actions.asked.connect(self.handlers.do)
        self._welcome.open_asked.connect(session.open_project)
        session.state_changed.connect(self._show_state)
        session.project_changed.connect(self._project_changed)
        session.queries_changed.connect(self._start_once)
        session.told.connect(self._tell)
        session.trust_needed.connect(self._ask_for_trust)
        session.engine_died.connect(self._tell_death)
        session.closed.connect(self._app.quit)
        self._save_soon.start()

    def _open_first(self) -> None:
        last = self.remembered.recent[0] if self.remembered.recent else None
        if self._opens is not None:
            self.session.open_project(str(self._opens))
        elif last is not None and Path(last).is_dir():
            self.session.open_project(last)

    def _show_state(self) -> None:
        from studio.ui.state import screen

        state = self.session.state
        if self._death is not None and state.engine != "ended":
            self.window.notices.take_back(self._death)
            self._death = None
        self._welcome.show_opening(state.opening)
        self.window.show_screen(screen(state))
        self.window.show_state(state)
        self.actions.update(state)

    def _project_changed(self, project: "Project | None") -> None:
        if self._reading is not None:
            self.window.notices.take_back(self._reading)
            self._reading = None
        if project is not None:
            self.remembered.opened(project.folder)
            if why := self.session.state.read_only:
                self._reading = self.window.notices.tell(_READ_ONLY, why)

    def _start_once(self) -> None:
        if self._evaluates and self.session.state.can_run:
            self._evaluates = False
            self.session.start_run()

    def _tell(self, told: "Told") -> None:
        level = "error" if told.is_error else "note"
        self.window.notices.tell(told.problem, told.remedy, level=level)

    def _tell_death(self, how: str) -> None:
        unfinished = self.session.state.unfinished
        lost = f" during run {unfinished}; what it did is stored" if unfinished else ""
        self._death = self.window.notices.tell(
            f"The engine process ended{lost} ({how}).", action="Continue"
        )
        self._death.acted.connect(self.session.continue_work)

    def _ask_for_trust(self, needed: "TrustNeeded") -> None:
        from studio.ui.views.trust import TrustDialog

        dialog = TrustDialog(needed, self.window)
        dialog.trusted.connect(self.session.trust)
        dialog.open()

    def _close(self) -> None:
        if not self._has_begun:
            self._app.quit()
        elif not self.session.state.is_busy:
            self.leave()
        else:
            self._ask_to_leave()

    def _ask_to_leave(self) -> None:
        from studio.ui.widgets.dialog import Question

        question = Question(
            "A run is going",
            "Closing stops it. What it did so far is kept, and it can be continued later.",
            "Stop and Close",
            parent=self.window,
        )
        question.agreed.connect(self.leave)
        question.open()
