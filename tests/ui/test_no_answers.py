"""What the window says of trials without an answer, of thinking, and of how full it is."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from msgspec.structs import replace
from PySide6.QtWidgets import QPushButton
from pytestqt.qtbot import QtBot

from studio.engine.events import ModelFailed, ModelReplied, TrialEnded
from studio.engine.messages import ContinueRun, RunInvalidAgain
from studio.engine.model_messages import PromptRendered, RenderPrompt
from studio.engine.outcomes import FailureClass, Outcome
from studio.engine.records import (
    ModelSpec,
    Query,
    ToolSet,
)
from studio.engine.store.rows import TrialRow
from studio.ui.models.no_answers import NoAnswers
from studio.ui.models.results import Wanted
from studio.ui.models.standing import badges, ended
from studio.ui.state import Picks, State
from studio.ui.views.detail import SENT, TABS, THOUGHT
from studio.ui.views.evaluate import EvaluatePage
from studio.ui.views.runs import RunsPage
from studio.ui.views.window_meter import WindowMeter, standing
from tests.ui import builders
from tests.ui.stage import Stage


@pytest.fixture
def stage(qtbot: QtBot, tmp_path: Path) -> Iterator[Stage]:
    made = Stage(tmp_path)
    yield made
    made.close()


@pytest.fixture
def sent(stage: Stage, monkeypatch: pytest.MonkeyPatch) -> list[object]:
    """What the window asks of the engine."""
    commands: list[object] = []
    monkeypatch.setattr(stage.link, "send", commands.append)
    return commands


@pytest.fixture
def page(stage: Stage, sent: list[object], qtbot: QtBot) -> EvaluatePage:
    made = EvaluatePage(stage.session, stage.theme, stage.actions)
    qtbot.addWidget(made)
    made.resize(1132, 746)
    made.show()
    stage.open_project()
    return made


def failed(place: int, failure: FailureClass, outcome: Outcome = Outcome.FAILED) -> TrialRow:
    why = "not the agent's doing"
    return replace(
        builders.running(place), outcome=outcome, failure=failure, seconds=1.0, reason="It broke.",
        scores=tuple(builders.score_of(each.name, None, why) for each in builders.METRICS),
    )  # fmt: skip


TRUNCATED = failed(1, FailureClass.TRUNCATED, Outcome.TRUNCATED)
SERVER = failed(2, FailureClass.SERVER)
CAPPED = replace(
    builders.trial(4), outcome=Outcome.STEP_CAP, failure=FailureClass.STEP_CAP, answer=None
)


def told(*rows: TrialRow) -> str:
    counted = NoAnswers()
    counted.update(rows)
    return counted.told()


def test_failures_are_told_by_whose_doing_they_were():
    assert told() == told(builders.trial(0)) == ""
    assert told(SERVER) == "1 trial not the agent's doing: 1 server"
    assert told(CAPPED) == "1 without an answer: 1 step cap"
    assert told(CAPPED, SERVER, TRUNCATED) == (
        "2 trials not the agent's doing: 1 truncated, 1 server"
        " · 1 more without an answer: 1 step cap"
    )


def test_a_trial_that_was_run_again_well_is_no_failure_any_more():
    assert told(SERVER, replace(builders.trial(0), position=2)) == ""


def test_each_class_is_a_badge_and_a_word_to_filter_by():
    assert [ended(row) for row in (TRUNCATED, SERVER, CAPPED)] == [
        "truncated", "failed: server", "step cap",
    ]  # fmt: skip
    assert [badges(row)[0].tone for row in (TRUNCATED, CAPPED)] == ["mark", "bad"]
    kind = Wanted("", Wanted.EXCUSED, ())
    assert [kind(row) for row in (TRUNCATED, SERVER, CAPPED, builders.trial(0))] == [
        True, True, False, False,
    ]  # fmt: skip
    assert Wanted("server", Wanted.ALL, ())(SERVER)


def fail_some(stage: Stage, page: EvaluatePage, qtbot: QtBot) -> None:
    """A run of 20 in which one trial was truncated and one failed by the server's fault."""
    stage.start()
    stage.put([builders.trial(0), TRUNCATED, SERVER, builders.trial(4)])
    stage.end()
    qtbot.waitUntil(page.no_answers.isVisible, timeout=10_000)


def test_figures_are_shown_with_and_without_what_was_not_the_agents_doing(
    page: EvaluatePage, stage: Stage, qtbot: QtBot
):
    fail_some(stage, page, qtbot)
    first = page.summary.tiles[0]
    qtbot.waitUntil(lambda: first.value.text() == "1.00")
    assert "0.50 if 2 trials that were not the agent's doing counted as 0" in first.hint()
    page.no_answers.counts.click()
    assert (first.value.text(), first.interval.text()) == ("0.50", "2 as 0")
    page.no_answers.counts.click()
    assert first.value.text() == "1.00"


def test_the_trials_that_were_not_the_agents_doing_can_be_seen_alone(
    page: EvaluatePage, stage: Stage, qtbot: QtBot
):
    fail_some(stage, page, qtbot)
    page.no_answers.see.click()
    assert page.results.note.text() == "2 of 4"


def test_invalid_trials_are_run_again_with_one_click_and_the_window_is_told(
    page: EvaluatePage, stage: Stage, qtbot: QtBot, sent: list[object]
):
    stage.start(builders.plan())
    trial = stage.begin(1)
    needed = ModelFailed(2.0, "m", "s", FailureClass.TRUNCATED, "Too long.", needed=3900)
    begun = builders.events(1, 1, is_over=False)
    end = TrialEnded(3.0, Outcome.TRUNCATED, failure=FailureClass.TRUNCATED, reason="Too long.")
    stage.append(trial, [*begun, needed, end])
    stage.end()
    button = page.no_answers.again
    qtbot.waitUntil(lambda: button.isVisible() and button.isEnabled(), timeout=10_000)
    assert button.text() == "Run invalid ones again with num_ctx 8,192"
    button.click()
    assert stage.asked == ["run.invalid"]
    stage.session.run_invalid_again(stage.run)
    assert sent[-1] == RunInvalidAgain(stage.run)


def test_a_finished_run_in_which_only_the_server_failed_is_continued_wherever_runs_are(
    page: EvaluatePage, stage: Stage, qtbot: QtBot, sent: list[object]
):
    runs = RunsPage(stage.session, stage.theme)
    qtbot.addWidget(runs)
    going_on = [each for each in runs.findChildren(QPushButton) if each.text() == "Continue"]
    for last, can_go_on in ((builders.trial(2), False), (SERVER, True)):
        stage.start(builders.plan(3))
        stage.put([builders.trial(0), TRUNCATED, last])
        stage.end()
        runs.table.choose(runs.model.index(0, 0))
        offered = [
            stage.actions["run.continue"].isEnabled(), page.bar.resume.isVisible(),
            *(each.isEnabled() for each in going_on),
        ]  # fmt: skip
        assert offered == [can_go_on] * 3
    assert "again what a server failed" in page.bar.resume.toolTip()
    assert "Continue asks: " in runs._said.text()
    page.bar.resume.click()
    assert stage.asked == ["run.continue"]
    going_on[0].click()
    assert sent[-1] == ContinueRun(stage.run)


def test_the_runs_page_counts_as_done_what_the_terminal_does(
    page: EvaluatePage, stage: Stage, qtbot: QtBot
):
    runs = RunsPage(stage.session, stage.theme)
    qtbot.addWidget(runs)
    stage.start(builders.plan(3))
    stage.put([failed(0, FailureClass.CANCELLED, Outcome.CANCELLED), SERVER])
    stage.end("stopped")
    [column] = [place for place, each in enumerate(runs.model.columns) if "done" in each.title]
    assert runs.model.index(0, column).data() == "0 of 3"
    assert runs._said.text().startswith("Run 1: 0 done, 1 failed, 1 cancelled, 1 not run of 3")


def thoughtful(stage: Stage, page: EvaluatePage, qtbot: QtBot) -> None:
    """A trial whose one model call thought."""
    stage.start()
    trial = stage.begin(0)
    events = [
        replace(event, thinking="Copper is cheap.", text="It costs 1.")
        if isinstance(event, ModelReplied) and not event.calls
        else event
        for event in builders.events(0, cycles=1)
    ]
    stage.append(trial, events)
    qtbot.waitUntil(lambda: page.results.model.total == 1, timeout=10_000)
    page.results.select((0, 1))


def test_thinking_has_a_place_of_its_own_where_there_is_any(
    page: EvaluatePage, stage: Stage, qtbot: QtBot
):
    thoughtful(stage, page, qtbot)
    detail = page.trace.detail
    thought = TABS.index(THOUGHT)
    qtbot.waitUntil(lambda: page.trace.model.rowCount() > 0)
    assert not detail.tabs.isTabVisible(thought)
    page.trace.last_step()
    page.trace.previous_step()
    qtbot.waitUntil(lambda: detail.tabs.isTabVisible(thought))
    detail.tabs.setCurrentIndex(thought)
    qtbot.waitUntil(lambda: detail.readings[THOUGHT].text.toPlainText() == "Copper is cheap.\n")
    detail.tabs.setCurrentIndex(0)
    assert "Copper is cheap" not in detail.readings[TABS[0]].text.toPlainText()


def test_the_prompt_is_asked_for_once_and_shown_as_the_model_reads_it(
    page: EvaluatePage, stage: Stage, qtbot: QtBot, sent: list[object]
):
    thoughtful(stage, page, qtbot)
    page.trace.last_step()
    page.trace.previous_step()
    view = page.trace.detail.sent
    page.show_prompt()
    [asked] = [command for command in sent if isinstance(command, RenderPrompt)]
    assert (asked.server, asked.sent["model"]) == ("embedded", "smollm2:135m")
    assert view.reading.text.toPlainText() == "Asking the server…"
    stage.session.desk.take(PromptRendered(asked.key, "<|user|>\n<b>What</b>"))
    assert view.reading.text.toPlainText() == "<|user|>\n<b>What</b>"
    view.button.click()
    assert "── 1 · system ──" in view.reading.text.toPlainText()
    view.button.click()
    assert view.reading.text.toPlainText().startswith("<|user|>")
    assert len([command for command in sent if isinstance(command, RenderPrompt)]) == 1
    page.trace.detail.tabs.setCurrentIndex(TABS.index(SENT))


def test_a_server_that_does_not_tell_the_prompt_is_named_and_can_be_asked_again(
    page: EvaluatePage, stage: Stage, qtbot: QtBot, sent: list[object]
):
    thoughtful(stage, page, qtbot)
    page.trace.last_step()
    page.trace.previous_step()
    view = page.trace.detail.sent
    page.show_prompt()
    [asked] = [command for command in sent if isinstance(command, RenderPrompt)]
    stage.session.desk.take(PromptRendered(asked.key, problem="It does not tell.", remedy="Oh."))
    assert view.reading.text.toPlainText() == "It does not tell.\nOh.\n"
    view.show_rendered()
    assert len([command for command in sent if isinstance(command, RenderPrompt)]) == 2


def metered(qtbot: QtBot, stage: Stage, prompt: str, num_ctx: int) -> WindowMeter:
    project = builders.project()
    models = (ModelSpec("m", options={"num_ctx": num_ctx, "num_predict": 100}),)
    project = replace(project, models=models, tool_sets=(ToolSet("t", (builders.PRICE,)),))
    made = WindowMeter(stage.theme)
    qtbot.addWidget(made)
    made.show_state(State(project=project, picks=Picks("first", "t", "m")))
    made.show_queries([Query("a", "short"), Query("b", "a longer question by far")])
    made.show_prompt(prompt)
    qtbot.waitUntil(lambda: made.shown is not None)
    return made


@pytest.mark.parametrize(
    ("prompt", "num_ctx", "role", "said"),
    [
        ("Use the tools.", 4096, "small", "left"),
        ("Use the tools. " * 100, 700, "mark", "may not fit"),
        ("Use the tools. " * 300, 700, "bad", "too many"),
    ],
)
def test_the_meter_says_what_fills_the_window_and_that_it_is_an_estimate(
    qtbot: QtBot, stage: Stage, prompt: str, num_ctx: int, role: str, said: str
):
    made = metered(qtbot, stage, prompt, num_ctx)
    assert made.shown is not None
    assert (made.shown.reply, made.shown.window) == (100, num_ctx)
    assert made.shown.tools > 0
    assert standing(made.shown)[0] == made.total.property("role") == role
    assert made.total.text().startswith("estimate: ")
    assert said in made.total.text()
    assert "an estimate" in made.meter.hint()
    assert made.grab().width() > 0


def test_the_meter_follows_the_typing(qtbot: QtBot, stage: Stage):
    made = metered(qtbot, stage, "Use the tools.", 4096)
    assert made.shown is not None
    before = made.shown.system
    made.show_prompt("Use the tools. " * 50)
    qtbot.waitUntil(lambda: made.shown is not None and made.shown.system > 10 * before)
