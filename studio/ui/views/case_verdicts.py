"""The verdicts on a file of cases: counts, a table, all that is known of one."""

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QSplitter, QVBoxLayout, QWidget

from studio.engine.scoring_messages import CasesGraded, CaseVerdict
from studio.ui.models.case_file import CaseFile
from studio.ui.models.detail import nothing
from studio.ui.models.metric_verdicts import case, counts_told, figure, id_text
from studio.ui.models.records import Column, RecordTable
from studio.ui.text import count
from studio.ui.theme import Theme, Tokens
from studio.ui.widgets.label import PlainLabel
from studio.ui.widgets.panel import Panel, rule
from studio.ui.widgets.picker import Choice
from studio.ui.widgets.reading import Reading
from studio.ui.widgets.table import Table

ALL, UNSCORED, ZERO = "All", "Not scored", "Zero"
_INTRODUCTION = (
    "Grade cases that never were a run: check a grader before you trust it, or bring in old "
    "results.  Choose a file of JSON Lines, or insert an example and edit it."
)


class CaseVerdicts(Panel):
    """Takes in what the engine tells of a file, part by part."""

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__("Verdicts", parent)
        self._verdicts: list[CaseVerdict] = []
        self._file: CaseFile | None = None
        self.model: RecordTable[CaseVerdict] = RecordTable(
            (
                Column("Line", _line, key=_line_number, is_number=True, width=7),
                Column("Id", _id, width=18),
                Column("Score", _score, key=_value, tone=_tone, is_number=True, width=12),
                Column("Reason", _reason),
            ),
            _searched,
            self,
        )
        self.model.set_colours(theme.tokens._asdict())
        theme.changed.connect(self._colour)
        self.table = Table(self.model, "Verdicts", sorts=True)
        self.table.sortByColumn(0, Qt.SortOrder.AscendingOrder)
        self.table.chosen.connect(self._choose)
        self.kind = Choice()
        self.kind.addItems((ALL, UNSCORED, ZERO))
        self.kind.setAccessibleName("Which verdicts to show")
        self.kind.currentIndexChanged.connect(self._fill)
        self.detail = Reading("The verdict on the case", theme)
        self.counts = PlainLabel("", "heading")
        self.figures = PlainLabel("", "small", wraps=True)
        self.told = PlainLabel("", "muted", wraps=True)
        self.head.addWidget(self.kind)
        self._place()
        self._tell(_INTRODUCTION, "muted")
        self.detail.read(nothing("Choose a case to see its evidence."))

    def begin(self, cases: str) -> None:
        """Another file is graded."""
        self._file = CaseFile(cases)
        self._verdicts = []
        self.counts.setText("")
        self.figures.setText("")
        self._tell("Grading…", "muted")
        self._fill()

    def take(self, told: CasesGraded, out: str) -> None:
        """More verdicts, or the end; `out` is where all are written to, "" for nowhere."""
        self._verdicts += told.verdicts
        self.counts.setText(counts_told(told))
        self.figures.setText(" · ".join(told.figures))
        total = told.scored + told.not_scored
        self._tell(*_standing(told, len(self._verdicts), total, out))
        if told.verdicts:
            self._fill()

    def _place(self) -> None:
        for each in (self.counts, self.figures):
            each.setContentsMargins(12, 0, 12, 0)
        self.told.setContentsMargins(12, 0, 12, 6)
        rows = QSplitter(Qt.Orientation.Vertical)
        rows.setObjectName("labRows")
        rows.addWidget(self.table)
        below = QWidget()
        column = QVBoxLayout(below)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(0)
        column.addWidget(rule())
        column.addWidget(self.detail)
        rows.addWidget(below)
        rows.setSizes([330, 270])
        rows.setStretchFactor(0, 1)
        rows.setChildrenCollapsible(False)
        self.body.addWidget(self.counts)
        self.body.addWidget(self.figures)
        self.body.addWidget(self.told)
        self.body.addWidget(rule())
        self.body.addWidget(rows, 1)

    def _tell(self, text: str, role: str) -> None:
        self.told.setText(text)
        self.told.set_role(role)
        for each in (self.counts, self.figures):
            each.setVisible(bool(each.text()))

    def _fill(self) -> None:
        kind, before = self.kind.currentText(), self.model.record(self.table.currentIndex())
        shown = [each for each in self._verdicts if _is_kind(each, kind)]
        self.model.set_rows(shown)
        self.note.setText("" if kind == ALL else f"{count(len(shown))} listed")
        index = self.model.find(_Same(before)) if before is not None else self.model.index(0, 0)
        if index.isValid():
            self.table.choose(index)
        else:
            self._choose(None)

    def _choose(self, of: CaseVerdict | None) -> None:
        if of is None or self._file is None:
            self.detail.read(nothing("Choose a case to see its evidence."))
        else:
            self.detail.read(case(of, self._file.text(of.line)))

    def _colour(self, tokens: Tokens) -> None:
        self.model.set_colours(tokens._asdict())


class _Same:
    """Whether a verdict is on the same line as another."""

    def __init__(self, other: CaseVerdict) -> None:
        self._line = other.line

    def __call__(self, of: CaseVerdict) -> bool:
        return of.line == self._line


def _standing(told: CasesGraded, listed: int, total: int, out: str) -> tuple[str, str]:
    """What to say below the counts, and in which role."""
    if told.ending == "failed":
        return f"{told.problem} {told.remedy}".rstrip(), "bad"
    parts = [{"": "grading…", "stopped": "stopped"}.get(told.ending, "done")]
    if listed < total:
        parts.append(f"the first {count(listed)} are listed, all are counted")
    if told.ending and out:
        parts.append(f"all are in {out}")
    return " · ".join(parts), "muted"


def _is_kind(of: CaseVerdict, kind: str) -> bool:
    match kind:
        case "Not scored":
            return of.score is None
        case "Zero":
            return of.score == 0
        case _:
            return True


def _line(of: CaseVerdict) -> str:
    return count(of.line)


def _line_number(of: CaseVerdict) -> int:
    return of.line


def _id(of: CaseVerdict) -> str:
    return id_text(of.id)


def _score(of: CaseVerdict) -> str:
    return figure(of.score)


def _value(of: CaseVerdict) -> float:
    return -1e308 if of.score is None else of.score


def _tone(of: CaseVerdict) -> str:
    return "mark" if of.score is None else "bad" if of.score == 0 else "text"


def _reason(of: CaseVerdict) -> str:
    return of.reason


def _searched(of: CaseVerdict) -> str:
    return f"{of.line} {id_text(of.id)} {of.reason}"
