"""The list of model servers at the left of the Models page, and the line that names another."""

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QCheckBox, QLineEdit, QWidget

from studio.ui.models.records import Column, RecordTable
from studio.ui.models.servers import ListedServer
from studio.ui.theme import Tokens
from studio.ui.widgets.panel import Panel, button, foot, rule
from studio.ui.widgets.table import PADDING, Table


class ServersPanel(Panel):
    """Shows rows; tells which server was chosen and which one the user names."""

    chosen = Signal(object)
    """The current row: ListedServer or None."""

    named = Signal(str)

    spread_asked = Signal(bool)
    """Whether runs are to be spread over all servers."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__("Servers", parent)
        self.model: RecordTable[ListedServer] = RecordTable(
            (
                Column("Server", _title, is_name=True),
                Column("State", _state, tone=_tone, holds="not reachable"),
            ),
            _title,
            self,
        )
        self.table = Table(self.model, "Servers")
        told = self.fontMetrics().horizontalAdvance("127.0.0.1:11434not reachable")
        self.table.setMinimumWidth(told + 2 * PADDING + 4)
        self.table.horizontalHeader().hide()
        self.table.chosen.connect(self._choose)
        self.address = QLineEdit()
        self.address.setAccessibleName("Address of another server")
        self.address.setPlaceholderText("Another address")
        self.address.returnPressed.connect(self._name)
        self.address.textChanged.connect(self._typed)
        self._add = button("Add")
        self._add.setEnabled(False)
        self._add.clicked.connect(self._name)
        self.spreads = QCheckBox("Spread runs over all of them")
        self.spreads.setToolTip(
            "Where a project does not name a server, its trials are spread over every server here "
            "that has the very same model. Which one answered is kept with each trial."
        )
        self.spreads.clicked.connect(self.spread_asked)
        self.body.addWidget(self.table, 1)
        self.body.addWidget(rule())
        choice = foot()
        choice.addWidget(self.spreads)
        self.body.addLayout(choice)
        self.body.addWidget(rule())
        row = foot()
        row.addWidget(self.address, 1)
        row.addWidget(self._add)
        self.body.addLayout(row)
        self._rows: tuple[ListedServer, ...] = ()
        self._shown = ""

    @property
    def current(self) -> ListedServer | None:
        """The row that is chosen."""
        return next((row for row in self._rows if row.server == self._shown), None)

    def show_rows(self, rows: tuple[ListedServer, ...]) -> None:
        """Show these; the same server stays chosen as long as it is there."""
        if rows == self._rows:
            return
        self._rows = rows
        self.table.blockSignals(True)
        self.model.set_rows(rows)
        if self.current is None:
            self._shown = rows[0].server if rows else ""
        self.choose(self._shown)
        self.table.blockSignals(False)
        self.chosen.emit(self.current)

    def show_spreads(self, is_on: bool) -> None:  # noqa: FBT001 - the state of a check box
        self.spreads.setChecked(is_on)

    def choose(self, server: str) -> None:
        """Make this server the current one."""
        self._shown = server
        index = self.model.find(self._is_shown)
        if index.isValid():
            self.table.choose(index)

    def set_colours(self, tokens: Tokens) -> None:
        self.model.set_colours(tokens._asdict())

    def _is_shown(self, row: ListedServer) -> bool:
        return row.server == self._shown

    def _choose(self, row: ListedServer | None) -> None:
        if row is not None:
            self._shown = row.server
            self.chosen.emit(row)

    def _typed(self, text: str) -> None:
        self._add.setEnabled(bool(text.strip()))

    def _name(self) -> None:
        address = self.address.text().strip()
        if address:
            self.named.emit(address)
            self.address.clear()


def _title(row: ListedServer) -> str:
    return row.title


def _state(row: ListedServer) -> str:
    return row.state


def _tone(row: ListedServer) -> str:
    return row.tone
