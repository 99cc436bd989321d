"""What the home page shows before there is a run: what pressing Evaluate will do."""

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QGridLayout, QHBoxLayout, QVBoxLayout, QWidget

from studio.engine.models.options import in_words
from studio.engine.records import Project
from studio.ui.models.measures import measures
from studio.ui.state import Picks, State
from studio.ui.text import counted, plain, seconds
from studio.ui.widgets.label import PlainLabel
from studio.ui.widgets.panel import Panel
from studio.ui.widgets.scroll import Scroll

Lines = tuple[tuple[str, str], ...]
_WIDEST = 108
"""Characters in a line: longer ones are hard to read."""

_FIXED = "what is not stated is fixed when the run begins"


class Outlook(Panel):
    """A heading, and a few lines about the run to come."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__("", parent)
        self._heading = PlainLabel("", "heading", wraps=True)
        self._heading.setMinimumWidth(320)
        self._rows = [(PlainLabel("", "muted"), PlainLabel("", wraps=True)) for _ in range(7)]
        grid = QGridLayout()
        grid.setHorizontalSpacing(18)
        grid.setVerticalSpacing(9)
        grid.setColumnStretch(1, 1)
        for place, (name, told) in enumerate(self._rows):
            grid.addWidget(name, place, 0, Qt.AlignmentFlag.AlignTop)
            grid.addWidget(told, place, 1, Qt.AlignmentFlag.AlignTop)
        inside = QWidget()
        inside.setMaximumWidth(_WIDEST * self.fontMetrics().averageCharWidth())
        column = QVBoxLayout(inside)
        column.setSpacing(16)
        column.addWidget(self._heading)
        column.addLayout(grid)
        row = QHBoxLayout()
        row.setContentsMargins(24, 12, 24, 12)
        row.addStretch(1)
        row.addWidget(inside, 8)
        row.addStretch(1)
        middle = QVBoxLayout()
        middle.setContentsMargins(0, 0, 0, 0)
        middle.addStretch(2)
        middle.addLayout(row)
        middle.addStretch(3)
        whole = QWidget()
        whole.setLayout(middle)
        self.body.addWidget(Scroll(whole))

    def text(self) -> str:
        """All that is shown, line by line."""
        lines = [f"{name.text()} {told.text()}".strip() for name, told in self._rows]
        return "\n".join([self._heading.text(), *filter(None, lines)])

    def show_state(self, state: State, asked: str = "", *, is_spread: bool = False) -> None:
        """Show this state; `asked` says in words which servers will be, `is_spread` if several."""
        heading, lines = outlook(state, asked, is_spread=is_spread)
        self._heading.setText(heading)
        for place, (name, told) in enumerate(self._rows):
            is_used = place < len(lines)
            name.setText(lines[place][0] if is_used else "")
            told.setText(plain(lines[place][1]) if is_used else "")


def outlook(state: State, asked: str = "", *, is_spread: bool = False) -> tuple[str, Lines]:
    """What a press of Evaluate will do in this state, or what keeps it from being possible.

    `asked` are the servers that will be, in words.
    """
    if state.project is None or state.picks is None:
        return "No project is open", ()
    if state.read_only:
        return "Nothing can be run here", (("Why", state.read_only),)
    if state.query_count == 0:
        return "The project has no queries yet", (("Next", "Add some on the Queries page."),)
    heading = f"Ready to run {counted(state.query_count, 'query', 'queries')}"
    where = " on each server" if is_spread else ""
    return heading, _lines(state.project, state.picks, state.query_count, asked, where)


def _lines(project: Project, picks: Picks, queries: int, asked: str, where: str) -> Lines:
    trials = counted(queries * picks.trials, "trial")
    each = "once" if picks.trials == 1 else f"{picks.trials} times"
    together = "one after the other" if project.at_once == 1 else f"{project.at_once} at a time"
    together += where
    limits = f"{seconds(project.time_limit)} and {counted(project.step_cap, 'step')}"
    names = ", ".join(measure.label for measure in measures(project.metrics))
    options = next((each.options for each in project.models if each.name == picks.model), {})
    return (
        ("Runs", f"every query {each}: {trials}, {together}"),
        ("With", f"prompt {picks.prompt}, tools {picks.tool_set}, model {picks.model}"),
        ("Asks", asked or "the server that is found when the run begins"),
        ("Options", "; ".join(filter(None, (in_words(options), _FIXED)))),
        ("Scores", names or "nothing: the project names no metric"),
        ("At most", f"{limits} a trial"),
        ("Then", "Press Evaluate (F5).  Every step is recorded as it happens and shown here; "
                 "a run can be stopped and continued."),
    )  # fmt: skip
