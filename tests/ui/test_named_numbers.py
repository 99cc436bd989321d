"""Names with numbers in a small table: the parts of a composite and their weights."""

import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from studio.engine.metrics.composite import guides_parts
from studio.engine.records import Criteria, MetricSpec
from studio.ui.models.metric_offers import offers
from studio.ui.models.named_numbers import Named, about, rows_in, text_of
from studio.ui.widgets.named_numbers import NamedNumbers
from studio.ui.widgets.named_row import NameBox
from tests.ui.conftest import MakeStudio
from tests.ui.test_metrics_page import metrics
from tests.ui.test_pages import press

PARTS = {"exact_match": 0.5, "calls": {"weight": 0.25, "metric": "tool_call_accuracy"}}

names = st.text(min_size=1).map(str.strip).filter(bool)
numbers = st.integers(-1000, 1000).map(lambda thousandths: thousandths / 1000)
several = st.builds(
    lambda weight, rest: {"weight": weight, **rest},
    numbers,
    st.dictionaries(st.sampled_from(["metric", "at_least", "x"]), numbers | names, min_size=1),
)


@given(st.dictionaries(names, numbers | several))
def test_what_rows_show_is_what_the_file_states(stated):
    assert json.loads(text_of(rows_in(json.dumps(stated)))) == stated


def test_what_is_no_number_stays_for_the_catalogue_to_refuse():
    rows = [Named("a", "half"), Named("b", "1", "{at_least"), Named(" ", ""), Named("", "2")]
    assert json.loads(text_of(rows)) == {"a": "half", "b": "{at_least", "": 2}
    assert about(rows) == ""
    digits = "9" * 400
    assert json.loads(text_of([Named("a", digits)])) == {"a": digits}
    assert rows_in(f'{{"a": {digits}}}') == (Named("a", digits),)


def test_the_sum_is_told_and_a_name_that_hides_another():
    rows = [Named("a", "0.1"), Named("b", "0.2", '{"at_least": 1}'), Named()]
    assert about(rows) == "Sum 0.3"
    assert about([*rows, Named("a ", "1")]) == "a stands 2 times: the last counts"
    assert about([]) == ""


@pytest.mark.parametrize("text", ['{"a": 1,}', "5", '{"a": "0.5", "b": [1]}', '{"a":  1e0}'])
def test_what_nobody_edits_is_kept_to_the_letter(qtbot: QtBot, text: str):
    table = NamedNumbers(["a"])
    qtbot.addWidget(table)
    table.set_text(text)
    assert table.text() == text


def test_parts_of_a_composite_are_set_by_keys_alone_and_revert_brings_them_back(
    make_studio: MakeStudio, project_folder: Path, qtbot: QtBot
):
    studio = make_studio(opens=project_folder)
    shown = metrics(studio).criteria
    shown.add(next(each for each in offers() if each.chosen.name == "composite"))
    table = shown.detail.form.control("parts")
    assert isinstance(table, NamedNumbers)
    assert [row.stated.name for row in table.rows] == list(guides_parts())
    assert table.about.text() == "Sum 1"
    studio.actions["item.save"].trigger()
    qtbot.waitUntil(lambda: not shown.foot.save.isEnabled(), timeout=30_000)

    studio.window.activateWindow()
    qtbot.waitUntil(table.isVisible)
    table.rows[-1].remove.setFocus()
    qtbot.keyClick(table.rows[-1].remove, Qt.Key.Key_Space)
    assert table.add.hasFocus()
    qtbot.keyClick(table.add, Qt.Key.Key_Space)
    row = table.rows[-1]
    assert row.name.hasFocus()
    qtbot.keyClicks(row.name, "exact_match")
    qtbot.keyClick(row.name, Qt.Key.Key_Tab)
    assert row.number.hasFocus()
    qtbot.keyClicks(row.number, "0.6")
    qtbot.keyClick(row.number, Qt.Key.Key_Tab)
    qtbot.keyClicks(row.others, '{"at_least": 1}')
    wanted: dict[str, object] = {**guides_parts(), "exact_match": {"weight": 0.6, "at_least": 1}}
    del wanted["agentic_match"]
    assert shown.choice[-1].settings == {"parts": wanted}
    assert table.about.text() == "Sum 1.4"
    assert not table.accessibleDescription()

    press(shown, "Revert")
    assert shown.choice[-1].settings == {}
    assert [row.stated.name for row in table.rows] == list(guides_parts())


def test_tab_goes_through_the_rows_in_order(
    make_studio: MakeStudio, project_folder: Path, qtbot: QtBot
):
    studio = make_studio(opens=project_folder)
    shown = metrics(studio).criteria
    shown.add(next(each for each in offers() if each.chosen.name == "composite"))
    form = shown.detail.form
    table = form.control("parts")
    assert isinstance(table, NamedNumbers)
    studio.window.activateWindow()
    qtbot.waitUntil(form.control("mode").isVisible)
    table.add.click()
    form.control("mode").setFocus()
    wanted = [control for row in table.rows for control in row.controls]
    for control in (*wanted, table.add, form.control("passes_at")):
        qtbot.keyClick(QApplication.focusWidget(), Qt.Key.Key_Tab)
        assert control.hasFocus()
    assert all(each.accessibleName() for each in wanted)


def test_a_weight_that_is_none_and_a_metric_that_is_no_part_say_so(
    make_studio: MakeStudio, project_folder: Path, qtbot: QtBot
):
    shown = metrics(make_studio(opens=project_folder)).criteria
    shown.add(next(each for each in offers() if each.chosen.name == "composite"))
    table = shown.detail.form.control("parts")
    assert isinstance(table, NamedNumbers)
    first = table.rows[0]
    first.number.selectAll()
    qtbot.keyClicks(first.number, "much")
    assert "must be a number" in table.accessibleDescription()
    first.number.selectAll()
    qtbot.keyClicks(first.number, "1")
    assert not table.accessibleDescription()
    assert isinstance(first.name, NameBox)
    first.name.typed.selectAll()
    qtbot.keyClicks(first.name, "steps")
    assert "Parts are the studio's, from 0 to 1" in table.accessibleDescription()


def test_of_many_rows_the_one_that_was_added_is_seen(qtbot: QtBot):
    table = NamedNumbers(["exact_match"])
    qtbot.addWidget(table)
    table.set_text(json.dumps({f"m{place}": 1 for place in range(20)}))
    table.resize(600, table.sizeHint().height())
    table.show()
    qtbot.waitExposed(table)
    assert table.sizeHint().height() < 12 * table.rows[0].height()
    qtbot.mouseClick(table.add, Qt.MouseButton.LeftButton)
    qtbot.waitUntil(lambda: not table.rows[-1].visibleRegion().isEmpty())
    assert table.rows[0].visibleRegion().isEmpty()


def test_a_file_with_its_own_names_is_shown_whole(
    make_studio: MakeStudio, project_folder: Path, qtbot: QtBot
):
    studio = make_studio(opens=project_folder)
    shown = metrics(studio).criteria
    criteria = Criteria((MetricSpec("composite", {"parts": PARTS}),))
    studio.session.files.save_criteria(criteria)
    qtbot.waitUntil(lambda: shown.detail.title.text().startswith("Composite"), timeout=30_000)
    table = shown.detail.form.control("parts")
    assert isinstance(table, NamedNumbers)
    assert [row.stated for row in table.rows] == [
        ("exact_match", "0.5", ""), ("calls", "0.25", '{"metric": "tool_call_accuracy"}'),
    ]  # fmt: skip
