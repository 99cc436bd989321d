"""The example of a metric: a case, and what the metric says of it."""

from pathlib import Path

import msgspec
from PySide6.QtCore import QTimer
from PySide6.QtGui import QShowEvent
from PySide6.QtWidgets import QHBoxLayout, QWidget
from typing_extensions import override

from studio.engine.scoring_messages import CasesGraded
from studio.ui.lab import Lab
from studio.ui.models.criteria import Chosen
from studio.ui.models.detail import Passage, heading, nothing
from studio.ui.models.metric_offers import example_case
from studio.ui.models.metric_verdicts import verdict
from studio.ui.models.tone import Tone
from studio.ui.theme import Theme
from studio.ui.widgets.panel import divider
from studio.ui.widgets.reading import Reading

_SOON_MS = 250


class MetricExample(QWidget):
    """Asks the engine for the verdict while it is seen, again whenever a setting changes."""

    def __init__(self, lab: Lab, theme: Theme, folder: Path, parent: QWidget | None = None) -> None:
        """`folder` is where the case is written for the engine to read."""
        super().__init__(parent)
        self._lab = lab
        self._folder = folder
        self._chosen: Chosen | None = None
        self.case = Reading("The example case", theme)
        self.verdict = Reading("What the metric says of the example", theme)
        row = QHBoxLayout(self)
        row.setContentsMargins(0, 0, 0, 0)
        row.setSpacing(0)
        row.addWidget(self.case, 3)
        row.addWidget(divider())
        row.addWidget(self.verdict, 2)
        self._soon = QTimer(self, interval=_SOON_MS, singleShot=True)
        self._soon.timeout.connect(self._ask)
        lab.exampled.connect(self._answered)
        lab.graded.connect(self._graded)

    def show_metric(self, chosen: Chosen | None) -> None:
        """The metric with its settings; None where they are wrong."""
        if chosen != self._chosen:
            self._chosen = chosen
            case = example_case(chosen.name) if chosen is not None else ""
            self.case.read([Passage(case)] if case else nothing("There is no example."))
            self.verdict.read(nothing("…" if case else ""))
            self._ask_soon()

    @override
    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        self._ask_soon()

    def _ask_soon(self) -> None:
        if self.isVisible():
            self._soon.start()

    def _ask(self) -> None:
        chosen = self._chosen
        case = example_case(chosen.name) if chosen is not None else ""
        if chosen is None or not case:
            return
        try:
            self._folder.mkdir(parents=True, exist_ok=True)
            path = self._folder / f"{chosen.name}.jsonl"
            path.write_bytes(msgspec.json.format(case.encode(), indent=-1) + b"\n")
        except OSError as error:
            self.verdict.read([Passage(f"The example cannot be written: {error}", Tone.BAD)])
            return
        if not self._lab.grade_example(chosen.spec, str(path)):
            self.verdict.read(nothing("The verdict comes when the file of cases is graded."))

    def _answered(self, told: CasesGraded) -> None:
        if told.problem:
            self.verdict.read([Passage(f"{told.problem} {told.remedy}".rstrip(), Tone.BAD)])
        for each in told.verdicts:
            said = verdict(each.score, each.reason, each.evidence)
            self.verdict.read([*heading("what the metric says"), *said])

    def _graded(self, told: CasesGraded) -> None:
        if told.ending:
            self._ask_soon()
