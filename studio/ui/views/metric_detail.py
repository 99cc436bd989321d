"""One metric: its settings, what passes, its definition, an example, a trial to try it on."""

from collections.abc import Mapping
from pathlib import Path

from msgspec.structs import replace
from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QTabWidget, QVBoxLayout, QWidget

from studio.engine.records import OwnMetric
from studio.ui.models.criteria import PASSES, Chosen
from studio.ui.models.metric_offers import definition, settings
from studio.ui.models.metric_settings import Kind, Setting, stated, texts
from studio.ui.session import Session
from studio.ui.theme import Theme
from studio.ui.views.metric_example import MetricExample
from studio.ui.views.metric_trial import MetricTrial
from studio.ui.widgets.help_text import HelpText
from studio.ui.widgets.label import PlainLabel
from studio.ui.widgets.panel import Panel, rule
from studio.ui.widgets.settings_form import SettingsForm

DEFINITION, EXAMPLE, TRIAL = "Definition", "Example", "Try on a trial"


class MetricDetail(Panel):
    """Shows one metric of the project's list, or one of the catalogue that is looked at."""

    edited = Signal(object)
    """The user changed it: the metric as it stands in the form now."""

    def __init__(
        self, session: Session, theme: Theme, examples: Path, parent: QWidget | None = None
    ) -> None:
        super().__init__("No metric is chosen", parent)
        self.own: tuple[OwnMetric, ...] = ()
        """The project's own metrics, which it can be one of."""
        self._chosen: Chosen | None = None
        self._is_read_only = False
        self.form = SettingsForm()
        self.form.edited.connect(self._edit)
        self.passing = PlainLabel("", "small", wraps=True)
        self.wrong = PlainLabel("", "bad", wraps=True)
        for each in (self.passing, self.wrong):
            each.setMinimumWidth(1)  # a long word does not widen the window
        self.definition = HelpText("Definition of the metric", theme)
        self.example = MetricExample(session.lab, theme, examples)
        self.trial = MetricTrial(session, theme)
        self.tabs = QTabWidget(documentMode=True)
        self.tabs.tabBar().setDrawBase(False)
        self.tabs.setAccessibleName("About the metric")
        self.tabs.tabBar().setAccessibleName("What to see of the metric")
        self.tabs.setUsesScrollButtons(False)
        for widget, name in (
            (self.definition, DEFINITION), (self.example, EXAMPLE), (self.trial, TRIAL),
        ):  # fmt: skip
            self.tabs.addTab(widget, name)
        self._place()

    @property
    def chosen(self) -> Chosen | None:
        """The metric that is shown."""
        return self._chosen

    def show_metric(
        self, chosen: Chosen | None, wrong: Mapping[str, str], *, is_of_project: bool, passing: str
    ) -> None:
        """Show this metric and what is wrong with it; `passing` says what passes in all."""
        self._chosen = chosen
        self.title.setText("No metric is chosen" if chosen is None else chosen.label)
        self.note.setText("" if is_of_project or chosen is None else "not in the project")
        self.wrong.setText(wrong.get("", ""))
        self.wrong.setVisible("" in wrong)
        self.passing.setText(passing)
        self.passing.setVisible(bool(passing))
        self.tabs.setVisible(chosen is not None)
        if chosen is None:
            self.form.show_settings((), {})
            self.definition.read(())
        else:
            rows = _rows(chosen, has_threshold=is_of_project)
            shown = texts(settings(chosen.name), chosen.settings)
            self.form.show_settings(rows, {**shown, PASSES: chosen.passes}, _HINTS)
            self.form.show_wrong(wrong)
            self.form.set_read_only(read_only=self._is_read_only and is_of_project)
            self.definition.read(definition(chosen, self.own))
        self.form.setVisible(chosen is not None)
        right = chosen if chosen is not None and not _hinders(wrong) else None
        self.example.show_metric(right)
        self.trial.show_metric(right)

    def set_read_only(self, *, read_only: bool) -> None:
        self._is_read_only = read_only

    def show_trial(self) -> None:
        """Open what the metric can be tried on."""
        self.tabs.setCurrentWidget(self.trial)
        self.trial.picker.setFocus(Qt.FocusReason.OtherFocusReason)

    def _place(self) -> None:
        said = QVBoxLayout()
        said.setContentsMargins(12, 0, 12, 8)
        said.addWidget(self.passing)
        said.addWidget(self.wrong)
        self.wrong.hide()
        self.body.addWidget(self.form)
        self.body.addLayout(said)
        self.body.addWidget(rule())
        self.body.addWidget(self.tabs, 1)
        self.body.addStretch(0)  # takes the room of the tabs where no metric is chosen

    def _edit(self) -> None:
        if self._chosen is not None:
            shown = self.form.texts()
            found = stated(settings(self._chosen.name), shown, self._chosen.settings)
            passes = shown.get(PASSES, self._chosen.passes)
            self.edited.emit(replace(self._chosen, settings=found, passes=passes))


_HINTS = {PASSES: "no threshold"}


def _rows(chosen: Chosen, *, has_threshold: bool) -> tuple[Setting, ...]:
    made = settings(chosen.name)
    if not has_threshold:
        return made
    metric = chosen.metric
    is_most = metric is not None and metric.better == "lower"
    title = "A trial passes up to" if is_most else "A trial passes from"
    return (*made, Setting(PASSES, Kind.NUMBER, "", is_optional=True, title=title))


def _hinders(wrong: Mapping[str, str]) -> bool:
    """Whether what is wrong keeps the metric from being asked: a threshold does not."""
    return any(name != PASSES for name in wrong)
