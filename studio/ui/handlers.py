"""What each command does: one bound method a command."""

from collections.abc import Callable
from pathlib import Path
from typing import cast

from msgspec.structs import replace
from PySide6.QtCore import QObject, QUrl
from PySide6.QtGui import QDesktopServices
from PySide6.QtWidgets import QFileDialog

from studio import settings
from studio.engine.errors import StudioError
from studio.engine.messages import FinishRun, PauseRun, ResumeRun, RunAtOnce
from studio.ui.pages import PAGES
from studio.ui.remembered import Remembered
from studio.ui.session import Session
from studio.ui.theme import Theme
from studio.ui.views.help import KeysDialog, about_dialog, log_dialog, page_dialog
from studio.ui.views.main_window import MainWindow
from studio.ui.views.page import Page
from studio.ui.views.palette import Palette
from studio.ui.widgets.dialog import Question

_SAMPLES = {"project.sample": "metal_prices", "project.library": "lending_library"}


class Handlers(QObject):
    """Does commands by their id."""

    def __init__(
        self, session: Session, window: MainWindow, theme: Theme, *,
        remembered: Remembered, log: Path | None,
    ) -> None:  # fmt: skip
        super().__init__(window)
        self._session = session
        self._window = window
        self._theme = theme
        self._remembered = remembered
        self._log = log
        self.table: dict[str, Callable[[], None]] = {
            "project.open": self._ask_for_project,
            **dict.fromkeys(_SAMPLES, self._open_sample),
            "project.read": session.read_again,
            "project.folder": self._show_folder,
            "window.quit": self._quit,
            "run.start": session.start_run,
            "run.stop": session.stop_run,
            "run.continue": self._continue_run,
            "run.invalid": self._run_invalid,
            "run.again": self._run_again,
            "run.pause": self._pause_or_resume,
            "run.finish": self._finish,
            "run.more": self._run_more,
            "run.fewer": self._run_fewer,
            "score.again": self._score_again,
            "score.stop": session.lab.stop_scoring,
            "palette.open": self._open_palette,
            "help.keys": self._show_keys,
            "help.log": self._show_log,
            **dict.fromkeys(_HELP, self._show_help),
            "help.about": self._show_about,
            **dict.fromkeys(_ON_PAGE, self._on_page),
            **dict.fromkeys((f"page.{page}" for page in PAGES), self._show_page),
            **dict.fromkeys(("theme.system", "theme.light", "theme.dark"), self._choose_theme),
        }
        self._doing = ""

    def do(self, command: str) -> None:
        """Do the command with this id."""
        self._doing = command
        self.table[command]()

    def _on_page(self) -> None:
        page = self._window.current
        if isinstance(page, Page):
            getattr(page, _ON_PAGE[self._doing])()

    def _show_page(self) -> None:
        self._session.show_page(self._doing.removeprefix("page."))

    def _choose_theme(self) -> None:
        choice = self._doing.removeprefix("theme.")
        self._theme.choose(choice)
        # Kept twice: as the user's setting, and where the next first paint finds it without delay.
        self._remembered.keep("window", {"theme": choice})
        try:
            known, _problems = settings.load()
            settings.save(replace(known, theme=cast(settings.Theme, choice)))
        except StudioError as error:
            self._window.notices.tell(error.problem, error.remedy)

    def _ask_for_project(self) -> None:
        dialog = QFileDialog(self._window, "Open a project folder")
        dialog.setFileMode(QFileDialog.FileMode.Directory)
        dialog.setOption(QFileDialog.Option.ShowDirsOnly, True)
        dialog.fileSelected.connect(self._open_project)
        dialog.finished.connect(dialog.deleteLater)
        if self._remembered.recent:
            dialog.setDirectory(str(Path(self._remembered.recent[0]).parent))
        dialog.open()

    def _open_sample(self) -> None:
        from studio.samples import own_sample

        try:
            folder = own_sample(_SAMPLES[self._doing])
        except (OSError, StudioError) as error:
            self._window.notices.tell(f"The sample project could not be copied: {error}")
            return
        self._open_project(str(folder))

    def _open_project(self, folder: str) -> None:
        """Open the project; the user is asked before that stops a run of another one."""
        state = self._session.state
        is_same = state.project is not None and state.project.folder == folder
        if is_same or not state.is_busy:
            self._session.open_project(folder)
            return
        question = Question(
            "A run is going",
            "Opening another project stops it. What it did so far is kept, and it can be "
            "continued later.",
            "Stop and Open", parent=self._window, subject=folder,
        )  # fmt: skip
        question.agreed.connect(self._session.open_project)
        question.open()

    def _show_folder(self) -> None:
        state = self._session.state
        shown = state.refused or state.project
        if shown is not None:
            QDesktopServices.openUrl(QUrl.fromLocalFile(shown.folder))

    def _run_again(self) -> None:
        run = self._session.state.run
        if run is not None:
            self._session.run_again(run.id)

    def _pause_or_resume(self) -> None:
        is_paused = self._session.state.is_paused
        self._session.steer(ResumeRun() if is_paused else PauseRun())

    def _finish(self) -> None:
        self._session.steer(FinishRun())

    def _run_more(self) -> None:
        self._session.steer(RunAtOnce(self._session.state.at_once + 1))

    def _run_fewer(self) -> None:
        self._session.steer(RunAtOnce(max(1, self._session.state.at_once - 1)))

    def _continue_run(self) -> None:
        run = self._session.state.run
        if self._session.state.engine == "ended":
            self._session.continue_work()
        elif run is not None:
            self._session.continue_run(run.id)

    def _run_invalid(self) -> None:
        run = self._session.state.run
        if run is not None:
            self._session.run_invalid_again(run.id)

    def _score_again(self) -> None:
        self._session.show_page("metrics")
        page = self._window.current
        if isinstance(page, Page):
            page.score_again()

    def _quit(self) -> None:
        self._window.close()

    def _open_palette(self) -> None:
        palette = Palette(self._session.state, self._window)
        palette.chosen.connect(self.do)
        palette.show()
        palette.line.setFocus()

    def _show_keys(self) -> None:
        KeysDialog(self._window).open()

    def _show_log(self) -> None:
        if self._log is not None:
            log_dialog(self._log, self._window).open()

    def _show_help(self) -> None:
        page_dialog(_HELP[self._doing], self._window).open()

    def _show_about(self) -> None:
        about_dialog(self._window).open()


_HELP = {
    "help.projects": "projects",
    "help.metrics": "metrics",
    "help.models": "models",
    "help.windows": "windows_and_failures",
    "help.figures": "figures",
}
_ON_PAGE = {
    "item.new": "new_item",
    "item.save": "save_item",
    "item.rename": "rename_item",
    "item.delete": "delete_item",
    "item.up": "move_up",
    "item.down": "move_down",
    "item.filter": "focus_filter",
    "score.try": "try_metric",
    "step.next": "next_step",
    "step.previous": "previous_step",
    "step.prompt": "show_prompt",
    "trial.next": "next_trial",
    "trial.previous": "previous_trial",
}
