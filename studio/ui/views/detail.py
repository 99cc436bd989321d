"""What there is to read about the chosen row of a trace, in tabs; only the open tab is filled."""

from collections.abc import Callable, Sequence

from PySide6.QtCore import Qt, QTimer, Signal
from PySide6.QtWidgets import QTabWidget, QVBoxLayout, QWidget

from studio.engine.errors import StoreError
from studio.engine.events import ModelReplied
from studio.engine.model_messages import PromptRendered
from studio.engine.records import Query
from studio.engine.store.rows import TrialRow
from studio.ui.models import detail
from studio.ui.models.detail import Passage, Passages, Read
from studio.ui.models.measures import Measure
from studio.ui.models.outline import Kind, Outline
from studio.ui.models.stepping import subject
from studio.ui.models.stored import StoredTrace
from studio.ui.theme import Theme
from studio.ui.views.sent import SentView
from studio.ui.widgets.reading import Reading

CALL, SENT, THOUGHT, RAW = "Call", "Sent", "Thought", "Raw"
SCORES, TIMES = "Scores", "Times"
_HINTS = {
    CALL: "What was called, and what came back",
    SENT: "The request to the model, as it was sent",
    THOUGHT: "What the model thought before it answered",
    RAW: "The model's reply, as it was written",
    SCORES: "What each metric says of the trial",
    TIMES: "When, how long, how many tokens",
}
TABS = (CALL, SENT, THOUGHT, RAW, SCORES, TIMES)


class DetailView(QWidget):
    """Shows one row of a trace, and the trial's scores."""

    prompt_wanted = Signal(object, str)
    """ModelCalled, and the key under which `show_prompt` is to be told its prompt."""

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._trial: TrialRow | None = None
        self._query: Query | None = None
        self._measures: tuple[Measure, ...] = ()
        self._read = Read()
        self._made: tuple[str, ...] = ()
        self._is_filled: set[str] = set()
        self.tabs = QTabWidget(documentMode=True)
        self.tabs.setAccessibleName("Details of the step")
        self.tabs.setElideMode(Qt.TextElideMode.ElideRight)
        self.tabs.tabBar().setDrawBase(False)
        self.tabs.setUsesScrollButtons(False)
        self.tabs.tabBar().setAccessibleName("What to read about the step")
        self.sent = SentView(_HINTS[SENT], theme)
        self.sent.wanted.connect(self.prompt_wanted)
        self.readings = {
            name: self.sent.reading if name == SENT else Reading(_HINTS[name], theme)
            for name in TABS
        }
        for place, (name, reading) in enumerate(self.readings.items()):
            self.tabs.addTab(self.sent if name == SENT else reading, name)
            self.tabs.setTabToolTip(place, _HINTS[name])
        self.tabs.currentChanged.connect(self._fill)
        self._soon = QTimer(self, interval=0, singleShot=True)
        self._soon.timeout.connect(self._fill)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.addWidget(self.tabs)
        self._from: dict[str, Callable[[], Passages]] = {
            CALL: self._call,
            THOUGHT: self._thought,
            RAW: self._raw,
            SCORES: self._scores,
            TIMES: self._times,
        }

    def show_trial(
        self, trial: TrialRow | None, query: Query | None, measures: Sequence[Measure]
    ) -> None:
        """Whose trace it is; what is known of the trial may grow."""
        self._trial, self._query, self._measures = trial, query, tuple(measures)
        self._refill()

    def show_row(self, trace: StoredTrace | None, outline: Outline, number: int) -> None:
        """The chosen row; 0 for none."""
        row = subject(outline, number)
        self._made = tuple(_made(outline, row))
        try:
            self._read = trace.read(outline, row) if trace is not None and row else Read()
        except StoreError as error:
            self._read = Read()
            self.readings[CALL].read(detail.nothing(str(error)))
            return
        self._refill()

    def ask_prompt(self) -> None:
        """Open what was sent in the chosen row, as the model reads it."""
        self.tabs.setCurrentIndex(TABS.index(SENT))
        self._fill()
        self.sent.show_rendered()

    def show_prompt(self, told: PromptRendered) -> None:
        """The answer to `prompt_wanted`."""
        self.sent.take(told)

    def _refill(self) -> None:
        """Fill the open tab when this turn is over: choosing a trial tells of it several times."""
        self._is_filled.clear()
        replied = self._read.replied
        has_thought = isinstance(replied, ModelReplied) and bool(replied.thinking.strip())
        self.tabs.setTabVisible(TABS.index(THOUGHT), has_thought)
        self._soon.start()

    def _fill(self) -> None:
        name = TABS[self.tabs.currentIndex()]
        if name in self._is_filled:
            return
        self._is_filled.add(name)
        if name == SENT:
            self.sent.show_call(self._trial.id if self._trial else 0, self._read.asked)
        else:
            self.readings[name].read(self._from[name]())

    def _call(self) -> Passages:
        if self._trial is None:
            return detail.nothing("Choose a trial in the results to see its steps.")
        passages = detail.call(self._read)
        return passages + detail.expected(self._query, self._made)

    def _thought(self) -> Passages:
        replied = self._read.replied
        if not isinstance(replied, ModelReplied) or not replied.thinking.strip():
            return detail.nothing("The model did not think in this step.")
        return [Passage(f"{replied.thinking}\n")]

    def _raw(self) -> Passages:
        return detail.raw_reply(self._read.replied)

    def _scores(self) -> Passages:
        if self._trial is None:
            return detail.nothing("No trial is chosen.")
        return detail.scores(self._trial, self._measures)

    def _times(self) -> Passages:
        if self._trial is None:
            return detail.nothing("No trial is chosen.")
        return detail.times(self._read, self._trial)


def _made(outline: Outline, until: int) -> list[str]:
    """The tool calls made up to a row (all of them, from an answer or a whole step)."""
    rows = outline.rows
    is_call = rows[until].kind is Kind.TOOL
    end = until + 1 if is_call else len(rows)
    calls = [row for row in rows[:end] if row.kind is Kind.TOOL]
    return [f"{row.title}({row.call})" for row in calls[:50]]
