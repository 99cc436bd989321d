"""Panels that share the room of a page as the user likes.

The name of each is the one under which its place is remembered.
"""

from PySide6.QtCore import QSize, Qt
from PySide6.QtWidgets import QSplitter, QVBoxLayout, QWidget
from typing_extensions import override

Pair = tuple[QWidget, QWidget]
Sizes = tuple[int, int]


class _Shared(QSplitter):
    """Wants no more room than it cannot do without: it gets all that its page has to give."""

    @override
    def sizeHint(self) -> QSize:
        return self.minimumSizeHint()


def beside(name: str, parts: Pair, sizes: Sizes, *, grows: int | None = None) -> QSplitter:
    """Two parts side by side; `grows` is the place of the one that gets all further room."""
    return _shared(Qt.Orientation.Horizontal, name, parts, sizes, grows)


def above(name: str, parts: Pair, sizes: Sizes, *, grows: int | None = None) -> QSplitter:
    """The same, one part above the other."""
    return _shared(Qt.Orientation.Vertical, name, parts, sizes, grows)


def split(page: QWidget, name: str, panels: Pair, sizes: Sizes) -> QSplitter:
    """Lay two panels out side by side on a page; of more room the wider one gets all."""
    splitter = beside(name, panels, sizes, grows=sizes.index(max(sizes)))
    column = QVBoxLayout(page)
    column.setContentsMargins(12, 10, 12, 10)
    column.addWidget(splitter)
    return splitter


def _shared(
    orientation: Qt.Orientation, name: str, parts: Pair, sizes: Sizes, grows: int | None
) -> QSplitter:
    splitter = _Shared(orientation)
    splitter.setObjectName(name)
    splitter.setChildrenCollapsible(False)
    splitter.setHandleWidth(10)
    for part in parts:
        splitter.addWidget(part)
    if grows is not None:
        splitter.setStretchFactor(grows, 1)
    splitter.setSizes(list(sizes))
    return splitter
