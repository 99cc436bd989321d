"""A run whose servers are not what they were goes on where its very model is."""

from collections import Counter
from pathlib import Path

from studio.engine.messages import ContinueRun
from studio.engine.records import Tally
from tests.engine import sample
from tests.engine.carrying_out import carry_out
from tests.engine.pooled import ANOTHER, BROKEN, IDS, QUERIES, Start, chats, spread, stored


def lost_half_way(tmp_path: Path, mortal: Start, *, kill: bool = True) -> tuple[Path, str]:
    """A run whose one server failed its last trials; the server's address."""
    broken = [{"user": f"What do {number} grams", "reply": BROKEN} for number in (3, 4, 5)]
    one = mortal(sample.script(rules=[*broken, *sample.RULES]), version="0.12.1")
    folder = spread(tmp_path, one)
    ended, _ = carry_out(folder, ids=IDS)
    assert ended.tally == Tally(QUERIES, done=3, failed=3)
    if kill:
        one.kill()
    return folder, one.address


def test_a_run_goes_on_at_another_server_that_is_named_and_keeps_the_facts_of_both(
    tmp_path, start, mortal
):
    folder, gone = lost_half_way(tmp_path, mortal)
    other = start()
    ended, told = carry_out(folder, lambda _: ContinueRun(1, other.address))
    assert (ended.ending, ended.tally, told) == ("finished", Tally(QUERIES, done=QUERIES), [])
    row, trials = stored(folder)
    assert Counter(trial.server for trial in trials) == {gone: 3, other.address: 3}
    assert [(each.address, each.version, each.took_part) for each in row.servers] == [
        (other.address, "0.12.0", True), (gone, "0.12.1", True)
    ]  # fmt: skip
    assert len({each.model_digest for each in row.servers}) == 1
    assert row.servers[1].left_out == "It was not asked when the run was continued."
    assert row.plan.variant.model.servers == (gone,), "what was begun stays as it was"


def test_on_a_server_with_another_model_a_run_does_not_go_on(tmp_path, start, mortal):
    folder, _ = lost_half_way(tmp_path, mortal)
    another, without = start(models=ANOTHER), start(models=[])
    servers = (another.address, without.address)
    ended, _ = carry_out(folder, lambda _: ContinueRun(1, servers))
    assert (ended.run, ended.ending) == (0, "failed")
    for said in (
        "It needs small:latest (000000000000).",
        f"{another.address}: It has another model under that name (ffffffffffff, not 000000000000)",
        f"The server at {without.address} has no model",
    ):
        assert said in ended.problem
    assert "Start a new run" in ended.remedy
    assert chats(another) == []


def moved(folder: Path, before: str, *now: str) -> None:
    """Name other servers in the project than those of its run."""
    text = (folder / "project.yaml").read_text()
    assert before in text
    (folder / "project.yaml").write_text(text.replace(before, '", "'.join(now)))


def test_a_run_whose_server_is_gone_goes_on_where_the_project_has_the_model_now(
    tmp_path, start, mortal
):
    folder, gone = lost_half_way(tmp_path, mortal)
    other = start()
    moved(folder, gone, gone, other.address)
    ended, [told] = carry_out(folder, lambda _: ContinueRun(1))
    assert (ended.ending, ended.tally) == ("finished", Tally(QUERIES, done=QUERIES))
    assert "Not taking part in this run: " in told.problem
    row, trials = stored(folder)
    assert Counter(trial.server for trial in trials) == {gone: 3, other.address: 3}
    now, before = row.servers
    assert (now.address, now.left_out) == (other.address, "")
    assert (before.address, before.version, before.took_part) == (gone, "0.12.1", True)
    assert before.left_out == f"No model server answers at {gone}."


def test_a_run_whose_server_is_there_is_not_taken_elsewhere(tmp_path, start, mortal):
    folder, begun = lost_half_way(tmp_path, mortal, kill=False)
    other = start()
    moved(folder, begun, other.address)
    carry_out(folder, lambda _: ContinueRun(1))
    assert other.log() == []


def test_where_the_model_was_never_told_no_other_server_can_be_said_to_have_it(tmp_path, start):
    one, other = (start(models=[{"name": sample.MODEL, "digest": ""}]) for _ in range(2))
    folder = spread(tmp_path, one)
    carry_out(folder, ids=IDS[:2])
    ended, _ = carry_out(folder, lambda _: ContinueRun(1, other.address))
    assert "did not tell" in ended.problem
    assert other.log() == []
    ended, _ = carry_out(folder, lambda _: ContinueRun(1))
    assert ended.ending == "finished"
