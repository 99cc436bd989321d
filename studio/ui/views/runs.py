"""The runs page."""

from studio.ui.session import Session
from studio.ui.views.page import Page


class RunsPage(Page):
    def __init__(self, session: Session) -> None:
        super().__init__()
        self._session = session
