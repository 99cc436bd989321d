"""The queries page: the list with its filter, and a form for the one that is chosen."""

from collections.abc import Mapping
from pathlib import Path

from msgspec.structs import replace
from PySide6.QtWidgets import QLineEdit, QWidget
from typing_extensions import override

from studio.engine.records import Project, Query
from studio.ui.commands import Actions
from studio.ui.edits import Fields
from studio.ui.fields import query_fields, read_query
from studio.ui.models.records import Column, RecordTable
from studio.ui.session import Session
from studio.ui.text import count, counted, decimal, plain
from studio.ui.views.page import Page
from studio.ui.views.record_editor import RecordEditor
from studio.ui.widgets.dialog import Question
from studio.ui.widgets.form import Field
from studio.ui.widgets.panel import Panel, button
from studio.ui.widgets.split import split
from studio.ui.widgets.table import Table

_NEW = ""
_FIELDS = (
    Field("text", "Query", "What the agent is asked", lines=4),
    Field("id", "Id", "A short name that no other query has"),
    Field("contains", "A good answer contains", "One text per line, each must be there", lines=3),
    Field("number", "A good answer holds the number", "Such as 1234.5"),
    Field("unit", "Unit of the number", "Such as EUR"),
    Field(
        "calls", "A good run calls the tools", "A JSON list; [] says that none is wanted",
        lines=9, is_code=True,
    ),
    Field("answers", "Right answers", "One per line, any of them is right", lines=2),
    Field("pattern", "A good answer matches the pattern", "A regular expression"),
    Field("tags", "Tags", "Separated by commas"),
    Field(
        "other", "Other expectations", "A JSON object: outputs, instructions, documents",
        lines=5, is_code=True,
    ),
)  # fmt: skip
_BLANK = {field.name: "" for field in _FIELDS}


class QueriesPage(Page):
    """What the agent is asked, and what a good answer to each query holds."""

    def __init__(
        self, session: Session, actions: Actions, drafts: Path, parent: QWidget | None = None
    ) -> None:
        super().__init__(parent)
        self._session = session
        self._drafts = drafts
        self._by_id: dict[str, Query] = {}
        self._sent: dict[str, Query] = {}
        self.model = RecordTable(
            (
                Column("Id", self._marked_id, width=17),
                Column("Query", _text, least=16),
                Column("Expected", _expected, width=28),
                Column("Tags", _tags, width=12),
            ),
            _searched,
            self,
        )
        self.table = Table(self.model, "Queries")
        self.table.chosen.connect(self._choose)
        self.filter = QLineEdit(placeholderText="Filter")
        self.filter.setAccessibleName("Filter the queries")
        self.filter.setClearButtonEnabled(True)
        self.filter.textChanged.connect(self._filter)
        self.panel = RecordEditor(_FIELDS, self._wrong, actions, {"item.delete": "Delete…"})
        self.panel.edited.connect(self.table.viewport().update)
        self.form = self.panel.form
        self._list = Panel("Queries")
        self._place(actions)
        for change in (self.model.rowsInserted, self.model.modelReset):
            change.connect(self._count)
        session.project_changed.connect(self._open)
        session.queries_changed.connect(self._read)
        self._open(session.state.project)
        self._read()

    @override
    def start_here(self) -> QWidget:
        return self.table

    @override
    def new_item(self) -> None:
        self.table.clearSelection()
        self._show(_NEW)
        self.form.box("text").setFocus()

    @override
    def save_item(self) -> None:
        shown = self.panel.name
        if shown is None or not self.panel.is_dirty:
            return
        query, wrong = read_query(self.form.values(), self._is_taken)
        self.form.show_wrong(wrong)
        if query is not None:
            query = _with_what_the_form_cannot_show(query, self._by_id.get(shown))
            self._sent[shown] = query
            self._session.files.save_query(query, shown or None)

    @override
    def delete_item(self) -> None:
        query = self._by_id.get(self.panel.name or "")
        if query is not None:
            question = Question(
                f"Delete the query “{plain(query.id)}”?",
                "It is deleted from the project's file.  Past runs keep it.",
                "Delete", parent=self, subject=query.id,
            )  # fmt: skip
            question.agreed.connect(self._delete)
            question.open()
        elif self.panel.name == _NEW:
            self.panel.give_up()

    @override
    def focus_filter(self) -> None:
        self.filter.setFocus()
        self.filter.selectAll()

    @override
    def keep_drafts(self) -> None:
        self.panel.keep_drafts()

    def _place(self, actions: Actions) -> None:
        self.filter.setMaximumWidth(self.fontMetrics().averageCharWidth() * 30)
        new = button("New", "quiet")
        new.clicked.connect(actions["item.new"].trigger)
        self._list.head.addWidget(self.filter)
        self._list.head.addWidget(new)
        self._list.body.addWidget(self.table)
        split(self, "queries", (self._list, self.panel), (740, 360))

    def _open(self, project: Project | None) -> None:
        if project is None:
            return
        if self.panel.open(self._drafts, project.folder, "queries"):
            self._sent = {}
        self.panel.set_read_only(self._session.state.read_only)

    def _read(self) -> None:
        queries = self._session.queries
        before, self._by_id = self._by_id, {query.id: query for query in queries}
        shown = self._rescue(before, self._settle(self.panel.name))
        self.model.set_rows(queries)
        if shown == _NEW or (shown is None and self.panel.has_edits(_NEW)):
            self._show(_NEW)
        elif shown in self._by_id:
            self._select(shown)
        elif queries:
            self._select(queries[0].id)
        else:
            self._show(_NEW if self.panel.edits is not None else None)

    def _settle(self, shown: str | None) -> str | None:
        """Drop the edits that the file holds by now; the id under which to go on."""
        for name, query in list(self._sent.items()):
            if self._by_id.get(query.id) == query and self.panel.edits is not None:
                self.panel.edits.drop(name)
                del self._sent[name]
                shown = query.id if shown == name else shown
        return shown

    def _rescue(self, before: Mapping[str, Query], shown: str | None) -> str | None:
        """Keep the edits of a query that was deleted elsewhere: they become a new query."""
        edits = self.panel.edits
        for name in edits or ():
            if edits is not None and name in before and name not in self._by_id:
                fields = edits.fields(name, query_fields(before[name]))
                edits.drop(name)
                if _NEW not in edits:
                    edits.keep(_NEW, fields, _BLANK)
                    shown = _NEW if shown == name else shown
        return shown

    def _select(self, id_: str | None) -> None:
        index = next(
            (
                self.model.index(row, 0)
                for row in range(self.model.rowCount())
                if (query := self.model.record(self.model.index(row, 0))) and query.id == id_
            ),
            None,
        )
        if index is not None:
            self.table.choose(index)
        self._show(id_)

    def _choose(self, query: Query | None) -> None:
        if query is not None:
            self._show(query.id)

    def _saved(self, id_: str | None) -> dict[str, str]:
        query = self._by_id.get(id_) if id_ else None
        return dict(_BLANK) if query is None else query_fields(query)

    def _show(self, id_: str | None) -> None:
        title = "New query" if id_ == _NEW else id_ or "No query yet"
        self.panel.show_record(id_, self._saved(id_), title)

    def _wrong(self, _name: str, fields: Fields) -> Mapping[str, str]:
        return read_query(fields, self._is_taken)[1]

    def _is_taken(self, id_: str) -> bool:
        return id_ in self._by_id and id_ != self.panel.name

    def _delete(self, id_: str) -> None:
        if self.panel.edits is not None:
            self.panel.edits.drop(id_)
        self._session.files.delete_query(id_)

    def _filter(self, text: str) -> None:
        self.model.set_filter(text)
        self._count()

    def _count(self) -> None:
        total, shown = self.model.total, self.model.rowCount()
        text = counted(total, "query", "queries")
        self._list.note.setText(text if shown == total else f"{count(shown)} of {text}")

    def _marked_id(self, query: Query) -> str:
        return f"• {query.id}" if self.panel.has_edits(query.id) else query.id


def _text(query: Query) -> str:
    return query.text


def _tags(query: Query) -> str:
    return ", ".join(query.tags)


def _searched(query: Query) -> str:
    return f"{query.id}\n{query.text}\n{' '.join(query.tags)}"


def _expected(query: Query) -> str:
    expected = query.expected
    parts = []
    if expected.calls is not None:
        parts.append(" → ".join(call.name for call in expected.calls) or "no call")
    if expected.number is not None:
        parts.append(f"{decimal(expected.number)} {expected.unit or ''}".rstrip())
    if expected.contains:
        parts.append(", ".join(f"“{text}”" for text in expected.contains))
    return " · ".join(parts) or "–"


def _with_what_the_form_cannot_show(query: Query, before: Query | None) -> Query:
    if before is None or not before.expected.more:
        return query
    return replace(query, expected=replace(query.expected, more=before.expected.more))
