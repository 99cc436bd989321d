"""The home page: what will run, how far it is, the figures, the results, the trace of one."""

from PySide6.QtWidgets import QWidget

from studio.ui.commands import Actions
from studio.ui.session import Session
from studio.ui.theme import Theme
from studio.ui.views.page import Page


class EvaluatePage(Page):
    def __init__(
        self, session: Session, theme: Theme, actions: Actions, parent: QWidget | None = None
    ) -> None:
        super().__init__(parent)
        self._session = session
        self._theme = theme
        self._actions = actions
