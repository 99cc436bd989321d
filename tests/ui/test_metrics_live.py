"""The metrics page over the real engine: criteria in the file, runs scored, cases graded."""

import json
from collections.abc import Iterator
from pathlib import Path

import pytest
from PySide6.QtCore import QCoreApplication, Qt
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from studio.engine.records import MetricSpec
from studio.engine.store.writer import Store
from studio.ui.app import Studio
from studio.ui.views.trust import TrustDialog
from tests.ui import builders
from tests.ui.conftest import close
from tests.ui.stage import FACTS
from tests.ui.test_metrics_page import evaluate, metrics, names, reading
from tests.ui.test_pages import press

PROJECT = """\
name: metals
model: {name: "smollm2:135m", server: embedded}
# What a good answer is.
metrics:
- tool_call_accuracy  # the thesis
- steps
"""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    made = tmp_path / "metals"
    (made / "prompts").mkdir(parents=True)
    (made / "prompts" / "first.md").write_text("Answer.")
    (made / "project.yaml").write_text(PROJECT)
    (made / "queries.yaml").write_text("- {id: q01, query: What does gold cost?}\n")
    with Store.open(made) as store:
        run = store.create_run(builders.plan(4), (FACTS,), builders.queries(4))
        for place, query in enumerate(builders.queries(4)):
            trial = store.begin_trial(run, query, 1, place)
            for event in builders.events(place, cycles=1):
                store.append(trial, event)
            store.add_scores(trial, builders.trial(place).scores)
        store.end_run(run, "finished")
    return made


@pytest.fixture
def studio(folder: Path, qapp: QApplication, qtbot: QtBot, tmp_path: Path) -> Iterator[Studio]:
    made = Studio(qapp, tmp_path / "state", opens=folder)
    with qtbot.waitSignal(made.begun):
        made.window.show()
    made.session.closed.disconnect(QCoreApplication.quit)
    qtbot.waitUntil(lambda: bool(made.session.queries), timeout=30_000)
    yield made
    close(made, qtbot)


def test_criteria_are_saved_tried_and_applied_and_cases_are_graded(
    studio: Studio, folder: Path, qtbot: QtBot, tmp_path: Path
):
    home = evaluate(studio)
    assert home.score_bar.isVisible()
    shown = metrics(studio)
    shown.criteria.offers.filter.setText("number in answer")
    qtbot.keyClick(shown.criteria.offers.filter, Qt.Key.Key_Down)
    press(shown, "Add")
    studio.actions["item.save"].trigger()
    qtbot.waitUntil(lambda: names(studio)[-1] == "number_in_answer", timeout=30_000)
    text = (folder / "project.yaml").read_text()
    assert "# What a good answer is.\n" in text
    assert "- tool_call_accuracy  # the thesis\n" in text

    detail = shown.criteria.detail
    detail.tabs.setCurrentWidget(detail.example)
    qtbot.waitUntil(lambda: "what the metric says" in reading(detail.example.verdict))
    studio.actions["score.try"].trigger()
    trial = detail.trial
    qtbot.waitUntil(lambda: "as it is set here" in reading(trial.verdict), timeout=30_000)
    assert "was not judged by this metric" in reading(trial.verdict)

    home = evaluate(studio)
    home.score_bar.again.click()
    qtbot.waitUntil(lambda: not home.score_bar.isVisible(), timeout=30_000)
    run = studio.session.state.run
    assert run is not None
    wanted = ("tool_call_accuracy", "steps", "number_in_answer")
    assert run.criteria.metrics == tuple(map(MetricSpec, wanted))
    qtbot.waitUntil(lambda: home.summary.tiles[2].counts.text() == "4 of 4")

    path = tmp_path / "cases.jsonl"
    path.write_text("".join(f"{json.dumps(_case(place))}\n" for place in range(3_000)))
    shown = metrics(studio)
    shown.show_lab()
    shown.lab.cases.set_path(str(path))
    press(shown.lab, "Grade")
    qtbot.waitUntil(lambda: studio.session.lab.grading is None, timeout=30_000)
    assert shown.lab.verdicts.counts.text() == "mean 0.5000 · 2,000 scored of 3,000 cases"
    assert shown.lab.verdicts.model.rowCount() == 1_000


def _case(place: int) -> dict[str, object]:
    expected = {"number": 5.0} if place % 3 else {}
    return {"id": place, "expected": expected, "answer": f"It is {5 if place % 3 == 1 else 6}."}


OWN = '''
def holds_a_figure(query, trace):
    """Does the answer hold a figure? <b>Not</b> bold."""
    return any(letter.isdigit() for letter in trace.answer or "")
'''


def test_a_metric_of_the_projects_own_is_offered_trusted_and_tried(
    studio: Studio, folder: Path, qtbot: QtBot
):
    (folder / "metrics.py").write_text(OWN)
    studio.session.read_again()
    shown = metrics(studio)
    detail = shown.criteria.detail
    shown.criteria.offers.filter.setText("figure own")
    qtbot.waitUntil(lambda: shown.criteria.offers.tree.topLevelItemCount() == 1, timeout=30_000)
    qtbot.keyClick(shown.criteria.offers.filter, Qt.Key.Key_Down)
    assert detail.title.text() == "Holds a figure (own)"
    assert "Does the answer hold a figure? <b>Not</b> bold." in detail.definition.toPlainText()
    press(shown, "Add")
    assert shown.criteria.choice[-1].settings == {"function": "holds_a_figure"}
    studio.actions["score.try"].trigger()
    qtbot.waitUntil(lambda: studio.window.findChild(TrustDialog) is not None, timeout=30_000)
    dialog = studio.window.findChild(TrustDialog)
    assert "metrics.py" in dialog.files.toPlainText()
    press(dialog, "Trust and Run")
    # What asked for the project's code is done then, without being asked again.
    qtbot.waitUntil(lambda: reading(detail.trial.verdict).startswith("── as it is set here ──\n1"))
    shown.show_lab()
    assert shown.lab.picker.currentText() == "holds_a_figure"
