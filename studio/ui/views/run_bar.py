"""The top of the home page: what will run, how far it is, Stop and Evaluate."""

from collections.abc import Mapping

from PySide6.QtCore import QEvent, QSize, Signal
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QBoxLayout, QFrame, QHBoxLayout, QWidget
from typing_extensions import override

from studio.engine.models.probe import words
from studio.engine.offers import Probe
from studio.engine.records import Tally
from studio.ui.state import State
from studio.ui.text import count
from studio.ui.theme import Theme
from studio.ui.widgets.label import ElidedLabel, PlainLabel
from studio.ui.widgets.paint import sign_icon
from studio.ui.widgets.panel import button
from studio.ui.widgets.picker import Picker
from studio.ui.widgets.progress import SegmentedProgress

_SPACE = 8
_TRIALS = (1, 2, 3, 4, 5, 8, 10, 20, 50, 100)
_SIGNS = {"good": "disc", "mark": "half", "bad": "diamond", "muted": "ring"}
_ARCHITECTURES = {"react": "ReAct loop"}


class RunBar(QFrame):
    """Shows a state; tells what was picked and which button was pressed."""

    picked = Signal(str, object)
    """A field of `Picks`, and its new value."""

    start_asked = Signal()
    stop_asked = Signal()
    continue_asked = Signal()

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setProperty("role", "panel")
        self.prompt = Picker("Prompt")
        self.tools = Picker("Tools")
        self.model = Picker("Model")
        self.trials = Picker("Trials")
        self.architecture = ElidedLabel("", "muted")
        self.progress = SegmentedProgress(theme)
        self.amount = PlainLabel("", "muted")
        self.resume = button("Continue")
        self.stop = button("Stop")
        self.start = button("Evaluate", "primary")
        self._theme = theme
        self._probes: Mapping[str, Probe] = {}
        self._place()
        self._connect()

    def show_state(self, state: State) -> None:
        """Offer what can be picked in this state, and enable what can be done."""
        project, picks = state.project, state.picks
        if project is not None and picks is not None:
            self.prompt.offer([each.name for each in project.prompts], picks.prompt)
            self.tools.offer([each.name for each in project.tool_sets], picks.tool_set)
            self.model.offer([each.name for each in project.models], picks.model)
            numbers = sorted({*_TRIALS, picks.trials})
            self.trials.offer(list(map(str, numbers)), str(picks.trials))
            own = project.graph or _ARCHITECTURES.get(project.architecture, project.architecture)
            self.architecture.setText(own)
        for each in (self.prompt, self.tools, self.model, self.trials):
            each.setEnabled(not state.is_busy and picks is not None)
        self.start.setEnabled(state.can_run)
        self.stop.setEnabled(state.is_busy and not state.is_stopping)
        self.stop.setText("Stopping…" if state.is_stopping else "Stop")
        self._show_tally(state)

    def show_probes(self, probes: Mapping[str, Probe]) -> None:
        """Mark the models of these names with what their probes found."""
        self._probes = probes
        self._mark()

    def _mark(self) -> None:
        marks = {}
        for name, probe in self._probes.items():
            _, tone = words.badge(probe)
            icon = sign_icon(_SIGNS[tone], getattr(self._theme.tokens, tone))
            marks[name] = (icon, f"Probed: {words.summary(probe)}")
        self.model.mark(marks)

    def _show_tally(self, state: State) -> None:
        run = state.run
        is_live = run is not None and run.id == state.live
        tally = state.tally if is_live and state.tally else run.tally if run else None
        self.resume.setVisible(run is not None and not state.is_busy and run.missing > 0)
        self.resume.setEnabled(state.engine in {"ready", "ended"} and not state.read_only)
        if tally is None:
            self.amount.setText("")
            self.progress.show_tally(Tally(0))
            return
        self.progress.show_tally(tally)
        self.amount.setText(f"{count(tally.planned - tally.left)} of {count(tally.planned)}")

    @override
    def minimumSizeHint(self) -> QSize:
        """That of two rows, even while there is one."""
        margins = self._rows.contentsMargins()
        row = max(self._picks.minimumSize().width(), self._doing.minimumSize().width())
        height = super().minimumSizeHint().height()
        return QSize(row + margins.left() + margins.right(), height)

    @override
    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._arrange()

    @override
    def event(self, event: QEvent) -> bool:
        # Another button came, or a longer name.
        if event.type() == QEvent.Type.LayoutRequest:
            self._arrange()
        return super().event(event)

    def _arrange(self) -> None:
        """In a narrow window what is done stands below what is picked: nothing is cut."""
        needed = self._picks.sizeHint().width() + self._doing.sizeHint().width() + _SPACE
        margins = self._rows.contentsMargins()
        is_wide = needed <= self.width() - margins.left() - margins.right()
        self._rows.setDirection(
            QBoxLayout.Direction.LeftToRight if is_wide else QBoxLayout.Direction.TopToBottom
        )

    def _place(self) -> None:
        self._rows = QBoxLayout(QBoxLayout.Direction.LeftToRight, self)
        self._rows.setContentsMargins(12, 8, 12, 8)
        self._rows.setSpacing(_SPACE)
        self._picks, self._doing = QHBoxLayout(), QHBoxLayout()
        for row, stretch in ((self._picks, 2), (self._doing, 1)):
            row.setSpacing(_SPACE)
            self._rows.addLayout(row, stretch)
        for each in (self.prompt, self.tools, self.model, self.trials):
            self._picks.addWidget(each)
        self._picks.addWidget(self.architecture, 1)
        self._doing.addWidget(self.progress, 1)
        self._doing.addWidget(self.amount)
        for press in (self.resume, self.stop, self.start):
            self._doing.addWidget(press)
        self.stop.setToolTip("Cancel what runs; trials that ended keep their scores.")
        self.start.setToolTip("Run every query with these picks.")

    def _connect(self) -> None:
        for picker, field in (
            (self.prompt, "prompt"),
            (self.tools, "tool_set"),
            (self.model, "model"),
        ):
            picker.setObjectName(field)
            picker.chosen.connect(self._picked)
        self.trials.chosen.connect(self._picked_trials)
        self._theme.changed.connect(self._mark)
        self.start.clicked.connect(self.start_asked)
        self.stop.clicked.connect(self.stop_asked)
        self.resume.clicked.connect(self.continue_asked)

    def _picked(self, name: str) -> None:
        sender = self.sender()
        if sender is not None:
            self.picked.emit(sender.objectName(), name)

    def _picked_trials(self, trials: str) -> None:
        self.picked.emit("trials", int(trials))
