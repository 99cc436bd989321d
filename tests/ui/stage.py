"""A stage for pages: a real session over a real store; only the engine's words are made up."""

from collections.abc import Iterable
from pathlib import Path

from PySide6.QtWidgets import QApplication

from studio.engine.events import Event
from studio.engine.messages import (
    EngineReady,
    ProjectOpened,
    QueriesRead,
    RunEnded,
    RunProgressed,
    RunStarted,
)
from studio.engine.records import Project, Query, RunPlan, Tally
from studio.engine.server_facts import ServerFacts
from studio.engine.store.rows import TrialRow
from studio.engine.store.writer import Store
from studio.ui.commands import Actions
from studio.ui.link import EngineLink
from studio.ui.remembered import Remembered
from studio.ui.session import Session
from studio.ui.theme import Theme
from tests.ui import builders

FACTS = ServerFacts("http://127.0.0.1:40001", "0.30.1", is_embedded=True, context_length=8192)


class Stage:
    """Writes what an engine would write, and says what it would say."""

    def __init__(self, folder: Path, theme: str = "light") -> None:
        app = QApplication.instance()
        assert isinstance(app, QApplication)
        self.store = Store.open(folder)
        self.link = EngineLink()
        self.session = Session(self.link, Remembered(folder / "window.json"))
        self.theme = Theme(app, theme)
        self.actions = Actions()
        self.session.state_changed.connect(self._enable)
        self.actions.asked.connect(self._do)
        self.run = 0
        self.servers: tuple[ServerFacts, ...] = (FACTS,)
        self.plan = builders.plan()
        self.asked: list[str] = []
        self._queries: dict[str, Query] = {}

    def close(self) -> None:
        self.session.close()
        self.store.close()
        self.theme.choose("light")
        self.theme.deleteLater()

    def open_project(
        self, project: Project | None = None, queries: tuple[Query, ...] | None = None
    ) -> None:
        project = project or builders.project()
        queries = builders.queries() if queries is None else queries
        self._queries = {query.id: query for query in queries}
        opened = ProjectOpened(project, len(queries), is_trusted=True, store=str(self.store.path))
        self._say(EngineReady(1, "0.1.0"), opened, QueriesRead(0, queries))

    def start(self, plan: RunPlan | None = None) -> None:
        self.plan = plan or builders.plan()
        self.run = self.store.create_run(
            self.plan, self.servers, [self._queries[each] for each in self.plan.query_ids]
        )
        self.store.committed().result(10)
        self._say(RunStarted(self.run, self.plan, self.servers))

    def put(self, rows: Iterable[TrialRow]) -> None:
        """Store these trials as an engine would have run them, and say that there is more."""
        for row in rows:
            query = self._queries[row.query_id]
            trial = self.store.begin_trial(self.run, query, row.number, row.position)
            if row.outcome is None:
                for event in builders.events(row.position, 1, is_over=False):
                    self.store.append(trial, event)
                continue
            for event in builders.events_of(row):
                self.store.append(trial, event)
            self.store.add_scores(trial, row.scores, row.findings)
        self.tell()

    def begin(self, place: int, number: int = 1) -> int:
        """Begin one trial, to be told event by event."""
        query = self._queries[self.plan.query_ids[place]]
        return self.store.begin_trial(self.run, query, number, place)

    def append(self, trial: int, events: Iterable[Event]) -> None:
        for event in events:
            self.store.append(trial, event)
        self.tell()

    def tell(self) -> None:
        self.store.committed().result(10)
        self._say(RunProgressed(self.run, self.tally(), seconds_left=(40.0, 70.0)))

    def end(self, ending: str = "finished") -> None:
        self.store.end_run(self.run, ending)
        self.store.committed().result(10)
        self._say(RunEnded(self.run, ending, self.tally()))

    def tally(self) -> Tally:
        reader = self.session.reader
        assert reader is not None
        return reader.tally(self.run)

    def _say(self, *notices: object) -> None:
        self.link.noticed.emit(notices)

    def _enable(self) -> None:
        self.actions.update(self.session.state)

    def _do(self, command: str) -> None:
        self.asked.append(command)
