"""How the state of the window follows from what the engine says: pure functions."""

from collections.abc import Iterator, Sequence
from typing import assert_never

from msgspec.structs import replace

from studio.engine.messages import (
    EngineReady,
    Notice,
    Preparing,
    ProjectOpened,
    ProjectRefused,
    QueriesRead,
    RunEnded,
    RunProgressed,
    RunStarted,
    Told,
    TrustNeeded,
)
from studio.engine.model_messages import (
    ModelsFound,
    ProbeMoved,
    PromptRendered,
    PullMoved,
    ServersKnown,
)
from studio.engine.records import Tally
from studio.engine.scoring_messages import CasesGraded, MetricTried, ScoringEnded, ScoringMoved
from studio.ui.state import Refused, State


def fold(state: State, notice: Notice) -> State:
    """The state after this notice."""
    match notice:
        case EngineReady():
            return replace(state, engine="ready")
        case ProjectOpened() | ProjectRefused() | QueriesRead():
            return _project(state, notice)
        case RunStarted() | RunProgressed() | RunEnded():
            return _run(state, notice)
        case Preparing():
            return replace(state, preparing=notice)
        case TrustNeeded() | Told():
            refused = isinstance(notice, TrustNeeded) or notice.is_error
            return _nothing_starts(state) if refused and state.is_starting else state
        case ServersKnown() | ModelsFound() | PullMoved() | ProbeMoved() | PromptRendered():
            return state  # the desk's own
        case ScoringMoved() | ScoringEnded() | MetricTried() | CasesGraded():
            return state  # the lab's own
        case _:
            assert_never(notice)


def latest_words(batch: Sequence[Notice]) -> Iterator[Notice]:
    """The notices in order; of a flood of progress only the latest word counts."""
    last = {type(notice): place for place, notice in enumerate(batch)}
    for place, notice in enumerate(batch):
        if not isinstance(notice, RunProgressed | Preparing) or last[type(notice)] == place:
            yield notice


def engine_ended(state: State) -> State:
    """The state after the engine ended on its own: a run that was going can be continued."""
    return replace(
        _nothing_starts(state),
        engine="ended",
        live=None,
        unfinished=state.live if state.live is not None else state.unfinished,
        running=(),
        seconds_left=None,
    )


def _nothing_starts(state: State) -> State:
    return replace(state, is_starting=False, is_stopping=False, preparing=None)


def _project(state: State, notice: ProjectOpened | ProjectRefused | QueriesRead) -> State:
    match notice:
        case QueriesRead():
            return replace(state, queries_read=notice.first + len(notice.queries))
        case ProjectRefused():
            # A run that was asked for does not start either: its files are read anew before it.
            after = _nothing_starts(state) if state.is_starting else state
            return replace(after, opening="", refused=Refused(notice.folder, notice.problems))
    same = state.project is not None and state.project.folder == notice.project.folder
    after = state if same else _without_project(state)
    return replace(
        after,
        opening="",
        refused=None,
        project=notice.project,
        query_count=notice.query_count,
        queries_read=0,
        is_trusted=notice.is_trusted,
        store=notice.store,
        read_only=notice.read_only,
    )


def _without_project(state: State) -> State:
    return State(page=state.page, engine=state.engine)


def _run(state: State, notice: RunStarted | RunProgressed | RunEnded) -> State:
    match notice:
        case RunStarted():
            return replace(
                _nothing_starts(state),
                live=notice.run,
                unfinished=None,
                is_stopping=state.is_stopping,
                servers=notice.servers,
                tally=Tally(notice.plan.planned),
            )
        case RunProgressed():
            return replace(
                state,
                tally=notice.tally,
                running=notice.running,
                seconds_left=notice.seconds_left,
                is_paused=notice.is_paused,
                at_once=notice.at_once,
                spread=notice.servers,
            )
        case RunEnded():
            return replace(
                _nothing_starts(state),
                live=None,
                tally=notice.tally,
                running=(),
                seconds_left=None,
                is_paused=False,
            )
