"""Two panels side by side that share a page's width as the user likes."""

from PySide6.QtWidgets import QSplitter, QVBoxLayout, QWidget


def split(
    page: QWidget, name: str, panels: tuple[QWidget, QWidget], sizes: tuple[int, int]
) -> QSplitter:
    """Lay the panels out on a page; of more room the wider one gets all.

    `name` is the splitter's, under which its place is remembered.
    """
    splitter = QSplitter()
    splitter.setObjectName(name)
    splitter.setChildrenCollapsible(False)
    splitter.setHandleWidth(10)
    for panel in panels:
        splitter.addWidget(panel)
    splitter.setStretchFactor(sizes.index(max(sizes)), 1)
    splitter.setSizes(list(sizes))
    column = QVBoxLayout(page)
    column.setContentsMargins(12, 10, 12, 10)
    column.addWidget(splitter)
    return splitter
