"""The metrics page, driven as a user would, over a small real engine that gives real verdicts."""

import json
from pathlib import Path

from PySide6.QtCore import QModelIndex, Qt
from PySide6.QtWidgets import (
    QApplication,
    QCheckBox,
    QLineEdit,
    QPlainTextEdit,
    QPushButton,
    QWidget,
)
from pytestqt.qtbot import QtBot

from studio.engine.records import Criteria, MetricSpec, Threshold
from studio.ui.app import Studio
from studio.ui.models.metric_offers import offers
from studio.ui.views.evaluate import EvaluatePage
from studio.ui.views.metrics import MetricsPage
from studio.ui.views.runs import RunsPage
from studio.ui.views.score_again import ScoreAgainDialog
from studio.ui.widgets.picker import Choice
from tests.ui.conftest import MakeStudio
from tests.ui.test_pages import page, press


def metrics(studio: Studio) -> MetricsPage:
    shown = page(studio, "metrics")
    assert isinstance(shown, MetricsPage)
    return shown


def evaluate(studio: Studio) -> EvaluatePage:
    shown = page(studio, "evaluate")
    assert isinstance(shown, EvaluatePage)
    return shown


def listed(of: MetricsPage) -> list[str]:
    items = of.criteria.list.list
    return [items.item(row).text() for row in range(items.count())]


def names(studio: Studio) -> list[str]:
    project = studio.session.state.project
    return [spec.name for spec in project.metrics] if project else []


def run(studio: Studio, qtbot: QtBot) -> None:
    studio.actions["run.start"].trigger()
    qtbot.waitUntil(lambda: _is_over(studio), timeout=30_000)


def _is_over(studio: Studio) -> bool:
    state = studio.session.state
    return state.run is not None and state.run.ending == "finished" and not state.is_busy


def reading(of: QWidget) -> str:
    return of.text.toPlainText()  # type: ignore[attr-defined]


def test_a_search_that_finds_no_metric_says_where_else_to_look(
    make_studio: MakeStudio, project_folder: Path, qtbot: QtBot
):
    offers = metrics(make_studio(opens=project_folder)).criteria.offers
    assert offers.none.isHidden()
    qtbot.keyClicks(offers.filter, "faithfulness")
    assert offers.note.text().startswith("0 of ")
    assert "Analysis page" in offers.none.text()
    assert offers.none.isVisible()
    offers.filter.clear()
    assert offers.none.isHidden()


def test_a_metric_is_found_added_set_and_saved_by_keys_alone(
    make_studio: MakeStudio, project_folder: Path, qtbot: QtBot
):
    studio = make_studio(opens=project_folder)
    shown = metrics(studio)
    assert listed(shown) == ["Tool-call accuracy", "Steps", "Seconds"]
    studio.actions["item.new"].trigger()
    offers = shown.criteria.offers
    qtbot.keyClicks(offers.filter, "recall")
    qtbot.keyClick(offers.filter, Qt.Key.Key_Return)
    assert shown.criteria.detail.note.text() == "not in the project"
    assert "relevant" in shown.criteria.detail.definition.toPlainText()
    qtbot.keyClick(offers.tree, Qt.Key.Key_Return)
    assert listed(shown)[-1] == "Recall@k"
    form = shown.criteria.detail.form
    box = form.control("k")
    assert isinstance(box, QLineEdit)
    box.selectAll()
    qtbot.keyClicks(box, "3")
    qtbot.keyClicks(form.control("passes"), "0.5")
    studio.actions["item.up"].trigger()
    assert shown.criteria.list.note.text() == "unsaved changes"
    assert names(studio) == ["tool_call_accuracy", "steps", "seconds"]
    studio.actions["item.save"].trigger()
    wanted = Criteria(
        (*map(MetricSpec, ("tool_call_accuracy", "steps")), MetricSpec("recall_at_k", {"k": 3}),
         MetricSpec("seconds")),
        (Threshold("recall_at_k(k=3)", 0.5),),
    )  # fmt: skip
    qtbot.waitUntil(lambda: studio.session.state.project.criteria == wanted, timeout=30_000)
    assert shown.criteria.list.note.text() == "4 metrics"
    assert not shown.criteria.foot.save.isEnabled()
    assert shown.criteria.list.place == 2


def test_metrics_are_dragged_and_taken_out_and_revert_brings_them_back(
    make_studio: MakeStudio, project_folder: Path
):
    studio = make_studio(opens=project_folder)
    shown = metrics(studio)
    model = shown.criteria.list.list.model()
    assert model.moveRow(QModelIndex(), 0, QModelIndex(), 3)
    assert listed(shown) == ["Steps", "Seconds", "Tool-call accuracy"]
    assert shown.criteria.list.place == 2
    studio.actions["item.delete"].trigger()
    assert listed(shown) == ["Steps", "Seconds"]
    press(shown, "Revert")
    assert listed(shown) == ["Tool-call accuracy", "Steps", "Seconds"]
    for _ in range(3):
        studio.actions["item.delete"].trigger()
    assert listed(shown) == []
    assert shown.criteria.detail.title.text() == "No metric is chosen"
    assert not shown.criteria.list.remove.isEnabled()


def test_what_was_typed_comes_back_after_a_crash_right_or_wrong(
    make_studio: MakeStudio, project_folder: Path, qtbot: QtBot, tmp_path: Path
):
    studio = make_studio(opens=project_folder)
    shown = metrics(studio)
    box = shown.criteria.detail.form.control("ignore_case")
    assert isinstance(box, QCheckBox)
    box.setChecked(True)
    qtbot.keyClicks(shown.criteria.detail.form.control("passes"), "half")
    drafts = tmp_path / "state" / "drafts"
    # Nobody closed anything: it is on disk within a second of the last key.
    qtbot.waitUntil(lambda: any("half" in each.read_text() for each in drafts.rglob("*.draft")))
    again = metrics(make_studio(opens=project_folder))
    assert listed(again)[0] == "Tool-call accuracy (ignore case) ✕"
    assert again.criteria.detail.form.texts()["passes"] == "half"
    assert again.criteria.list.note.text() == "unsaved changes"
    # What is wrong is not saved, but shown.
    again.criteria.list.list.setCurrentRow(2)
    again.save_item()
    assert again.criteria.list.place == 0
    assert "plain number" in again.criteria.detail.form.control("passes").accessibleDescription()


def test_a_setting_that_the_catalogue_refuses_says_so_and_cannot_be_tried(
    make_studio: MakeStudio, project_folder: Path, qtbot: QtBot
):
    studio = make_studio("--queries", "2", opens=project_folder)
    run(studio, qtbot)
    shown = metrics(studio)
    shown.criteria.offers.filter.setText("nDCG")
    qtbot.keyClick(shown.criteria.offers.filter, Qt.Key.Key_Down)
    press(shown, "Add")
    detail = shown.criteria.detail
    detail.show_trial()
    qtbot.waitUntil(detail.trial.ask_button.isEnabled)
    box = detail.form.control("k")
    assert isinstance(box, QLineEdit)
    qtbot.keyClicks(box, "x")
    assert "number, 1 or more" in box.accessibleDescription()
    assert not detail.trial.ask_button.isEnabled()
    assert "once its settings are right" in reading(detail.trial.verdict)
    box.undo()
    assert detail.trial.ask_button.isEnabled()


def test_what_is_being_typed_is_not_put_into_other_words(
    make_studio: MakeStudio, project_folder: Path, qtbot: QtBot
):
    shown = metrics(make_studio(opens=project_folder)).criteria
    for name, field, typed, meant in (
        ("number_in_answer", "absolute", "0.05", 0.05),
        ("trajectory_match", "overrides", '{ "a":  "ignore" }', {"a": "ignore"}),
    ):
        shown.add(next(each for each in offers() if each.chosen.name == name))
        control = shown.detail.form.control(field)
        if isinstance(control, QPlainTextEdit):
            control.selectAll()
        qtbot.keyClicks(control, typed)
        assert shown.detail.form.texts()[field] == typed
        assert shown.choice[-1].settings == {field: meant}


def test_the_file_that_changed_under_the_edits_is_told(
    make_studio: MakeStudio, project_folder: Path, qtbot: QtBot
):
    studio = make_studio(opens=project_folder)
    shown = metrics(studio)
    studio.actions["item.down"].trigger()
    studio.session.files.save_criteria(Criteria((MetricSpec("tokens"),)))
    qtbot.waitUntil(lambda: names(studio) == ["tokens"], timeout=30_000)
    assert listed(shown)[0] == "Steps"
    assert shown.criteria.list.note.text() == "unsaved changes; the file changed too"
    press(shown, "Revert")
    assert listed(shown) == ["Tokens"]


def test_the_example_is_graded_by_the_engine_and_again_when_a_setting_changes(
    make_studio: MakeStudio, project_folder: Path, qtbot: QtBot
):
    studio = make_studio(opens=project_folder)
    detail = metrics(studio).criteria.detail
    detail.tabs.setCurrentWidget(detail.example)
    qtbot.waitUntil(lambda: "1 of 1 expected calls made" in reading(detail.example.verdict))
    assert '"metal": "gold"' in reading(detail.example.case)
    mode = detail.form.control("mode")
    assert isinstance(mode, Choice)
    mode.setCurrentText("published")
    assert "expected" not in reading(detail.example.verdict)
    qtbot.waitUntil(lambda: "expected" in reading(detail.example.verdict))


def test_a_metric_is_tried_on_the_trial_that_evaluate_shows_beside_the_runs_own_score(
    make_studio: MakeStudio, project_folder: Path, qtbot: QtBot
):
    studio = make_studio("--queries", "5", opens=project_folder)
    home = evaluate(studio)
    run(studio, qtbot)
    qtbot.waitUntil(lambda: home.results.model.total == 5)
    assert home.results.select((3, 1))
    shown = metrics(studio)
    studio.actions["score.try"].trigger()
    trial = shown.criteria.detail.trial
    qtbot.waitUntil(lambda: "expected calls made" in reading(trial.verdict))
    told = reading(trial.verdict)
    assert told.index("2 of 2 expected calls made") < told.index("the run's own score")
    # The made-up engine stored another verdict than the metric gives.
    assert told.index("the run's own score") < told.index("0.5\nas expected")
    assert trial.picker.current.query_id == "q4"
    # Another setting is another metric: the run was not judged by it.
    mode = shown.criteria.detail.form.control("mode")
    assert isinstance(mode, Choice)
    mode.setCurrentText("published")
    assert "was not judged by this metric" in reading(trial.verdict)
    shown.criteria.list.list.setCurrentRow(2)
    assert "not scored\nno clock" in reading(trial.verdict)


def test_a_run_is_scored_again_and_every_page_follows(
    make_studio: MakeStudio, project_folder: Path, qtbot: QtBot
):
    studio = make_studio("--queries", "5", opens=project_folder)
    home = evaluate(studio)
    run(studio, qtbot)
    qtbot.waitUntil(lambda: home.results.model.total == 5)
    assert home.results.select((3, 1))
    assert not home.score_bar.isVisible()
    runs = page(studio, "runs")
    assert isinstance(runs, RunsPage)
    qtbot.waitUntil(lambda: "Tool-call accuracy 0.90 (5 of 5)" in runs._said.text())
    shown = metrics(studio)
    shown.criteria.offers.filter.setText("number in answer")
    qtbot.keyClick(shown.criteria.offers.filter, Qt.Key.Key_Down)
    press(shown, "Add")
    assert "without Number in answer" in shown.criteria.score_bar.told.text()
    studio.actions["score.again"].trigger()
    dialog = shown.findChild(ScoreAgainDialog)
    assert dialog.chosen() == (1,)
    assert dialog.go_on.text() == "Save and Score Again"
    dialog.go_on.click()
    qtbot.waitUntil(lambda: bool(studio.session.lab.scored), timeout=30_000)
    assert shown.criteria.score_bar.told.text() == "Run 1: 5 of 5 trials scored again"
    assert names(studio)[-1] == "number_in_answer"
    assert studio.session.state.run.criteria == studio.session.state.project.criteria
    home = evaluate(studio)
    qtbot.waitUntil(lambda: "Number in answer" in _tiles(home))
    qtbot.waitUntil(lambda: _tiles(home)["Number in answer"] == "1.00")
    assert _tiles(home)["Tool-call accuracy"] == "1.00"
    assert home._shown == (3, 1)
    runs = page(studio, "runs")
    qtbot.waitUntil(lambda: "Number in answer 1.00 (5 of 5)" in runs._said.text())
    assert "other criteria" not in runs._said.text()


def _tiles(home: EvaluatePage) -> dict[str, str]:
    return {each.name.text(): each.value.text() for each in home.summary.tiles if each.isVisible()}


def test_a_run_that_is_judged_by_other_criteria_says_so_where_it_is_shown(
    make_studio: MakeStudio, project_folder: Path, qtbot: QtBot
):
    studio = make_studio("--queries", "3", opens=project_folder)
    run(studio, qtbot)
    home = evaluate(studio)
    studio.session.files.save_criteria(Criteria((MetricSpec("steps"),)))
    qtbot.waitUntil(home.score_bar.isVisible, timeout=30_000)
    told = home.score_bar.told.text()
    assert told == "Run 1 is judged by other criteria: with Tool-call accuracy, Seconds"
    runs = page(studio, "runs")
    assert isinstance(runs, RunsPage)
    qtbot.waitUntil(lambda: told in runs._said.text())
    home = evaluate(studio)
    home.score_bar.again.click()
    qtbot.waitUntil(lambda: not home.score_bar.isVisible(), timeout=30_000)
    assert studio.session.state.run.criteria.metrics == (MetricSpec("steps"),)


def test_several_runs_are_scored_again_and_stop_ends_all_of_them(
    make_studio: MakeStudio, project_folder: Path, qtbot: QtBot
):
    studio = make_studio("--queries", "4", "--scoring-pause", "0.15", opens=project_folder)
    run(studio, qtbot)
    studio.actions["run.start"].trigger()
    qtbot.waitUntil(lambda: _is_over(studio) and studio.session.state.run.id == 2, timeout=30_000)
    shown = metrics(studio)
    studio.actions["score.again"].trigger()
    dialog = shown.findChild(ScoreAgainDialog)
    assert not dialog.others.isEnabled()
    dialog.all.click()
    assert dialog.chosen() == (2, 1)
    dialog.go_on.click()
    lab = studio.session.lab
    assert not studio.actions["score.again"].isEnabled()
    assert "1 more run" in shown.criteria.score_bar.told.text()
    qtbot.waitUntil(lambda: lab.scoring is not None and lab.scoring.done >= 1, timeout=30_000)
    assert "Scoring run 2 again · " in studio.window.statusBar()._run.text()
    press(shown.criteria.score_bar, "Stop")
    qtbot.waitUntil(lambda: lab.scoring is None, timeout=30_000)
    [ended] = lab.scored
    assert (ended.run, ended.ending) == (2, "stopped")
    assert 1 <= ended.done < 4
    # What is half done says so where it is shown, and is done by scoring once more.
    qtbot.waitUntil(lambda: "was broken off" in shown.criteria.score_bar.told.text())
    home = evaluate(studio)
    assert "was broken off" in home.score_bar.told.text()
    home.score_bar.again.click()
    qtbot.waitUntil(lambda: not home.score_bar.isVisible(), timeout=30_000)
    assert not studio.session.state.run.is_half_judged
    other = project_folder.parent / "other"
    other.mkdir()
    studio.session.open_project(str(other))
    qtbot.waitUntil(lambda: not lab.scored, timeout=30_000)
    assert shown.criteria.score_bar.told.text() == ""
    assert not studio.actions["score.again"].isEnabled()


def test_an_engine_that_dies_ends_scoring_again_and_says_so(
    make_studio: MakeStudio, project_folder: Path, qtbot: QtBot
):
    studio = make_studio("--queries", "4", "--scoring-pause", "0.2", opens=project_folder)
    run(studio, qtbot)
    shown = metrics(studio)
    studio.session.lab.score_again((1,), studio.session.state.project.criteria)
    qtbot.waitUntil(lambda: studio.session.lab.scoring.done >= 1, timeout=30_000)
    studio.session._link._kill()
    qtbot.waitUntil(lambda: studio.session.state.engine == "ended", timeout=30_000)
    assert studio.session.lab.scoring is None
    told = shown.criteria.score_bar.told.text()
    assert told == "Run 1 was not scored again: The engine ended."
    assert not shown.criteria.score_bar.again.isEnabled()
    assert not shown.lab.grade.isEnabled()


def test_a_read_only_project_can_be_looked_at_and_not_changed(
    make_studio: MakeStudio, project_folder: Path
):
    studio = make_studio("--read-only", "The folder is read-only.", opens=project_folder)
    shown = metrics(studio)
    assert shown.criteria.list.note.text() == "The folder is read-only."
    for each in (shown.criteria.list.remove, shown.criteria.list.down, shown.criteria.offers.add):
        assert not each.isEnabled()
    assert not shown.criteria.detail.form.control("mode").isEnabled()
    shown.criteria.list.remove_current()
    shown.criteria.list.move_down()
    assert listed(shown) == ["Tool-call accuracy", "Steps", "Seconds"]


def test_every_control_of_the_page_can_be_reached_by_tab_and_has_a_name(
    make_studio: MakeStudio, project_folder: Path, qtbot: QtBot
):
    studio = make_studio(opens=project_folder)
    shown = metrics(studio)
    shown.criteria.detail.tabs.setCurrentWidget(shown.criteria.detail.definition)
    studio.window.activateWindow()
    reached: set[str] = set()
    shown.criteria.list.list.setFocus()
    for _ in range(60):
        focus = QApplication.focusWidget()
        assert focus is not None
        text = focus.text() if isinstance(focus, QPushButton) else ""
        assert focus.accessibleName() or text, focus
        reached.add(focus.accessibleName() or text)
        qtbot.keyClick(focus, Qt.Key.Key_Tab)
    assert reached >= {
        "Metrics of the project", "Find a metric", "Metrics of the catalogue", "Mode",
        "Ignore case", "A trial passes from", "Definition of the metric", "Remove",
        "What to see of the metric", "Metrics or grader lab",
    }  # fmt: skip


def test_drafts_hold_the_whole_list(make_studio: MakeStudio, project_folder: Path, tmp_path: Path):
    studio = make_studio(opens=project_folder)
    shown = metrics(studio)
    studio.actions["item.down"].trigger()
    shown.keep_drafts()
    [draft] = (tmp_path / "state" / "drafts").rglob("*.draft")
    kept = json.loads(json.loads(json.loads(draft.read_text())["text"])["criteria"][0])
    assert [each["name"] for each in kept] == ["steps", "tool_call_accuracy", "seconds"]
