"""A small table of names with numbers: one row a name, more by a button, each to be taken out."""

from collections.abc import Sequence

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QHBoxLayout, QSizePolicy, QVBoxLayout, QWidget

from studio.ui.models.named_numbers import Named, about, rows_in, text_of
from studio.ui.widgets.label import PlainLabel
from studio.ui.widgets.named_row import Row
from studio.ui.widgets.panel import button
from studio.ui.widgets.scroll import Scroll

_MOST_SEEN = 7
"""Rows."""


class NamedNumbers(QWidget):
    """Its text is a JSON object.  `edited` says that the user changed it.

    With `names` these are offered, the numbers are weights with their sum below, and each name may
    have other settings.
    """

    edited = Signal()

    def __init__(self, names: Sequence[str] = (), parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setSizePolicy(QSizePolicy.Policy.Preferred, QSizePolicy.Policy.Fixed)
        self._names = tuple(names)
        self._text = "{}"
        self.rows: list[Row] = []
        self.add = button("Add")
        self.add.setAccessibleName("Add a row")
        self.add.clicked.connect(self._add_blank)
        self.about = PlainLabel("", "small")
        self._inside = QWidget()
        self._column = QVBoxLayout(self._inside)
        self._column.setContentsMargins(0, 0, 0, 0)
        self._column.setSpacing(3)
        self._scroll = Scroll(self._inside)
        foot = QHBoxLayout()
        foot.addWidget(self.add)
        foot.addWidget(self.about, 1)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(4)
        column.addWidget(self._scroll)
        column.addLayout(foot)

    def text(self) -> str:
        """What the rows say; what was set, to the letter, until the user edits them."""
        return self._text

    def set_text(self, text: str) -> None:
        """Show the rows of this text, without `edited`."""
        for row in self.rows:
            row.hide()
            row.deleteLater()
        self.rows = []
        for stated in rows_in(text):
            self._append(stated)
        self._text = text
        self._fit()

    def _append(self, stated: Named) -> Row:
        row = Row(stated, self._names, self)
        row.edited.connect(self._edit)
        row.removed.connect(self._remove)
        before: QWidget = self.rows[-1].remove if self.rows else self.add
        self.rows.append(row)
        self._column.addWidget(row)
        row.show()  # or it would take no room yet
        for control in (*row.controls, self.add):
            self.setTabOrder(before, control)
            before = control
        return row

    def _add_blank(self) -> None:
        row = self._append(Named())
        self._fit()
        self._scroll.ensureWidgetVisible(row)
        row.name.setFocus(Qt.FocusReason.OtherFocusReason)

    def _remove(self, row: Row) -> None:
        place = self.rows.index(row)
        self.rows.remove(row)
        after = self.rows[place].name if place < len(self.rows) else self.add
        after.setFocus(Qt.FocusReason.OtherFocusReason)
        row.hide()
        row.deleteLater()
        self._fit()
        self._edit()

    def _edit(self) -> None:
        self._text = text_of(row.stated for row in self.rows)
        self._show_about()
        self.edited.emit()

    def _fit(self) -> None:
        """As high as the rows, up to a few; of more, the rest is scrolled to."""
        self._inside.adjustSize()
        height = self._inside.sizeHint().height()
        if len(self.rows) > _MOST_SEEN:
            height = round(height / len(self.rows) * (_MOST_SEEN - 0.5))
        self._scroll.setVisible(bool(self.rows))
        self._scroll.setFixedHeight(height)
        self._show_about()

    def _show_about(self) -> None:
        self.about.setText(about([row.stated for row in self.rows]) if self._names else "")
