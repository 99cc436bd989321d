"""What went wrong in the trial that is shown: one line a finding, each leading to its step."""

from collections.abc import Sequence

from PySide6.QtCore import QModelIndex, Signal
from PySide6.QtWidgets import QVBoxLayout, QWidget

from studio.engine.outcomes import FailureMode
from studio.engine.records import Finding
from studio.ui.models.records import Column, RecordTable
from studio.ui.theme import Theme, Tokens
from studio.ui.widgets.table import Table

_AT_MOST = 3
"""Lines that are seen at once; more are scrolled to."""
_MODE = 20


class FindingsList(QWidget):
    """Hidden while there is nothing to say.  A click, or Enter, opens the step of a finding."""

    opened = Signal(int)
    """The place of the event that shows a finding."""

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._shown: tuple[Finding, ...] = ()
        self.model = RecordTable(
            (
                Column("What went wrong", _mode, tone=_tone, width=_MODE),
                Column("Why", _reason, tone=_reason_tone),
            ),
            _reason,
            self,
        )
        self.table = Table(self.model, "What went wrong in this trial")
        self.table.horizontalHeader().hide()
        self.table.setAccessibleDescription("Enter opens the step that shows it")
        self.table.clicked.connect(self._open)
        self.table.activated.connect(self._open)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(4, 0, 4, 4)
        layout.addWidget(self.table)
        self._colour(theme.tokens)
        theme.changed.connect(self._colour)
        self.hide()

    def show_findings(self, findings: Sequence[Finding]) -> None:
        if tuple(findings) != self._shown:
            self._shown = tuple(findings)
            self.model.set_rows(self._shown)
            row = self.table.verticalHeader().defaultSectionSize()
            self.table.setFixedHeight(min(len(findings), _AT_MOST) * row + 2)
        self.setVisible(bool(findings))

    def _open(self, index: QModelIndex) -> None:
        finding = self.model.record(index)
        if finding is not None and finding.event is not None:
            self.opened.emit(finding.event)

    def _colour(self, tokens: Tokens) -> None:
        self.model.set_colours(tokens._asdict())


def _mode(finding: Finding) -> str:
    return finding.mode.value


def _tone(finding: Finding) -> str:
    return "mark" if finding.mode is FailureMode.NOT_THE_AGENT else "bad"


def _reason(finding: Finding) -> str:
    return finding.reason


def _reason_tone(finding: Finding) -> str:
    return "muted" if finding.event is None else "text"
