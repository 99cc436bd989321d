"""The queries page."""

from pathlib import Path

from studio.ui.session import Session
from studio.ui.views.page import Page


class QueriesPage(Page):
    def __init__(self, session: Session, drafts: Path | None = None) -> None:
        super().__init__()
        self._session = session
        self._drafts = drafts
