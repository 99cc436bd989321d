"""Makes everything of the window once, and connects it."""

import logging
import sys
from collections.abc import Sequence
from pathlib import Path

from PySide6.QtCore import QObject, QTimer
from PySide6.QtWidgets import QApplication

from studio import __version__, folders
from studio.engine.messages import Told, TrustNeeded
from studio.engine.records import Project
from studio.ui.commands import Actions
from studio.ui.handlers import Handlers
from studio.ui.link import ENGINE, EngineLink
from studio.ui.log import Faults, start_log
from studio.ui.remembered import Remembered
from studio.ui.screens import Screens
from studio.ui.session import Session
from studio.ui.theme import Theme
from studio.ui.views.main_window import MainWindow
from studio.ui.views.trust import TrustDialog
from studio.ui.widgets.dialog import Question

_log = logging.getLogger("studio.app")


def main(folder: Path | None = None, *, evaluates: bool = False) -> int:
    """Show the window and return the exit code once it was closed.

    `folder` is the project to open; with `evaluates` its evaluation starts by itself.
    """
    app = make_application(sys.argv)
    state = folders.state_folder()
    log = start_log(state)
    _log.info("studio %s, Python %s", __version__, sys.version.split()[0])
    faults = Faults(app)
    faults.catch()
    studio = Studio(app, state, log=log, opens=folder, evaluates=evaluates)
    faults.happened.connect(studio.tell_fault)
    studio.window.show()
    return app.exec()


def make_application(arguments: Sequence[str]) -> QApplication:
    """The application, with its names set; it ends when the studio says so."""
    app = QApplication(list(arguments))
    app.setApplicationName("agent-evaluation-studio")
    app.setApplicationDisplayName("Studio")
    app.setQuitOnLastWindowClosed(False)
    return app


class Studio(QObject):
    """The window with all that stands behind it."""

    def __init__(
        self,
        app: QApplication,
        state_folder: Path,
        *,
        log: Path | None = None,
        engine: Sequence[str] = ENGINE,
        opens: Path | None = None,
        evaluates: bool = False,
    ) -> None:
        super().__init__(app)
        self._app = app
        self._opens = opens
        self._evaluates = evaluates
        self.remembered = Remembered(state_folder / "window.json")
        window_state = self.remembered.kept("window")
        self.theme = Theme(app, str(window_state.get("theme", "system")))
        self.session = Session(EngineLink(engine, log=log, parent=self), self.remembered, self)
        self.actions = Actions(self)
        screens = Screens(
            self.session, self.theme, self.actions,
            remembered=self.remembered, state_folder=state_folder,
        )  # fmt: skip
        self.window = MainWindow(self.actions, screens.table, self.remembered)
        self.handlers = Handlers(
            self.session, self.window, self.theme, remembered=self.remembered, log=log
        )
        self._save_soon = QTimer(self, interval=2_000)
        self._save_soon.timeout.connect(self.remembered.save)
        self._connect()
        self.session.show_page(str(window_state.get("page", "evaluate")))
        self._show_state()

    def tell_fault(self, fault: str) -> None:
        """A bug of ours: said in one line, the rest is in the log."""
        self.window.notices.tell(
            f"Something went wrong in the studio: {fault}",
            "What you see may be incomplete.  Help › Show Log has the details.",
        )

    def _connect(self) -> None:
        session, window = self.session, self.window
        self.actions.asked.connect(self.handlers.do)
        session.state_changed.connect(self._show_state)
        session.project_changed.connect(self._project_changed)
        session.queries_changed.connect(self._start_once)
        session.told.connect(self._tell)
        session.trust_needed.connect(self._ask_for_trust)
        session.engine_died.connect(self._tell_death)
        session.closed.connect(self._app.quit)
        window.painted.connect(self._painted)
        window.close_asked.connect(self._close)
        self._save_soon.start()

    def _painted(self) -> None:
        # Once this paint is over: the window is seen before anything slow starts.
        QTimer.singleShot(0, self._begin)

    def _begin(self) -> None:
        self.session.start_engine()
        last = self.remembered.recent[0] if self.remembered.recent else None
        if self._opens is not None:
            self.session.open_project(str(self._opens))
        elif last is not None and Path(last).is_dir():
            self.session.open_project(last)

    def _show_state(self) -> None:
        state = self.session.state
        self.window.show_state(state)
        self.actions.update(state)

    def _project_changed(self, project: Project | None) -> None:
        if project is not None:
            self.remembered.opened(project.folder)

    def _start_once(self) -> None:
        if self._evaluates and self.session.state.can_run:
            self._evaluates = False
            self.session.start_run()

    def _tell(self, told: Told) -> None:
        level = "error" if told.is_error else "note"
        self.window.notices.tell(told.problem, told.remedy, level=level)

    def _tell_death(self, how: str) -> None:
        unfinished = self.session.state.unfinished
        lost = f" during run {unfinished}.  What it stored is safe" if unfinished else ""
        notice = self.window.notices.tell(
            f"The engine process ended{lost} ({how}).", action="Continue"
        )
        notice.acted.connect(self.session.continue_work)

    def _ask_for_trust(self, needed: TrustNeeded) -> None:
        dialog = TrustDialog(needed, self.window)
        dialog.trusted.connect(self.session.trust)
        dialog.open()

    def _close(self) -> None:
        if self.session.state.engine == "closing":
            return
        if not self.session.state.is_busy:
            self.leave()
            return
        question = Question(
            "A run is going",
            "Closing stops it.  What it did so far is kept, and it can be continued later.",
            "Stop and Close",
            parent=self.window,
        )
        question.agreed.connect(self.leave)
        question.open()

    def leave(self) -> None:
        """Remember everything, hide the window, end the engine; `session.closed` follows."""
        self.window.keep()
        self.remembered.keep("window", {"page": self.session.state.page})
        self.remembered.save()
        self.window.keep_drafts()
        self.window.hide()
        self._save_soon.stop()
        self.session.close()
