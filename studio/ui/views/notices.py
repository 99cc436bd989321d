"""The bar above the page that tells what the user should know, with at most one thing to do."""

from PySide6.QtCore import QTimer, Signal
from PySide6.QtWidgets import QFrame, QHBoxLayout, QSizePolicy, QVBoxLayout, QWidget

from studio.ui.widgets.label import PlainLabel
from studio.ui.widgets.panel import button

_SUCCESS_MS = 5_000
_MOST = 3


class Notice(QFrame):
    """One line of notice, with what to do below it, a button or none, and a way to close it."""

    acted = Signal()
    done = Signal(object)
    """The notice itself: it has nothing more to say."""

    def __init__(self, text: str, remedy: str, level: str, action: str) -> None:
        from PySide6.QtCore import Qt  # not needed before a notice is shown

        super().__init__()
        self.setObjectName("notice")
        self.setProperty("level", level)
        self.text = text
        words = QVBoxLayout()
        words.setSpacing(2)
        line = PlainLabel(text, "title" if level == "error" else "", wraps=True)
        line.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
        words.addWidget(line)
        if remedy:
            words.addWidget(PlainLabel(remedy, "muted", wraps=True))
        row = QHBoxLayout(self)
        row.setContentsMargins(12, 7, 6, 7)
        row.addLayout(words, 1)
        if action:
            act = button(action)
            act.clicked.connect(self._act)
            row.addWidget(act)
        close = button("✕", "quiet")
        close.setAccessibleName("Close this notice")
        close.clicked.connect(self.close_it)
        row.addWidget(close)

    def close_it(self) -> None:
        self.done.emit(self)

    def _act(self) -> None:
        self.acted.emit()
        self.close_it()


class NoticeBar(QWidget):
    """The newest few notices.  Successes go away by themselves, errors stay until closed.

    Where there is no room for all it scrolls: it does not push the page out of the window.
    """

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._notices: list[Notice] = []
        self._inside = QWidget()
        self._column = QVBoxLayout(self._inside)
        self._column.setContentsMargins(12, 10, 12, 0)
        self._column.setSpacing(6)
        self._whole = QVBoxLayout(self)
        self._whole.setContentsMargins(0, 0, 0, 0)
        self.setSizePolicy(QSizePolicy.Policy.Preferred, QSizePolicy.Policy.Maximum)
        self.hide()

    @property
    def texts(self) -> tuple[str, ...]:
        return tuple(notice.text for notice in self._notices)

    def tell(
        self, text: str, remedy: str = "", *, level: str = "error", action: str = ""
    ) -> Notice:
        """Show a notice; `level` is "error" or "note".  Told twice, it is shown once."""
        for old in [each for each in self._notices if each.text == text]:
            self.take_back(old)
        while len(self._notices) >= _MOST:
            self.take_back(self._notices[0])
        notice = Notice(text, remedy, level, action)
        notice.done.connect(self.take_back)
        self._notices.append(notice)
        self._column.addWidget(notice)
        self._place()
        if level == "note":
            timer = QTimer(notice, interval=_SUCCESS_MS, singleShot=True)
            timer.timeout.connect(notice.close_it)
            timer.start()
        self.show()
        return notice

    def _place(self) -> None:
        from studio.ui.widgets.scroll import Scroll  # not needed before a notice is shown

        if self._whole.isEmpty():
            self._whole.addWidget(Scroll(self._inside))

    def take_back(self, notice: Notice) -> None:
        """Show this notice no longer; one that is gone already stays so."""
        if notice in self._notices:
            self._notices.remove(notice)
            self._column.removeWidget(notice)
            notice.hide()
            notice.deleteLater()
        self.setVisible(bool(self._notices))
