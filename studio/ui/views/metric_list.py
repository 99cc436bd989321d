"""The metrics that were chosen, in their order: drag them, move them with keys, take them out."""

from PySide6.QtCore import QModelIndex, Qt, Signal
from PySide6.QtGui import QColor
from PySide6.QtWidgets import QAbstractItemView, QListWidget, QListWidgetItem, QWidget

from studio.ui.models.criteria import Choice, mistakes, moved
from studio.ui.text import one_line, tip
from studio.ui.theme import Theme
from studio.ui.widgets.panel import Panel, button, foot, rule


class MetricList(Panel):
    """Shows a choice; tells what the user made of it."""

    selected = Signal(int)
    """The place of the metric that is the current one."""

    changed = Signal(object, int)
    """Another choice, and the place of the metric that is current in it (-1 for none)."""

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__("In the project", parent)
        self._theme = theme
        self._choice: Choice = ()
        self._is_read_only = False
        self.list = QListWidget()
        self.list.setAccessibleName("Metrics of the project")
        self.list.setDragDropMode(QAbstractItemView.DragDropMode.InternalMove)
        self.list.setDefaultDropAction(Qt.DropAction.MoveAction)
        self.list.setTextElideMode(Qt.TextElideMode.ElideRight)
        self.list.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.list.currentRowChanged.connect(self._select)
        self.list.model().rowsMoved.connect(self._dragged)
        self.up, self.down = button("Up"), button("Down")
        self.remove = button("Remove")
        self._place()
        theme.changed.connect(self._fill)

    @property
    def place(self) -> int:
        """The place of the current metric; -1 for none."""
        return self.list.currentRow()

    def show_choice(self, choice: Choice, place: int) -> None:
        """Show these metrics, the one at `place` as the current one."""
        self._choice = choice
        if self.list.count() == len(choice):
            self._write()
        else:
            self._fill()
        self._make_current(place)

    def set_read_only(self, *, read_only: bool) -> None:
        self.list.setDragEnabled(not read_only)
        self._is_read_only = read_only
        self._enable()

    def move_up(self) -> None:
        self._move(self.place, self.place - 1)

    def move_down(self) -> None:
        self._move(self.place, self.place + 1)

    def remove_current(self) -> None:
        place = self.place
        if place >= 0 and not self._is_read_only:
            left = (*self._choice[:place], *self._choice[place + 1 :])
            self.changed.emit(left, min(place, len(left) - 1))

    def _place(self) -> None:
        self.up.setAccessibleName("Move the metric up")
        self.down.setAccessibleName("Move the metric down")
        self.up.clicked.connect(self.move_up)
        self.down.clicked.connect(self.move_down)
        self.remove.clicked.connect(self.remove_current)
        self.body.addWidget(self.list, 1)
        self.body.addWidget(rule())
        row = foot()
        for each in (self.up, self.down):
            row.addWidget(each)
        row.addStretch(1)
        row.addWidget(self.remove)
        self.body.addLayout(row)

    def _fill(self) -> None:
        place = self.place
        self.list.blockSignals(True)
        self.list.clear()
        for _ in self._choice:
            self.list.addItem(QListWidgetItem())
        self.list.blockSignals(False)
        self._write()
        self._make_current(min(place, len(self._choice) - 1))

    def _write(self) -> None:
        wrong = mistakes(self._choice)
        for place, (each, found) in enumerate(zip(self._choice, wrong, strict=True)):
            item = self.list.item(place)
            item.setText(one_line(f"{each.label}  ✕" if found else each.label))
            item.setToolTip(tip("\n".join([each.label, each.name, *found.values()])))
            colour = self._theme.tokens.bad if found else self._theme.tokens.text
            item.setForeground(QColor(colour))

    def _make_current(self, place: int) -> None:
        self.list.blockSignals(True)
        self.list.setCurrentRow(place)
        self.list.blockSignals(False)
        self._enable()

    def _enable(self) -> None:
        place, can_edit = self.place, not self._is_read_only
        self.up.setEnabled(can_edit and place > 0)
        self.down.setEnabled(can_edit and 0 <= place < len(self._choice) - 1)
        self.remove.setEnabled(can_edit and place >= 0)

    def _select(self, place: int) -> None:
        self._enable()
        self.selected.emit(place)

    def _move(self, place: int, to: int) -> None:
        if not self._is_read_only and place >= 0 and 0 <= to < len(self._choice):
            self.changed.emit(moved(self._choice, place, to), to)

    def _dragged(
        self, _parent: QModelIndex, first: int, _last: int, _to: QModelIndex, row: int
    ) -> None:
        to = row - 1 if row > first else row
        self.changed.emit(moved(self._choice, first, to), to)
