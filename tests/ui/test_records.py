import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QAbstractItemModelTester
from pytestqt.qtbot import QtBot

from studio.ui.models.records import Column, RecordTable
from studio.ui.widgets.table import Table

Pair = tuple[str, int]


def name(pair: Pair) -> str:
    return pair[0]


def number(pair: Pair) -> str:
    return f"{pair[1]:,}"


def size(pair: Pair) -> int:
    return pair[1]


COLUMNS = (Column("Name", name), Column("Number", number, key=size, is_number=True, width=8))


@pytest.fixture
def model(qtbot: QtBot) -> RecordTable[Pair]:
    """A model that Qt's own tester watches: it looks at every row after every change."""
    model: RecordTable[Pair] = RecordTable(COLUMNS, name)
    mode = QAbstractItemModelTester.FailureReportingMode.Fatal
    QAbstractItemModelTester(model, mode, model)
    return model


def shown(model: RecordTable[Pair]) -> list[str]:
    return [str(model.index(row, 0).data()) for row in range(model.rowCount())]


def test_rows_are_sorted_by_what_they_mean_and_stay_sorted(model: RecordTable[Pair]):
    model.set_rows([("a", 9), ("b", 100), ("c", 20)])
    model.sort(1, Qt.SortOrder.DescendingOrder)
    assert shown(model) == ["b", "c", "a"]
    model.set_rows([("a", 1), ("d", 1000), ("b", 2)])
    assert shown(model) == ["d", "b", "a"]
    assert model.index(0, 1).data() == "1,000"


def test_the_current_row_stays_the_same_record_when_rows_are_sorted(
    model: RecordTable[Pair], qtbot: QtBot
):
    table = Table(model, "Pairs", sorts=True)
    qtbot.addWidget(table)
    model.set_rows([("a", 9), ("b", 100), ("c", 20)])
    table.choose(model.find(lambda pair: pair[0] == "c"))
    table.sortByColumn(1, Qt.SortOrder.AscendingOrder)
    assert model.record(table.currentIndex()) == ("c", 20)
    assert shown(model) == ["a", "c", "b"]


def test_a_filter_finds_every_word_in_a_hundred_thousand_rows(qtbot: QtBot):
    model: RecordTable[Pair] = RecordTable(COLUMNS, name)
    model.set_rows([(f"Query number {each}", each) for each in range(100_000)])
    model.set_filter("99 QUERY 999")
    qtbot.waitUntil(lambda: model.rowCount() > 0 and shown(model)[-1] == "Query number 99999")
    assert all("999" in text for text in shown(model))
    assert len(shown(model)) == len([n for n in range(100_000) if "999" in str(n)])
    model.set_filter("")
    assert model.rowCount() == 100_000


def test_a_newer_filter_takes_over_from_one_that_is_still_at_work(qtbot: QtBot):
    model: RecordTable[Pair] = RecordTable(COLUMNS, name)
    model.set_rows([(f"row {each}", each) for each in range(20_000)])
    model.set_filter("row")
    model.set_filter("19999")
    qtbot.waitUntil(lambda: model.rowCount() == 1)
    assert shown(model) == ["row 19999"]


def test_a_replaced_row_is_shown_at_its_place(model: RecordTable[Pair], qtbot: QtBot):
    model.set_rows([("a", 1), ("b", 2)])
    with qtbot.waitSignal(model.dataChanged):
        model.replace(1, ("z", 3))
    assert shown(model) == ["a", "z"]


def test_a_cell_is_one_line_and_its_tooltip_never_markup(model: RecordTable[Pair]):
    model.set_rows([("<img src='x'>\nline", 1)])
    assert model.index(0, 0).data() == "<img src='x'> line"
    tooltip = model.index(0, 0).data(Qt.ItemDataRole.ToolTipRole)
    assert tooltip == "<qt>&lt;img src='x'&gt;<br>line</qt>"
