"""Tooltips that are worked out when somebody asks for them, not with every update."""

from PySide6.QtCore import QEvent
from PySide6.QtGui import QHelpEvent
from PySide6.QtWidgets import QToolTip, QWidget
from typing_extensions import override

from studio.ui.text import tip


class Hinting(QWidget):
    """A widget whose `hint` may change many times a second."""

    def hint(self) -> str:
        """What there is to say now; plain text, "" for nothing."""
        raise NotImplementedError

    @override
    def event(self, event: QEvent) -> bool:
        if isinstance(event, QHelpEvent) and event.type() == QEvent.Type.ToolTip:
            told = self.hint()
            QToolTip.showText(event.globalPos(), tip(told) if told else "", self)
            return True
        return super().event(event)
