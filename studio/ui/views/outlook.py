"""What the home page shows before there is a run: what pressing Evaluate will do."""

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QVBoxLayout, QWidget

from studio.engine.records import Project
from studio.ui.models.measures import measures
from studio.ui.state import Picks, State
from studio.ui.text import counted, plain, seconds
from studio.ui.widgets.label import PlainLabel
from studio.ui.widgets.panel import Panel


class Outlook(Panel):
    """A few sentences about the run to come."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__("Nothing was run yet", parent)
        self._lines = PlainLabel(wraps=True)
        self._lines.setAlignment(Qt.AlignmentFlag.AlignTop)
        self._lines.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
        inner = QVBoxLayout()
        inner.setContentsMargins(12, 2, 12, 12)
        inner.addWidget(self._lines)
        inner.addStretch(1)
        self.body.addLayout(inner)

    def show_state(self, state: State) -> None:
        self._lines.setText(outlook(state))


def outlook(state: State) -> str:
    """What a press of Evaluate will do in this state, or what keeps it from being possible."""
    if state.project is None or state.picks is None:
        return "Open a project to evaluate an agent."
    if state.read_only:
        return f"Nothing can be run: {plain(state.read_only)}"
    if state.query_count == 0:
        return "The project has no queries yet.  Add some on the Queries page."
    return "\n\n".join(_sentences(state.project, state.picks, state.query_count))


def _sentences(project: Project, picks: Picks, queries: int) -> list[str]:
    trials = counted(queries * picks.trials, "trial")
    each = "once" if picks.trials == 1 else f"{picks.trials} times"
    names = ", ".join(plain(measure.label) for measure in measures(project.metrics))
    together = "one after the other" if project.at_once == 1 else f"{project.at_once} at a time"
    return [
        f"Evaluate (F5) asks the agent {counted(queries, 'query', 'queries')}, each {each}: "
        f"{trials}, {together}, at most {seconds(project.time_limit)} and "
        f"{counted(project.step_cap, 'step')} each.",
        f"It uses the prompt {plain(picks.prompt)}, the tools {plain(picks.tool_set)} "
        f"and the model {plain(picks.model)}.  Choose others above.",
        f"Every trial is scored by: {names}."
        if names
        else "No metric is chosen: nothing is scored.",
        "Each step is recorded as it happens and shown here; a run can be stopped and continued.",
    ]
