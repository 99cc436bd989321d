"""Asks before a project's own code runs for the first time."""

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QPlainTextEdit, QWidget

from studio.engine.messages import TrustNeeded
from studio.ui.theme import mono_font
from studio.ui.widgets.dialog import Dialog
from studio.ui.widgets.label import PlainLabel
from studio.ui.widgets.panel import button


class TrustDialog(Dialog):
    """Shows which files would run.  `trusted` carries the folder that the user trusts."""

    trusted = Signal(str)

    def __init__(self, needed: TrustNeeded, parent: QWidget) -> None:
        super().__init__("Run this project's own code?", parent)
        self._folder = needed.folder
        self.body.addWidget(
            PlainLabel(
                "To evaluate, the studio has to run the files below, with your rights: they can "
                "read and change whatever you can. Go on only if you know where they come from.",
                wraps=True,
            )
        )
        self.files = QPlainTextEdit("\n".join((needed.folder, *map(_indented, needed.files))))
        self.files.setReadOnly(True)
        self.files.setFont(mono_font())
        self.files.setAccessibleName("Files that would run")
        self.body.addWidget(self.files)
        self.add_cancel("Don't Run")
        go_on = button("Trust and Run", "primary")
        go_on.setAutoDefault(False)
        go_on.clicked.connect(self._trust)
        self.buttons.addWidget(go_on)
        self.resize(self.fontMetrics().averageCharWidth() * 90, self.sizeHint().height())

    def _trust(self) -> None:
        self.trusted.emit(self._folder)
        self.accept()


def _indented(name: str) -> str:
    return f"  {name}"
