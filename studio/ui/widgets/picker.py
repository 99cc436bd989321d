"""A choice among few names, with its label inside the frame."""

from collections.abc import Mapping, Sequence

from PySide6.QtCore import QPointF, QSize, Qt, Signal
from PySide6.QtGui import QIcon, QPainter, QPaintEvent, QPen, QPolygonF
from PySide6.QtWidgets import (
    QComboBox,
    QHBoxLayout,
    QSizePolicy,
    QStyle,
    QStyleOptionComboBox,
    QStylePainter,
    QWidget,
)
from typing_extensions import override

from studio.ui.text import one_line, plain, tip
from studio.ui.widgets.label import PlainLabel

_ARROW = 16
_GAP = 6


class Picker(QWidget):
    """A labelled combo box; `chosen` tells the name that the user chose."""

    chosen = Signal(str)

    def __init__(self, label: str, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._offered: tuple[tuple[str, ...], str] | None = None
        self._told: dict[str, str] = {}
        self._label = PlainLabel(label, "small")
        self.box = Choice()
        self.box.setAccessibleName(label)
        self.box.activated.connect(self._activated)
        self._label.setBuddy(self.box)
        layout = QHBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(6)
        layout.addWidget(self._label)
        layout.addWidget(self.box, 1)

    def offer(self, names: Sequence[str], current: str) -> None:
        """The names there are, and the one that is chosen."""
        offered = (tuple(names), current)
        if offered == self._offered:
            return
        self._offered = offered
        if [self.box.itemData(place) for place in range(self.box.count())] != list(names):
            self.box.clear()
            for name in names:
                self.box.addItem(plain(one_line(name), 60), name)
        self.box.setCurrentIndex(self.box.findData(current))
        self._show_tip()

    def mark(self, marks: Mapping[str, tuple[QIcon, str]]) -> None:
        """Put a sign before these names, with what it stands for in words."""
        for place in range(self.box.count()):
            icon, told = marks.get(self.box.itemData(place), (QIcon(), ""))
            self.box.setItemIcon(place, icon)
            self.box.setItemData(place, tip(told) if told else None, Qt.ItemDataRole.ToolTipRole)
        self._told = {name: told for name, (_, told) in marks.items()}
        self._show_tip()

    def _show_tip(self) -> None:
        current = str(self.box.currentData() or "")
        told = self._told.get(current, "")
        self.box.setToolTip(
            tip("\n".join(filter(None, (f"{self._label.text()}: {current}", told))))
        )

    def _activated(self, place: int) -> None:
        self._offered = None
        self.chosen.emit(self.box.itemData(place))


class Choice(QComboBox):
    """Shrinks below its longest name, so that a long one never widens the window.

    Draws its own arrow: the style sheet knows arrows only as image files of one colour.
    """

    def __init__(self) -> None:
        super().__init__()
        self.setSizeAdjustPolicy(QComboBox.SizeAdjustPolicy.AdjustToContents)
        self.setSizePolicy(QSizePolicy.Policy.Preferred, QSizePolicy.Policy.Fixed)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setIconSize(QSize(12, 12))

    @override
    def sizeHint(self) -> QSize:
        hint = super().sizeHint()
        has_icons = any(not self.itemIcon(place).isNull() for place in range(self.count()))
        hint.setWidth(hint.width() + (2 * _GAP if has_icons else 0))
        return QSize(min(hint.width(), self.fontMetrics().averageCharWidth() * 30), hint.height())

    @override
    def minimumSizeHint(self) -> QSize:
        return QSize(self.fontMetrics().averageCharWidth() * 8, super().minimumSizeHint().height())

    @override
    def paintEvent(self, event: QPaintEvent) -> None:
        option = QStyleOptionComboBox()
        self.initStyleOption(option)
        room = self.width() - 2 * _ARROW
        if not option.currentIcon.isNull():
            room -= self.iconSize().width() + _GAP
        option.currentText = self.fontMetrics().elidedText(
            option.currentText, Qt.TextElideMode.ElideRight, room
        )
        painter = QStylePainter(self)
        painter.drawComplexControl(QStyle.ComplexControl.CC_ComboBox, option)
        painter.drawControl(QStyle.ControlElement.CE_ComboBoxLabel, option)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setPen(QPen(self.palette().color(self.foregroundRole()), 1.3))
        x, y = self.width() - 13.0, self.height() / 2 - 1.5
        painter.drawPolyline(
            QPolygonF([QPointF(x - 3.5, y), QPointF(x, y + 3.5), QPointF(x + 3.5, y)])
        )
