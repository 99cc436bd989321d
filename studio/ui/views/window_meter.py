"""How a model's window is filled when a trial begins: an estimate, shown while somebody types."""

from collections.abc import Sequence

from PySide6.QtCore import QTimer
from PySide6.QtWidgets import QVBoxLayout, QWidget

from studio.engine.models.budget import Budget, budget
from studio.engine.models.estimate import ERROR, longest
from studio.engine.records import ModelSpec, Query
from studio.ui.state import State
from studio.ui.text import count
from studio.ui.theme import Theme
from studio.ui.widgets.label import PlainLabel
from studio.ui.widgets.legend import Legend
from studio.ui.widgets.meter import Meter, Segment

_TYPING_MS = 150
_COLOURS = {"system": "accent", "tools": "good", "query": "mark", "reply": "off"}
_WORDS = {"system": "prompt", "tools": "tools", "query": "longest query", "reply": "kept for reply"}


class WindowMeter(QWidget):
    """Prompt, tools, longest query and the reply's room against `num_ctx`, for the picks."""

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._prompt = ""
        self._longest = ""
        self._state = State()
        self.shown: Budget | None = None
        self.meter = Meter("How full the model's window is", theme)
        self.legend = Legend(theme)
        self.total = PlainLabel("", "small")
        column = QVBoxLayout(self)
        column.setContentsMargins(12, 6, 12, 0)
        column.setSpacing(2)
        column.addWidget(self.meter)
        column.addWidget(self.legend)
        column.addWidget(self.total)
        self._soon = QTimer(self, interval=_TYPING_MS, singleShot=True)
        self._soon.timeout.connect(self._estimate)

    def show_prompt(self, text: str) -> None:
        """The prompt's text is this now; the estimate follows when the typing pauses."""
        if text != self._prompt:
            self._prompt = text
            self._soon.start()

    def show_queries(self, queries: Sequence[Query]) -> None:
        self._longest = longest(query.text for query in queries)
        self._soon.start()

    def show_state(self, state: State) -> None:
        """Tools and model are those that are picked for the next run."""
        before, self._state = self._state, state
        if (before.project, before.picks) != (state.project, state.picks):
            self._soon.start()

    def _estimate(self) -> None:
        project, picks = self._state.project, self._state.picks
        if project is None or picks is None:
            return
        tools = next((each.tools for each in project.tool_sets if each.name == picks.tool_set), ())
        model = next((each for each in project.models if each.name == picks.model), None)
        model = model or ModelSpec(picks.model)
        self._show(budget(self._prompt, tools, self._longest, model))

    def _show(self, made: Budget) -> None:
        self.shown = made
        amounts = {name: getattr(made, name) for name in _WORDS}
        self.legend.show_entries(
            [
                (f"{_WORDS[name]} {count(amount)}", _COLOURS[name])
                for name, amount in amounts.items()
            ]
        )
        role, left = standing(made)
        self.total.setProperty("role", role)
        self.total.style().polish(self.total)
        self.total.setText(f"estimate: {count(made.total)} of num_ctx {count(made.window)}, {left}")
        segments = [Segment(amount, _COLOURS[name]) for name, amount in amounts.items()]
        self.meter.show_segments(segments, made.window, in_words(made))


def standing(made: Budget) -> tuple[str, str]:
    """The role of the words, and what is left: the estimate may be wrong by its error."""
    if made.left < 0:
        return "bad", f"{count(-made.left)} too many"
    if made.left < made.prompt * ERROR:
        return "mark", "it may not fit"
    return "small", f"{count(made.left)} left"


def in_words(made: Budget) -> str:
    return "\n".join(
        (
            "How the first request of a trial fills the model's window, in tokens:",
            f"prompt {count(made.system)}, tools {count(made.tools)}, longest query "
            f"{count(made.query)}, kept for the reply {count(made.reply)}",
            f"of {count(made.window)} (num_ctx).",
            "This is an estimate, made without the model's tokenizer: it is usually right to "
            f"within {ERROR:.0%}.",
            "Tool results and further turns come on top.",
        )
    )
