"""Where a chart stands once the chart library was loaded; words until then, and instead of it."""

from PySide6.QtCore import Qt, QTimer, Signal
from PySide6.QtGui import QShowEvent
from PySide6.QtWidgets import QVBoxLayout, QWidget
from typing_extensions import override

from studio.ui.charts.loading import Loading
from studio.ui.widgets.label import PlainLabel

_LOADING = "Loading the chart…"
TURN_MS = 20
"""Between two steps of making a chart, so that the window is painted and answers meanwhile."""


class ChartPlace(QWidget):
    """Loads the library when it is first shown; then `ready` asks for the chart, once."""

    ready = Signal()

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._chart: QWidget | None = None
        self._made: QWidget | None = None
        self._instead = ""
        self.words = PlainLabel(_LOADING, "muted", wraps=True)
        self.words.setAlignment(Qt.AlignmentFlag.AlignCenter)
        self.words.setContentsMargins(24, 0, 24, 0)
        self._column = QVBoxLayout(self)
        self._column.setContentsMargins(0, 0, 0, 0)
        self._column.addWidget(self.words)
        self._loading = Loading(self)
        self._loading.loaded.connect(self._ask)
        # In a turn of its own: making a chart takes long enough.
        self._soon = QTimer(self, interval=0, singleShot=True)
        self._soon.timeout.connect(self._ask)
        self._putting = QTimer(self, interval=TURN_MS, singleShot=True)
        self._putting.timeout.connect(self._put)

    @property
    def is_filled(self) -> bool:
        """Whether the chart is in its place."""
        return self._chart is not None

    def put(self, chart: QWidget) -> None:
        """Show this chart from now on: soon, for to show it takes as long as to make it."""
        self._made = chart
        self._putting.start()

    def _put(self) -> None:
        self._chart, self._made = self._made, None
        if self._chart is not None:
            self._column.addWidget(self._chart)
        self.say(self._instead)

    def say(self, words: str) -> None:
        """Show these words instead of the chart; the chart again for none."""
        self._instead = words
        self.words.setText(words or _LOADING)
        self.words.setVisible(bool(words) or self._chart is None)
        if self._chart is not None:
            self._chart.setVisible(not words)

    @override
    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        if self._loading.is_loaded:
            self._soon.start()
        self._loading.start()

    def _ask(self) -> None:
        if self._chart is None and self._made is None:
            self.ready.emit()
