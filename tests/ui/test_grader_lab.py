"""The grader lab, driven as a user would, over a small real engine that gives real verdicts."""

import json
from pathlib import Path

import pytest
from PySide6.QtWidgets import QComboBox, QFileDialog, QLineEdit
from pytestqt.qtbot import QtBot

from studio.ui.app import Studio
from studio.ui.models.case_file import CHANGED, TOO_FAR, CaseFile
from studio.ui.views.case_verdicts import UNSCORED, ZERO, CaseVerdicts
from studio.ui.views.grader_lab import GraderLab
from tests.ui.conftest import MakeStudio
from tests.ui.test_metrics_page import metrics
from tests.ui.test_pages import press

CALL = {"name": "get_price", "arguments": {"metal": "gold"}}
RIGHT = {"id": "right", "expected": {"calls": [CALL]}, "calls": [CALL]}
WRONG = {"id": "wrong", "expected": {"calls": [CALL]}, "calls": []}
UNSTATED = {"id": 7, "calls": [CALL]}


@pytest.fixture
def cases(tmp_path: Path) -> Path:
    path = tmp_path / "cases.jsonl"
    lines = [json.dumps(each) for each in (RIGHT, WRONG, UNSTATED)]
    path.write_text("\n".join([*lines, "<b>no JSON"]) + "\n")
    return path


def lab(studio: Studio) -> GraderLab:
    shown = metrics(studio)
    shown.show_lab()
    return shown.lab


def rows(of: CaseVerdicts) -> list[tuple[str, ...]]:
    cells = range(of.model.columnCount())
    return [
        tuple(str(of.model.index(row, cell).data()) for cell in cells[:3])
        for row in range(of.model.rowCount())
    ]


def grade(of: GraderLab, cases: Path, qtbot: QtBot) -> None:
    of.cases.set_path(str(cases))
    press(of, "Grade")
    qtbot.waitUntil(lambda: of._session.lab.grading is None, timeout=30_000)


def test_cases_are_graded_counted_and_each_verdict_can_be_looked_into(
    make_studio: MakeStudio, project_folder: Path, qtbot: QtBot, cases: Path, tmp_path: Path
):
    shown = lab(make_studio(opens=project_folder))
    assert not shown.grade.isEnabled()
    shown.out.set_path(str(cases))
    shown.cases.set_path(str(cases))
    assert not shown.grade.isEnabled()
    assert "cannot go to the file of the cases" in shown.wrong.text()
    shown.out.set_path(str(tmp_path / "verdicts.jsonl"))
    grade(shown, cases, qtbot)
    verdicts = shown.verdicts
    assert verdicts.counts.text() == "mean 0.5000 · 2 scored of 4 cases"
    assert rows(verdicts) == [
        ("1", "right", "1"), ("2", "wrong", "0"), ("3", "7", "not scored"), ("4", "", "not scored"),
    ]  # fmt: skip
    lines = (tmp_path / "verdicts.jsonl").read_text().splitlines()
    written = [json.loads(line) for line in lines]
    assert [each["score"] for each in written] == [1, 0, None, None]
    assert str(tmp_path / "verdicts.jsonl") in verdicts.told.text()
    verdicts.table.selectRow(1)
    told = verdicts.detail.text.toPlainText()
    assert told.index("0 of 1 expected calls made") < told.index('"id": "wrong"')
    verdicts.table.selectRow(3)
    assert verdicts.detail.text.toPlainText().endswith("── the case ──\n<b>no JSON\n")
    verdicts.kind.setCurrentText(UNSCORED)
    assert [row[0] for row in rows(verdicts)] == ["3", "4"]
    assert verdicts.note.text() == "2 listed"
    verdicts.kind.setCurrentText(ZERO)
    assert [row[0] for row in rows(verdicts)] == ["2"]


def test_the_figures_of_a_benchmark_stand_below_the_counts(
    make_studio: MakeStudio, project_folder: Path, qtbot: QtBot, tmp_path: Path
):
    shown = lab(make_studio(opens=project_folder))
    assert shown.verdicts.figures.isHidden()
    shown.picker.setCurrentText("SimpleQA grade")
    grades = tmp_path / "grades.jsonl"
    grades.write_text("".join(f'{{"grade": "{grade}"}}\n' for grade in "AAB"))
    grade(shown, grades, qtbot)
    assert "correct 0.6667 (2 of 3)" in shown.verdicts.figures.text()
    assert shown.verdicts.figures.isVisible()


def test_settings_of_another_metric_are_offered_and_used(
    make_studio: MakeStudio, project_folder: Path, qtbot: QtBot, cases: Path
):
    shown = lab(make_studio(opens=project_folder))
    shown.picker.setCurrentIndex(shown.picker.findText("Argument accuracy"))
    which = shown.form.control("of")
    assert isinstance(which, QComboBox)
    which.setCurrentText("made")
    grade(shown, cases, qtbot)
    assert "scored of 4 cases" in shown.verdicts.counts.text()
    shown.picker.setCurrentIndex(shown.picker.findText("Recall@k"))
    box = shown.form.control("k")
    assert isinstance(box, QLineEdit)
    box.selectAll()
    qtbot.keyClicks(box, "none")
    assert not shown.grade.isEnabled()
    assert "number, 1 or more" in box.accessibleDescription()


def test_the_lab_begins_with_the_metric_that_was_looked_at(
    make_studio: MakeStudio, project_folder: Path
):
    studio = make_studio(opens=project_folder)
    shown = metrics(studio)
    shown.criteria.list.list.setCurrentRow(1)
    assert lab(studio).picker.currentText() == "Steps"
    # What changes the list of metrics does nothing where nobody sees it.
    for command in ("item.delete", "item.up", "item.down"):
        studio.actions[command].trigger()
    assert [each.name for each in shown.criteria.choice] == [
        "tool_call_accuracy", "steps", "seconds",
    ]  # fmt: skip
    shown.lab.picker.setCurrentIndex(0)
    shown.tabs.setCurrentWidget(shown.criteria)
    assert lab(studio).picker.currentText() == "Tool-call accuracy"


def test_an_example_is_written_and_graded(
    make_studio: MakeStudio, project_folder: Path, qtbot: QtBot, tmp_path: Path
):
    studio = make_studio(opens=project_folder)
    shown = lab(studio)
    shown.example.click()
    dialog = shown.findChild(QFileDialog)
    dialog.fileSelected.emit(str(tmp_path / "example.jsonl"))
    dialog.reject()
    assert json.loads((tmp_path / "example.jsonl").read_text())["expected"]
    assert shown.cases.path() == str(tmp_path / "example.jsonl")
    grade(shown, tmp_path / "example.jsonl", qtbot)
    assert shown.verdicts.counts.text() == "mean 1.0000 · 1 scored of 1 case"
    shown.write_example(str(tmp_path / "nowhere" / "example.jsonl"))
    assert "cannot be written" in studio.window.notices.texts[0]


def test_a_file_that_cannot_be_read_says_so(
    make_studio: MakeStudio, project_folder: Path, qtbot: QtBot, tmp_path: Path
):
    shown = lab(make_studio(opens=project_folder))
    grade(shown, tmp_path / "gone.jsonl", qtbot)
    assert "gone.jsonl" in shown.verdicts.told.text()
    assert shown.verdicts.told.property("role") == "bad"
    assert shown.grade.isEnabled()


def test_a_long_file_is_graded_while_the_first_thousand_are_listed_and_stops_when_told(
    make_studio: MakeStudio, project_folder: Path, qtbot: QtBot, tmp_path: Path
):
    path = tmp_path / "long.jsonl"
    path.write_text(f"{json.dumps(RIGHT)}\n{json.dumps(WRONG)}\n" * 1_000)
    shown = lab(make_studio(opens=project_folder))
    grade(shown, path, qtbot)
    assert shown.verdicts.counts.text() == "mean 0.5000 · 2,000 scored of 2,000 cases"
    assert shown.verdicts.model.rowCount() == 1_000
    assert "the first 1,000 are listed, all are counted" in shown.verdicts.told.text()
    shown = lab(make_studio("--scoring-pause", "0.002", opens=project_folder))
    shown.cases.set_path(str(path))
    press(shown, "Grade")
    qtbot.waitUntil(lambda: bool(shown.verdicts.counts.text()), timeout=30_000)
    press(shown, "Stop")
    qtbot.waitUntil(shown.grade.isEnabled, timeout=30_000)
    assert "stopped" in shown.verdicts.told.text()
    assert 0 < shown.verdicts.model.rowCount() < 1_000


def test_a_case_is_shown_only_where_it_can_be_found_at_once_and_is_the_one_that_was_graded(
    tmp_path: Path,
):
    path = tmp_path / "cases.jsonl"
    path.write_bytes(b'{"a":1}\n\n' + b"x" * 5_000_000 + b"\n{}\n")
    cases = CaseFile(str(path))
    assert json.loads(cases.text(1)) == {"a": 1}
    assert cases.text(2) == ""
    assert cases.text(3) == cases.text(4) == TOO_FAR
    path.write_text('{"a":2}\n{"b":\xff}')
    assert cases.text(1) == CHANGED
    assert CaseFile(str(path)).text(2) == '{"b":\xff}'
    path.unlink()
    assert CaseFile(str(path)).text(1) == CHANGED
