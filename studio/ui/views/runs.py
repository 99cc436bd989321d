"""The runs page: everything that was run so far; open one, or continue what was cut off."""

from msgspec.structs import replace
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QLineEdit, QVBoxLayout, QWidget
from typing_extensions import override

from studio.engine.analysis.judged import Judged, apart, told
from studio.engine.analysis.summary import Summary
from studio.engine.errors import StoreError
from studio.engine.models.options import in_words
from studio.engine.records import Tally
from studio.engine.store.rows import RunRow
from studio.ui.models.judged import standing
from studio.ui.models.records import Column, RecordTable
from studio.ui.models.repeated import repeated
from studio.ui.models.servers import answered, asked_again
from studio.ui.run_means import RunMeans
from studio.ui.session import Session
from studio.ui.text import count, counted, moment, score
from studio.ui.theme import Theme, Tokens
from studio.ui.views.page import Page
from studio.ui.widgets.label import PlainLabel
from studio.ui.widgets.panel import Panel, button, foot, rule
from studio.ui.widgets.table import Table

_MOST = 500
_MOST_FIGURES = 12


class RunsPage(Page):
    """The stored runs of the project, the newest first."""

    def __init__(self, session: Session, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._session = session
        self._rows: list[RunRow] = []
        self._means = RunMeans(self)
        self._means.found.connect(self._means_found)
        self.model = RecordTable(
            (
                Column("Run", _number, key=_id, is_number=True, width=7),
                Column("Started", _started, key=_created, holds="30 Nov 2026, 20:58"),
                Column("Prompt", _prompt, width=14),
                Column("Tools", _tool_set, width=20),
                Column("Model", _model, width=20),
                Column("Trials done", _trials, key=_planned, is_number=True, width=11),
                Column("Ending", self._ending, tone=self._tone, width=10),
                Column("Figures", self._figures, tone=self._figures_tone),
            ),
            _searched,
            self,
        )
        self.table = Table(self.model, "Runs", sorts=True)
        self.table.chosen.connect(self._choose)
        self.table.opened.connect(self._open)
        self.filter = QLineEdit(placeholderText="Filter")
        self.filter.setAccessibleName("Filter the runs")
        self.filter.setClearButtonEnabled(True)
        self.filter.textChanged.connect(self.model.set_filter)
        self._panel = Panel("Runs")
        self._said = PlainLabel("", "small", wraps=True)
        self._continue = button("Continue")
        self._open_button = button("Open", "primary")
        self._place()
        self.table.sortByColumn(0, Qt.SortOrder.DescendingOrder)
        self._colour(theme.tokens)
        theme.changed.connect(self._colour)
        session.project_changed.connect(self._read)
        session.run_changed.connect(self._read)
        session.tally_changed.connect(self._count)
        session.desk.changed.connect(self._enable)
        session.lab.rejudged.connect(self._rejudged)
        session.state_changed.connect(self._enable)
        self._read()

    @override
    def start_here(self) -> QWidget:
        return self.table

    @override
    def focus_filter(self) -> None:
        self.filter.setFocus()
        self.filter.selectAll()

    def _place(self) -> None:
        self.filter.setMaximumWidth(self.fontMetrics().averageCharWidth() * 30)
        self._panel.head.addWidget(self.filter)
        self._panel.body.addWidget(self.table, 1)
        self._panel.body.addWidget(rule())
        row = foot()
        row.addWidget(self._said, 1)
        self._continue.clicked.connect(self._continue_current)
        self._open_button.clicked.connect(self._open_current)
        row.addWidget(self._continue)
        row.addWidget(self._open_button)
        self._panel.body.addLayout(row)
        column = QVBoxLayout(self)
        column.setContentsMargins(12, 10, 12, 10)
        column.addWidget(self._panel)

    def _current(self) -> RunRow | None:
        return self.model.record(self.table.currentIndex())

    def _read(self) -> None:
        reader = self._session.reader
        current = self._current()
        try:
            self._rows = reader.runs(limit=_MOST) if reader is not None else []
        except StoreError:
            self._rows = []  # told by the session, which reads the same file
        self.model.set_rows(self._rows)
        if current is not None:
            self._select(current.id)
        elif self._rows:
            self.table.choose(self.model.index(0, 0))
        project = self._session.state.project
        self._means.ask(reader, self._rows, "" if project is None else project.own_digest)
        note = counted(len(self._rows), "run")
        self._panel.note.setText(f"the newest {note}" if len(self._rows) == _MOST else note)
        self._enable()

    def _select(self, run: int) -> None:
        for row in range(self.model.rowCount()):
            record = self.model.record(self.model.index(row, 0))
            if record is not None and record.id == run:
                self.table.choose(self.model.index(row, 0))

    def _count(self, tally: Tally) -> None:
        for place, row in enumerate(self._rows):
            if row.id == self._session.state.live:
                self._rows[place] = replace(row, tally=tally)
                self.model.replace(place, self._rows[place])

    def _rejudged(self, run: int, is_over: bool) -> None:  # noqa: FBT001 (a signal's argument)
        self._means.forget(run)
        if is_over:
            self._read()

    def _means_found(self, run: int) -> None:
        for place, row in enumerate(self._rows):
            if row.id == run:
                self.model.replace(place, row)
        self._enable()

    def _choose(self, _row: RunRow | None) -> None:
        self._enable()

    def _enable(self) -> None:
        row, state = self._current(), self._session.state
        can_go_on = row is not None and row.missing > 0
        free = not state.is_busy and state.engine == "ready" and not state.read_only
        self._continue.setEnabled(can_go_on and free)
        self._open_button.setEnabled(row is not None)
        about = (_told, _asked, self._rest, self._figures, self._noise, self._judged)
        told = [] if row is None else [tell(row) for tell in about]
        self._said.setText("\n".join(line for line in told if line))

    def _open(self, row: RunRow | None) -> None:
        if row is not None:
            self._session.open_run(row.id)
            self._session.show_page("evaluate")

    def _open_current(self) -> None:
        self._open(self._current())

    def _continue_current(self) -> None:
        row = self._current()
        if row is not None:
            self._session.continue_run(row.id)
            self._session.show_page("evaluate")

    def _ending(self, row: RunRow) -> str:
        return self._session.state.ending_of(row)

    def _tone(self, row: RunRow) -> str:
        ending = self._ending(row)
        return {"failed": "bad", "interrupted": "mark", "running": "accent"}.get(ending, "muted")

    def _figures(self, row: RunRow) -> str:
        means = self._means.of(row.id)
        parts = [f"{label} {_average(summary)}" for label, summary in means[:_MOST_FIGURES]]
        if told(self._means.versions(row.id)):
            parts.insert(0, "Metrics have changed since")
        more = len(means) - _MOST_FIGURES
        return "  ·  ".join([*parts, *([f"{more} more on Evaluate"] if more > 0 else [])])

    def _figures_tone(self, row: RunRow) -> str:
        return "mark" if told(self._means.versions(row.id)) else ""

    def _rest(self, row: RunRow) -> str:
        """Who will be asked for what is missing, said before it is."""
        if row.missing == 0 or row.id == self._session.state.live:
            return ""
        return asked_again(row, self._session.state.project, self._session.desk)

    def _noise(self, row: RunRow) -> str:
        if not row.plan.repeats:
            return ""
        line = repeated(row.plan.repeats, row.plan.planned, self._means.noise(row.id))
        return " · ".join((line, *self._differs(row))) if line else ""

    def _differs(self, row: RunRow) -> list[str]:
        """Whether the run that this one repeats was judged otherwise: that is no noise."""
        other = next((each for each in self._rows if each.id == row.plan.repeats), None)
        if other is None:
            return []
        ours = Judged(row.criteria, self._means.versions(row.id))
        return apart(ours, Judged(other.criteria, self._means.versions(other.id)))

    def _judged(self, row: RunRow) -> str:
        """Whether it is judged by other criteria than the project's."""
        project, scoring = self._session.state.project, self._session.state.scoring
        is_going = scoring is not None and scoring.run == row.id
        criteria = None if project is None or is_going else project.criteria
        return standing(row, criteria, self._means.versions(row.id))

    def _colour(self, tokens: Tokens) -> None:
        self.model.set_colours(tokens._asdict())


def _average(summary: Summary) -> str:
    """A mean never stands without its counts, and a median says that it is one."""
    value = summary.value
    told = score(value) if value is None or value < 100 else count(round(value))
    kind = "median, " if summary.average == "median" else ""
    return f"{told} ({kind}{summary.counts})"


def _told(row: RunRow) -> str:
    tally = row.tally
    parts = [f"{count(tally.done)} done"]
    for number, word in (
        (tally.failed, "failed"), (tally.invalid, "invalid"), (tally.skipped, "skipped"),
        (tally.cancelled, "cancelled"), (tally.left, "not run"),
    ):  # fmt: skip
        if number:
            parts.append(f"{count(number)} {word}")
    return f"Run {row.id}: {', '.join(parts)} of {counted(tally.planned, 'trial')}"


def _asked(row: RunRow) -> str:
    """Who answered, and what the model was asked with."""
    told = (*answered(row.servers), in_words(row.plan.variant.model.options))
    return "\n".join(filter(None, told))


def _number(row: RunRow) -> str:
    return str(row.id)


def _id(row: RunRow) -> int:
    return row.id


def _started(row: RunRow) -> str:
    return moment(row.created)


def _created(row: RunRow) -> float:
    return row.created


def _prompt(row: RunRow) -> str:
    return row.plan.variant.prompt.name


def _tool_set(row: RunRow) -> str:
    return row.plan.variant.tool_set.name


def _model(row: RunRow) -> str:
    return row.plan.variant.model.name


def _trials(row: RunRow) -> str:
    return f"{count(row.tally.done)} of {count(row.tally.planned)}"


def _planned(row: RunRow) -> int:
    return row.tally.planned


def _searched(row: RunRow) -> str:
    return f"{row.id} {row.plan.variant.name} {row.ending or ''} {moment(row.created)}"
