"""The grader lab: grades a file of cases that never were a run, and shows the verdicts."""

from pathlib import Path

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QFileDialog, QHBoxLayout, QVBoxLayout, QWidget

from studio.engine.messages import Told
from studio.engine.metrics.help import example
from studio.engine.records import Project
from studio.engine.scoring_messages import CasesGraded
from studio.ui.models.criteria import Chosen, wrong
from studio.ui.models.metric_offers import Offer, is_same, offers, settings
from studio.ui.models.metric_settings import stated, texts
from studio.ui.session import Session
from studio.ui.text import one_line, plain
from studio.ui.theme import Theme
from studio.ui.views.case_verdicts import CaseVerdicts
from studio.ui.widgets.label import PlainLabel
from studio.ui.widgets.panel import Panel, button, foot, rule
from studio.ui.widgets.path_line import PathLine
from studio.ui.widgets.picker import Choice
from studio.ui.widgets.settings_form import SettingsForm
from studio.ui.widgets.split import beside

_CASES = "Cases: a file of JSON Lines (*.jsonl *.ndjson);;All files (*)"


class GraderLab(QWidget):
    """What to grade by what, at the left; what came of it, at the right."""

    def __init__(self, session: Session, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._session = session
        self._offers: tuple[Offer, ...] = ()
        self._chosen = offers()[0].chosen
        self._has_begun = False
        self.picker = Choice()
        self.picker.setAccessibleName("Metric")
        self.picker.currentIndexChanged.connect(self._pick)
        self.form = SettingsForm()
        self.form.edited.connect(self._edit)
        self.cases = PathLine("Cases: JSON Lines, one case a line", _CASES)
        self.out = PathLine("Write all verdicts to (if wanted)", _CASES, is_new=True)
        self.example = button("Insert Example…", "link")
        self.wrong = PlainLabel("", "bad", wraps=True)
        self.grade, self.stop = button("Grade", "primary"), button("Stop")
        self.verdicts = CaseVerdicts(theme)
        self._place()
        for line in (self.cases, self.out):
            line.changed.connect(self._enable)
        self.example.clicked.connect(self._ask_for_example)
        self.grade.clicked.connect(self.start)
        self.stop.clicked.connect(session.lab.stop_grading)
        session.state_changed.connect(self._enable)
        session.lab.graded.connect(self._graded)
        session.project_changed.connect(self._offer)
        self._offer(session.state.project)

    def begin_with(self, chosen: Chosen) -> None:
        """Offer this metric at first, as it is set; what was picked here stays."""
        if not self._has_begun and self._place_of(chosen) >= 0:
            self._chosen = chosen
            self._show()

    def start(self) -> None:
        """Grade the file."""
        if self.grade.isEnabled():
            self._has_begun = True
            self.verdicts.begin(self.cases.path())
            self._session.lab.grade(self._chosen.spec, self.cases.path(), self.out.path())
            self._enable()

    def _place(self) -> None:
        left = Panel("Grade cases")
        inside = QVBoxLayout()
        inside.setContentsMargins(12, 2, 12, 4)
        inside.setSpacing(4)
        label = PlainLabel("Metric", "small")
        label.setBuddy(self.picker)
        inside.addWidget(label)
        inside.addWidget(self.picker)
        left.body.addLayout(inside)
        left.body.addWidget(self.form)
        left.body.addWidget(rule())
        files = QVBoxLayout()
        files.setContentsMargins(12, 8, 12, 4)
        files.setSpacing(8)
        files.addWidget(self.cases)
        files.addWidget(self.example, 0, Qt.AlignmentFlag.AlignLeft)
        files.addWidget(self.out)
        files.addWidget(self.wrong)
        files.addStretch(1)
        left.body.addLayout(files, 1)
        left.body.addWidget(rule())
        row = foot()
        row.addStretch(1)
        row.addWidget(self.stop)
        row.addWidget(self.grade)
        left.body.addLayout(row)
        columns = beside("labColumns", (left, self.verdicts), (330, 770), grows=1)
        outer = QHBoxLayout(self)
        outer.setContentsMargins(0, 0, 0, 0)
        outer.addWidget(columns)

    def _offer(self, project: Project | None) -> None:
        self._offers = offers(project.own_metrics if project is not None else ())
        self.picker.blockSignals(True)
        self.picker.clear()
        for each in self._offers:
            self.picker.addItem(plain(one_line(each.title)))
        self.picker.blockSignals(False)
        self._show()

    def _place_of(self, chosen: Chosen) -> int:
        """The place of a metric among those that are offered, however it is set; -1 for none."""
        for place, each in enumerate(self._offers):
            if is_same(each.chosen, chosen):
                return place
        return -1

    def _pick(self) -> None:
        self._has_begun = True
        self._chosen = self._offers[self.picker.currentIndex()].chosen
        self._show()

    def _edit(self) -> None:
        self._has_begun = True
        rows = settings(self._chosen.name)
        found = stated(rows, self.form.texts(), self._chosen.settings)
        self._chosen = Chosen(self._chosen.name, found)
        self._show()

    def _show(self) -> None:
        chosen, rows = self._chosen, settings(self._chosen.name)
        self.picker.blockSignals(True)
        self.picker.setCurrentIndex(self._place_of(chosen))
        self.picker.blockSignals(False)
        self.form.show_settings(rows, texts(rows, chosen.settings))
        self.form.show_wrong(wrong(chosen))
        self.form.setVisible(bool(rows))
        self._enable()

    def _enable(self) -> None:
        is_going = self._session.lab.grading is not None
        is_ready = self._session.state.engine == "ready" and not wrong(self._chosen)
        is_same = bool(self.out.path()) and self.out.path() == self.cases.path()
        self.wrong.setText("The verdicts cannot go to the file of the cases." if is_same else "")
        self.grade.setEnabled(is_ready and bool(self.cases.path()) and not is_same and not is_going)
        self.stop.setEnabled(is_going)

    def _graded(self, told: CasesGraded) -> None:
        self.verdicts.take(told, self.out.path())
        self._enable()

    def _ask_for_example(self) -> None:
        dialog = QFileDialog(self, "Write an example case", f"{self._chosen.name}.jsonl", _CASES)
        dialog.setAcceptMode(QFileDialog.AcceptMode.AcceptSave)
        dialog.setDefaultSuffix("jsonl")
        dialog.fileSelected.connect(self.write_example)
        dialog.finished.connect(dialog.deleteLater)
        dialog.open()

    def write_example(self, path: str) -> None:
        """Write a case that the metric grades to a file, to be edited, and take the file up."""
        try:
            Path(path).write_text(f"{example(self._chosen.name)}\n", encoding="utf-8")
        except OSError as error:
            self._session.told.emit(Told(f"The example cannot be written: {error}"))
            return
        self.cases.set_path(path)
