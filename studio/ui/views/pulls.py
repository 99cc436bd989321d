"""Pulls: the line that asks for a model, and how far each pull is."""

from PySide6.QtCore import Signal
from PySide6.QtWidgets import (
    QHBoxLayout,
    QLineEdit,
    QProgressBar,
    QSizePolicy,
    QVBoxLayout,
    QWidget,
)

from studio.engine.model_messages import PullMoved
from studio.ui.text import plain, size
from studio.ui.widgets.label import ElidedLabel, PlainLabel
from studio.ui.widgets.panel import Panel, button
from studio.ui.widgets.scroll import Scroll

_STEPS = 1_000


class PullRow(QWidget):
    """One pull: what, how far, and what can be done about it."""

    cancelled = Signal(str)
    resumed = Signal(str)
    put_away = Signal(str)
    """Each carries the model's name."""

    def __init__(self, model: str, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._model = model
        self._name = ElidedLabel(model)
        self._name.setMinimumWidth(self.fontMetrics().averageCharWidth() * 10)
        self.bar = QProgressBar()
        self.bar.setTextVisible(False)
        self.bar.setMinimumWidth(60)
        self.bar.setAccessibleName("Progress of the pull")
        self.told = ElidedLabel("", "muted")
        self.cancel, self.resume, self.away = (
            button("Cancel"),
            button("Resume"),
            button("✕", "quiet"),
        )
        self.away.setAccessibleName("Show this pull no more")
        kept = self.away.sizePolicy()
        kept.setRetainSizeWhenHidden(True)
        self.away.setSizePolicy(kept)
        widest = max(self.cancel.sizeHint().width(), self.resume.sizeHint().width())
        for each in (self.cancel, self.resume):
            each.setMinimumWidth(widest)
        self.problem = PlainLabel("", "bad", wraps=True)
        self.remedy = PlainLabel("", "muted", wraps=True)
        line = QHBoxLayout()
        line.setSpacing(8)
        line.addWidget(self._name, 2)
        line.addWidget(self.bar, 2)
        line.addWidget(self.told, 3)
        for each in (self.cancel, self.resume, self.away):
            line.addWidget(each)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(2)
        column.addLayout(line)
        column.addWidget(self.problem)
        column.addWidget(self.remedy)
        self.cancel.clicked.connect(self._cancel)
        self.resume.clicked.connect(self._resume)
        self.away.clicked.connect(self._put_away)

    def show_pull(self, pull: PullMoved) -> None:
        is_over = bool(pull.ending)
        # Without a total the bar only says that something goes on.
        self.bar.setRange(0, 0 if not pull.total and not is_over else _STEPS)
        self.bar.setValue(_STEPS if pull.ending == "finished" else _share(pull))
        self.told.setText(progress_told(pull))
        self.cancel.setVisible(not is_over)
        self.resume.setVisible(pull.ending in {"cancelled", "failed"})
        self.away.setVisible(is_over)
        for label, text in ((self.problem, pull.problem), (self.remedy, pull.remedy)):
            label.setText(text)
            label.setVisible(bool(text))

    def _cancel(self) -> None:
        self.cancelled.emit(self._model)

    def _resume(self) -> None:
        self.resumed.emit(self._model)

    def _put_away(self) -> None:
        self.put_away.emit(self._model)


class PullsPanel(Panel):
    """Pulls of one server."""

    asked = Signal(str)
    """Pull this model, anew or where it stopped."""

    cancelled = Signal(str)
    put_away = Signal(str)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__("Pull a model", parent)
        self.title.setMinimumWidth(self.title.sizeHint().width())
        self.name = QLineEdit()
        self.name.setAccessibleName("Name of the model to pull")
        self.name.setPlaceholderText("qwen3:4b, owner/model:tag, hf.co/owner/model:tag")
        self.name.textChanged.connect(self._typed)
        self.name.returnPressed.connect(self._ask)
        self.press = button("Pull")
        self.press.setEnabled(False)
        self.press.clicked.connect(self._ask)
        self.head.insertWidget(1, self.name, 3)
        self.head.insertWidget(2, self.press)
        self.rows: dict[str, PullRow] = {}
        inside = QWidget()
        self._column = QVBoxLayout(inside)
        self._column.setContentsMargins(12, 0, 8, 10)
        self._column.setSpacing(8)
        self._scroll = Scroll(inside)
        self._scroll.setSizePolicy(QSizePolicy.Policy.Preferred, QSizePolicy.Policy.Maximum)
        self._scroll.hide()
        self.body.addWidget(self._scroll)

    def show_pulls(self, pulls: list[PullMoved]) -> None:
        """Show these and no others."""
        wanted = {pull.model for pull in pulls}
        for model in [each for each in self.rows if each not in wanted]:
            row = self.rows.pop(model)
            self._column.removeWidget(row)
            row.hide()
            row.deleteLater()
        for pull in pulls:
            self.show_pull(pull)
        self._scroll.setVisible(bool(self.rows))
        self._scroll.updateGeometry()

    def show_pull(self, pull: PullMoved) -> None:
        if pull.model not in self.rows:
            row = self.rows[pull.model] = PullRow(pull.model)
            row.cancelled.connect(self.cancelled)
            row.resumed.connect(self.asked)
            row.put_away.connect(self.put_away)
            self._column.addWidget(row)
            self._scroll.show()
        self.rows[pull.model].show_pull(pull)
        self._scroll.updateGeometry()

    def _typed(self, text: str) -> None:
        self.press.setEnabled(bool(text.strip()))

    def _ask(self) -> None:
        if self.name.text().strip():
            self.asked.emit(self.name.text())
            self.name.clear()


def progress_told(pull: PullMoved) -> str:
    """How far a pull is, in one line."""
    amount = f"{size(pull.done)} of {size(pull.total)}" if pull.total else ""
    match pull.ending:
        case "finished":
            return f"done, {size(pull.total)}" if pull.total else "done"
        case "cancelled":
            return f"cancelled at {amount}" if amount else "cancelled"
        case "failed":
            return f"stopped at {amount}" if amount else "failed"
    return " · ".join(filter(None, [amount, plain(pull.status, 60)]))


def _share(pull: PullMoved) -> int:
    return _STEPS * pull.done // pull.total if pull.total else 0
