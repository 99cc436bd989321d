"""Which screen is made how: each is made, and its code loaded, when it is first shown."""

from collections.abc import Callable
from pathlib import Path

from PySide6.QtWidgets import QWidget

from studio.ui.commands import Actions
from studio.ui.session import Session
from studio.ui.theme import Theme


class Screens:
    """Makes the screens; `table` holds one bound method a screen."""

    def __init__(
        self, session: Session, theme: Theme, actions: Actions, state_folder: Path
    ) -> None:
        self._session = session
        self._theme = theme
        self._actions = actions
        self._state_folder = state_folder
        self.table: dict[str, Callable[[], QWidget]] = {
            "problems": self._problems,
            "evaluate": self._evaluate,
            "analysis": self._analysis,
            "prompts": self._prompts,
            "tools": self._tools,
            "queries": self._queries,
            "metrics": self._metrics,
            "runs": self._runs,
            "models": self._models,
        }

    def _problems(self) -> QWidget:
        from studio.ui.views.problems import ProblemsPage

        return ProblemsPage(self._session, self._actions)

    def _evaluate(self) -> QWidget:
        from studio.ui.views.evaluate import EvaluatePage

        return EvaluatePage(self._session, self._theme, self._actions)

    def _analysis(self) -> QWidget:
        from studio.ui.views.analysis import AnalysisPage

        return AnalysisPage(self._session, self._theme, self._actions)

    def _prompts(self) -> QWidget:
        from studio.ui.views.prompts import PromptsPage

        return PromptsPage(self._session, self._theme, self._actions, self._state_folder / "drafts")

    def _tools(self) -> QWidget:
        from studio.ui.views.tools import ToolsPage

        return ToolsPage(self._session, self._actions, self._state_folder / "drafts")

    def _queries(self) -> QWidget:
        from studio.ui.views.queries import QueriesPage

        return QueriesPage(self._session, self._actions, self._state_folder / "drafts")

    def _metrics(self) -> QWidget:
        from studio.ui.views.metrics import MetricsPage

        return MetricsPage(self._session, self._theme, self._actions, self._state_folder)

    def _runs(self) -> QWidget:
        from studio.ui.views.runs import RunsPage

        return RunsPage(self._session, self._theme)

    def _models(self) -> QWidget:
        from studio.ui.views.models import ModelsPage

        return ModelsPage(self._session, self._theme)
