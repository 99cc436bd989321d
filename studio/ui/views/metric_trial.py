"""Tries a metric on a stored trial: its verdict beside what the run's own score says."""

from PySide6.QtWidgets import QHBoxLayout, QVBoxLayout, QWidget

from studio.engine.scoring_messages import MetricTried
from studio.ui.models.criteria import Chosen, key
from studio.ui.models.detail import Passages, nothing
from studio.ui.models.measures import score_of
from studio.ui.models.metric_verdicts import run_score, tried
from studio.ui.session import Session
from studio.ui.text import counted
from studio.ui.theme import Theme
from studio.ui.views.trial_picker import TrialPicker
from studio.ui.widgets.label import ElidedLabel
from studio.ui.widgets.panel import button, divider, foot, rule
from studio.ui.widgets.reading import Reading


class MetricTrial(QWidget):
    """Asks the engine when the user wants it; nothing is run, and nothing stored."""

    def __init__(self, session: Session, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._session = session
        self._chosen: Chosen | None = None
        self._told: MetricTried | None = None
        self._is_wanted = False
        self.verdict = Reading("What the metric says of the trial", theme)
        self.note = ElidedLabel("", "small")
        self.ask_button = button("Try")
        self.ask_button.clicked.connect(self.ask)
        self.picker = TrialPicker(session)
        self.picker.chosen.connect(self._show)
        self.picker.activated.connect(self.ask)
        self._place()
        session.state_changed.connect(self._enable)
        session.lab.tried.connect(self._answered)
        self._show()

    def show_metric(self, chosen: Chosen | None) -> None:
        """The metric with its settings; None where they are wrong."""
        if chosen != self._chosen:
            self._chosen, self._told = chosen, None
            self.picker.show_scores("" if chosen is None else key(chosen))
            self._show()

    def ask(self) -> None:
        """Ask for the verdict on the chosen trial, as soon as there is one."""
        trial = self.picker.current
        self._is_wanted = trial is None
        if trial is not None and self._chosen is not None and self.ask_button.isEnabled():
            self._session.lab.try_metric(trial.id, self._chosen.spec)

    def _place(self) -> None:
        left = QVBoxLayout()
        left.setContentsMargins(0, 0, 0, 0)
        left.setSpacing(0)
        left.addWidget(self.picker, 1)
        left.addWidget(rule())
        row = foot()
        row.addWidget(self.note, 1)
        row.addWidget(self.ask_button)
        left.addLayout(row)
        columns = QHBoxLayout(self)
        columns.setContentsMargins(0, 0, 0, 0)
        columns.setSpacing(0)
        columns.addLayout(left, 3)
        columns.addWidget(divider())
        columns.addWidget(self.verdict, 2)

    def _answered(self, told: MetricTried) -> None:
        if self._chosen is not None and told.metric == self._chosen.spec:
            self._told = told
            self._show()

    def _show(self) -> None:
        run, trials = self._session.state.run, self.picker.trials.rowCount()
        self.note.setText(f"Run {run.id} · {counted(trials, 'trial')}" if run is not None else "")
        self.verdict.read(self._passages())
        self._enable()
        if self._is_wanted and self.picker.current is not None:
            self.ask()

    def _passages(self) -> Passages:
        run, trial, told = self._session.state.run, self.picker.current, self._told
        if trial is None:
            return nothing("Nothing was run yet." if run is None else "No trial has ended yet.")
        if self._chosen is None:
            return nothing("A metric can be tried once its settings are right.")
        own = score_of(trial, key(self._chosen))
        if told is not None and told.trial == trial.id:
            return tried(told, own)
        return [*nothing("Press Try: nothing is run, and nothing stored.\n\n"), *run_score(own)]

    def _enable(self) -> None:
        is_ready = self._session.state.engine == "ready"
        can_ask = is_ready and self._chosen is not None and self.picker.current is not None
        self.ask_button.setEnabled(can_ask)
