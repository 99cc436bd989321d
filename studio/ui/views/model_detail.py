"""The selected model of the Models page: its facts, its probe in words, what can be done."""

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QBoxLayout, QGridLayout, QHBoxLayout, QVBoxLayout, QWidget
from typing_extensions import override

from studio.engine.model_messages import ProbeMoved
from studio.engine.models.probe import words
from studio.engine.offers import Probe
from studio.ui.models.offered import Offered, facts
from studio.ui.text import moment
from studio.ui.widgets.label import ElidedLabel, PlainLabel
from studio.ui.widgets.panel import Panel, button
from studio.ui.widgets.scroll import Scroll

_FACTS = 7
_FINDINGS = 5
_WIDE = 56
"""Characters; two columns take at least so much."""
_SIGNS = {"good": "●", "bad": "◆", "mark": "▲", "muted": "○"}
_INTRODUCTION = (
    "A probe asks the model a few short questions: whether it answers and how fast, whether it "
    "calls tools, keeps to a JSON schema and to the window asked for. It takes from seconds to a "
    "few minutes, and is kept for this model on this version of the server."
)


class ModelDetail(Panel):
    """Shows one row; tells what was asked for it."""

    probe_asked = Signal(str)
    probe_cancelled = Signal(str)
    unload_asked = Signal(str)
    delete_asked = Signal(str)
    """Each carries the model's name."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__("No model is chosen", parent)
        self._row: Offered | None = None
        self._facts = [(PlainLabel("", "muted"), PlainLabel("", wraps=True)) for _ in range(_FACTS)]
        self._findings = [_Finding() for _ in range(_FINDINGS)]
        self.figures = PlainLabel("", wraps=True)
        self.made = PlainLabel("", "small", wraps=True)
        self.probe, self.unload, self.delete = button("Probe"), button("Unload"), button("Delete…")
        self._buttons = (self.probe, self.unload, self.delete)
        self._name = PlainLabel("", wraps=True)
        self._place()
        self.probe.clicked.connect(self._probe)
        self.unload.clicked.connect(self._unload)
        self.delete.clicked.connect(self._delete)
        self.show_row(None, None)

    def _place(self) -> None:
        for each in self._buttons:
            self.head.addWidget(each)
        grid = QGridLayout()
        grid.setHorizontalSpacing(14)
        grid.setVerticalSpacing(5)
        grid.setColumnStretch(1, 1)
        for place, (name, told) in enumerate(self._facts):
            grid.addWidget(name, place, 0, Qt.AlignmentFlag.AlignTop)
            grid.addWidget(told, place, 1, Qt.AlignmentFlag.AlignTop)
        left = QVBoxLayout()
        left.addLayout(grid)
        left.addStretch(1)
        right = QVBoxLayout()
        right.setSpacing(5)
        right.addWidget(self.made)
        right.addWidget(self.figures)
        for finding in self._findings:
            right.addWidget(finding)
        right.addStretch(1)
        self._halves = QBoxLayout(QBoxLayout.Direction.LeftToRight)
        self._halves.setContentsMargins(12, 2, 12, 10)
        self._halves.addLayout(left, 2)
        self._halves.addLayout(right, 3)
        inside = QWidget()
        whole = QVBoxLayout(inside)
        whole.setContentsMargins(0, 0, 0, 0)
        whole.addWidget(self._name)
        whole.addLayout(self._halves, 1)
        self._name.setContentsMargins(12, 0, 12, 0)
        self.body.addWidget(Scroll(inside))

    @override
    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._arrange()

    def _arrange(self) -> None:
        """In a narrow window all stands one below the other, the name in whole: nothing is cut."""
        buttons = sum(each.sizeHint().width() + 8 for each in self._buttons)
        self._name.setVisible(self.title.sizeHint().width() + buttons + 36 > self.width())
        is_wide = self.width() >= self.fontMetrics().averageCharWidth() * _WIDE
        self._halves.setSpacing(24 if is_wide else 10)
        self._halves.setDirection(
            QBoxLayout.Direction.LeftToRight if is_wide else QBoxLayout.Direction.TopToBottom
        )

    def show_row(
        self, row: Offered | None, probing: ProbeMoved | None, *, is_fixed: bool = False
    ) -> None:
        """Show this model; `is_fixed` if it cannot be deleted (the embedded one)."""
        self._row = row
        self.title.setText("No model is chosen" if row is None else row.name)
        self._name.setText(self.title.text())
        told = [] if row is None else list(facts(row))
        for place, (name, words_) in enumerate(self._facts):
            name.setText(told[place][0] if place < len(told) else "")
            words_.setText(told[place][1] if place < len(told) else "")
        is_probing = probing is not None and not probing.ending
        for each in self._buttons:
            each.setVisible(row is not None)
        self.probe.setText("Cancel Probe" if is_probing else "Probe")
        self.unload.setEnabled(row is not None and row.loaded is not None and not is_probing)
        self.delete.setEnabled(row is not None and not is_fixed and not is_probing)
        self._show_probe(row, probing)
        self._arrange()

    def _show_probe(self, row: Offered | None, probing: ProbeMoved | None) -> None:
        probe = row.probe if row is not None else None
        found = words.findings(probe) if probe is not None else ()
        for place, finding in enumerate(self._findings):
            finding.show_finding(*(found[place] if place < len(found) else ("muted", "", "")))
        self.figures.setText(words.figures(probe) if probe is not None else "")
        self.figures.setVisible(bool(self.figures.text()))
        self.made.setText("" if row is None else _made(probe, probing))
        self.made.set_role("bad" if _problem(probing) else "small")

    def _probe(self) -> None:
        if self._row is not None:
            is_probing = self.probe.text() != "Probe"
            (self.probe_cancelled if is_probing else self.probe_asked).emit(self._row.name)

    def _unload(self) -> None:
        if self._row is not None:
            self.unload_asked.emit(self._row.name)

    def _delete(self) -> None:
        if self._row is not None:
            self.delete_asked.emit(self._row.name)


class _Finding(QWidget):
    """A sign, what was found, and, dimmed, by what."""

    def __init__(self) -> None:
        super().__init__()
        self._sign = PlainLabel("", "muted")
        self._said = PlainLabel("", wraps=True)
        self._by = ElidedLabel("", "small")
        column = QVBoxLayout()
        column.setSpacing(0)
        column.addWidget(self._said)
        column.addWidget(self._by)
        row = QHBoxLayout(self)
        row.setContentsMargins(0, 0, 0, 0)
        row.setSpacing(8)
        row.addWidget(self._sign, 0, Qt.AlignmentFlag.AlignTop)
        row.addLayout(column, 1)

    def show_finding(self, tone: str, said: str, by: str) -> None:
        self._sign.setText(_SIGNS[tone])
        self._sign.set_role(tone)
        self._said.setText(said)
        self._by.setText(by)
        self._by.setVisible(bool(by))
        self.setVisible(bool(said))


def _made(probe: Probe | None, probing: ProbeMoved | None) -> str:
    """What to say below the findings: what goes on, what went wrong, or when it was probed."""
    if probing is not None and not probing.ending:
        asking = (
            f" ({probing.asking}, {probing.done + 1} of {probing.total})" if probing.total else ""
        )
        return f"Probing{asking}…"
    if problem := _problem(probing):
        return problem
    if probe is None:
        return _INTRODUCTION
    return f"Probed {moment(probe.at)} with server version {probe.server_version}."


def _problem(probing: ProbeMoved | None) -> str:
    if probing is None or probing.ending != "failed":
        return ""
    return f"The probe was not finished: {probing.problem} {probing.remedy}".strip()
