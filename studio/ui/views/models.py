"""The models page: which models a server offers, and which of them the project uses."""

from PySide6.QtWidgets import QFrame, QHBoxLayout, QVBoxLayout, QWidget

from studio.engine.messages import FoundModel, ModelsFound
from studio.engine.records import Project
from studio.ui.models.records import Column, RecordTable
from studio.ui.session import Session
from studio.ui.text import count, counted, plain, size
from studio.ui.theme import Theme, Tokens
from studio.ui.views.page import Page
from studio.ui.widgets.label import ElidedLabel, PlainLabel
from studio.ui.widgets.panel import Panel, button
from studio.ui.widgets.picker import Choice
from studio.ui.widgets.table import Table

_KINDS = ("auto", "embedded")


class ModelsPage(Page):
    """The models of one server at a time."""

    def __init__(self, session: Session, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._session = session
        self._asked = ""
        self._used: frozenset[str] = frozenset()
        self.model = RecordTable(
            (
                Column("Model", _name, width=26),
                Column("In the project", self._use, tone=_good, width=14),
                Column("Parameters", _parameters, is_number=True, width=12),
                Column("Quantization", _quantization, width=12),
                Column("Size", _size, key=_bytes, is_number=True, width=10),
                Column("Window", _window, key=_tokens, is_number=True, width=10),
                Column("Can", _abilities),
            ),
            _name,
            self,
        )
        self.table = Table(self.model, "Models", sorts=True)
        self.server = Choice()
        self.server.setEditable(True)
        self.server.setAccessibleName("Server")
        self.server.addItems(_KINDS)
        self.server.setMinimumWidth(self.fontMetrics().averageCharWidth() * 36)
        self.server.setToolTip(
            "auto: the Ollama server of this machine if one answers, else the embedded one"
        )
        self._panel = Panel("Models")
        self._facts = ElidedLabel("", "muted")
        self._problem = PlainLabel("", "bad", wraps=True)
        self._remedy = PlainLabel("", "muted", wraps=True)
        self._find = button("Find Models", "primary")
        self._place()
        self.setFocusProxy(self.table)
        self._colour(theme.tokens)
        theme.changed.connect(self._colour)
        self._find.clicked.connect(self._ask)
        self.server.activated.connect(self._ask)
        session.models_found.connect(self._take)
        session.project_changed.connect(self._read)
        session.state_changed.connect(self._first_time)
        self._read(session.state.project)
        self._first_time()

    def _place(self) -> None:
        row = QHBoxLayout()
        row.setContentsMargins(12, 10, 11, 10)
        row.addWidget(PlainLabel("Server", "small"))
        row.addWidget(self.server)
        row.addWidget(self._facts, 1)
        row.addWidget(self._find)
        row.setSpacing(8)
        chooser = QFrame()
        chooser.setProperty("role", "panel")
        chooser.setLayout(row)
        words = QVBoxLayout()
        words.setContentsMargins(12, 0, 12, 0)
        words.addWidget(self._problem)
        words.addWidget(self._remedy)
        self._problem.hide()
        self._remedy.hide()
        self._panel.body.addLayout(words)
        self._panel.body.addWidget(self.table, 1)
        column = QVBoxLayout(self)
        column.setContentsMargins(12, 10, 12, 10)
        column.setSpacing(10)
        column.addWidget(chooser)
        column.addWidget(self._panel, 1)

    def _read(self, project: Project | None) -> None:
        models = project.models if project is not None else ()
        self._used = frozenset(model.name for model in models)
        kept = self.server.currentText()
        self.server.clear()
        self.server.addItems(list(dict.fromkeys((*_KINDS, *(each.server for each in models)))))
        self.server.setCurrentText(kept or _KINDS[0])
        self.table.viewport().update()

    def _first_time(self) -> None:
        if not self._asked and self._session.state.engine == "ready":
            self._ask()

    def _ask(self) -> None:
        self._asked = self.server.currentText().strip() or _KINDS[0]
        self._facts.setText("Asking…")
        self._session.find_models(self._asked)

    def _take(self, found: ModelsFound) -> None:
        # Only the answer to the latest question counts.
        if found.server != self._asked:
            return
        self.model.set_rows(found.models)
        self._panel.note.setText(counted(len(found.models), "model"))
        facts = found.facts
        if facts is None:
            self._facts.setText("")
        elif facts.is_embedded:
            self._facts.setText("The embedded server, a demonstration model")
        else:
            self._facts.setText(f"Ollama {plain(facts.version)} at {plain(facts.address)}")
        for label, text in ((self._problem, found.problem), (self._remedy, found.remedy)):
            label.setText(text)
            label.setVisible(bool(text))

    def _use(self, model: FoundModel) -> str:
        return "✓ used" if model.name in self._used else ""

    def _colour(self, tokens: Tokens) -> None:
        self.model.set_colours(tokens._asdict())


def _name(model: FoundModel) -> str:
    return model.name


def _good(_model: FoundModel) -> str:
    return "good"


def _parameters(model: FoundModel) -> str:
    return model.parameters or "–"


def _quantization(model: FoundModel) -> str:
    return model.quantization or "–"


def _size(model: FoundModel) -> str:
    return size(model.size) if model.size else "–"


def _bytes(model: FoundModel) -> int:
    return model.size


def _window(model: FoundModel) -> str:
    return "–" if model.context_length is None else count(model.context_length)


def _tokens(model: FoundModel) -> int:
    return model.context_length or 0


def _abilities(model: FoundModel) -> str:
    return "not said" if model.capabilities is None else ", ".join(model.capabilities) or "–"
