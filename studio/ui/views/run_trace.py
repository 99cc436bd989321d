"""The trace of a trial of the run that is shown, read from the session's store."""

from collections.abc import Sequence

from PySide6.QtWidgets import QWidget

from studio.engine.errors import StoreError
from studio.engine.events import ModelCalled
from studio.engine.messages import Told
from studio.engine.records import Query
from studio.engine.store.rows import TrialRow
from studio.ui.models.measures import Measure
from studio.ui.models.stored import StoredTrace
from studio.ui.models.verdicts import primary
from studio.ui.session import Session
from studio.ui.theme import Theme
from studio.ui.views.trace import TraceView


class RunTrace(TraceView):
    """A trace that finds its events, its query and its rendered prompts by itself."""

    def __init__(self, session: Session, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(theme, parent)
        self._session = session
        self.failed.connect(self._tell)
        self.detail.prompt_wanted.connect(self._ask_for_prompt)
        session.desk.rendered.connect(self.detail.show_prompt)

    def open_trial(
        self, trial: TrialRow, measures: Sequence[Measure], event: int | None = None
    ) -> None:
        """Show a trial, from the step that holds `event`.

        Else from the one that shows what went wrong first, or from its first problem.
        """
        first = primary(trial)
        if event is None and first is not None:
            event = first.event
        self._session.show_trial((trial.position, trial.number))
        reader, run = self._session.reader, self._session.state.run
        trace = StoredTrace(reader, trial.id) if reader is not None else None
        self.show_trial(
            trial, trace, query=self._query(trial), measures=measures,
            trials=run.plan.trials if run is not None else 1,
            is_shared=run is not None and len(run.shared) > 1, event=event,
        )  # fmt: skip

    def follow_trial(self, trial: TrialRow, measures: Sequence[Measure]) -> None:
        """More is known of the trial that is shown, or it was started again."""
        if self.trial_id == trial.id:
            self.update_trial(trial, self._query(trial), measures)
        else:
            self.open_trial(trial, measures)

    def _query(self, trial: TrialRow) -> Query | None:
        """The query as it stood when the run began, with what was expected of a good answer."""
        reader = self._session.reader
        try:
            return reader.query(trial.run, trial.position) if reader is not None else None
        except StoreError as error:
            self._tell(str(error))
            return None

    def _ask_for_prompt(self, call: ModelCalled, key: str) -> None:
        run = self._session.state.run
        if run is not None:
            server = self._trial.server if self._trial is not None else ""
            self._session.desk.render(server or run.server.name, call.sent, key)

    def _tell(self, problem: str) -> None:
        self._session.told.emit(Told(problem))
