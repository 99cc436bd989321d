"""The metrics page: what a good answer is, and the lab where graders are checked."""

from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QTabWidget, QVBoxLayout, QWidget
from typing_extensions import override

from studio.ui.commands import Actions
from studio.ui.session import Session
from studio.ui.theme import Theme
from studio.ui.views.criteria import CriteriaView
from studio.ui.views.page import Page

if TYPE_CHECKING:
    from studio.ui.views.grader_lab import GraderLab


class MetricsPage(Page):
    """Two tabs; the commands of the Edit menu go to the metrics of the project."""

    def __init__(
        self, session: Session, theme: Theme, actions: Actions, state_folder: Path,
        parent: QWidget | None = None,
    ) -> None:  # fmt: skip
        super().__init__(parent)
        examples = state_folder / "examples"
        self.criteria = CriteriaView(session, theme, actions, state_folder / "drafts", examples)
        self._session = session
        self._theme = theme
        self._lab: GraderLab | None = None
        self._place_of_lab = QVBoxLayout()
        self._place_of_lab.setContentsMargins(0, 0, 0, 0)
        self.tabs = QTabWidget(documentMode=True)
        self.tabs.setProperty("role", "page")
        self.tabs.tabBar().setDrawBase(False)
        self.tabs.tabBar().setAccessibleName("Metrics or grader lab")
        self.tabs.addTab(self.criteria, "Metrics")
        holder = QWidget()
        holder.setLayout(self._place_of_lab)
        self.tabs.addTab(holder, "Grader lab")
        self.tabs.currentChanged.connect(self._open_lab)
        column = QVBoxLayout(self)
        column.setContentsMargins(12, 4, 12, 10)
        column.addWidget(self.tabs)

    @property
    def lab(self) -> "GraderLab":
        """The lab; made when it is first wanted."""
        if self._lab is None:
            from studio.ui.views.grader_lab import GraderLab

            self._lab = GraderLab(self._session, self._theme)
            self._place_of_lab.addWidget(self._lab)
        return self._lab

    @property
    def _is_on_criteria(self) -> bool:
        return self.tabs.currentWidget() is self.criteria

    def show_lab(self) -> None:
        self.tabs.setCurrentIndex(1)

    @override
    def start_here(self) -> QWidget:
        return self.criteria.list.list if self._is_on_criteria else self.lab.picker

    @override
    def new_item(self) -> None:
        self.focus_filter()

    @override
    def save_item(self) -> None:
        self.criteria.save()

    @override
    def delete_item(self) -> None:
        if self._is_on_criteria:  # not what nobody sees
            self.criteria.list.remove_current()

    @override
    def focus_filter(self) -> None:
        self.tabs.setCurrentWidget(self.criteria)
        self.criteria.offers.filter.setFocus(Qt.FocusReason.ShortcutFocusReason)
        self.criteria.offers.filter.selectAll()

    @override
    def keep_drafts(self) -> None:
        self.criteria.keep_drafts()

    @override
    def move_up(self) -> None:
        if self._is_on_criteria:
            self.criteria.list.move_up()

    @override
    def move_down(self) -> None:
        if self._is_on_criteria:
            self.criteria.list.move_down()

    @override
    def try_metric(self) -> None:
        self.tabs.setCurrentWidget(self.criteria)
        self.criteria.detail.show_trial()
        self.criteria.detail.trial.ask()

    @override
    def score_again(self) -> None:
        self.tabs.setCurrentWidget(self.criteria)
        self.criteria.ask_to_score()

    def _open_lab(self) -> None:
        """The lab begins with the metric that was looked at."""
        shown = self.criteria.detail.chosen
        if self._is_on_criteria:
            return
        lab = self.lab
        if shown is not None:
            lab.begin_with(shown)
