"""A run that is spread over several servers, each a process of its own on loopback."""

import asyncio
from collections import Counter

from studio import settings
from studio.engine.events import TrialRetried, TrialStarted
from studio.engine.messages import (
    ContinueRun,
    Notice,
    ProjectOpened,
    RunAgain,
    RunEnded,
    RunStarted,
    StartRun,
    Told,
)
from studio.engine.model_messages import (
    DeleteModel,
    ProbeModel,
    PromptRendered,
    PullModel,
    PullMoved,
    RenderPrompt,
)
from studio.engine.outcomes import FailureClass, Outcome
from studio.engine.records import (
    ModelSpec,
    RunPlan,
    Tally,
)
from studio.engine.store.progress import RETRIED
from studio.engine.workbench import Workbench
from tests.engine import sample
from tests.engine.carrying_out import carry_out
from tests.engine.engine_process import plan_of
from tests.engine.pooled import (
    ANOTHER,
    BROKEN,
    IDS,
    QUERIES,
    chats,
    events,
    killed_once_asked,
    silent_on,
    spread,
    stored,
    tools_after,
)


def test_trials_are_spread_and_each_says_who_answered(tmp_path, start):
    one, other = start(tools_after(0.05), version="0.12.1"), start(tools_after(0.05))
    folder = spread(tmp_path, one, other)
    ended, told = carry_out(folder, ids=IDS)
    assert (ended.ending, ended.tally, told) == ("finished", Tally(QUERIES, done=QUERIES), [])
    row, trials = stored(folder)
    assert [(each.address, each.version, each.window) for each in row.servers] == [
        (one.address, "0.12.1", 8192), (other.address, "0.12.0", 8192)
    ]  # fmt: skip
    assert len({each.model_digest for each in row.servers}) == 1
    answered = Counter(trial.server for trial in trials)
    assert set(answered) == {one.address, other.address}
    for server in (one, other):
        assert len(chats(server)) == 2 * answered[server.address], "a trial has one server"
    for trial in trials:
        first = events(folder, trial)[0]
        assert isinstance(first, TrialStarted)
        assert first.server == trial.server


def test_each_server_works_on_so_many_requests_at_a_time(tmp_path, start):
    servers = [start(tools_after(0.05)), start(tools_after(0.05))]
    folder = spread(tmp_path, *servers, run={"at_once": 3, "requests": 2})
    ended, _ = carry_out(folder, ids=IDS, requests=2)
    assert ended.tally.done == QUERIES
    assert [max(each["together"] for each in chats(server)) for server in servers] == [2, 2]


def test_a_slow_server_holds_no_fast_one_up(tmp_path, start):
    slow, fast = start(tools_after(1.0)), start()
    folder = spread(tmp_path, slow, fast)
    ended, _ = carry_out(folder, ids=IDS)
    assert ended.tally.done == QUERIES
    answered = Counter(trial.server for trial in stored(folder)[1])
    assert answered[fast.address] > answered[slow.address] > 0


def test_another_model_of_the_same_name_takes_no_part(tmp_path, start, closed_address):
    one, another = start(), start(models=ANOTHER)
    without = start(models=[{"name": "other:1b"}])
    folder = spread(tmp_path, one, another, without, closed_address)
    ended, [told] = carry_out(folder, ids=IDS)
    assert ended.tally.done == QUERIES
    for said in (
        f"{another.address}: It has another model under that name (ffffffffffff, not 000000000000)",
        f"{without.address}: The server at {without.address} has no model",
        f"{closed_address}: No model server answers",
    ):
        assert said in told.problem
    assert not told.is_error
    assert [chats(each) for each in (another, without)] == [[], []]
    row, trials = stored(folder)
    assert [each.address for each in row.shared] == [one.address]
    assert [bool(each.left_out) for each in row.servers] == [False, True, True, True]
    assert {trial.server for trial in trials} == {one.address}


def test_the_first_that_is_named_decides_which_model_is_meant(tmp_path, start):
    first, second = start(models=ANOTHER), start()
    ended, _ = carry_out(spread(tmp_path, first, second), ids=IDS)
    assert ended.tally.done == QUERIES
    assert chats(second) == []


def test_a_server_that_cannot_load_the_model_takes_no_part(tmp_path, start):
    full = start(load={"status": 500, "error": "model requires more system memory (9 GiB)"})
    folder = spread(tmp_path, full, start())
    ended, [told] = carry_out(folder, ids=IDS)
    assert ended.tally.done == QUERIES
    assert "more system memory" in told.problem


def test_where_no_server_can_run_the_model_each_says_why(tmp_path, start, closed_address):
    without = start(models=[])
    ended, _ = carry_out(spread(tmp_path, without, closed_address), ids=IDS)
    assert (ended.run, ended.ending) == (0, "failed")
    assert f"{without.address}: The server" in ended.remedy
    assert f"{closed_address}: No model server answers" in ended.remedy


def test_the_trial_of_a_server_that_dies_is_run_on_another_and_says_so(tmp_path, start, mortal):
    dying, well = mortal(silent_on("What do 0 grams")), start(tools_after(0.05))
    folder = spread(tmp_path, dying, well)
    ended, told = carry_out(folder, killed_once_asked(dying, "What do 0 grams"), IDS)
    assert (ended.ending, ended.problem) == ("finished", "")
    assert ended.tally == Tally(QUERIES, done=QUERIES)
    assert f"{dying.address} is not asked while it is gone" in told[0].problem
    row, trials = stored(folder)
    assert row.tally == ended.tally, "what is told is what is stored"
    assert len(trials) == QUERIES
    assert {(trial.outcome, trial.failure) for trial in trials} == {(Outcome.FINISHED, None)}
    [again] = [trial for trial in trials if RETRIED in trial.marks]
    assert (again.query_id, again.server) == ("q0", well.address)
    _, retried, *_ = events(folder, again)
    assert isinstance(retried, TrialRetried)
    assert retried.server == dying.address
    assert "closed the connection" in retried.reason
    gone, stays = sorted(row.servers, key=lambda each: each.address == well.address)
    assert gone.took_part
    assert "No model server answers" in gone.left_out
    assert (stays.took_part, stays.left_out) == (True, "")


def test_when_all_die_the_run_ends_and_is_continued_with_those_that_are_there(tmp_path, mortal):
    servers = [mortal(silent_on("grams cost?")), mortal(silent_on("grams cost?"))]
    folder = spread(tmp_path, *servers)

    def both(plan: RunPlan) -> StartRun:
        for server in servers:
            killed_once_asked(server, "grams cost?")(plan)
        return StartRun(plan)

    ended, _ = carry_out(folder, both, IDS)
    assert ended.ending == "failed"
    assert "No model server answers" in ended.problem
    assert ended.tally.done == 0
    row, trials = stored(folder)
    assert row.tally == ended.tally
    assert all(trial.failure is FailureClass.SERVER for trial in trials if trial.outcome)
    port = int(servers[1].address.rpartition(":")[2])
    mortal(port=port)
    ended, _ = carry_out(folder, lambda _: ContinueRun(1))
    assert (ended.ending, ended.tally) == ("finished", Tally(QUERIES, done=QUERIES))
    row, trials = stored(folder)
    assert {trial.server for trial in trials} == {servers[1].address}
    assert all(each.until is not None for each in row.server.absences)
    assert [(each.address, bool(each.left_out)) for each in row.shared] == [
        (servers[1].address, False), (servers[0].address, True)
    ]  # fmt: skip


def test_a_server_that_fails_every_trial_is_left_out_and_nothing_is_lost(tmp_path, start):
    broken, well = start(rules=[], default=BROKEN), start(tools_after(0.05))
    folder = spread(tmp_path, broken, well)
    ended, told = carry_out(folder, ids=IDS)
    assert (ended.ending, ended.tally) == ("finished", Tally(QUERIES, done=QUERIES))
    assert any("trials in a row" in each.problem for each in told)
    row, trials = stored(folder)
    assert row.tally == ended.tally
    assert {trial.server for trial in trials} == {well.address}
    # Another trial may have begun there while the third one's failure was looked into.
    assert sum(RETRIED in trial.marks for trial in trials) == len(chats(broken))
    assert len(chats(broken)) in {3, 4}


def test_what_fails_on_every_server_is_one_failed_trial(tmp_path, start):
    rule = {"user": "What do 2 grams", "reply": BROKEN}
    servers = [start(sample.script(rules=[rule, *sample.RULES])) for _ in range(2)]
    folder = spread(tmp_path, *servers)
    ended, told = carry_out(folder, ids=IDS)
    assert (ended.ending, told) == ("finished", [])
    assert ended.tally == Tally(QUERIES, done=QUERIES - 1, failed=1)
    row, trials = stored(folder)
    assert row.tally == ended.tally
    [failed] = [trial for trial in trials if trial.failure]
    assert (failed.query_id, failed.failure) == ("q2", FailureClass.SERVER)
    assert failed.is_excused
    assert RETRIED in failed.marks


def test_a_time_out_on_a_server_that_is_there_is_a_time_out(tmp_path, start):
    servers = [start(silent_on("What do 1 grams")) for _ in range(2)]
    folder = spread(tmp_path, *servers)
    ended, told = carry_out(folder, ids=IDS, time_limit=1.5)
    assert (ended.tally, told) == (Tally(QUERIES, done=QUERIES - 1, failed=1), [])
    [late] = [trial for trial in stored(folder)[1] if trial.failure]
    assert (late.failure, late.marks) == (FailureClass.TIME_OUT, ())


def test_a_run_is_continued_on_servers_that_have_its_very_model(tmp_path, start):
    one = start()
    folder = spread(tmp_path, one)
    carry_out(folder, ids=IDS[:2])
    one.play(sample.script(models=ANOTHER))
    other_model = "It has another model under that name (ffffffffffff, not 000000000000)"
    ended, _ = carry_out(folder, lambda _: ContinueRun(1))
    assert ended.problem.startswith("Run 1 cannot be continued. It needs small:latest (0000")
    assert f"{one.address}: {other_model}" in ended.problem
    assert "--server" in ended.remedy
    ended, _ = carry_out(folder, lambda _: RunAgain(1))
    assert ended.problem.startswith("Run 1 cannot be run again.")
    assert other_model in ended.problem
    assert "--server" not in ended.remedy, "a repetition changes nothing"


def test_a_run_again_is_spread_too_and_asks_with_the_same_options(tmp_path, start):
    servers = [start(tools_after(0.02)), start(tools_after(0.02))]
    folder = spread(tmp_path, *servers, options={"temperature": 0.7, "seed": -1})
    carry_out(folder, ids=IDS, trials=2)

    def asked_with() -> set[tuple[str, int, str]]:
        return {
            (str(body["messages"][1]["content"]), options.pop("seed"), str(sorted(options.items())))
            for server in servers
            for body in (each["body"] for each in chats(server))
            if (options := dict(body["options"]))
        }

    before = asked_with()
    for server in servers:
        server.play(tools_after(0.02))
    ended, _ = carry_out(folder, lambda _: RunAgain(1))
    assert ended.tally == Tally(2 * QUERIES, done=2 * QUERIES)
    assert asked_with() == before
    assert len(before) == 2 * QUERIES, "two trials of a query have two seeds"
    first, second = stored(folder, 1)[0], stored(folder, 2)[0]
    assert second.plan.variant == first.plan.variant
    assert second.plan.repeats == 1


def test_a_pool_is_every_known_server_that_has_the_model(tmp_path, start, monkeypatch):
    local, named = start(tools_after(0.05)), start(tools_after(0.05))
    without = start(models=[])
    monkeypatch.setenv("OLLAMA_HOST", local.address)
    settings.save(settings.Settings(servers=(named.address, without.address)))
    folder = spread(tmp_path, "pool")
    (folder / "project.yaml").write_text(
        (folder / "project.yaml").read_text().replace('["pool"]', '"pool"')
    )
    ended, [told] = carry_out(folder, ids=IDS)
    assert ended.tally.done == QUERIES
    assert f"{without.address}:" in told.problem
    row, trials = stored(folder)
    assert {trial.server for trial in trials} == {local.address, named.address}
    assert row.plan.variant.model.server == "pool"


def test_auto_means_what_the_settings_say_and_that_is_kept(tmp_path, start, monkeypatch):
    local, named = start(tools_after(0.05)), start(tools_after(0.05))
    monkeypatch.setenv("OLLAMA_HOST", local.address)
    settings.save(settings.Settings(server="pool", servers=(named.address,)))
    folder = spread(tmp_path, "auto")
    (folder / "project.yaml").write_text(
        (folder / "project.yaml").read_text().replace('["auto"]', '"auto"')
    )
    carry_out(folder, ids=IDS)
    settings.save(settings.Settings(servers=(named.address,)))
    carry_out(folder, ids=IDS)
    spread_, alone = stored(folder, 1)[0], stored(folder, 2)[0]
    assert spread_.plan.variant.model.server == "pool"
    assert len(spread_.shared) == 2
    assert [each.address for each in alone.servers] == [local.address]


def test_a_server_that_is_named_twice_is_asked_once(tmp_path, start):
    one = start()
    again = one.address.replace("127.0.0.1", "localhost")
    folder = spread(tmp_path, one, again, again.replace("localhost", "LOCALHOST."))
    ended, told = carry_out(folder, ids=IDS)
    assert (ended.tally.done, told) == (QUERIES, [])
    assert [each.address for each in stored(folder)[0].servers] == [one.address]


def test_a_plan_may_name_other_servers_than_the_project(tmp_path, start, closed_address):
    one, other = start(tools_after(0.05)), start(tools_after(0.05))
    folder = spread(tmp_path, closed_address)
    ended, _ = carry_out(folder, ids=IDS, server=(one.address, other.address))
    assert isinstance(ended, RunEnded)
    assert ended.tally.done == QUERIES
    assert len(stored(folder)[0].shared) == 2


def test_no_model_is_swapped_or_pulled_under_a_run_on_any_of_its_servers(tmp_path, start):
    one, other = start(tools_after(0.1)), start(tools_after(0.1))
    told: list[Notice] = []

    def beside(bench: Workbench, notice: Notice) -> None:
        told.append(notice)
        if isinstance(notice, RunStarted):
            for server in (one, other):
                bench.take(PullModel(server.address, sample.MODEL))
                bench.take(DeleteModel(server.address, sample.MODEL))
                bench.take(ProbeModel(server.address, "other:1b"))
                bench.take(RenderPrompt(server.address, {"model": "other:1b"}, "k"))

    ended, _ = carry_out(spread(tmp_path, one, other), ids=IDS, beside=beside)
    assert ended.tally.done == QUERIES
    said = [each.problem for each in told if isinstance(each, Told | PromptRendered)]
    for words in ("cannot be pulled", "cannot be deleted", "a probe would", "its own model"):
        assert sum(words in each for each in said) == 2, words
    for server in (one, other):
        assert {each["path"] for each in server.log()} <= {
            "/api/version", "/api/tags", "/api/show", "/api/ps", "/api/chat"
        }  # fmt: skip
        assert {each["body"]["model"] for each in chats(server)} == {sample.MODEL}


def test_a_model_that_another_program_replaced_under_the_run_is_told(tmp_path, start):
    one = start(tools_after(0.05))

    def beside(_bench: Workbench, notice: Notice) -> None:
        if isinstance(notice, RunStarted):
            one.play(tools_after(0.0) | {"models": ANOTHER})

    ended, [told] = carry_out(spread(tmp_path, one), ids=IDS, beside=beside)
    assert ended.tally == Tally(QUERIES, done=QUERIES)
    assert "was replaced there while the run went on (000000000000 by ffffffffffff)" in told.problem
    [server] = stored(tmp_path / "gold")[0].servers
    assert "Its trials may be of two models" in server.left_out


def test_a_model_that_is_being_pulled_is_not_run(tmp_path, start):
    one = start(pulls={sample.MODEL: {"pause": 0.05, "steps": 100}})

    async def work() -> RunEnded:
        notices: asyncio.Queue[Notice] = asyncio.Queue()
        async with Workbench(notices.put_nowait) as bench:
            await bench.open(spread(tmp_path, one))
            bench.take(PullModel(one.address, sample.MODEL))
            opened = None
            while True:
                notice = await notices.get()
                opened = notice if isinstance(notice, ProjectOpened) else opened
                if isinstance(notice, PullMoved) and notice.done and opened is not None:
                    bench.take(StartRun(plan_of(opened.project, IDS)))
                    opened = None
                if isinstance(notice, RunEnded):
                    return notice

    ended = asyncio.run(work())
    assert (ended.run, ended.ending) == (0, "failed")
    assert f"{sample.MODEL} is being pulled on {one.address}" in ended.problem
    assert chats(one) == []


def test_a_model_spec_lists_the_servers_that_it_names():
    assert ModelSpec("m").servers == ("auto",)
    assert ModelSpec("m", ("a", "b")).servers == ("a", "b")


IDLE = "studio.engine.pool._IDLE_SECONDS"


def loads(server) -> list[str]:
    """What the server was asked, in order: to load the model, or something."""
    asked = (each["body"] for each in server.log() if each["path"] == "/api/chat")
    return ["asked" if body["messages"] else "loaded" for body in asked]


def test_a_model_that_lay_idle_is_loaded_before_a_trial_and_not_in_its_time(
    tmp_path, start, monkeypatch
):
    monkeypatch.setattr(IDLE, 0.0)
    server = start(sample.script())
    ended, _ = carry_out(spread(tmp_path, server), ids=("q0", "q1"))
    assert ended.tally == Tally(2, done=2)
    assert loads(server) == ["loaded", *["loaded", "asked", "asked"] * 2]
    options = [each["body"]["options"]["num_ctx"] for each in server.log()
               if each["path"] == "/api/chat"]  # fmt: skip
    assert len(set(options)) == 1, "another window would load it again"


def test_a_model_that_is_at_work_is_loaded_once(tmp_path, start):
    server = start(sample.script())
    carry_out(spread(tmp_path, server), ids=("q0", "q1"))
    assert loads(server) == ["loaded", *["asked"] * 4]


def test_a_trial_whose_model_cannot_be_loaded_again_is_run_and_tells_why(
    tmp_path, start, monkeypatch
):
    monkeypatch.setattr(IDLE, 0.0)
    server = start(sample.script(default={"status": 500, "error": "no memory left"}, rules=[]))

    def refuse(_bench, notice) -> None:
        if isinstance(notice, RunStarted):
            server.play(
                sample.script(
                    load={"status": 500, "error": "no memory left"},
                    default={"status": 500, "error": "no memory left"},
                    rules=[],
                )
            )

    ended, _ = carry_out(spread(tmp_path, server), ids=("q0",), beside=refuse)
    assert ended.tally == Tally(1, failed=1)
    assert "no memory left" in stored(tmp_path / "gold")[1][0].reason
