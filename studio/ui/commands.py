"""Every action of the user: one row in one table, from which menus, palette and help are made."""

from collections.abc import Callable
from typing import TYPE_CHECKING, NamedTuple

from PySide6.QtCore import QObject, Signal
from PySide6.QtGui import QAction, QKeySequence

if TYPE_CHECKING:
    from studio.ui.state import State

MENUS = ("File", "Edit", "Run", "View", "Help")


def always(state: "State") -> bool:  # noqa: ARG001 (one of the questions put to a state)
    return True


def has_project(state: "State") -> bool:
    return state.project is not None


def has_folder(state: "State") -> bool:
    return state.project is not None or state.refused is not None


def can_read_again(state: "State") -> bool:
    return has_folder(state) and not state.is_busy


def can_run(state: "State") -> bool:
    return state.can_run


def can_stop(state: "State") -> bool:
    return state.is_busy and not state.is_stopping


def is_live(state: "State") -> bool:
    return state.live is not None and not state.is_stopping


def can_run_fewer(state: "State") -> bool:
    return is_live(state) and state.at_once > 1


def can_continue(state: "State") -> bool:
    run = state.run
    if state.engine == "ended":
        return True  # nothing else can be done
    return (
        state.engine == "ready"
        and run is not None
        and not state.is_busy
        and not state.read_only
        and run.missing > 0
    )


def can_run_again(state: "State") -> bool:
    run = state.run
    return (
        state.engine == "ready"
        and run is not None
        and run.ending is not None
        and not state.is_busy
        and not state.read_only
    )


def can_run_invalid(state: "State") -> bool:
    run = state.run
    return state.can_run and run is not None and run.tally.invalid > 0


def has_run(state: "State") -> bool:
    return state.run is not None and state.page in {"evaluate", "analysis"}


def can_make(state: "State") -> bool:
    pages = {"prompts", "tools", "queries", "metrics"}
    return has_project(state) and not state.read_only and state.page in pages


def can_rename(state: "State") -> bool:
    return has_project(state) and not state.read_only and state.page in {"prompts", "tools"}


def can_save(state: "State") -> bool:
    pages = {"prompts", "tools", "queries", "metrics"}
    return has_project(state) and not state.read_only and state.page in pages


def can_move(state: "State") -> bool:
    return has_project(state) and not state.read_only and state.page in {"tools", "metrics"}


def can_filter(state: "State") -> bool:
    return has_project(state) and state.page in {"evaluate", "queries", "metrics", "runs"}


def can_try(state: "State") -> bool:
    return state.engine == "ready" and state.run is not None and state.page == "metrics"


def can_score_again(state: "State") -> bool:
    return (
        state.engine == "ready"
        and state.run is not None
        and not state.read_only
        and state.scoring is None
    )


def is_scoring(state: "State") -> bool:
    return state.scoring is not None


class Command(NamedTuple):
    """An action: `enabled` says of a state whether it can be done."""

    id: str
    title: str
    menu: str
    shortcuts: tuple[str, ...]
    help: str
    enabled: Callable[["State"], bool] = always
    starts_group: bool = False


COMMANDS = (
    Command("project.open", "Open Project…", "File", ("Ctrl+O",), "Open a project folder."),
    Command("project.sample", "Open Sample Project", "File", (),
            "Open your own copy of the sample project, metal prices: two tools, two prompts."),
    Command("project.library", "Open Sample of All Metrics", "File", (),
            "Open your own copy of the lending library: a query for each kind of thing to grade."),
    Command("project.read", "Read Files Again", "File", ("Ctrl+Shift+R",),
            "Read the project's files again after they were changed elsewhere.", can_read_again),
    Command("project.folder", "Show Project Folder", "File", (),
            "Open the project's folder in the file browser.", has_folder),
    Command("window.quit", "Quit", "File", ("Ctrl+Q",),
            "Close the window.  A run that is going is stopped; what it did is kept.",
            starts_group=True),
    Command("item.new", "New", "Edit", ("Ctrl+N",),
            "Make a new prompt, tool set or query, or find a metric to add, on the page shown.",
            can_make),
    Command("item.save", "Save", "Edit", ("Ctrl+S",),
            "Save the prompt, tool, tool set, query or metrics that are being edited.", can_save),
    Command("item.rename", "Rename…", "Edit", ("F2",), "Give the prompt or tool set another name.",
            can_rename),
    Command("item.delete", "Delete…", "Edit", ("Ctrl+Shift+Backspace",),
            "Delete the prompt, tool set or query shown, take the metric out of the list.",
            can_make),
    Command("item.up", "Move Up", "Edit", ("Ctrl+Shift+Up",),
            "Move the metric or tool that is chosen up in its list.", can_move),
    Command("item.down", "Move Down", "Edit", ("Ctrl+Shift+Down",),
            "Move the metric or tool that is chosen down in its list.", can_move),
    Command("item.filter", "Filter", "Edit", ("Ctrl+F",),
            "Type words to see only the rows that hold them.", can_filter, starts_group=True),
    Command("run.start", "Evaluate", "Run", ("F5", "Ctrl+R"),
            "Run the agent over every query with the chosen prompt, tools and model.", can_run),
    Command("run.stop", "Stop", "Run", ("Ctrl+.",),
            "Cancel the run.  Trials that ended keep their scores.", can_stop),
    Command("run.pause", "Pause or Resume", "Run", ("Ctrl+Shift+.",),
            "Begin no more trials until resumed; those that run go on to their end.", is_live),
    Command("run.finish", "Finish Early", "Run", (),
            "Let the trials that run come to their end, and begin no more.", is_live),
    Command("run.more", "One More Trial at Once", "Run", ("Ctrl+Shift++",),
            "Run one more trial beside the others on each server from now on.", is_live),
    Command("run.fewer", "One Fewer Trial at Once", "Run", ("Ctrl+Shift+-",),
            "Run one trial fewer beside the others on each server from now on.", can_run_fewer),
    Command("run.continue", "Continue Run", "Run", ("Shift+F5",),
            "Run what is missing of the run that is shown, and again what its server failed.  "
            "Starts an engine that ended again.",
            can_continue),
    Command("run.again", "Run Again Exactly", "Run", (),
            "The run that is shown once more, nothing changed: how far the two differ is noise.",
            can_run_again),
    Command("run.invalid", "Run Invalid Trials Again", "Run", (),
            "Run the queries whose prompt did not fit the window again, with a larger num_ctx.",
            can_run_invalid),
    Command("score.again", "Score Again…", "Run", ("Ctrl+Shift+S",),
            "Judge stored runs by the project's metrics as they are now; nothing is run.",
            can_score_again, starts_group=True),
    Command("score.stop", "Stop Scoring", "Run", (),
            "Stop scoring again.  Trials that were judged keep their new scores.", is_scoring),
    Command("score.try", "Try Metric on Trial", "Run", ("Ctrl+T",),
            "Ask the metric that is shown for its verdict on a stored trial.", can_try),
    Command("step.next", "Next Step", "Run", ("Alt+Down",), "Go to the next step of the trace.",
            has_run, starts_group=True),
    Command("step.previous", "Previous Step", "Run", ("Alt+Up",),
            "Go to the previous step of the trace.", has_run),
    Command("step.prompt", "Rendered Prompt", "Run", ("Alt+P",),
            "Ask the server how it put this step's request together for the model.", has_run),
    Command("trial.next", "Next Trial", "Run", ("Alt+PgDown",),
            "Go to the next row of the results.", has_run),
    Command("trial.previous", "Previous Trial", "Run", ("Alt+PgUp",),
            "Go to the previous row of the results.", has_run),
    Command("page.evaluate", "Evaluate Page", "View", ("Ctrl+1",),
            "What will run, how far it is, the figures and the traces."),
    Command("page.analysis", "Analysis", "View", ("Ctrl+2",),
            "Why trials of the run did not pass, how reliable it is, how sure of itself."),
    Command("page.prompts", "Prompts", "View", ("Ctrl+3",),
            "The system prompts of the project."),
    Command("page.tools", "Tools", "View", ("Ctrl+4",),
            "The tools and tool sets of the project."),
    Command("page.queries", "Queries", "View", ("Ctrl+5",),
            "The queries and what a good answer to each holds."),
    Command("page.metrics", "Metrics", "View", ("Ctrl+6",),
            "By what answers are judged, and the lab where graders are checked."),
    Command("page.runs", "Runs", "View", ("Ctrl+7",), "Everything that was run so far."),
    Command("page.models", "Models", "View", ("Ctrl+8",), "The models that a server offers."),
    Command("theme.system", "Theme of the System", "View", (),
            "Light or dark as the system says.", starts_group=True),
    Command("theme.light", "Light Theme", "View", (), "Always light."),
    Command("theme.dark", "Dark Theme", "View", (), "Always dark."),
    Command("palette.open", "Find a Command…", "View", ("Ctrl+P",),
            "Type a few letters of any command and press Enter.", starts_group=True),
    Command("help.keys", "Commands and Keys", "Help", ("F1",), "Every command and its keys."),
    Command("help.projects", "Files of a Project", "Help", (),
            "What stands in project.yaml, the query list and the other files, with an example."),
    Command("help.metrics", "Metrics", "Help", (),
            "Every metric: its question, formula, range, source, and when it does not score."),
    Command("help.models", "Models and Probes", "Help", (),
            "What the Models page tells, and what a probe finds out."),
    Command("help.windows", "Windows and Failures", "Help", (),
            "Cut prompts, invalid trials, and whose doing it was that a trial gave no answer."),
    Command("help.figures", "Figures of a Run", "Help", (),
            "Reliability, intervals, changes between runs, calibration, the failure map."),
    Command("help.log", "Show Log", "Help", (),
            "What the studio and its engine wrote down, to find out what went wrong."),
    Command("help.about", "About", "Help", (), "The version, and what the studio stands on.",
            starts_group=True),
)  # fmt: skip


class Actions(QObject):
    """The commands as Qt's actions: `asked` names the one that the user wants done."""

    asked = Signal(str)

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._actions = {command.id: self._action(command) for command in COMMANDS}

    def __getitem__(self, command: str) -> QAction:
        return self._actions[command]

    def update(self, state: "State") -> None:
        """Enable what can be done in this state, disable the rest."""
        for command in COMMANDS:
            self._actions[command.id].setEnabled(command.enabled(state))

    def _action(self, command: Command) -> QAction:
        action = QAction(command.title, self)
        action.setObjectName(command.id)
        action.setShortcuts([QKeySequence(keys) for keys in command.shortcuts])
        action.setWhatsThis(command.help)
        # Nobody can do anything before the first `update`.
        action.setEnabled(False)
        action.setMenuRole(_ROLES.get(command.id, QAction.MenuRole.NoRole))
        action.triggered.connect(self._asked)
        return action

    def _asked(self) -> None:
        sender = self.sender()
        if sender is not None:
            self.asked.emit(sender.objectName())


_ROLES = {
    "window.quit": QAction.MenuRole.QuitRole,
    "help.about": QAction.MenuRole.AboutRole,
}
