"""A line on the trials that gave no answer: whose doing, how the figures count them, what to do."""

from PySide6.QtCore import QSize, Signal
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QBoxLayout, QFrame, QHBoxLayout, QWidget
from typing_extensions import override

from studio.ui.commands import Actions
from studio.ui.models.no_answers import NoAnswers
from studio.ui.text import count
from studio.ui.widgets.label import PlainLabel
from studio.ui.widgets.panel import button

_SPACE = 6
_WORDS = 36
"""Characters of the words that are to be seen before they get a line of their own."""


class NoAnswersLine(QFrame):
    """Shown while there is something to say."""

    counting_changed = Signal(bool)
    """Whether the figures count as 0 what was not the agent's doing."""

    show_asked = Signal()
    """Somebody wants to see these trials."""

    def __init__(self, actions: Actions, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setProperty("role", "panel")
        self.told = PlainLabel(wraps=True)
        self.told.setMinimumWidth(120)
        self.counts = button("Count them as 0", "quiet")
        self.counts.setCheckable(True)
        self.counts.setToolTip(
            "Off: the figures are of the trials that had their chance.\n"
            "On: those that were not the agent's doing get the lowest value."
        )
        self.see = button("Show them", "quiet")
        self.see.setToolTip("See only these trials in the results.")
        self.again = button("Run invalid ones again")
        self._rows = QBoxLayout(QBoxLayout.Direction.LeftToRight, self)
        self._rows.setContentsMargins(12, 4, 8, 4)
        self._rows.setSpacing(_SPACE)
        self._rows.addWidget(self.told, 1)
        self._groups = (QHBoxLayout(), QHBoxLayout())
        groups = ((self.counts, self.see), (self.again,))
        for row, group in zip(self._groups, groups, strict=True):
            row.setSpacing(_SPACE)
            self._rows.addLayout(row)
            for each in group:
                row.addWidget(each)
        self.counts.toggled.connect(self._counting_changed)
        self.see.clicked.connect(self.show_asked)
        self._run_invalid = actions["run.invalid"]
        self.again.clicked.connect(self._run_invalid.trigger)
        self._run_invalid.changed.connect(self._allow)
        self._allow()
        self.hide()

    @override
    def minimumSizeHint(self) -> QSize:
        """As narrow as the wider group of buttons, which then stand one below the other."""
        widest = max(row.sizeHint().width() for row in self._groups)
        return QSize(widest + self._beside, super().minimumSizeHint().height())

    @override
    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._arrange()

    @property
    def _beside(self) -> int:
        margins = self._rows.contentsMargins()
        return margins.left() + margins.right()

    def _arrange(self) -> None:
        """In a narrow window the buttons stand below the words: neither is cut for the other."""
        buttons = sum(row.sizeHint().width() + _SPACE for row in self._groups)
        words = self.fontMetrics().averageCharWidth() * _WORDS
        is_wide = words + buttons <= self.width() - self._beside
        self._rows.setDirection(
            QBoxLayout.Direction.LeftToRight if is_wide else QBoxLayout.Direction.TopToBottom
        )

    def _counting_changed(self) -> None:
        is_on = self.counts.isChecked()
        self.counts.setText("Counted as 0" if is_on else "Count them as 0")
        self.counting_changed.emit(is_on)

    @property
    def counts_them(self) -> bool:
        return self.counts.isChecked() and not self.counts.isHidden()

    def show_no_answers(self, failed: NoAnswers) -> None:
        told, has_excused = failed.told(), failed.excused > 0
        self.told.setText(told)
        self.counts.setVisible(has_excused)
        self.see.setVisible(has_excused)
        self.setVisible(bool(told))
        self._arrange()

    def _allow(self) -> None:
        """Whether anything can be run again is known of the action."""
        self.again.setEnabled(self._run_invalid.isEnabled())

    def offer_again(self, window: int | None) -> None:
        """Offer to run the invalid trials again with this num_ctx; None if there is no such."""
        self.again.setVisible(window is not None)
        if window is not None:
            self.again.setText(f"Run invalid ones again with num_ctx {count(window)}")
        self._arrange()
