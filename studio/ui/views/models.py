"""The models page: the servers, what each one has, and what can be done with it."""

from PySide6.QtCore import Qt
from PySide6.QtGui import QShowEvent
from PySide6.QtWidgets import QVBoxLayout, QWidget
from typing_extensions import override

from studio.engine.model_messages import ModelsFound, ProbeMoved, PullMoved
from studio.engine.offers import FoundModel, Standing
from studio.engine.records import EMBEDDED, Project
from studio.ui.models.offered import Offered, columns, offered
from studio.ui.models.records import RecordTable
from studio.ui.models.server_names import server_name
from studio.ui.models.servers import ListedServer, elsewhere, listed
from studio.ui.session import Session
from studio.ui.text import counted, size
from studio.ui.theme import Theme, Tokens
from studio.ui.views.model_detail import ModelDetail
from studio.ui.views.page import Page
from studio.ui.views.pulls import PullsPanel
from studio.ui.views.server_head import ServerHead
from studio.ui.views.servers import ServersPanel
from studio.ui.widgets.dialog import Question
from studio.ui.widgets.label import PlainLabel
from studio.ui.widgets.panel import Panel
from studio.ui.widgets.scroll import Scroll
from studio.ui.widgets.split import above, split
from studio.ui.widgets.table import Table

_TABLE_LINES, _DETAIL_LINES = 9, 9
"""Lines of text that they keep room for; a row of the table takes about one and a half."""


class ModelsPage(Page):
    """One server at a time, chosen at the left."""

    def __init__(self, session: Session, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._session = session
        self._desk = session.desk
        self._project: Project | None = session.state.project
        self._rows: tuple[Offered, ...] = ()
        self._chosen: dict[str, str] = {}
        self.servers = ServersPanel()
        self.head = ServerHead()
        self.model: RecordTable[Offered] = RecordTable(columns(), _name, self)
        self.table = Table(self.model, "Models", sorts=True)
        self.table.sortByColumn(0, Qt.SortOrder.AscendingOrder)
        self.detail = ModelDetail()
        self.pulls = PullsPanel()
        self._panel = Panel("Models")
        self._empty = PlainLabel("", "muted", wraps=True)
        self._empty.setAlignment(Qt.AlignmentFlag.AlignCenter)
        self._place()
        self._colour(theme.tokens)
        theme.changed.connect(self._colour)
        self._connect()
        self._show()

    @override
    def start_here(self) -> QWidget:
        return self.table

    @override
    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        # What is in memory changes by itself; it is looked up whenever somebody looks.
        self._refresh()

    @override
    def delete_item(self) -> None:
        row = self._row()
        if row is not None:
            self._ask_to_delete(row.name)

    def _place(self) -> None:
        self._panel.body.addWidget(self.table, 1)
        self._panel.body.addWidget(self._empty, 1)
        # In large fonts these do not fit one above the other: then the page scrolls.
        line = self.fontMetrics().height()
        self.table.setMinimumHeight(_TABLE_LINES * line)
        self.detail.setMinimumHeight(_DETAIL_LINES * line)
        rows = above("modelRows", (self._panel, self.detail), (220, 310))
        right = QWidget()
        column = QVBoxLayout(right)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(10)
        column.addWidget(self.head)
        column.addWidget(rows, 1)
        column.addWidget(self.pulls)
        split(self, "models", (self.servers, Scroll(right, keeps_width=True)), (256, 844))

    def _connect(self) -> None:
        self._desk.changed.connect(self._show)
        self._desk.pull_moved.connect(self._pull_moved)
        self._desk.probe_moved.connect(self._probe_moved)
        self._session.project_changed.connect(self._read)
        self.servers.chosen.connect(self._choose_server)
        self.servers.named.connect(self._desk.name_server)
        self.servers.spread_asked.connect(self._desk.spread_runs)
        self.head.asked.connect(self._ask)
        self.head.removed.connect(self._forget)
        self.table.chosen.connect(self._choose_model)
        self.detail.probe_asked.connect(self._probe)
        self.detail.probe_cancelled.connect(self._cancel_probe)
        self.detail.unload_asked.connect(self._unload)
        self.detail.delete_asked.connect(self._ask_to_delete)
        self.pulls.asked.connect(self._pull)
        self.pulls.cancelled.connect(self._cancel_pull)
        self.pulls.put_away.connect(self._put_pull_away)

    @property
    def server(self) -> str:
        """The server that is shown; "" before any is known."""
        return self.servers.current.server if self.servers.current is not None else ""

    def _read(self, project: Project | None) -> None:
        self._project = project
        self._show()

    def _show(self) -> None:
        self.servers.show_rows(listed(self._desk, self._project))
        self.servers.show_spreads(self._desk.spreads)
        self._show_server()

    def _choose_server(self, _row: ListedServer | None) -> None:
        self._show_server()

    def _show_server(self) -> None:
        row = self.servers.current
        found = self._desk.found(self.server)
        self.head.show_server(row, found, is_asked=self._desk.is_asked(self.server))
        rows = offered(found, self._used(), self._elsewhere) if found is not None else ()
        if rows != self._rows:
            self._rows = rows
            self._fill()
        self._panel.note.setText(_counted(rows))
        self._empty.setText(_why_empty(found))
        for each, is_shown in (
            (self.table, bool(rows)),
            (self.detail, bool(rows)),
            (self._empty, not rows),
        ):
            each.setVisible(is_shown)
        self.pulls.setVisible(_can_pull(row, found))
        self.pulls.show_pulls(
            [pull for (server, _), pull in self._desk.pulls.items() if server == self.server]
        )
        self._show_detail()

    def _elsewhere(self, model: FoundModel) -> str:
        return elsewhere(self._desk, self.server, model)

    def _used(self) -> frozenset[str]:
        models = self._project.models if self._project is not None else ()
        return frozenset(each.name for each in models)

    def _fill(self) -> None:
        self.table.blockSignals(True)
        self.model.set_rows(self._rows)
        index = self.model.find(self._is_chosen)
        self.table.choose(index if index.isValid() else self.model.index(0, 0))
        self.table.blockSignals(False)

    def _is_chosen(self, row: Offered) -> bool:
        chosen = self._chosen.get(self.server)
        return row.is_used if chosen is None else row.name == chosen

    def _row(self) -> Offered | None:
        return self.model.record(self.table.currentIndex())

    def _choose_model(self, row: Offered | None) -> None:
        if row is not None:
            self._chosen[self.server] = row.name
        self._show_detail()

    def _show_detail(self) -> None:
        row = self._row()
        probing = self._desk.probing(self.server, row.name) if row is not None else None
        self.detail.show_row(row, probing, is_fixed=self.server == EMBEDDED)

    def _pull_moved(self, pull: PullMoved) -> None:
        if pull.server == self.server:
            self.pulls.show_pull(pull)

    def _probe_moved(self, moved: ProbeMoved) -> None:
        row = self._row()
        if row is not None and (moved.server, moved.model) == (self.server, row.name):
            self._show_detail()

    def _refresh(self) -> None:
        if self._session.state.engine == "ready":
            self._desk.find_all()

    def _ask(self) -> None:
        row = self.servers.current
        if row is not None and row.is_known:
            self._desk.find(row.server)
        elif row is not None:
            self._desk.name_server(row.server)

    def _forget(self) -> None:
        self._desk.forget_server(self.server)

    def _probe(self, model: str) -> None:
        self._desk.probe(self.server, model)

    def _cancel_probe(self, model: str) -> None:
        self._desk.cancel_probe(self.server, model)

    def _unload(self, model: str) -> None:
        self._desk.unload(self.server, model)

    def _pull(self, model: str) -> None:
        self._desk.pull(self.server, model)

    def _cancel_pull(self, model: str) -> None:
        self._desk.cancel_pull(self.server, model)

    def _put_pull_away(self, model: str) -> None:
        self._desk.put_pull_away(self.server, model)

    def _ask_to_delete(self, model: str) -> None:
        row = next((each for each in self._rows if each.name == model), None)
        if row is None or self.server == EMBEDDED:
            return
        freed = f" This frees {size(row.model.size)}." if row.model.size else ""
        used = " The open project uses it." if row.is_used else ""
        question = Question(
            f"Delete {model}?",
            f"It is deleted from the disk of {server_name(self.server)}.{freed}{used} "
            "To have it back, it has to be pulled again.",
            "Delete",
            parent=self,
            subject=model,
        )
        question.agreed.connect(self._delete)
        question.open()

    def _delete(self, model: str) -> None:
        self._desk.delete(self.server, model)

    def _colour(self, tokens: Tokens) -> None:
        self.model.set_colours(tokens._asdict())
        self.servers.set_colours(tokens)


def _name(row: Offered) -> str:
    return row.name


def _counted(rows: tuple[Offered, ...]) -> str:
    whole = sum(row.model.size for row in rows)
    return f"{counted(len(rows), 'model')}, {size(whole)}" if rows else "none"


def _why_empty(found: ModelsFound | None) -> str:
    if found is None:
        return "Nothing is known of its models yet."
    if found.facts is None:
        return "Its models are listed here as soon as it answers."
    return "It has no models yet: pull one below."


def _can_pull(row: ListedServer | None, found: ModelsFound | None) -> bool:
    """The embedded server fetches no other models, and one that does not answer fetches none."""
    return (
        row is not None
        and row.server != EMBEDDED
        and found is not None
        and found.standing in {Standing.RUNNING, Standing.TOO_OLD}
    )
