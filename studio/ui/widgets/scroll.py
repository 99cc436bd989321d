"""A place for what may be taller than it: it scrolls, where wrapped texts would be cut in half."""

from PySide6.QtCore import QEvent, QObject, QSize, Qt
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QFrame, QScrollArea, QWidget
from typing_extensions import override


class Scroll(QScrollArea):
    """Shows `inside` as wide as there is room, and wants to be as tall as that needs.

    `keeps_width`: it is never narrower than `inside` can be, of which nothing is cut at the side.
    """

    def __init__(
        self, inside: QWidget, parent: QWidget | None = None, *, keeps_width: bool = False
    ) -> None:
        super().__init__(parent)
        self._keeps_width = keeps_width
        self.setWidgetResizable(True)
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self.verticalScrollBar().rangeChanged.connect(self._be_reached)
        self._inside = inside
        self.setWidget(inside)

    def _be_reached(self, _lowest: int, highest: int) -> None:
        """Who uses the keyboard alone gets here while there is something to scroll."""
        reached, passed = Qt.FocusPolicy.TabFocus, Qt.FocusPolicy.NoFocus
        self.setFocusPolicy(reached if highest else passed)

    @override
    def sizeHint(self) -> QSize:
        size = self._inside.sizeHint()
        if self._inside.hasHeightForWidth():
            size.setHeight(self._inside.heightForWidth(self.viewport().width()))
        return size

    @override
    def minimumSizeHint(self) -> QSize:
        size = super().minimumSizeHint()
        size.setHeight(min(size.height(), self.sizeHint().height()))
        if self._keeps_width:
            bar = self.verticalScrollBar().sizeHint().width()
            size.setWidth(self._inside.minimumSizeHint().width() + bar)
        return size

    @override
    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if event.type() == QEvent.Type.LayoutRequest:
            self.updateGeometry()
        return super().eventFilter(watched, event)

    @override
    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        if event.size().width() != event.oldSize().width():
            self.updateGeometry()
