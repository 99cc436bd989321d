"""The head of the Models page: how the chosen server stands, and what to do if it does not."""

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QHBoxLayout, QVBoxLayout, QWidget

from studio.engine.model_messages import ModelsFound
from studio.engine.offers import Origin, Standing
from studio.engine.records import EMBEDDED
from studio.ui.models.servers import ListedServer
from studio.ui.widgets.label import PlainLabel
from studio.ui.widgets.panel import Panel, button

_IDLE = (
    "Not started: that happens by itself when it is first needed. Its demonstration model is "
    "fetched once, about 100 MB."
)
_ONLY_NAMED = "The project names this server, and nothing was asked of it yet."
_ORIGINS = {
    Origin.LOCAL: "this machine's own; OLLAMA_HOST gives it another address",
    Origin.NAMED: "named by you",
    Origin.EMBEDDED: "the studio's own, with a demonstration model",
}


class ServerHead(Panel):
    """Shows one server; tells what was asked for it."""

    asked = Signal()
    """Ask it (again), start it, or take it into the list: whatever comes next."""

    removed = Signal()

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__("", parent)
        self.facts = PlainLabel("", "muted", wraps=True)
        self.problem = PlainLabel("", "bad", wraps=True)
        self.remedy = PlainLabel("", "muted", wraps=True)
        self.ask = button("Ask Again")
        self.remove = button("Remove")
        self.ask.clicked.connect(self.asked)
        self.remove.clicked.connect(self.removed)
        for each in (self.remove, self.ask):
            self.head.addWidget(each)
        words = QVBoxLayout()
        words.setContentsMargins(12, 0, 12, 10)
        words.setSpacing(2)
        for label in (self.facts, self.problem, self.remedy):
            words.addWidget(label)
        row = QHBoxLayout()
        row.addLayout(words, 1)
        self.body.addLayout(row)

    def show_server(
        self, row: ListedServer | None, found: ModelsFound | None, *, is_asked: bool
    ) -> None:
        """Show this server; `is_asked` while an answer is awaited."""
        self.title.setText(row.title if row is not None else "No server")
        self.facts.setText(_facts(row, found))
        for label, text in (
            (self.problem, found.problem if found is not None else ""),
            (self.remedy, found.remedy if found is not None else ""),
        ):
            label.setText(text)
            label.setVisible(bool(text))
        self.ask.setText(_next(row, found, is_asked=is_asked))
        self.ask.setEnabled(row is not None and not is_asked)
        self.remove.setVisible(row is not None and row.is_known and row.origin is Origin.NAMED)


def _facts(row: ListedServer | None, found: ModelsFound | None) -> str:
    if row is None:
        return ""
    if not row.is_known:
        return _ONLY_NAMED
    about = [_ORIGINS[row.origin]]
    if found is not None and found.facts is not None:
        about.insert(0, f"Ollama {found.facts.version}" if row.server != EMBEDDED else "Running")
    elif found is not None and found.standing is Standing.IDLE:
        return _IDLE
    text = ", ".join(about)
    return f"{text[:1].upper()}{text[1:]}"


def _next(row: ListedServer | None, found: ModelsFound | None, *, is_asked: bool) -> str:
    if is_asked:
        return "Asking…"
    if row is not None and not row.is_known:
        return "Add and Ask"
    if found is not None and found.standing is Standing.IDLE:
        return "Start"
    return "Ask Again"
