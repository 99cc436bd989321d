"""Servers of a run that go and come back while it goes on, each a process of its own."""

import itertools
from collections import Counter

import pytest

from studio.engine.messages import Notice, Told
from studio.engine.model_messages import DeleteModel
from studio.engine.models import returning
from studio.engine.records import Tally
from studio.engine.workbench import Workbench
from tests.engine import sample
from tests.engine.carrying_out import carry_out
from tests.engine.pooled import (
    ANOTHER,
    IDS,
    QUERIES,
    Start,
    chats,
    killed_once_asked,
    silent_on,
    spread,
    stored,
    tools_after,
)
from tests.ollama_fixture import ScriptedOllama

TRIALS = 4
ALL = QUERIES * TRIALS
GONE = "is not asked while it is gone"


@pytest.fixture(autouse=True)
def _short_pauses(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(returning, "FIRST_PAUSE", 0.05)
    monkeypatch.setattr(returning, "LONGEST_PAUSE", 0.05)


class Revival:
    """Starts a server anew, at the address that it had, whenever the run says that it is gone.

    Meanwhile the run stands still: it is the run's own loop that this is called on.
    """

    def __init__(self, mortal: Start, address: str, *scripts: dict[str, object]) -> None:
        self.servers: list[ScriptedOllama] = []
        self._mortal = mortal
        self._port = int(address.rpartition(":")[2])
        self._scripts = iter(scripts)

    def __call__(self, _bench: Workbench, notice: Notice) -> None:
        if isinstance(notice, Told) and GONE in notice.problem:
            for script in itertools.islice(self._scripts, 1):
                self.servers.append(self._mortal({**tools_after(0.05), **script}, port=self._port))


def test_a_server_that_comes_back_is_asked_again_and_its_absence_is_kept(tmp_path, start, mortal):
    dying, well = mortal(silent_on("What do 0 grams")), start(tools_after(0.1))
    revive = Revival(mortal, dying.address, {"version": "0.13.0"})
    folder = spread(tmp_path, dying, well)
    kill = killed_once_asked(dying, "What do 0 grams")
    ended, told = carry_out(folder, kill, IDS, beside=revive, trials=TRIALS)
    assert (ended.ending, ended.tally) == ("finished", Tally(ALL, done=ALL))
    assert [GONE in each.problem for each in told] == [True, False]
    assert told[1].problem == f"{dying.address} is back, and asked again."
    row, trials = stored(folder)
    assert Counter(trial.server for trial in trials)[dying.address] > 0
    [facts] = [each for each in row.servers if each.address == dying.address]
    assert (facts.left_out, facts.version) == ("", "0.12.0")
    [absence] = facts.absences
    assert absence.until is not None
    assert row.created < absence.since < absence.until < (row.ended or 0)
    assert absence.version == "0.13.0"
    [back] = revive.servers
    first_chat = next(each for each in back.log() if each["path"] == "/api/chat")
    assert first_chat["body"]["messages"] == [], "the model is loaded before a trial is asked"


def test_nothing_is_deleted_on_a_server_before_it_is_asked_again(tmp_path, start, mortal):
    dying, well = mortal(silent_on("What do 0 grams")), start(tools_after(0.1))
    revive = Revival(mortal, dying.address, {})

    def beside(bench: Workbench, notice: Notice) -> None:
        revive(bench, notice)
        if isinstance(notice, Told) and GONE in notice.problem:
            bench.take(DeleteModel(dying.address, sample.MODEL))

    kill = killed_once_asked(dying, "What do 0 grams")
    folder = spread(tmp_path, dying, well)
    ended, told = carry_out(folder, kill, IDS, beside=beside, trials=TRIALS)
    assert ended.tally == Tally(ALL, done=ALL)
    assert sum("cannot be deleted" in each.problem for each in told) == 1
    assert all(each["path"] != "/api/delete" for each in revive.servers[0].log())


def test_a_server_that_comes_back_with_another_model_is_asked_no_more(tmp_path, start, mortal):
    dying, well = mortal(silent_on("What do 0 grams")), start(tools_after(0.1))
    revive = Revival(mortal, dying.address, {"models": ANOTHER})
    folder = spread(tmp_path, dying, well)
    kill = killed_once_asked(dying, "What do 0 grams")
    ended, told = carry_out(folder, kill, IDS, beside=revive, trials=TRIALS)
    assert ended.tally == Tally(ALL, done=ALL)
    assert told[1].problem.startswith(f"{dying.address} is asked no more in this run.")
    row, _ = stored(folder)
    [facts] = [each for each in row.servers if each.address == dying.address]
    assert facts.left_out == (
        "It came back with another small:latest (ffffffffffff, not 000000000000)."
    )
    assert chats(revive.servers[0]) == []


def test_a_server_that_stays_away_is_asked_until_the_run_is_over(tmp_path, start, mortal):
    dying, well = mortal(silent_on("What do 0 grams")), start(tools_after(0.05))
    folder = spread(tmp_path, dying, well)
    ended, told = carry_out(folder, killed_once_asked(dying, "What do 0 grams"), IDS)
    assert (ended.ending, ended.tally, len(told)) == ("finished", Tally(QUERIES, done=QUERIES), 1)
    row, _ = stored(folder)
    [facts] = [each for each in row.servers if each.address == dying.address]
    assert facts.left_out == f"No model server answers at {dying.address}."
    assert [each.until for each in facts.absences] == [None]


def test_a_server_that_goes_twice_has_two_absences(tmp_path, start, mortal):
    dying, well = mortal(silent_on("What do 0 grams")), start(tools_after(0.2))
    revive = Revival(mortal, dying.address, silent_on("grams cost?"), {})
    folder = spread(tmp_path, dying, well)

    def beside(bench: Workbench, notice: Notice) -> None:
        revive(bench, notice)
        if isinstance(notice, Told) and "is back" in notice.problem and len(revive.servers) == 1:
            [once] = revive.servers
            killed_once_asked(once, "grams cost?")(stored(folder)[0].plan)

    kill = killed_once_asked(dying, "What do 0 grams")
    ended, told = carry_out(folder, kill, IDS, beside=beside, trials=TRIALS)
    assert ended.tally == Tally(ALL, done=ALL)
    assert [GONE in each.problem for each in told] == [True, False, True, False]
    [facts] = [each for each in stored(folder)[0].servers if each.address == dying.address]
    assert len(facts.absences) == 2
    assert all(each.until is not None for each in facts.absences)
