"""How the window's state follows from what the engine says."""

import pytest

from studio.engine.errors import Problem
from studio.engine.messages import (
    Preparing,
    ProjectRefused,
    RunEnded,
    RunStarted,
    Told,
    TrustNeeded,
)
from studio.engine.records import Tally
from studio.engine.server_facts import ServerFacts
from studio.ui.fold import engine_ended, fold
from studio.ui.state import State
from tests.ui import builders

STARTING = State(engine="ready", is_starting=True, is_stopping=True, preparing=Preparing("Loading"))


@pytest.mark.parametrize(
    "answer",
    [
        Told("A run is under way."),
        TrustNeeded("/project", ("tools.py",)),
        ProjectRefused("/project", (Problem("project.yaml", 1, "It is no YAML."),)),
        RunEnded(0, "failed", Tally(0), "Nothing answers."),
        RunEnded(0, "stopped", Tally(0)),
    ],
    ids=lambda answer: type(answer).__name__,
)
def test_whatever_answers_a_run_that_cannot_start_the_window_is_free_again(answer):
    after = fold(STARTING, answer)
    assert not after.is_busy
    assert not after.is_stopping
    assert after.preparing is None


def test_a_success_that_is_told_says_nothing_of_the_run_that_starts():
    assert fold(STARTING, Told("Saved.", is_error=False)).is_starting


def test_a_run_that_starts_while_it_is_being_stopped_is_still_being_stopped():
    after = fold(
        STARTING,
        RunStarted(
            3, builders.plan(), ServerFacts("http://127.0.0.1:1", "0.12.0", is_embedded=False)
        ),
    )
    assert (after.live, after.is_starting, after.is_stopping) == (3, False, True)


@pytest.mark.parametrize("live", [None, 3])
def test_an_engine_that_dies_leaves_the_run_that_was_going_to_be_continued(live):
    after = engine_ended(State(engine="ready", live=live, is_starting=live is None))
    assert (after.engine, after.live, after.unfinished) == ("ended", None, live)
    assert not after.is_busy
