"""The catalogue of metrics: found by words, grouped by family, added to the project."""

from collections.abc import Iterator

from PySide6.QtCore import QEvent, QModelIndex, QObject, Qt, Signal
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import QLineEdit, QTreeWidget, QTreeWidgetItem, QWidget
from typing_extensions import override

from studio.ui.models.criteria import Choice
from studio.ui.models.metric_offers import Offer, found, is_same, offers
from studio.ui.text import count, one_line
from studio.ui.widgets.label import PlainLabel
from studio.ui.widgets.panel import Panel, button

_OFFER = Qt.ItemDataRole.UserRole
_NONE = "No metric says so.  What a whole run shows, such as pass^k, is on the Analysis page."
_TO_THE_LIST = {Qt.Key.Key_Down, Qt.Key.Key_Return, Qt.Key.Key_Enter}


class MetricOffers(Panel):
    """Tells which metric is looked at, and which is to be added."""

    selected = Signal(object)
    added = Signal(object)
    """Each carries the Offer."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__("Catalogue", parent)
        self.filter = QLineEdit(placeholderText="Find a metric", clearButtonEnabled=True)
        self.filter.setAccessibleName("Find a metric")
        self.filter.textChanged.connect(self._fill)
        self.filter.installEventFilter(self)
        self.tree = QTreeWidget()
        self.tree.setHeaderHidden(True)
        self.tree.setAccessibleName("Metrics of the catalogue")
        self.tree.setUniformRowHeights(True)
        self.tree.setIndentation(12)
        self.tree.currentItemChanged.connect(self._select)
        self.tree.itemActivated.connect(self.add_current)
        self.none = PlainLabel(_NONE, "small", wraps=True)
        self.add = button("Add", "quiet")
        self.add.setAccessibleName("Add the metric to the project")
        self.add.clicked.connect(self.add_current)
        self._is_read_only = False
        self._offers = offers()
        self._marked: Choice = ()
        self.head.addWidget(self.add)
        self.body.addWidget(self.filter)
        self.body.setContentsMargins(9, 0, 9, 1)
        self.body.setSpacing(4)
        self.body.addWidget(self.none)
        self.body.addWidget(self.tree, 1)
        self._fill()

    @property
    def current(self) -> Offer | None:
        """The metric that is looked at."""
        item = self.tree.currentItem()
        found_here = None if item is None else item.data(0, _OFFER)
        return found_here if isinstance(found_here, Offer) else None

    def offer(self, offered: tuple[Offer, ...]) -> None:
        """Offer these metrics."""
        if offered != self._offers:
            self._offers = offered
            self._fill()

    def leave(self) -> None:
        """Another metric is looked at, in the list of the project."""
        self.tree.blockSignals(True)
        self.tree.setCurrentIndex(QModelIndex())
        self.tree.blockSignals(False)
        self._enable()

    def mark(self, choice: Choice) -> None:
        """Mark the metrics that the project has."""
        self._marked = choice
        for each in self._items():
            offer = each.data(0, _OFFER)
            is_chosen = any(is_same(offer.chosen, other) for other in choice)
            title = one_line(offer.title)
            each.setText(0, f"✓ {title}" if is_chosen else title)

    def set_read_only(self, *, read_only: bool) -> None:
        self._is_read_only = read_only
        self._enable()

    def add_current(self) -> None:
        if self.current is not None and not self._is_read_only:
            self.added.emit(self.current)

    @override
    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """Down and Enter in the filter go to what was found first; Enter there adds it."""
        is_press = watched is self.filter and event.type() == QEvent.Type.KeyPress
        if is_press and isinstance(event, QKeyEvent) and event.key() in _TO_THE_LIST:
            self._go_to_first()
            return True
        return super().eventFilter(watched, event)

    def _items(self) -> Iterator[QTreeWidgetItem]:
        for place in range(self.tree.topLevelItemCount()):
            heading = self.tree.topLevelItem(place)
            for row in range(heading.childCount() if heading is not None else 0):
                item = heading.child(row) if heading is not None else None
                if item is not None:
                    yield item

    def _go_to_first(self) -> None:
        heading = self.tree.topLevelItem(0)
        first = heading.child(0) if heading is not None else None
        if first is not None:
            self.tree.setCurrentItem(first)
            self.tree.setFocus(Qt.FocusReason.TabFocusReason)

    def _fill(self) -> None:
        shown = found(self.filter.text(), self._offers)
        self.tree.blockSignals(True)
        self.tree.clear()
        headings: dict[str, QTreeWidgetItem] = {}
        for each in shown:
            if each.family not in headings:
                heading = headings[each.family] = QTreeWidgetItem([each.family])
                heading.setFlags(Qt.ItemFlag.ItemIsEnabled)
                self.tree.addTopLevelItem(heading)
            item = QTreeWidgetItem([one_line(each.title)])
            item.setData(0, _OFFER, each)
            headings[each.family].addChild(item)
        self.mark(self._marked)
        self.tree.expandAll()
        self.tree.blockSignals(False)
        total = count(len(self._offers))
        is_all = len(shown) == len(self._offers)
        self.note.setText(total if is_all else f"{count(len(shown))} of {total}")
        self.none.setVisible(not shown)
        self._enable()

    def _select(self) -> None:
        self._enable()
        if self.current is not None:
            self.selected.emit(self.current)

    def _enable(self) -> None:
        self.add.setEnabled(self.current is not None and not self._is_read_only)
