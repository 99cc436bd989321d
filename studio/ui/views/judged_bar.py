"""Whether the figures of the shown run are what the project's metrics would say now."""

from PySide6.QtWidgets import QWidget

from studio.ui.commands import Actions
from studio.ui.session import Session
from studio.ui.views.score_bar import ScoreBar


class JudgedBar(ScoreBar):
    """Seen only while there is something to say; one press judges the run as the project does."""

    def __init__(self, session: Session, actions: Actions, parent: QWidget | None = None) -> None:
        super().__init__(session.lab, parent)
        self._session = session
        self._actions = actions
        self.setProperty("role", "panel")
        self.again.setText("Score Again")
        self.asked.connect(self._score_again)
        session.state_changed.connect(self._show_state)
        self._show_state()

    def _show_state(self) -> None:
        state = self._session.state
        criteria = state.project.criteria if state.project is not None else None
        self.show_standing(state.run, criteria, state.versions)
        is_live = state.run is not None and state.run.id == state.live
        self.again.setEnabled(self._actions["score.again"].isEnabled() and not is_live)
        self.setVisible(self.has_a_word)

    def _score_again(self) -> None:
        """Judge the shown run by the project's criteria as they are now."""
        state = self._session.state
        if state.run is not None and state.project is not None:
            self._session.lab.score_again((state.run.id,), state.project.criteria)
