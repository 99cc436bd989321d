"""What a model was sent: as it went over the wire, and, once asked for, as the model reads it."""

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QHBoxLayout, QVBoxLayout, QWidget

from studio.engine.events import ModelCalled
from studio.engine.model_messages import PromptRendered
from studio.ui.models import detail
from studio.ui.models.detail import Passage, Passages
from studio.ui.models.tone import Tone
from studio.ui.theme import Theme
from studio.ui.widgets.panel import button
from studio.ui.widgets.reading import Reading

_MOST_KEPT = 50


class SentView(QWidget):
    """Shows one model call's request; a button goes from the one form to the other."""

    wanted = Signal(object, str)
    """ModelCalled, and the key under which `take` is to be told its prompt."""

    def __init__(self, hint: str, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._asked: ModelCalled | None = None
        self._key = ""
        self._is_rendered = False
        self._told: dict[str, PromptRendered] = {}
        self._waiting = ""
        self.reading = Reading(hint, theme)
        self.button = button("As the model reads it", "quiet")
        self.button.clicked.connect(self._press)
        row = QHBoxLayout()
        row.setContentsMargins(4, 0, 8, 4)
        row.addWidget(self.button)
        row.addStretch(1)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(0)
        column.addWidget(self.reading, 1)
        column.addLayout(row)

    def show_call(self, trial: int, asked: ModelCalled | None) -> None:
        """The model call whose request it is; None for none."""
        key = "" if asked is None else f"{trial}:{asked.call}"
        if key != self._key:
            self._is_rendered = False
        self._asked, self._key = asked, key
        self._show()

    def show_rendered(self) -> None:
        """As the model reads it: the server is asked, unless it told already."""
        if self._asked is None:
            return
        self._is_rendered = True
        told = self._told.get(self._key)
        if (told is None or told.problem) and self._waiting != self._key:
            self._told.pop(self._key, None)
            self._waiting = self._key
            self.wanted.emit(self._asked, self._key)
        self._show()

    def take(self, told: PromptRendered) -> None:
        """What the server told."""
        self._told[told.key] = told
        if told.key == self._waiting:
            self._waiting = ""
        while len(self._told) > _MOST_KEPT:
            del self._told[next(iter(self._told))]
        if told.key == self._key:
            self._show()

    def _press(self) -> None:
        if self._is_rendered:
            self._is_rendered = False
            self._show()
        else:
            self.show_rendered()

    def _show(self) -> None:
        self.button.setVisible(self._asked is not None)
        if self._is_rendered:
            self.button.setText("As it was sent")
            self.button.setToolTip("The request as it went over the wire.")
            self.reading.read(rendered(self._told.get(self._key)))
        else:
            self.button.setText("As the model reads it")
            self.button.setToolTip(
                "The request put into the model's template, asked from the server (Alt+P).\n"
                "Nothing is generated; the server may have to load the model."
            )
            self.reading.read(detail.sent(self._asked))


def rendered(told: PromptRendered | None) -> Passages:
    """The prompt as the model reads it, as far as the server told it."""
    if told is None:
        return detail.nothing("Asking the server…")
    if told.problem:
        return [Passage(f"{told.problem}\n", Tone.BAD), Passage(f"{told.remedy}\n", Tone.MUTED)]
    return [Passage(told.text)]
